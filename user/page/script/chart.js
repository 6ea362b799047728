// SPDX-License-Identifier: GPL-2.0-only
// Charts are drawn in units of their figures and stretched to the room that they have; text stands
// beside them, where it is not stretched.

const HEATS = 7; // levels of colour

// Half octaves, as the page's "heat" has them: the upper edge of one in ns.
function halfUpper(half) {
	if (half <= 0)
		return 8;
	return half % 2 ? 12 * 2 ** ((half - 1) / 2) : 8 * 2 ** (half / 2);
}

// Where a latency is among half octaves: n at the upper edge of number n.
function halfPlace(ns) {
	if (ns <= 8)
		return 0;
	const octave = Math.floor(Math.log2(ns / 8));

	return 2 * (octave + ns / (8 * 2 ** octave) - 1);
}

function rectangle(x, y, width, height) {
	return `M${x.toFixed(2)} ${y.toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}z`;
}

// A box that a drawing of so many units fills, so many pixels high.
function plot(name, width, height, pixels, title, ...children) {
	const box = el("div", { class: `plot ${name}` }, svg("svg", {
		viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": title,
	}, children));

	box.style.height = `${pixels}px`;
	return box;
}

// Text at a part (0 to 1) of a box, on its left side or below it.
function tick(side, part, text) {
	const label = el("span", { class: `tick ${side}` }, text);

	label.style.setProperty(side === "left" ? "top" : "left", `${100 * part}%`);
	return label;
}

// Round steps of time: at most so many from one time to another, in ns since the page's origin.
const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600,
	43200, 86400];

function timeSteps(start, end, most) {
	const step = (STEPS_S.find((s) => (end - start) / (s * 1e9) <= most) ||
		Math.ceil((end - start) / (86400e9 * most)) * 86400) * 1e9;
	const steps = [];

	for (let at = Math.ceil(start / step) * step; at <= end; at += step)
		steps.push(at);
	return steps;
}

// "90 s" after the begin, in the unit of a whole time.
function elapsed(ns, whole) {
	const [unit, size] = [["h", 3600e9], ["min", 60e9], ["s", 1e9]].find((one) => whole >= 3 * one[1]) || ["s", 1e9];

	return `${Math.round(100 * ns / size) / 100} ${unit}`;
}

// Histograms: bars on a logarithmic scale, from below the smallest value of all of them to above the
// largest. A bucket is [lower, upper, count], both edges included.

function logOf(value) {
	return Math.log2(Math.max(value, 1));
}

function rangeOf(histograms) {
	const buckets = histograms.flat();

	if (!buckets.length)
		return null;
	return { low: Math.floor(logOf(Math.min(...buckets.map((b) => b[0])))),
		high: Math.ceil(logOf(most(buckets.map((b) => Math.min(b[1], 2 ** 50))) + 1)) };
}

function barOf(bucket, range) {
	const x = logOf(bucket[0]) - range.low;

	return { x, width: Math.max(logOf(Math.min(bucket[1], 2 ** range.high) + 1) - logOf(bucket[0]), 0.02) };
}

// A small one, as a row of a table has it: those of a table have the same range. Heights are square
// roots, so that what is rare is seen beside what is not.
function spark(buckets, range, title) {
	const peak = most(buckets.map((b) => b[2]));
	const path = buckets.map((b) => {
		const { x, width } = barOf(b, range), height = Math.max(16 * Math.sqrt(b[2] / peak), 0.8);

		return rectangle(x, 16 - height, width, height);
	});

	return svg("svg", { class: "spark", viewBox: `0 0 ${range.high - range.low} 16`,
		preserveAspectRatio: "none", role: "img", "aria-label": title },
	svg("title", null, title), svg("path", { d: path.join("") }));
}

// Values that have a line of their own on the scale: decades of time, or powers of bytes.
function scaleSteps(range, unit) {
	const found = [], factor = unit === bytes ? (range.high - range.low > 16 ? 64 : 8) : 10;

	for (let value = 1; value < 2 ** range.high; value *= factor)
		if (logOf(value) >= range.low)
			found.push(value);
	return found;
}

function markLine(value, range) {
	return svg("line", { class: "mark", y1: 0, y2: 100, x1: logOf(value) - range.low, x2: logOf(value) - range.low });
}

// The bars alone, each with its figures; name: of all of it.
function bars(buckets, range, unit, pixels, name, marks) {
	const total = sum(buckets.map((b) => b[2])), peak = most(buckets.map((b) => b[2]));
	const steps = scaleSteps(range, unit).map((value) => svg("line", { class: "grid", y1: 0, y2: 100,
		x1: logOf(value) - range.low, x2: logOf(value) - range.low }));

	return plot("histogram", range.high - range.low, 100, pixels, name, steps, buckets.map((bucket) => {
		const { x, width } = barOf(bucket, range), height = Math.max(100 * bucket[2] / peak, 1);

		return svg("rect", { x, y: 100 - height, width, height }, svg("title", null, `${unit(bucket[0])} to ` +
			`${unit(bucket[1])}: ${count(bucket[2])}, ${share(bucket[2], total)} %`));
	}), (marks || []).map(([, value]) => markLine(value, range)));
}

function placeOf(value, range) {
	return (logOf(value) - range.low) / (range.high - range.low);
}

// The labels of a scale, which stand below a box.
function scaleTicks(range, unit) {
	return scaleSteps(range, unit).map((value) => tick("below", placeOf(value, range), unit(value).replace(/\.0+ /, " ")));
}

// Names of marks, those that matter most first, as far as they have room beside each other.
const MARKS = ["p99", "p50", "p999", "p90"];

function markNames(marks, range) {
	const placed = [];

	for (const [name, value] of [...marks].sort((a, b) => MARKS.indexOf(a[0]) - MARKS.indexOf(b[0]))) {
		const place = placeOf(value, range);

		if (placed.every((one) => Math.abs(one.place - place) > 0.08))
			placed.push({ name, place });
	}
	return placed.map((one) => tick("above", one.place, one.name));
}

// A large one, with its scale, and marks: [name, value] of each.
function histogram(buckets, unit, marks, title) {
	const range = rangeOf([buckets]), box = bars(buckets, range, unit, 90, title, marks);

	box.append(...scaleTicks(range, unit), ...markNames(marks, range));
	return el("figure", null, el("figcaption", null, title), box);
}

// Parts of a whole side by side: [name, class, value] of each. Of calls without times there is nothing to see.
function stacked(parts, title) {
	const whole = sum(parts.map((part) => part[2]));
	let x = 0;

	if (!whole)
		return "";
	return svg("svg", { class: "stacked", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img",
		"aria-label": title }, svg("title", null, title), parts.map(([, kind, value]) => {
		const bar = svg("rect", { class: kind, x, y: 0, width: 100 * value / whole, height: 10 });

		x += 100 * value / whole;
		return bar;
	}));
}

// Bins over the time as an area: values above the line; below, where there are others, those.
function areaPath(values, start, bin, span, up) {
	let path = "", open = false;

	values.forEach((value, i) => {
		const x = (start + i * bin - span.start) / 1e6, end = (start + (i + 1) * bin - span.start) / 1e6;

		if (value && !open)
			path += `M${x.toFixed(2)} 0`;
		if (value)
			path += `V${(up * value).toPrecision(6)}H${end.toFixed(2)}`;
		if (open && !value)
			path += "V0z";
		open = Boolean(value);
	});
	return path + (open ? "V0z" : "");
}
