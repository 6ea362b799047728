// SPDX-License-Identifier: GPL-2.0-only
// Where the time went, layer by layer, and the figures that are looked at first.

const KINDS = [["code", "code"], ["files", "files"], ["disk", "disk"], ["net", "net"], ["wait", "wait"], ["other", "other"]];

function kindLegend() {
	return el("ul", { class: "legend" }, KINDS.map(([name, kind]) => el("li", null, el("span", { class: `swatch ${kind}` }), name)));
}

function layersOf(job) {
	return job === null ? data : data.jobs.rows[job];
}

// The time in library calls that are in no other one, as a row beside those of layers.
function outermost(libraries) {
	const named = libraries.vfs_ns + libraries.net_ns + libraries.wait_ns;
	const parts = [["code and other calls", "code", Math.max(libraries.total_ns - named, 0)],
		["files", "files", libraries.vfs_ns], ["net", "net", libraries.net_ns], ["wait", "wait", libraries.wait_ns]];

	return { layer: "in libraries", total_ns: libraries.total_ns, parts };
}

function layersSection(job) {
	const { layers, libraries } = layersOf(job);
	const rows = [...(libraries ? [outermost(libraries)] : []), ...layers];
	const parts = (row) => row.parts || partsOf(row);
	const part = (kind) => (row) => sum(parts(row).filter((one) => one[1] === kind).map((one) => one[2]));
	const whole = (row) => sum(parts(row).map((one) => one[2]));

	if (!layers.length)
		return null;
	return section("layers", "Where the time went", "In libraries has each moment once, whatever is nested; below, the time in a " +
		"layer's calls counts nested calls again, own does not. Sums of all threads: they can exceed the time that passed. " +
		"Disk is off the CPU in operations on files, or in the device; wait also the time before the device had a request.",
	kindLegend(), makeTable({ caption: "Layers, from the application down to the device", rows, columns: [
		{ title: "layer", text: true, of: (r) => r.layer },
		{ title: "calls", of: (r) => r.count, show: count }, errorColumn(), bytesColumn(),
		totalColumn("time"),
		{ title: "own", of: (r) => (r.self_ns === undefined && r.layer !== "vfs" && r.layer !== "block" ? r.time_ns : null), show: time },
		{ title: "", hint: "where it went", of: () => 1, show: (_, r) => el("div", { class: "wide" }, stacked(parts(r), partsTitle(parts(r)))) },
		...KINDS.map(([name, kind]) => ({ title: `${name} %`, of: part(kind), show: (ns, r) => share(ns, whole(r)) })),
		{ title: "p50", of: (r) => r.p50_ns, show: time }, { title: "p99", of: (r) => r.p99_ns, show: time },
		{ title: "max", of: (r) => r.max_ns, show: time },
	] }));
}

// Bytes of reads and writes of a layer.
function moved(layer, job) {
	const rows = data.distributions.rows.filter((row) => row.layer === layer && row.job === job);
	const read = rows.find((row) => row.function === "read"), write = rows.find((row) => row.function === "write");

	return `${bytes(read ? read.bytes : 0)} read, ${bytes(write ? write.bytes : 0)} written`;
}

// The run, or the job, as far as its begin and end were seen.
function took(job) {
	const { start_ns: start, end_ns: end } = job === null ? { start_ns: 0, end_ns: data.run.end_ns } : data.jobs.rows[job];

	if (start === null || start === undefined || end === null || end === undefined)
		return null;
	return ["took", time(end - start), `from ${day(start)} ${clock(start)} (${zone()})`];
}

function glanceSection(job) {
	const { layers, libraries } = layersOf(job);
	const find = (name) => layers.find((layer) => layer.layer === name);
	const vfs = find("vfs"), block = find("block"), errors = sum(layers.map((layer) => layer.errors));
	const entries = [
		took(job),
		libraries && ["in libraries", time(libraries.total_ns), partsTitle(outermost(libraries).parts).split("; ")
			.map((part) => part.split(",")[0]).join(", ")],
		vfs && ["operations on files", count(vfs.count), `${moved("vfs", job)}; ${time(vfs.total_ns)}`],
		block && ["requests to devices", count(block.count), `${moved("block", job)}; ${time(block.total_ns)}`],
		["failed", count(errors), layers.filter((layer) => layer.errors).map((layer) => `${layer.layer} ${count(layer.errors)}`).join(", ")],
		data.run.probe_share !== null && ["caused by the probes", `${(100 * data.run.probe_share).toFixed(1)} %`, "of the traced time"],
	];

	return section("glance", "At a glance", null, el("dl", { class: "glance" }, entries.filter(Boolean).map(([name, value, more]) =>
		el("div", null, el("dt", null, name), el("dd", null, value, more && el("small", null, more))))));
}
