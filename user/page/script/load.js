// SPDX-License-Identifier: GPL-2.0-only
// How much there was to do over the time: columns above a line, and of what is told apart, below it.

// spec: name, start, bin, unit; up and, where there is, down: { word, values, kind }.
function loadDrawing(spec, cursor) {
	const { span } = cursor, { up, down } = spec;
	const above = most(up.values), below = down ? most(down.values) : 0, scale = 100 / (above + below || 1);
	const width = (span.end - span.start) / 1e6;
	const path = (part, direction) => svg("path", { class: part.kind,
		d: areaPath(part.values, spec.start, spec.bin, span, direction) });
	const box = plot("load", width, 100, 40, loadTitle(spec),
		svg("g", { transform: `translate(0 ${(above * scale).toFixed(3)}) scale(1 ${scale})` },
			path(up, -1), down && path(down, 1)),
		svg("line", { class: "base", x1: 0, x2: width, y1: above * scale, y2: above * scale }));

	addCursor(box, cursor, 100);
	return box;
}

function peakRate(part, spec) {
	return rate(most(part.values), spec.bin, spec.unit);
}

function loadTitle(spec) {
	return `${spec.name} over the time: at most ${[spec.up, spec.down].filter(Boolean)
		.map((part) => `${peakRate(part, spec)} ${part.word}`).join(", ")}`;
}

// At most, or at the cursor.
function loadText(part, spec, time) {
	const i = time === null ? -1 : Math.floor((time - spec.start) / spec.bin);

	if (time === null)
		return `${part.word} at most ${peakRate(part, spec)}`;
	return `${part.word} ${rate(part.values[i] || 0, spec.bin, spec.unit)}`;
}

function loadPart(spec, cursor) {
	const parts = [spec.up, spec.down].filter(Boolean);
	const labels = parts.map((part) => el("span", null, el("span", { class: `swatch ${part.kind}` }), el("output")));
	const show = (time) => labels.forEach((label, i) => {
		label.lastChild.textContent = loadText(parts[i], spec, time);
	});

	cursor.listen(show);
	show(null);
	return el("div", { class: "loadpart" }, el("div", { class: "legend" }, labels), loadDrawing(spec, cursor));
}

function timelineParts(row) {
	const spec = { name: row.layer, start: row.start_ns, bin: row.bin_ns };
	const part = (word, values, kind) => ({ word, values, kind });

	return [
		{ ...spec, unit: count, up: part("calls", row.count, "calls"),
			down: row.errors.some(Boolean) && part("failed", row.errors, "errors") },
		row.bytes.some(Boolean) && { ...spec, unit: bytes, up: part("bytes", row.bytes, "amount") },
	].filter(Boolean);
}

// By the recording's snapshots; of all jobs.
function volumeParts(name, read, written) {
	const part = (word, values, kind) => ({ word, values, kind });

	return [read, written].some((values) => values.some(Boolean)) && [{ name, start: data.volumes.start_ns,
		bin: data.volumes.bin_ns, unit: bytes, up: part("read", read, "read"), down: part("written", written, "write") }];
}

function loadRow(name, parts, cursor) {
	return parts && el("div", { class: "loadrow" }, el("div", { class: "name" }, name),
		el("div", { class: "loadparts" }, parts.map((spec) => loadPart(spec, cursor))));
}

function volumeRows(cursor) {
	const { volumes } = data;

	return volumes && [el("h3", null, "Read and written"),
		el("p", { class: "about" }, "By the seconds that are still in the recording, at most " +
			`${time(volumes.bin_ns)} a column.`),
		loadRow("files", volumeParts("files", volumes.files_read_bytes, volumes.files_written_bytes), cursor),
		loadRow("devices", volumeParts("devices", volumes.devices_read_bytes, volumes.devices_written_bytes), cursor)];
}

function loadSection(job, cursor) {
	return cursor && section("load", "Load over time", "Calls that returned in a second, with those that failed below the line, and " +
		"their bytes. The scale of each is its own.",
	timelinesOf(job).map((row) => loadRow(row.layer, timelineParts(row), cursor)),
	job === null && volumeRows(cursor));
}
