// SPDX-License-Identifier: GPL-2.0-only
// Jobs, processes, ranks and nodes side by side; what stands out; how the probes fared.

function unusualText(row) {
	const often = row.load >= 1.05 || row.load <= 0.95 ? `with ${row.load.toFixed(row.load < 10 ? 1 : 0)} times the usual calls` : "with as many calls as usual";
	const what = `p${row.percentile} ${time(row.latency_ns)}, ${(row.latency_ns / row.usual_latency_ns).toFixed(1)} times the usual ` +
		`${time(row.usual_latency_ns)} (${row.deviations.toFixed(0)} deviations), ${often}: ${row.cause}`;

	if (row.kind === "node")
		return `${row.layer} on ${row.node}: ${what}`;
	return `${row.layer} from ${clock(row.start_ns)} for ${time(row.end_ns - row.start_ns)}` +
		`${data.jobs.rows.length > 1 && row.job !== undefined ? ` in ${jobTitle(row.job)}` : ""}: ${what}`;
}

function unusualSection(job) {
	const rows = data.unusual.rows.filter((row) => job === null || row.job === job || row.kind === "node");

	if (!data.timelines.rows.length)
		return null;
	return section("unusual", "What stands out", "Periods in which a layer was slower than it usually is in the run, nodes on which it was " +
		"slower than on the others, and whether there was more to do then.",
	rows.length ? el("ul", { class: "unusual" }, rows.map((row) => el("li", null, row.kind === "period"
		? el("a", { href: "#times" }, unusualText(row)) : unusualText(row))))
		: el("p", null, "Nothing."));
}

// Time in each layer, as columns.
function layerColumns(rows) {
	const names = data.layers.map((layer) => layer.layer);
	const find = (row, name) => row.layers.find((layer) => layer.layer === name);

	return names.map((name) => ({ title: name, hint: `time in ${name}`, bar: true, show: time,
		of: (row) => (find(row, name) ? find(row, name).time_ns : null),
		rest: (rest) => (rest.layers && find(rest, name) ? time(find(rest, name).time_ns) : "") }))
		.filter((column) => rows.some(column.of));
}

function layersDetail(row) {
	return makeTable({ caption: "By layer", rows: row.layers, columns: [
		{ title: "layer", text: true, of: (r) => r.layer }, countColumn("calls"), errorColumn(), bytesColumn(),
		{ title: "time", of: (r) => r.time_ns, show: time, bar: true }, { title: "p99", of: (r) => r.p99_ns, show: time },
	] });
}

const NOBODY = { others: "other processes", none: "of no process" };

function processTable(job) {
	if (rowsOf(data.processes, job).length < 2)
		return null;
	return table(data.processes, job, "Processes", (rows) => [
		{ title: "process", text: true, of: (r) => (r.pid === null ? NOBODY[r.kind] : r.pid), show: String },
		{ title: "rank", of: (r) => r.rank, show: (n) => (n === null ? "" : String(n)) },
		{ title: "node", text: true, of: (r) => r.hostname }, { title: "command", text: true, of: (r) => r.command || r.comm }, jobColumn(rows),
		{ title: "component", text: true, of: (r) => r.component }, ...layerColumns(rows),
	], { detail: layersDetail, shown: 15 });
}

// For each layer which of them took longest, as the report has it. Not where some are only in a sum.
function slowestText(list, rows, name, layer) {
	const found = rows.map((row) => ({ row, layer: row.layers.find((one) => one.layer === layer) }))
		.filter((entry) => entry.layer).map(({ row, layer: { time_ns: ns } }) => ({ row, ns: ns || 0 }))
		.sort((a, b) => b.ns - a.ns || a.row.rank - b.row.rank);

	if (found.length < 2 || list.rest)
		return null;
	const n = found.length, [first] = found, last = found[n - 1];
	const median = Math.floor((found[Math.floor((n - 1) / 2)].ns + found[Math.floor(n / 2)].ns) / 2);

	return `${layer} by ${n} ranks: slowest: ${name(first.row)} with ${time(first.ns)}` +
		`${first.ns ? `, ${share(first.ns, sum(found.map((entry) => entry.ns)))} % of all` : ""}; ` +
		`median ${time(median)}; fastest: ${name(last.row)} with ${time(last.ns)}`;
}

function rankName(row) {
	return `rank ${row.rank}${row.hostname ? ` on ${row.hostname}` : ""}`;
}

function rankPart(job) {
	const rows = rowsOf(data.ranks, job);

	if (rows.length < 2)
		return null;
	return [el("ul", null, data.layers.map((layer) => slowestText(data.ranks, rows, rankName, layer.layer)).filter(Boolean)
		.map((text) => el("li", null, text))),
	table(data.ranks, job, "Ranks", () => [
		{ title: "rank", text: true, of: (r) => r.rank, show: String }, { title: "node", text: true, of: (r) => r.hostname }, jobColumn(rows),
		...layerColumns(rows),
	], { detail: layersDetail, shown: 32 })];
}

