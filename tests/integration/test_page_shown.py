# SPDX-License-Identifier: GPL-2.0-only
"""The page of tmtrace report --html in a real browser: what it shows, how it is used, that nothing else runs."""

import json
import re

from browser import Browser
from harness import check, equal
from table_text import bytes_text, count_text, exact_bytes_text, share_text, table_after, time_text
from test_export import record_load, record_names
from test_page import NAMES, Page

SHARES_MACHINE = True

# What a browser shows of the page, for comparison: the cells of a table by its caption.
TABLE = """
const table = document.querySelector(`table[aria-label="${arguments[0]}"]`);
const heads = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent);
return Array.from(table.tBodies[0].rows, (row) =>
	Object.fromEntries(heads.map((head, i) => [head, row.cells[i].textContent])));
"""


def check_quiet(browser, path):
    """Nothing was loaded but the page, and nothing went wrong."""
    equal("console", browser.errors(), [])
    equal("addresses", set(browser.addresses()), {f"file://{path}"})


def test_tables(env):
    """In a browser, its tables say what tmtrace report prints."""
    recording = record_load(env, "data", "all", options=("--min-duration", "100us"))
    page = Page(env, recording)
    text = env.trace("report", recording)[1]
    with Browser(env) as browser:
        browser.addresses()
        browser.show(page.path)
        check_quiet(browser, page.path)
        shown = {row["function"]: row for row in browser.run(TABLE, "Functions of libraries")}
        for layer in ("mstro", "mio", "m0"):
            title = re.search(rf"^{layer}: [\d,]+ calls$", text, re.M)
            for cells in map(dict, table_after(text, title[0], groups=True)[1]):
                row = shown.pop(cells[""])
                for name in ("calls", "err", "bytes", "total", "self", "avg", "p99", "max"):
                    equal(f"{name} of {cells['']}", row.get(name, ""), cells.get(name, ""))
        files = browser.run(TABLE, "Operations on files")
        equal("operations on files", sum(int(row["calls"].replace(",", "")) for row in files),
              sum(row["count"] for row in page.rows("files")))


def test_ranks(env):
    """In a browser, which rank was slowest, and the median, are those of the report."""
    recording = env.path("data")
    words = "for rank in 0 1 2 3; do PMIX_RANK=$rank head -c 1000 /etc/passwd; done >/dev/null"
    equal("record", env.trace("record", "-q", "--layer", "vfs", "-o", recording, "--", "sh", "-c", words)[0], 0)
    page = Page(env, recording)
    told = [line for line in env.trace("report", recording)[1].splitlines() if " by 4 ranks: " in line]
    equal("layers", len(told), 1)
    with Browser(env) as browser:
        browser.show(page.path)
        lines = browser.run("return Array.from(document.querySelectorAll('#processes li'), (e) => e.textContent)")
        equal("ranks", lines, told)


