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

// "90 s" after the begin, as an axis has it.
function elapsed(ns) {
	const seconds = Math.round(ns / 1e8) / 10;

	if (Math.abs(seconds) < 120)
		return `${seconds} s`;
	if (Math.abs(seconds) < 7200)
		return `${Math.round(seconds / 6) / 10} min`;
	return `${Math.round(seconds / 360) / 10} h`;
}