function accountTable() {
	return table(data.accounts, null, "Ranks, by the accounts of their processes", () => [
		{ title: "rank", text: true, of: (r) => r.rank, show: String }, { title: "processes", of: (r) => r.processes, show: count },
		{ title: "operations on files", of: (r) => r.posixio_count, show: count },
		{ title: "time in them, s", of: (r) => r.posixio_time, show: String, bar: true },
		{ title: "read", of: (r) => r.vfs_read_bytes, show: bytes }, { title: "written", of: (r) => r.vfs_write_bytes, show: bytes },
	]);
}

function processesSection(job) {
	return section("processes", "Processes", "Time in each layer; of libraries that in their own code.", rankPart(job), processTable(job),
		!data.ranks.rows.length && job === null && accountTable());
}

function jobsSection(choose) {
	if (data.jobs.rows.length < 2)
		return null;
	return section("jobs", "Jobs", null, makeTable({ caption: "Jobs and cgroups, the busiest first", rest: data.jobs.rest,
		rows: data.jobs.rows.map((row, number) => ({ ...row, number })), columns: [
			{ title: "job", text: true, of: (r) => jobTitle(r.number),
				show: (title, r) => el("button", { type: "button", class: "link", click: () => choose(r.number) }, title) },
			{ title: "began", text: true, of: (r) => r.start_ns, show: (ns) => (ns === null || ns === undefined ? "" : clock(ns)) },
			{ title: "ended", text: true, of: (r) => r.end_ns, show: (ns) => (ns === null || ns === undefined ? "" : clock(ns)) },
			{ title: "processes", of: (r) => r.processes, show: count },
			{ title: "CPU", of: (r) => r.cpu_ns, show: time }, { title: "memory", of: (r) => r.memory_peak_bytes, show: bytes },
			...layerColumns(data.jobs.rows),
			{ title: "read", of: (r) => r.vfs_read_bytes, show: bytes }, { title: "written", of: (r) => r.vfs_write_bytes, show: bytes },
		] }));
}

function nodesSection() {
	if (!data.nodes.rows.length)
		return null;
	const names = [...new Set(data.nodes.rows.flatMap((layer) => layer.nodes.map((node) => node.node)))];
	const find = (name, layer) => layer.nodes.find((node) => node.node === name);

	return section("nodes", "Nodes", null,
		el("ul", null, data.nodes.rows.map((layer) => el("li", null, `${layer.layer}: slowest ${layer.slowest} with ${time(layer.slowest_ns)}; ` +
			`median ${time(layer.median_ns)}; fastest ${layer.fastest} with ${time(layer.fastest_ns)}`))),
		makeTable({ caption: "Time in each layer by node", rows: names.map((node) => ({ node })), shown: 32, columns: [
			{ title: "node", text: true, of: (r) => r.node },
			...data.nodes.rows.map((layer) => ({ title: layer.layer, bar: true, show: time,
				of: (r) => (find(r.node, layer) ? find(r.node, layer).time_ns : null) })),
		] }));
}

function probesSection() {
	return section("probes", "Probes", "Of each layer how often its probes were hit, and what became of the hits.",
		makeTable({ caption: "Probes by layer", rows: data.probes, columns: [
			{ title: "layer", text: true, of: (r) => r.layer }, { title: "by", text: true, of: (r) => r.mechanism },
			{ title: "probes", of: (r) => r.n, show: count }, { title: "armed", of: (r) => r.armed, show: some },
			{ title: "waiting", of: (r) => r.waiting, show: some }, { title: "failed", of: (r) => r.failed, show: some },
			{ title: "parked", of: (r) => r.parked, show: some }, { title: "hits", of: (r) => r.hits, show: count },
			{ title: "recorded", of: (r) => r.recorded, show: count }, { title: "filtered", of: (r) => r.filtered, show: some },
			{ title: "lost", of: (r) => r.lost, show: some }, { title: "open", of: (r) => r.in_flight, show: some },
			{ title: "size not read", of: (r) => r.unsized, show: some },
		] }),
		data.losses.rows.length && makeTable({ caption: "What was lost, and why", rows: data.losses.rows, rest: data.losses.rest, sort: "count", columns: [
			{ title: "function", text: true, of: (r) => r.function }, { title: "layer", text: true, of: (r) => r.layer },
			{ title: "library", text: true, of: (r) => r.library }, { title: "reason", text: true, of: (r) => r.reason }, countColumn("count"),
		] }));
}
