# SPDX-License-Identifier: GPL-2.0-only
"""The bench's tools work: nothing is asserted of times here."""

import itertools
import json
import os
import re
import sys

from harness import check, equal

SHARES_MACHINE = True


def run_bench(env, *parts):
    """One short round of parts of the bench: {part: result}."""
    out = os.path.join(env.build, "bench")
    status, text, err = env.run(os.path.join(env.source, "tests", "bench", "run"), "--build",
                                env.build, "--rounds", "1", "--quick", *parts)
    check(status == 0, f"the bench ended with {status}: {err}")
    results = {}
    for part in parts:
        with open(os.path.join(out, f"result-{part}.json"), encoding="utf-8") as f:
            results[part] = json.load(f)
        check(results[part]["title"] in text, f"no {part} in what was printed: {text}")
    return results


def cells(result, table, row):
    """The cells of the row that begins so."""
    found = [r for r in result["tables"][table]["rows"] if r[0] == row]
    check(len(found) == 1, f"{len(found)} rows {row}: {result}")
    return found[0][1:]


def check_times(name, texts, wanted):
    equal(f"{name}: figures", len(texts), wanted)
    for text in texts:
        check(re.fullmatch(r"[\d,.]+ (ns|us|ms|s)", text), f"{name}: {text} is not a time")


def check_notes(results):
    """A tracer that does not count what the load did is no row but a note."""
    for result in results.values():
        notes = [note for note in result["notes"] if "tmtrace" in note]
        check(not notes, f"notes on tmtrace: {notes}")


def test_calls_and_files(env):
    results = run_bench(env, "calls", "vfs")
    for row in ("no probe", "empty session", "empty pair at tmtrace's sites",
                "tmtrace, all layers", "tmtrace, this library, by_size",
                "tmtrace --returns=fast, all layers"):
        check_times(row, cells(results["calls"], 0, row), 4)
    for row, programs in zip(results["calls"]["tables"][2]["rows"], ("call_entry", "call_return")):
        equal("program", row[1], programs)
        check_times(row[1], row[2:3], 1)
    check_times("nothing", cells(results["vfs"], 0, "nothing")[:1], 1)
    check_times("tmtrace", cells(results["vfs"], 0, "tmtrace --layer vfs")[:1], 1)
    check_notes(results)


def test_record(env):
    results = run_bench(env, "record", "addb")
    for row in ("no probe", "--layer addb (in brief)", "--layer addb --full addb"):
        check_times(row, cells(results["addb"], 0, row)[:1], 1)
    for row in ("no probe", "tmtrace record", "tmtrace record --calls"):
        check_times(row, cells(results["record"], 0, row), 1)
    equal("calls lost", cells(results["record"], 1, "calls lost")[0], "0")
    check_notes(results)


def test_many(env):
    """Many functions, jobs and series."""
    results = run_bench(env, "growth", "attach", "run")
    growth = cells(results["growth"], 0, "tmtrace")
    check_times("10 and 500 functions", [growth[0], growth[1], growth[3]], 3)
    check_times("session", cells(results["attach"], 0, "session")[:2], 2)
    check_times("the whole program", cells(results["attach"], 1, "tmtrace, 500 functions"), 2)
    check_times("tmtrace -- true", cells(results["run"], 0, "tmtrace -- true")[:1], 1)
    check_times("series", [row[1] for row in results["run"]["tables"][2]["rows"]], 4)
    check_notes(results)


def test_ring(env):
    """The ring-buffered file: all that was written is read."""
    results = run_bench(env, "ring")
    check_times("write", cells(results["ring"], 0, "write")[:1], 1)
    equal("dropped", cells(results["ring"], 0, "write")[2], "0")
    check_times("read", cells(results["ring"], 1, "read")[:2], 2)
    check_notes(results)


def test_metrics(env):
    """Metrics of few jobs; of many there are as many samples as there may be."""
    results = run_bench(env, "metrics")
    check_times("CPU time", cells(results["metrics"], 0, "CPU time of the service for one"), 1)
    check_times("HTTP", cells(results["metrics"], 0, "the same by HTTP"), 1)
    check_notes(results)


def test_service(env):
    results = run_bench(env, "service")
    tables = results["service"]["tables"]
    for row, cell in itertools.product(tables[0]["rows"][:2], (1, 2)):
        check(re.fullmatch(r"[\d.]+ MiB", row[cell]), row)
    for table in tables[1:]:
        equal("answers", len(table["rows"]), 4)
        for row in table["rows"]:
            check_times(row[0], row[2:4], 2)
    check_notes(results)


def test_governor(env):
    results = run_bench(env, "governor")
    rows = results["governor"]["tables"][0]["rows"]
    equal("loads", len(rows), 3)
    for row in rows:
        check_times(row[0], row[1:4], 3)
    check_notes(results)


def test_document(env):
    """A part that was measured in full takes its section's place; the others stay as they were."""
    sys.path.insert(0, os.path.join(env.source, "tests", "bench"))
    import document

    def result(title, row, rounds=document.ROUNDS):
        table = {"title": "Times", "header": ["", "time"], "rows": [[row, "1 ns"]]}
        return {"title": title, "date": "2026-01-01", "rounds": rounds, "quick": False, "load": 0.1,
                "machine": {"kernel": "6.18"}, "peers": {}, "notes": [f"of {row}"],
                "tables": [table]}

    path, titles = env.path("bench.md"), ["A call", "A file", "A run"]
    equal("missing", document.write(path, titles, [result("A run", "a"), result("A call", "b")]),
          ["A file"])
    before = document.read_sections(path)
    equal("sections", list(before), ["A call", "A run"])
    anew = [result("A run", "c"), result("A call", "d", rounds=1), result("A file", "e")]
    equal("missing", document.write(path, titles, anew), [])
    after = document.read_sections(path)
    equal("sections", list(after), titles)
    equal("one round", after["A call"], before["A call"])
    check("| c " in after["A run"] and "- of c" in after["A run"], after["A run"])
