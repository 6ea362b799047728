// SPDX-License-Identifier: GPL-2.0-only
// When it was: for each layer a strip with a column for each bin, and a cursor through all of them.

const HALF_PIXELS = 4; // of a half octave

// The timelines of a job, or of all jobs (null), from the application down to the device.
function timelinesOf(job) {
	const rows = data.timelines.rows;

	return data.layers.map((layer) => {
		const ofLayer = rows.filter((row) => row.layer === layer.layer);

		if (job !== null)
			return ofLayer.find((row) => row.job === job);
		return ofLayer.find((row) => row.job === null) || ofLayer[0];
	}).filter((row) => row && row.count.length);
}

// From the begin of the first bin to the end of the last; a column is as wide as the widest bin.
function spanOf(timelines) {
	const start = Math.min(...timelines.map((row) => row.start_ns));
	const end = Math.max(...timelines.map((row) => row.start_ns + row.count.length * row.bin_ns));
	const bin = most(timelines.map((row) => row.bin_ns));

	return { start, end, bin, bins: Math.ceil((end - start) / bin) };
}

// What all drawings over the time share: where the cursor is (a time or null), and who is to be told.
class Cursor {
	constructor(timelines) {
		this.span = spanOf(timelines);
		this.listeners = [];
	}

	listen(listener) {
		this.listeners.push(listener);
	}

	move(time) {
		for (const listener of this.listeners)
			listener(time);
	}
}

function binAt(timeline, time) {
	const bin = Math.floor((time - timeline.start_ns) / timeline.bin_ns);

	return bin >= 0 && bin < timeline.count.length ? bin : -1;
}

// How many calls a level of colour begins with: so that the last one has the most.
function levelOf(calls, peak) {
	return peak <= 1 ? HEATS - 1 : Math.min(HEATS - 1, Math.floor(HEATS * Math.log(calls) / Math.log(peak + 1)));
}

function heatPeak(timelines) {
	return most(timelines.flatMap((row) => row.heat.map((bin) => (bin ? most(bin.slice(1)) : 0))));
}

// The half octaves that a strip shows: from below the fastest to above the slowest.
function heightOf(timeline) {
	const bins = timeline.heat.filter(Boolean);
	const low = Math.min(...bins.map((bin) => bin[0]));
	const high = most(bins.map((bin) => bin[0] + bin.length - 2));

	return { low, high, rows: high - low + 1 };
}

// The cells of a strip, those of a level together.
function heatCells(timeline, span, height, peak) {
	const paths = Array.from({ length: HEATS }, () => []);

	timeline.heat.forEach((bin, i) => {
		const x = timeline.start_ns + i * timeline.bin_ns - span.start;

		for (let j = 1; bin && j < bin.length; j++)
			if (bin[j])
				paths[levelOf(bin[j], peak)].push(rectangle(x / 1e6,
					height.high - (bin[0] + j - 1), timeline.bin_ns / 1e6, 1));
	});
	return paths.map((path, level) => path.length &&
		svg("path", { class: `level heat${level}`, d: path.join("") }));
}

// A percentile of the bins as a line, broken where there was nothing.
function quantileLine(timeline, span, height, name) {
	const parts = [];
	let drawn = false;

	timeline[`${name}_ns`].forEach((ns, i) => {
		const x = (timeline.start_ns + (i + 0.5) * timeline.bin_ns - span.start) / 1e6;

		if (ns !== null)
			parts.push(`${drawn ? "L" : "M"}${x.toFixed(2)} ${(height.high - halfPlace(ns)).toFixed(2)}`);
		drawn = ns !== null;
	});
	return svg("path", { class: name, d: parts.join("") });
}

// The latencies that have a line of their own: 1 us, 10 us, ...
function decades(height) {
	const found = [];

	for (let ns = 10; ns < 1e13; ns *= 10)
		if (halfPlace(ns) > height.low - 1 && halfPlace(ns) < height.high)
			found.push(ns);
	return found;
}

function decadeName(ns) {
	const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
	const [unit, size] = units.find((entry) => ns >= entry[1]);

	return `${ns / size} ${unit}`;
}

// What stands beside a strip: of all of it, or of the bin at the cursor.
function valuesOf(timeline, layer, time) {
	const bin = time === null ? -1 : binAt(timeline, time);

	if (time === null)
		return [["calls", count(layer.count)], ["p50", timeText(layer.p50_ns)], ["p99", timeText(layer.p99_ns)],
			["max", timeText(layer.max_ns)]];
	if (bin < 0 || !timeline.count[bin])
		return [["calls", "none"]];
	return [["calls", rate(timeline.count[bin], timeline.bin_ns, count)],
		["p50", timeText(timeline.p50_ns[bin])], ["p99", timeText(timeline.p99_ns[bin])],
		["bytes", rate(timeline.bytes[bin], timeline.bin_ns, bytes)]];
}

function timeText(ns) {
	return time(ns) || "-";
}