def check_units(browser):
    """Its numbers are written as the tables' are."""
    values = sorted({n + more for power in range(52) for n in (1 << power, 3 << power, 10 ** (power // 4))
                     for more in (-1, 0, 1, 512)})
    for function, text, last in (("time", time_text, 9999e9), ("bytes", bytes_text, 1 << 49),
                                 ("exactBytes", exact_bytes_text, 1 << 50), ("some", count_text, 999999)):
        some = [n for n in values if n <= last]
        equal(function, browser.run(f"return arguments[0].map({function})", some), [text(n) for n in some])
    pairs = [(part, whole) for whole in (1, 3, 200, 1000) for part in range(whole + 1)]
    equal("share", browser.run("return arguments[0].map((pair) => share(...pair))", pairs),
          [share_text(*pair) for pair in pairs])


# Where the line of the median is in each strip, and the cells that it must lie in: [[y, top, bottom]].
MEDIANS = """
return data.timelines.rows.flatMap((timeline) => {
	const height = heightOf(timeline);
	const line = quantileLine(timeline, spanOf([timeline]), height, "p50").getAttribute("d");
	return timeline.heat.filter(Boolean).map((bin, i) => {
		const half = Math.ceil(bin.slice(1).reduce((sum, n) => sum + n, 0) / 2);
		let sum = 0, row = bin[0];
		for (let j = 1; (sum += bin[j]) < half; j++)
			row++;
		return [Number(line.match(/ [\\d.-]+/g)[i]), height.high - row, height.high - row + 1];
	});
});
"""


def check_medians(browser):
    """The lines over the cells are where these say."""
    places = browser.run(MEDIANS)
    equal("medians beside their cells", [place for place in places if not place[1] <= place[0] <= place[2]], [])
    check(places, "no strip has a cell")


TAB, ENTER, RIGHT = "\ue004", "\ue007", "\ue014"

# Text whose contrast to what is behind it is below what WCAG 2.1 AA asks for; one of each kind.
CONTRAST = """
const luminance = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
	.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
	.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (element) => { for (let at = element; at; at = at.parentElement) {
	const colour = getComputedStyle(at).backgroundColor;
	if (!/, 0\\)$/.test(colour)) return colour; } return getComputedStyle(document.body).backgroundColor; };
const alike = new Map(Array.from(document.querySelectorAll("body *")).filter((e) =>
	Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim()))
	.map((e) => [[e.tagName, e.className, e.parentNode.tagName, e.parentNode.className].join(), e]));
return Array.from(alike.values()).filter((e) => e.checkVisibility()).map((e) => {
	const a = luminance(getComputedStyle(e).color), b = luminance(behind(e));
	return [e.tagName, e.className, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]; }).filter((e) => e[2] < 4.5);
"""
# Drawings and fields that nobody has named.
NAMELESS = """
const named = "svg:not([aria-hidden]):not(.sample), input, select, nav, [role=region]";
return Array.from(document.querySelectorAll(named)).filter((e) => !e.getAttribute("aria-label") &&
	!(e.id && document.querySelector(`label[for="${e.id}"]`))).map((e) => e.outerHTML.slice(0, 200));
"""
FOCUSED = "return document.activeElement.textContent || document.activeElement.getAttribute('aria-label')"


def calls_shown(browser):
    return [int(row["calls"].replace(",", "")) for row in browser.run(TABLE, "Functions of libraries")]


def check_keys(browser):
    """The first key leads past the sections, others to all that can be pressed; it shows where one is."""
    head = "document.querySelector('#functions th:nth-child(3)')"
    browser.press(TAB)
    equal("the first thing", browser.run(FOCUSED), "Skip to the figures")
    check(browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none", "focus is not seen")
    browser.run(f"{head}.querySelector('button').focus()")
    browser.press(ENTER)
    equal("sorted by calls", calls_shown(browser), sorted(calls_shown(browser), reverse=True))
    browser.press(ENTER)
    equal("and the other way round", calls_shown(browser), sorted(calls_shown(browser)))
    equal("said so", browser.run(f"return {head}.getAttribute('aria-sort')"), "ascending")
    browser.run("document.querySelector('#functions .opener').focus()")
    browser.press(ENTER)
    histograms = browser.run("return document.querySelectorAll('#functions .details figure').length")
    check(histograms > 0, "a function has no histograms")
    browser.run("document.querySelector('.scrub').focus()")
    browser.press(RIGHT)
    told = browser.run("return document.querySelector('.scrub').getAttribute('aria-valuetext')")
    check(" after the begin" in told, f"the time is not said: {told}")


# What paper would not have: rows that are not there, tables that are cut.
UNPRINTED = """
const rows = Array.from(document.querySelectorAll("tbody tr:not(.details)"));
const tables = Array.from(document.querySelectorAll(".scroll"));
return [...rows.filter((row) => getComputedStyle(row).display === "none"),
	...tables.filter((box) => getComputedStyle(box).overflowX !== "visible")].map((e) => e.outerHTML.slice(0, 200));
"""
CHOOSE_DARK = """
const theme = document.getElementById("theme");
theme.value = "dark";
theme.dispatchEvent(new Event("change"));
return getComputedStyle(document.documentElement).colorScheme;
"""


def check_print(env, browser):
    """On paper, nothing is cut, and nothing is left out."""
    browser.command("Emulation.setEmulatedMedia", media="print")
    equal("not printed", browser.run(UNPRINTED), [])
    browser.command("Emulation.setEmulatedMedia", media="")
    printed = env.path("page.pdf")
    browser.print(printed)
    with open(printed, "rb") as f:
        equal("printed", f.read(5), b"%PDF-")


def test_used(env):
    """In a browser: by keys alone, in light and dark, narrow and wide, printed."""
    recording = record_load(env, "data", "all", options=("--min-duration", "100us"))
    page = Page(env, recording)
    with Browser(env) as browser:
        for width, dark in ((1280, False), (1280, True), (360, False), (2560, True)):
            browser.show(page.path, width=width, dark=dark)
            equal(f"text without contrast, dark: {dark}", browser.run(CONTRAST), [])
            check(browser.run("return document.documentElement.scrollWidth") <= width, f"wider than {width}")
        browser.show(page.path)
        equal("without a name", browser.run(NAMELESS), [])
        check_units(browser)
        check_medians(browser)
        check_keys(browser)
        check_print(env, browser)
        equal("chosen colours", browser.run(CHOOSE_DARK), "dark")


def test_names(env):
    """In a browser, hostile names are shown and do nothing; without scripts, there is the text."""
    recording = record_names(env, "data", NAMES)
    page = Page(env, recording)
    with Browser(env) as browser:
        browser.addresses()
        browser.show(page.path)
        check_quiet(browser, page.path)
        browser.run("document.querySelectorAll('#files .foot button').forEach((button) => button.click())")
        shown = " ".join(row["name"] for row in browser.run(TABLE, "Files"))
        for name in ("<script>alert(1)<_script>", "<img src=x onerror=alert(1)>", "[U+202E]gnp.exe",
                     "[U+2028]line[U+2029]s"):
            check(name in shown, f"{name} is not shown among {shown}")
        equal("elements of names", browser.run("return document.querySelectorAll('img, main script').length"), 0)
        blocked = browser.run("try { document.body.innerHTML = '<b>'; return 'made' } catch (e) { return e.name }")
        equal("an element of a string", blocked, "TypeError")
        browser.command("Emulation.setScriptExecutionDisabled", value=True)
        browser.ask("POST", "/url", {"url": f"file://{page.path}"})
        tree = json.dumps(browser.command("Accessibility.getFullAXTree"))
        check("which is not run here" in tree and "file operations" in tree, "nothing is said without scripts")
