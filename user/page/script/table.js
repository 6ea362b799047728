// SPDX-License-Identifier: GPL-2.0-only
// Tables whose rows are put in order by their heads' buttons.

// Rows that are shown before more are asked for.
const ROWS_SHOWN = 20;

// Are there two values in the order of their type, the largest first? What is not known comes last.
function compareValues(a, b) {
	const noA = a === null || a === undefined || a === "", noB = b === null || b === undefined || b === "";

	if (noA || noB)
		return noA - noB;
	if (typeof a === "string" || typeof b === "string")
		return String(a).localeCompare(String(b));
	return b - a;
}

// Is a column to be left out, as nothing would stand in it?
function isEmpty(column, rows) {
	return !column.always && rows.every((row) => {
		const value = column.of(row);

		return value === null || value === undefined || value === "" || value === 0;
	});
}

// A cell: what the column shows of the row, with a bar behind it where the column says of what.
function cellOf(column, row, largest) {
	const value = column.of(row);
	const shown = column.show ? column.show(value, row) : value;
	const cell = el("td", { class: column.text ? "text" : "number", title: column.text && String(shown).length > 40 && shown }, shown);

	if (column.bar && largest && value) {
		cell.classList.add("bar");
		cell.style.setProperty("--share", `${Math.max(100 * value / largest, 0.5)}%`);
	}
	return cell;
}

// The row's first cell, with a button that shows its details.
function opener(cell, detail, row, columns) {
	const button = el("button", { type: "button", class: "opener", "aria-expanded": "false" });
	let details = null;

	button.append(...cell.childNodes);
	cell.append(button);
	button.addEventListener("click", () => {
		if (!details) {
			details = el("tr", { class: "details" }, el("td", { colspan: columns }, detail(row)));
			cell.parentNode.after(details);
		}
		const open = button.getAttribute("aria-expanded") === "false";
		button.setAttribute("aria-expanded", String(open));
		details.hidden = !open;
	});
	return { follow: () => details && cell.parentNode.after(details) };
}

function makeRow(spec, columns, row, largest) {
	const line = el("tr", row.class ? { class: row.class } : null);
	const made = { row, line, openers: [] };

	columns.forEach((column, i) => {
		const cell = cellOf(column, row, largest[i]);

		line.append(cell);
		if (i === 0 && spec.detail)
			made.openers.push(opener(cell, spec.detail, row, columns.length));
	});
	return made;
}

// The sums of rows that the page has no room for.
function restLine(spec, columns) {
	return el("tr", { class: "rest" }, columns.map((column, i) => el("td",
		{ class: column.text ? "text" : "number" },
		i === 0 ? `and ${count(spec.rest.n)} more` : column.rest ? column.rest(spec.rest) : "")));
}

function headOf(column, sort) {
	const head = el("th", { scope: "col", class: column.text ? "text" : "number" });

	head.append(el("button", { type: "button", title: column.hint, click: () => sort(column, head) },
		column.title));
	return head;
}

// Says what is shown, and has a button for the rest.
function footOf(made, shown) {
	const foot = el("p", { class: "foot" });

	if (made.length <= shown)
		return { foot, update: () => {} };
	const button = el("button", { type: "button", click: () => {
		const all = button.getAttribute("aria-pressed") === "false";

		button.setAttribute("aria-pressed", String(all));
		button.textContent = all ? `Show ${shown}` : `Show all ${count(made.length)}`;
		update();
	}, "aria-pressed": "false" }, `Show all ${count(made.length)}`);
	foot.append(button);

	function update() {
		const all = button.getAttribute("aria-pressed") === "true";

		made.filter((entry) => !entry.line.hidden).forEach((entry, i) =>
			entry.line.classList.toggle("beyond", !all && i >= shown));
	}
	return { foot, update };
}

function filterOf(spec, made, changed) {
	const field = el("input", { type: "search", placeholder: "filter", "aria-label": `Filter: ${spec.caption}`,
		input: () => {
			const wanted = field.value.toLowerCase();

			for (const entry of made)
				entry.line.hidden = !entry.line.textContent.toLowerCase().includes(wanted);
			changed();
		} });
	return field;
}

// spec: caption, columns, rows; and where there are, rest, detail (what is below a row), sort (title of
// the column by which rows are in order), shown.
// A column: title, of (the value of a row), and where there are, show (as text or node), text (it is no
// number), hint, bar (a bar behind it), rest (of the sums of rows that are not there).
function makeTable(spec) {
	const columns = spec.columns.filter((column) => !isEmpty(column, spec.rows));
	const largest = columns.map((column) => (column.bar ? most(spec.rows.map(column.of)) : 0));
	const made = spec.rows.map((row) => makeRow(spec, columns, row, largest));
	const body = el("tbody", null, made.map((entry) => entry.line));
	const { foot, update } = footOf(made, spec.shown || ROWS_SHOWN);
	let ascending = false, by = null;

	function sort(column, head) {
		ascending = by === column && !ascending;
		by = column;
		for (const other of head.parentNode.children)
			other.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", ascending !== Boolean(column.text) ? "ascending" : "descending");
		made.sort((a, b) => compareValues(column.of(a.row), column.of(b.row)) * (ascending ? -1 : 1));
		for (const entry of made) {
			body.append(entry.line);
			entry.openers.forEach((one) => one.follow());
		}
		update();
	}

	const heads = columns.map((column) => headOf(column, sort));
	const table = el("table", { "aria-label": spec.caption }, el("thead", null, el("tr", null, heads)), body,
		spec.rest && el("tfoot", null, restLine(spec, columns)));

	columns.forEach((column, i) => spec.sort && column.title === spec.sort && heads[i].setAttribute("aria-sort", "descending"));
	update();
	return el("div", { class: "table" },
		el("div", { class: "tablehead" }, el("h3", null, spec.caption), made.length > 8 && filterOf(spec, made, update)),
		el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": spec.caption }, table), foot);
}
