// SPDX-License-Identifier: GPL-2.0-only
// Columns that several tables have, and what is below a row.

// Where the time in calls went: [name, class, ns] of each kind; files without what was waited for the disk.
function partsOf(row) {
	const total = row.total_ns || 0, disk = row.block_ns || 0;

	if (row.queue_ns !== undefined)
		return [["queued", "wait", row.queue_ns || 0], ["served", "disk", total]];
	if (row.layer === "vfs" || row.fs_type !== undefined)
		return [["disk", "disk", Math.min(disk, total)], ["files", "files", Math.max(total - disk, 0)]];
	const files = row.vfs_ns || 0, net = row.net_ns || 0, wait = row.wait_ns || 0;
	const inside = row.syscall_ns === null || row.syscall_ns === undefined ? null : row.syscall_ns;
	const parts = [["code", "code", inside === null ? 0 : Math.max(total - inside, 0)],
		["files", "files", Math.max(files - disk, 0)], ["disk", "disk", disk], ["net", "net", net],
		["wait", "wait", wait],
		["other calls", "other", inside === null ? 0 : Math.max(inside - files - net - wait, 0)]];

	return parts;
}

function partsTitle(parts) {
	const whole = sum(parts.map((part) => part[2]));

	return parts.filter((part) => part[2]).map(([name, , ns]) => `${name} ${share(ns, whole)} %, ${time(ns)}`).join("; ");
}

function whereColumn() {
	return { title: "where it went", of: (r) => (r.total_ns ? sum(partsOf(r).slice(0, 1).map((p) => p[2])) : null),
		show: (_, r) => stacked(partsOf(r), partsTitle(partsOf(r))),
		hint: "order: by the time in the first of the kinds" };
}

// Only where rows are of several.
function jobColumn(rows) {
	const several = new Set(rows.map((row) => row.job)).size > 1;

	return { title: "job", text: true, of: (r) => (several ? jobTitle(r.job) : "") };
}

// Of the calls that were timed; cut to whole ns, as the tables have it.
function average(row) {
	return row.timed ? Math.floor(row.total_ns / row.timed) : null;
}

// Average, percentiles and the maximum.
function latencyColumns() {
	return [
		{ title: "avg", of: average, show: time },
		{ title: "p50", of: (r) => r.p50_ns, show: time },
		{ title: "p99", of: (r) => r.p99_ns, show: time },
		{ title: "max", of: (r) => r.max_ns, show: time },
	];
}

// The histogram of each row, all on one scale.
function sparkColumn(rows) {
	const range = rangeOf(rows.map((row) => row.buckets || []));

	return { title: range ? `${time(2 ** range.low)} to ${time(2 ** range.high)}` : "",
		hint: "how many took how long: from left to right logarithms, heights are square roots; order: by the 99th percentile",
		of: (r) => (r.buckets && r.buckets.length ? r.p99_ns : null),
		show: (_, r) => (r.buckets && r.buckets.length ? spark(r.buckets, range, latencyTitle(r)) : "") };
}

function latencyTitle(row) {
	return `${count(row.count)} in all; half within ${time(row.p50_ns)}, 99 % within ${time(row.p99_ns)}, ` +
		`the longest ${time(row.max_ns)}`;
}

function countColumn(title) {
	return { title, of: (r) => r.count, show: count, rest: (r) => count(r.count) };
}

function errorColumn() {
	return { title: "err", of: (r) => r.errors, show: some, rest: (r) => some(r.errors) };
}

function bytesColumn() {
	return { title: "bytes", of: (r) => r.bytes, show: bytes, rest: (r) => (r.bytes ? bytes(r.bytes) : "") };
}

function totalColumn(title) {
	return { title, of: (r) => r.total_ns, show: time, bar: true, rest: (r) => time(r.total_ns) };
}

function facts(entries) {
	return el("dl", { class: "facts" }, entries.filter(([, value]) => value !== "" && value !== null)
		.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

function percentiles(row) {
	return [["p50", row.p50_ns], ["p90", row.p90_ns], ["p99", row.p99_ns], ["p999", row.p999_ns]]
		.filter((mark) => mark[1] !== null && mark[1] !== undefined);
}

// All about a series: both histograms, where the time went, errors.
function seriesDetail(row) {
	const parts = row.total_ns && row.submit_ns === undefined ? partsOf(row).filter((part) => part[2]) : [];
	const whole = sum(parts.map((part) => part[2]));

	return el("div", { class: "detail" },
		facts([["min", time(row.min_ns)], ...percentiles(row).map(([name, ns]) => [name, time(ns)]),
			["max", time(row.max_ns)], ["self", time(row.self_ns)],
			...parts.map(([name, , ns]) => [name, `${time(ns)}, ${share(ns, whole)} %`]),
			["disk, marked as I/O wait", row.iowait_ns ? time(row.iowait_ns) : ""],
			["again", some(row.retries)],
			["waited for a disk or lock", some(row.blocked)],
			...Object.entries(row.errors_by || {}).map(([name, n]) => [name, count(n)])]),
		row.buckets && row.buckets.length ? histogram(row.buckets, time, percentiles(row), "how long they took") : null,
		row.size_buckets && row.size_buckets.length ? histogram(row.size_buckets, bytes, [], "how large they were") : null);
}
