// SPDX-License-Identifier: GPL-2.0-only
// What was counted, as tables: each is null where there is nothing.

function rowsOf(list, job) {
	return job === null ? list.rows : list.rows.filter((row) => row.job === job);
}

function section(id, title, about, ...content) {
	const shown = content.flat().filter(Boolean);

	return shown.length ? el("section", { id }, el("h2", null, title), about && el("p", { class: "about" }, about), shown) : null;
}

function table(list, job, caption, columns, more) {
	const rows = rowsOf(list, job);

	if (!rows.length)
		return null;
	return makeTable({ caption, rows, rest: list.rest, columns: columns(rows), ...more });
}

function functionTable(job) {
	return table(data.functions, job, "Functions of libraries", (rows) => [
		{ title: "function", text: true, of: (r) => r.function },
		{ title: "layer", text: true, of: (r) => r.layer }, jobColumn(rows),
		countColumn("calls"), errorColumn(), { title: "open", of: (r) => r.in_flight, show: some }, bytesColumn(),
		totalColumn("total"), { title: "self", of: (r) => r.self_ns, show: time, rest: (r) => time(r.self_ns) },
		whereColumn(), ...latencyColumns(), sparkColumn(rows),
	], { sort: "total", detail: seriesDetail });
}

function fileTable(job) {
	return table(data.files, job, "Operations on files", (rows) => [
		{ title: "operation", text: true, of: (r) => r.function },
		{ title: "fs", text: true, of: (r) => r.fs_type }, { title: "mount", text: true, of: (r) => r.mount },
		jobColumn(rows), countColumn("calls"), errorColumn(), bytesColumn(), totalColumn("total"), whereColumn(),
		...latencyColumns(), sparkColumn(rows),
	], { sort: "total", detail: seriesDetail });
}

function opTable(job) {
	return table(data.ops, job, "Asynchronous operations, from launch to completion", (rows) => [
		{ title: "launched by", text: true, of: (r) => r.function },
		{ title: "layer", text: true, of: (r) => r.layer }, jobColumn(rows), countColumn("complete"), errorColumn(),
		{ title: "open", of: (r) => r.in_flight, show: some },
		{ title: "lost", of: (r) => r.abandoned + r.forgotten + r.killed + r.no_entry, show: some }, bytesColumn(),
		{ title: "launching", of: (r) => r.submit_ns, show: time },
		{ title: "polling", of: (r) => r.wait_ns, show: time },
		{ title: "late poll", of: (r) => r.late_poll_ns, show: time, hint: "complete, and nobody had looked" },
		totalColumn("total"), ...latencyColumns(), sparkColumn(rows),
	], { sort: "total", detail: seriesDetail });
}

function functionsSection(job) {
	return section("functions", "Functions", "A name's button shows its histograms, where its time went, and its errors.",
		...withLegend(functionTable(job), opTable(job), fileTable(job)));
}

// What the colours of the tables' bars are, once for all of them.
function withLegend(...tables) {
	return tables.some(Boolean) ? [kindLegend(), ...tables] : [];
}

function devicesSection(job) {
	return section("devices", "Devices", "Requests overlap, so that sums exceed the time that passed.",
		table(data.devices, job, "Requests to block devices", (rows) => [
			{ title: "device", text: true, of: (r) => r.device },
			{ title: "operation", text: true, of: (r) => r.function },
			{ title: "of", text: true, of: (r) => (r.metadata ? "meta" : "") },
			{ title: "by", text: true, of: (r) => (r.writeback ? "writeback" : "") }, jobColumn(rows),
			countColumn("requests"), errorColumn(), bytesColumn(),
			{ title: "queued", of: (r) => r.queue_ns, show: time, rest: (r) => time(r.queue_ns) },
			totalColumn("served"), whereColumn(), ...latencyColumns(), sparkColumn(rows),
		], { sort: "served", detail: seriesDetail }));
}

function sizeClass(row) {
	if (!row.size_class)
		return "not known";
	return row.size_class[1] === null ? "more" : `up to ${exactBytes(row.size_class[1])}`;
}

function bySizeTable(job) {
	return table(data.by_size, job, "Calls by the size of their object", (rows) => [
		{ title: "function", text: true, of: (r) => r.function },
		{ title: "size", text: true, of: sizeClass }, jobColumn(rows), countColumn("calls"), bytesColumn(),
		totalColumn("total"),
		{ title: "bytes/s", of: (r) => (r.bytes && r.total_ns ? r.bytes / r.total_ns : null), show: (_, r) => (r.bytes ? rate(r.bytes, r.total_ns, bytes) : "") },
		...latencyColumns(), sparkColumn(rows),
	], { sort: "total", detail: seriesDetail });
}

function associationTable(job) {
	return table(data.associations, job, "How long processes were part of what they joined", (rows) => [
		{ title: "joined by", text: true, of: (r) => r.function }, { title: "layer", text: true, of: (r) => r.layer },
		jobColumn(rows), countColumn("left"), { title: "open", of: (r) => r.in_flight, show: some }, totalColumn("total"),
		...latencyColumns(),
	]);
}

function stateTable(job) {
	return table(data.addb_states, job, "How long state machines were in states", (rows) => [
		{ title: "record", text: true, of: (r) => r.name }, { title: "fom", text: true, of: (r) => r.fom },
		{ title: "state", text: true, of: (r) => r.state || "begin to end" },
		{ title: "told by", text: true, of: (r) => r.function }, jobColumn(rows), countColumn("times"),
		{ title: "open", of: (r) => r.in_flight, show: some }, bytesColumn(), totalColumn("total"), ...latencyColumns(),
		sparkColumn(rows),
	], { sort: "total", detail: seriesDetail });
}

function valueTable(job) {
	return table(data.addb_values, job, "Times and sizes in records", (rows) => [
		{ title: "record", text: true, of: (r) => r.name }, { title: "fom", text: true, of: (r) => r.fom },
		{ title: "field", text: true, of: (r) => r.field },
		{ title: "told by", text: true, of: (r) => r.function }, jobColumn(rows), countColumn("times"), errorColumn(),
		bytesColumn(), { title: "sum", of: (r) => r.sum, show: count }, totalColumn("total"), ...latencyColumns(), sparkColumn(rows),
	], { sort: "total", detail: seriesDetail });
}

function poolTable() {
	return table(data.pools, null, "Storage pools", () => [
		{ title: "pool", text: true, of: (r) => r.name }, { title: "of", text: true, of: (r) => r.layer },
		{ title: "id", text: true, of: (r) => r.id }, { title: "storage", text: true, of: (r) => r.storage_type },
		{ title: "capacity", of: (r) => r.capacity_bytes, show: bytes },
	]);
}

function storeSection(job) {
	return section("store", "Object store", null, bySizeTable(job), associationTable(job), stateTable(job), valueTable(job),
		poolTable());
}
