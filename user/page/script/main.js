// SPDX-License-Identifier: GPL-2.0-only
// The page, put together: its sections, a list of them, and what applies to all of it.

const figures = document.getElementById("figures");
const layout = document.getElementById("layout");

function functionsSection() {
	return el("section", { id: "functions" }, el("h2", null, "Functions"), makeTable({
		caption: "Functions of libraries",
		rows: data.functions.rows,
		rest: data.functions.rest,
		sort: "total",
		columns: [
			{ title: "function", text: true, of: (r) => r.function },
			{ title: "layer", text: true, of: (r) => r.layer },
			{ title: "calls", of: (r) => r.count, show: count, rest: (r) => count(r.count) },
			{ title: "err", of: (r) => r.errors, show: some },
			{ title: "bytes", of: (r) => r.bytes, show: bytes },
			{ title: "total", of: (r) => r.total_ns, show: time, bar: true, rest: (r) => time(r.total_ns) },
		],
	}));
}

function navigation() {
	const sections = document.querySelectorAll("main section");

	return el("nav", { "aria-label": "Sections" }, el("ul", null, Array.from(sections, (section) =>
		el("li", null, el("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)))));
}

// By the system's choice until somebody chooses.
function themeChoice() {
	const choice = el("select", { id: "theme", change: () => {
		if (choice.value)
			document.documentElement.dataset.theme = choice.value;
		else
			delete document.documentElement.dataset.theme;
	} }, el("option", { value: "" }, "as the system"), el("option", { value: "light" }, "light"),
	el("option", { value: "dark" }, "dark"));

	return [el("label", { for: "theme" }, "colours "), choice];
}

figures.append(...[timesSection(null), functionsSection()].filter(Boolean));
document.querySelector("body > header").append(el("div", { class: "controls" }, el("span", null, themeChoice())));
document.querySelector("#text details").open = false;
layout.prepend(navigation());
