// SPDX-License-Identifier: GPL-2.0-only
// Numbers for people, as the tables of tmtrace report have them (user/base/units.c).

// [name, size, the first value that the next unit shows]
const TIMES = [
	["us", 1e3, 999.5e3], ["ms", 1e6, 999.5e6], ["s", 1e9, 9999.5e9],
	["h", 3600e9, 3600e12], ["d", 86400e9, Infinity],
];
const BYTES = ["KiB", "MiB", "GiB", "TiB", "PiB"].map((name, i) =>
	[name, 1024 ** (i + 1), i < 4 ? 1023.5 * 1024 ** (i + 1) : Infinity]);
const COUNTS = [["M", 1e6, 999.5e6], ["G", 1e9, 999.5e9], ["T", 1e12, Infinity]];

// As printf() has it: what lies in the middle of two becomes the even one. 60 digits are all that there are.
function fixed(value, digits) {
	const exact = value.toFixed(60), tail = exact.slice(exact.indexOf(".") + 1 + digits);
	const below = exact.slice(0, exact.length - tail.length).replace(/\.$/, "");

	return /^50*$/.test(tail) && "02468".includes(below.slice(-1)) ? below : value.toFixed(digits);
}

// Three digits, four where a unit goes on so far.
function scale(value, units) {
	const [name, size] = units.find((unit) => value < unit[2]);
	const shown = value / size;

	return `${fixed(shown, shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0)} ${name}`;
}

function grouped(value) {
	return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

// Each of these is "" for what was not measured.
function known(value, text) {
	return value === null || value === undefined ? "" : text(value);
}

function time(ns) {
	return known(ns, (v) => (v < 1000 ? `${Math.round(v)} ns` : scale(v, TIMES)));
}

function bytes(n) {
	return known(n, (v) => (v < 1024 ? `${Math.round(v)} B` : scale(v, BYTES)));
}

// In the largest unit of which it is a whole number.
function exactBytes(n) {
	let value = n, unit = 0;

	while (value && value % 1024 === 0 && unit < BYTES.length) {
		value /= 1024;
		unit++;
	}
	return `${grouped(value)} ${unit ? BYTES[unit - 1][0] : "B"}`;
}

function count(n) {
	return known(n, (v) => (v < 1e6 ? grouped(Math.round(v)) : scale(v, COUNTS)));
}

// Of counts: none is nothing.
function some(n) {
	return n ? count(n) : "";
}

// Percent of a whole: "<1" for less than a half, "" for none.
function share(part, whole) {
	const percent = whole ? 100 * part / whole : 0;

	if (!part || !whole)
		return "";
	return percent < 0.5 ? "<1" : fixed(Math.min(percent, 100), 0);
}

// What comes in a second.
function rate(n, ns, unit) {
	return n === null || n === undefined || !ns ? "" : `${unit(n * 1e9 / ns)}/s`;
}

// Times of the page are told from its origin on: as a clock has it where the page was made.
const ORIGIN_MS = Number(BigInt(data.origin_ns) / 1000000n);
const ORIGIN_NS = Number(BigInt(data.origin_ns) % 1000000n);

function date(ns) {
	return new Date(ORIGIN_MS + Math.floor((ORIGIN_NS + ns) / 1e6) + data.utc_offset_s * 1000);
}

function day(ns) {
	return date(ns).toISOString().slice(0, 10);
}

// "12:34:56", with so many digits of the second.
function clock(ns, digits) {
	const fraction = (((ORIGIN_NS + ns) % 1e6) + 1e6) % 1e6;
	const text = date(ns).toISOString().slice(11, 23) + String(Math.floor(fraction)).padStart(6, "0");

	return digits ? text.slice(0, 9 + digits) : text.slice(0, 8);
}

function zone() {
	const minutes = Math.abs(data.utc_offset_s) / 60;
	const hours = `${Math.floor(minutes / 60)}`.padStart(2, "0");

	return `UTC${data.utc_offset_s < 0 ? "-" : "+"}${hours}:${String(minutes % 60).padStart(2, "0")}`;
}
