// SPDX-License-Identifier: GPL-2.0-only
// How large accesses were, in which order, and of which files.

// Those of reads and writes, one below the other, on one scale.
function distributionCharts(job) {
	const rows = data.distributions.rows.filter((row) => row.job === job && row.size_buckets.length);
	const range = rangeOf(rows.map((row) => row.size_buckets));
	const names = { vfs: "files", block: "devices" };

	if (!rows.length)
		return null;
	return el("div", { class: "sizes" }, rows.map((row) => [
		el("div", { class: "name" }, `${names[row.layer]}, ${row.function}`),
		bars(row.size_buckets, range, bytes, 38, `${names[row.layer]}, ${row.function}: how large they were`),
		el("dl", { class: "values" }, [["count", count(row.count)], ["bytes", bytes(row.bytes)]].map(([name, value]) =>
			el("div", null, el("dt", null, name), el("dd", null, value))))]),
	el("div"), el("div", { class: "axis" }, scaleTicks(range, bytes)));
}

function className(sizeClass) {
	return sizeClass[1] === null ? "more" : `${sizeClass[0] ? "" : "0 "}to ${exactBytes(sizeClass[1])}`;
}

function mostOften(row) {
	if (!row.common_sizes.length)
		return "";
	const [size, times] = row.common_sizes[0];

	return `${exactBytes(size)}, ${count(times)}${row.common_is_exact ? "" : "+"} times`;
}

function accessTable(job) {
	return table(data.accesses, job, "Reads and writes of files", (rows) => [
		{ title: "", text: true, of: (r) => `${r.direction}s` }, jobColumn(rows), countColumn("count"),
		{ title: "failed, or no size", of: (r) => r.unsized, show: some }, bytesColumn(),
		{ title: "sequential %", of: (r) => r.sequential, show: (n, r) => share(n, r.placed) },
		{ title: "consecutive %", of: (r) => r.consecutive, show: (n, r) => share(n, r.placed) },
		...rows[0].sizes.map((sizeClass, i) => ({ title: className(sizeClass), of: (r) => r.sizes[i][2], show: some })),
		{ title: "most often", text: true, of: mostOften },
		{ title: "slowest", of: (r) => r.slowest_ns, show: time },
		{ title: "of file", text: true, of: (r) => r.slowest_file },
	]);
}

const WHATS = { paths: "(by path alone)", others: "(not told apart)" };

function objectName(row) {
	return WHATS[row.what] || row.name || (row.pid ? `pid ${row.pid}: ${row.id}` : row.id) || "?";
}

function accessOf(name, key) {
	return (row) => (row[name] ? row[name][key] : null);
}

// Of the accesses whose place is known, those that were sequential.
function sequentialOf(row) {
	const accesses = [row.read, row.write].filter((access) => access && access.sequential !== null);

	return { part: sum(accesses.map((access) => access.sequential)), whole: sum(accesses.map((access) => access.count - access.unsized)) };
}

function objectColumns(rows) {
	return [
		{ title: "name", text: true, of: objectName }, { title: "of", text: true, of: (r) => (r.layer === "vfs" ? "" : r.layer) }, jobColumn(rows),
		{ title: "procs", of: (r) => (r.processes > 1 ? r.processes : null), show: count },
		countColumn("ops"), errorColumn(),
		{ title: "reads", of: accessOf("read", "count"), show: count }, { title: "writes", of: accessOf("write", "count"), show: count },
		{ title: "read", of: accessOf("read", "bytes"), show: bytes }, { title: "written", of: accessOf("write", "bytes"), show: bytes },
		{ title: "bytes", of: (r) => r.bytes, show: (n) => (n ? bytes(n) : ""), rest: (r) => (r.bytes ? bytes(r.bytes) : "") },
		totalColumn("time"),
		{ title: "slowest", of: (r) => most([r.read, r.write].map((access) => access && access.slowest && access.slowest.duration_ns)), show: (ns) => (ns ? time(ns) : "") },
		{ title: "seq%", of: (r) => sequentialOf(r).part, show: (_, r) => share(sequentialOf(r).part, sequentialOf(r).whole) },
	];
}

function filesSection(job) {
	return section("files", "Sizes and files", "How large reads and writes were, on a logarithmic scale, and of which files.",
		distributionCharts(job), accessTable(job), table(data.vfs_objects, job, "Files", objectColumns, { sort: "time", shown: 15 }),
		table(data.library_objects, job, "Objects of libraries", objectColumns, { sort: "time", shown: 15 }));
}
