// SPDX-License-Identifier: GPL-2.0-only
// The page, put together: its sections, a list of them, and what applies to all of it.

const figures = document.getElementById("figures");

// The sections of a job, or of all (null).
function show(job) {
	const timelines = timelinesOf(job), cursor = timelines.length ? new Cursor(timelines) : null;

	figures.replaceChildren(...[
		glanceSection(job), unusualSection(job), timesSection(job, cursor), layersSection(job), loadSection(job, cursor), functionsSection(job),
		filesSection(job), devicesSection(job), slowestSection(job), storeSection(job),
		processesSection(job), job === null && nodesSection(), job === null && jobsSection(choose), job === null && probesSection(),
	].filter(Boolean));
	showNavigation();
}

function choose(job) {
	const select = document.getElementById("job");

	select.value = job === null ? "" : String(job);
	show(job);
	select.focus();
}

function showNavigation() {
	const sections = document.querySelectorAll("main section");
	const items = Array.from(sections, (one) => el("li", null,
		el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));

	document.querySelector("nav")?.remove();
	document.getElementById("layout").prepend(el("nav", { "aria-label": "Sections" }, el("ul", null, items)));
}

// In the list of sections, which one is read.
function followSections() {
	const find = () => Array.from(document.querySelectorAll("main section")).filter((one) =>
		one.getBoundingClientRect().top < innerHeight / 3).pop();

	addEventListener("scroll", () => {
		const section = find();

		for (const link of document.querySelectorAll("nav a"))
			link.toggleAttribute("aria-current", Boolean(section) && link.hash === `#${section.id}`);
	}, { passive: true });
}

function jobChoice() {
	if (data.jobs.rows.length < 2)
		return null;
	const select = el("select", { id: "job", change: () => show(select.value === "" ? null : Number(select.value)) },
		el("option", { value: "" }, "all"), data.jobs.rows.map((_, number) => el("option", { value: number }, jobTitle(number))));

	return el("span", null, el("label", { for: "job" }, "job "), select);
}

// By the system's choice until somebody chooses.
function themeChoice() {
	const select = el("select", { id: "theme", change: () => {
		if (select.value)
			document.documentElement.dataset.theme = select.value;
		else
			delete document.documentElement.dataset.theme;
	} }, [["", "as the system"], ["light", "light"], ["dark", "dark"]].map(([value, name]) => el("option", { value }, name)));

	return el("span", null, el("label", { for: "theme" }, "colours "), select);
}

document.querySelector("body > header").append(el("div", { class: "controls" }, jobChoice(), themeChoice()));
// What is closed is printed all the same, but for the text, which says it once more.
addEventListener("beforeprint", () => document.querySelectorAll("details.story").forEach((one) => {
	one.dataset.open = String(one.open);
	one.open = true;
}));
addEventListener("afterprint", () => document.querySelectorAll("details.story").forEach((one) => {
	one.open = one.dataset.open === "true";
}));
show(null);
followSections();
// All is shown: who wants to read the text opens it.
document.querySelector("#text details").open = false;