function fillValues(list, values) {
	list.replaceChildren(...values.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

// The line of the cursor in a drawing, and the cursor that follows the pointer in its box.
function addCursor(box, cursor, height) {
	const { span } = cursor;
	const line = svg("line", { class: "cursor", y1: 0, y2: height, hidden: true });

	box.firstChild.append(line);
	cursor.listen((at) => {
		line.toggleAttribute("hidden", at === null);
		line.style.display = at === null ? "none" : "";
		line.setAttribute("x1", (at - span.start) / 1e6);
		line.setAttribute("x2", (at - span.start) / 1e6);
	});
	line.style.display = "none";
	box.addEventListener("pointermove", (event) => {
		const place = box.getBoundingClientRect();
		const part = Math.min(Math.max((event.clientX - place.left) / place.width, 0), 0.9999);

		cursor.move(span.start + (Math.floor(part * span.bins) + 0.5) * span.bin);
	});
	box.addEventListener("pointerleave", () => cursor.move(null));
}

// Slow periods of a layer, above its strip.
function unusualMarks(timeline, job, span) {
	return data.unusual.rows.filter((row) => row.kind === "period" && row.layer === timeline.layer &&
		(job === null || row.job === job)).map((row) => {
		const mark = el("div", { class: "period", title: unusualText(row) });

		mark.style.left = `${100 * (row.start_ns - span.start) / (span.end - span.start)}%`;
		mark.style.width = `${100 * (row.end_ns - row.start_ns) / (span.end - span.start)}%`;
		return mark;
	});
}

function heatStrip(timeline, layer, cursor, peak, job) {
	const { span } = cursor;
	const height = heightOf(timeline);
	const title = `${timeline.layer}: how long calls took over the time. ${count(layer.count)} calls, ` +
		`half of them within ${time(layer.p50_ns)}, 99 % within ${time(layer.p99_ns)}`;
	const lines = decades(height).map((ns) => height.high - halfPlace(ns));
	const box = plot("heat", (span.end - span.start) / 1e6, height.rows, height.rows * HALF_PIXELS, title,
		lines.map((y) => svg("line", { class: "grid", x1: 0, x2: (span.end - span.start) / 1e6, y1: y, y2: y })),
		heatCells(timeline, span, height, peak),
		quantileLine(timeline, span, height, "p50"), quantileLine(timeline, span, height, "p99"));
	const values = el("dl", { class: "values" });

	box.append(...decades(height).map((ns, i) => tick("left", lines[i] / height.rows, decadeName(ns))));
	box.append(...unusualMarks(timeline, job, span));
	addCursor(box, cursor, height.rows);
	cursor.listen((at) => fillValues(values, valuesOf(timeline, layer, at)));
	fillValues(values, valuesOf(timeline, layer, null));
	return el("div", { class: "strip" }, el("div", { class: "name" }, timeline.layer), box,
		marginal(timeline, height), values);
}

// All bins together, beside the strip and on its scale.
function marginal(timeline, height) {
	const counts = Array.from({ length: height.rows }, () => 0);

	for (const bin of timeline.heat.filter(Boolean))
		bin.slice(1).forEach((calls, j) => {
			counts[height.high - bin[0] - j] += calls;
		});
	const peak = most(counts), all = sum(counts);

	return plot("marginal", 100, height.rows, height.rows * HALF_PIXELS,
		`${timeline.layer}: how many calls took how long in all`, counts.map((calls, row) => calls &&
			svg("rect", { x: 0, y: row, width: Math.max(100 * calls / peak, 1), height: 1 },
				svg("title", null, `${time(halfUpper(height.high - row - 1))} to ${time(halfUpper(height.high - row))}: ` +
					`${count(calls)}, ${share(calls, all)} %`))));
}

// The axis below, and a slider that moves the cursor without a pointer.
function timeAxis(cursor) {
	const { span } = cursor;
	const axis = el("div", { class: "axis" }, timeSteps(span.start, span.end, 8).map((at) =>
		tick("below", (at - span.start) / (span.end - span.start), elapsed(at, span.end - span.start))));
	const where = el("output", { class: "where" });
	const slider = el("input", { type: "range", class: "scrub", min: 0, max: span.bins - 1, value: 0,
		"aria-label": "time", input: () => cursor.move(span.start + (Number(slider.value) + 0.5) * span.bin),
		blur: () => cursor.move(null) });

	cursor.listen((at) => {
		const text = at === null ? "" : `${clock(at - span.bin / 2, span.bin < 1e9 ? 1 : 0)}, ` +
			`${elapsed(at - span.bin / 2, span.end - span.start)} after the begin`;

		where.textContent = text;
		slider.setAttribute("aria-valuetext", text);
		if (at !== null)
			slider.value = Math.floor((at - span.start) / span.bin);
	});
	return [el("div", { class: "strip" }, axis, where), el("div", { class: "strip" }, slider)];
}

function heatLegend(peak) {
	const first = Array.from({ length: HEATS }, (_, level) => Math.ceil((peak + 1) ** (level / HEATS)));

	return el("ul", { class: "legend" }, first.map((calls, level) => el("li", null,
		el("span", { class: `swatch heat${level}` }), level ? `${count(calls)}` : "calls in a cell: 1")),
	el("li", null, svg("svg", { class: "sample", viewBox: "0 0 20 10" }, svg("path", { class: "p99", d: "M0 5h20" })), "p99"),
	el("li", null, svg("svg", { class: "sample", viewBox: "0 0 20 10" }, svg("path", { class: "p50", d: "M0 5h20" })), "p50"));
}

function timesSection(job, cursor) {
	const timelines = timelinesOf(job).filter((row) => row.heat.some(Boolean));

	if (!timelines.length)
		return null;
	const peak = heatPeak(timelines), { layers } = layersOf(job);

	return section("times", "Latency over time", `Each column is ${time(cursor.span.bin)}, from ${day(0)} ${clock(0)} (${zone()}) on, ` +
		"each row a half of a power of two. The darker a cell, the more calls took so long. On the right, all of them. The pointer, or " +
		"the slider below, shows the figures of a time.",
	heatLegend(peak), timelines.map((row) => heatStrip(row, layers.find((l) => l.layer === row.layer), cursor, peak, job)),
	timeAxis(cursor));
}
