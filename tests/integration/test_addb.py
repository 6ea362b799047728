# SPDX-License-Identifier: GPL-2.0-only
"""ADDB2 records, live: the text is what m0addb2dump writes, and none is lost unsaid."""

import json
import os
import re

from harness import BRIEF, PATIENCE, Records, alone, check, check_ledgers, equal, read_text
from times import near

SHARES_MACHINE = True

# As the dump writes a record's time, which is local; `load` and tmtrace are given UTC.
TIME = re.compile(r"^\* \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{9} ")
LAYERS = ("--layer", "addb")


def trace(env, *load_args, options=(), filters=None):
    """`load addb` with its records: (Records, truth's addb, lines of text without times)."""
    os.environ["TZ"] = "UTC"
    text = env.path("records.txt")
    records, truth = env.trace_load(
        "addb", "--dir", env.dir, *load_args,
        options=(*LAYERS, f"--addb={filters}" if filters else "--addb", "--addb-text", text,
                 *options))
    check_ledgers(records)
    lines = read_text(text).splitlines()
    for line in lines:
        check(TIME.match(line), f"a time in {line[:60]}")
    return records, addb_truth(truth), [TIME.sub("* ", line) for line in lines]


def addb_truth(truth):
    return {**truth["addb"], "bare": truth["bare"]}


FATES = ("recorded", "unwanted", "unreadable", "full", "busy", "covered", "undecided")


def check_counts(records, truth, consumed):
    """Each hit of the functions is in the count of records, with what became of it."""
    hits = sum(p["hits"] for p in records.of("probe", function="m0_addb2_consume"))
    adds = sum(p["hits"] for p in records.of("probe", function="m0_addb2_add"))
    count, = records.of("addb_count")
    equal("hits", hits, consumed)
    equal("fates", sum(count[k] for k in FATES), hits + adds)
    equal("undecided", count["undecided"], 0)
    equal("records written", count["written"] + count["filtered"], count["recorded"])
    equal("addb records", len(records.of("addb")), count["written"])
    return count


def check_same(lines, truth):
    wanted = read_text(truth["dump"]).splitlines()
    for line, want in zip(lines, wanted):
        equal("text", line, want)
    equal("records", len(lines), len(wanted))


def test_every_kind(env):
    """Every kind of record and label, depth 64 with 15 words, machines that threads share."""
    records, truth, lines = trace(env)
    check_same(lines, truth)
    count = check_counts(records, truth, truth["records"])
    equal("lost", [count[k] for k in ("unreadable", "full", "busy", "labels_unreadable")], [0] * 4)
    for r in records.of("addb"):
        equal("source", r["source"], "consume")
    record, = records.of("addb", name="stob-io-end")
    equal("payload", record["payload"], {"fid": "100000000000000:2a", "duration_ns": 48390,
                                         "rc": -5, "count": 15848, "frag": 1})
    labels = {label["name"]: label["payload"] for label in record["labels"]}
    equal("fom", labels["fom"], {"addr": "0x7ff0f00d6510", "type": "io-fom", "transitions": 13,
                                 "phase": "tx_wait"})
    equal("pid", labels["pid"]["pid"], record["pid"])
    state, = records.of("addb", name="tx-state")
    equal("state", state["payload"], {"sm_id": 18, "from": "closed", "cause": "logged",
                                      "state": "logged"})
    record, = records.of("addb", name="net-buf")
    equal("a queue's name", record["payload"]["qtype"], "M0_NET_QT_MSG_SEND")
    record, = records.of("addb", name="rpc-item-id-assign")
    equal("an opcode's name", record["payload"]["opcode"], "M0_IOSERVICE_WRITEV_OPCODE")
    equal("deepest", max(len(r["labels"]) for r in records.of("addb")), 64)


def as_line(record):
    """As addb-bare.txt has it."""
    values = [record, *record["labels"]]
    return " | ".join(" ".join(word[2:] for word in (v["id"], *v["payload"].get("words", [])))
                      for v in values)


def test_bare(env):
    """What a thread without a machine adds: told once, with its own labels, and not in the text."""
    records, truth, lines = trace(env, "--how", "bare")
    with open(os.path.join(env.dir, "addb-bare.txt"), encoding="ascii") as file:
        wanted = file.read().splitlines()
    bare = truth["bare"]
    equal("records", [as_line(r) for r in records.of("addb", source="add")], wanted)
    equal("of a machine", [as_line(r) for r in records.of("addb", source="consume")],
          ["50001 b | 51001 c"])
    equal("lines of text", len(lines), bare["kept"])
    count = check_counts(records, truth, bare["kept"])
    for what in ("unreadable", "pops_misplaced", "labels_lost", "labels_unreadable"):
        equal(what, count[what], bare[what])
    equal("covered", count["covered"], bare["kept"])
    equal("told", count["recorded"], bare["told"] + bare["kept"])
    notes = records.notes()
    check(any("3 ADDB2 labels were taken off" in note for note in notes), f"{notes}")
    check(any("1 labels of threads without" in note for note in notes), f"{notes}")


def test_garbage(env):
    """Pointers that lead nowhere are counted; a label without its words is told."""
    records, truth, lines = trace(env, "--how", "garbage")
    check_same(lines, truth)
    count = check_counts(records, truth, truth["records"] + truth["unreadable"])
    equal("unreadable", count["unreadable"], truth["unreadable"])
    equal("labels", count["labels_unreadable"], 1)
    equal("of records", [r["labels_unreadable"] for r in records.of("addb")][-1], 1)
    notes = records.of("run", final=True)[0]["notes"]
    check(any("4 ADDB2 records were lost" in note for note in notes), f"a note in {notes}")


def test_filter(env):
    """By name, by range and by label; the others are not told by the kernel."""
    records, truth, lines = trace(env, filters="fom-to-tx,0xd103-0xd109,label:locality=3")
    check_counts(records, truth, truth["records"])
    wanted = [line for line in read_text(truth["dump"]).splitlines()
              if re.match(r"\* fom-to-tx ", line) and "locality         3" in line]
    equal("text", lines, wanted)
    check(len(lines) == 100, f"{len(lines)} records")


def test_storm(env):
    """As fast as a program makes them: none is lost, or it is counted, exactly."""
    made = 20000 if BRIEF else 200000
    records, truth, lines = trace(env, "--how", "storm", "--count", str(made))
    count = check_counts(records, truth, made)
    equal("lines", len(lines), count["written"])
    env.remark = (f"{made / truth['ns'] * 1e9:.0f} records/s, "
                  f"{count['full'] + count['busy']} of {made} lost")


def test_small_buffer(env):
    """What finds no room is counted, and said."""
    records, truth, _ = trace(env, "--how", "storm", "--count", "50000",
                              options=("--addb-buffer", "64K"))
    count = check_counts(records, truth, 50000)
    check(count["full"] > 0, "a buffer of 64K was large enough")
    notes = records.of("run", final=True)[0]["notes"]
    check(any("a larger --addb-buffer" in note for note in notes), f"a note in {notes}")


def test_beside_tables(env):
    """Without a file the text goes to where the tables go."""
    status, out, err = env.trace(*LAYERS, "--addb=pid", "--", env.load, "addb", "--dir", env.dir,
                                 "--truth", env.path("truth.json"))
    equal("status", status, 0)
    equal("the command's output", out, "")
    lines = [line for line in err.splitlines() if line.startswith("* ")]
    equal("records", len(lines), 1)
    check(" pid              5 |                    40000 ?" in lines[0], lines[0][:80])


def test_stack(env):
    """The records that the sample stack makes around its operations, of client and server."""
    records, truth = env.trace_load("all", options=(*LAYERS, "--addb", "--calls"))
    consumed = sum(f["calls"] for f in truth["functions"] if f["function"] == "m0_addb2_consume")
    check(consumed > 0, "no record was made")
    check_counts(records, truth, consumed)
    names = {r["name"] for r in records.of("addb")}
    check({"rpc-item-id-assign", "rpc-item-id-fetch", "fom-state"} <= names, f"{names}")
    foms = [r for r in records.of("addb", name="fom-state")]
    check(all(r["labels"][0]["name"] == "fom" for r in foms), "fom-state outside a fom")


def sums_of(records, final=True):
    """The sums over records, by (record, fom, state or field)."""
    found = {}
    for r in (*records.of("addb_state", final=final), *records.of("addb_value", final=final)):
        key = r["name"], r["fom"], r["state" if r["type"] == "addb_state" else "field"]
        check(key not in found, f"{key} twice")
        found[key] = r
    return found


def check_sums(records, truth):
    """The sums are the load's own, and there are no others."""
    found = sums_of(records)
    for true in truth["sums"]:
        key = true["record"], true["fom"], true["what"]
        check(key in found, f"no {key} among {sorted(found, key=str)}")
        got = found.pop(key)
        equal(f"{key}: count", got["count"], true["count"])
        equal(f"{key}: bytes", got["bytes" if "bytes" in got else "sum"] or 0, true["bytes"])
        equal(f"{key}: errors", got.get("errors", 0), true["errors"])
        equal(f"{key}: open", got["in_flight"], 0)
        if true["ns"]:
            equal(f"{key}: histogram", sum(b[2] for b in got["buckets"]), true["count"])
            if got["type"] == "addb_value":
                equal(f"{key}", got["total_ns"], true["ns"])
            # Of a state of microseconds it decides where somebody else had the processor; in an
            # emulated machine, of any: it may stand still between the record and the load's clock.
            elif true["ns"] >= 500_000 * true["count"] and PATIENCE == 1:
                near(f"{key}", got["total_ns"], true["ns"], true["count"])
        if true["bytes"]:
            equal(f"{key}: sizes", sum(b[2] for b in got["size_buckets"]),
                  true["count"] - true["errors"])
    equal("sums of nothing", [k for k, r in found.items() if r["count"]], [])


@alone
def test_sums(env):
    """In full, without --addb: time in states by type of fom, sizes, of every thread's records."""
    records, truth = env.trace_load("addb", "--how", "states", "--dir", env.dir,
                                    options=(*LAYERS, "--full", "addb"))
    equal("records one by one", records.of("addb"), [])
    equal("notes on sums", [note for note in records.notes() if "sum" in note], [])
    check_sums(records, truth)
    told = {r["name"]: r["function"] for r in sums_of(records).values()}
    equal("of threads without a machine", told["rpc-out-phase"], "m0_addb2_add")
    equal("of others", told["fom-phase"], "m0_addb2_consume")


def calls_of(truth, function):
    return sum(f["calls"] for f in truth["functions"] if f["function"] == function)


# Where the layer is traced in brief.
BRIEF_FUNCTIONS = ("m0_addb2_consume", "m0_addb2_counter_mod_with")


@alone
def test_brief(env):
    """By default, records of machines and what sensors are told: counted, summed up, and said so."""
    records, truth = env.trace_load("addb", "--how", "states", "--dir", env.dir, options=LAYERS)
    check_ledgers(records)
    equal("probes", sorted(p["function"] for p in records.of("probe") if p["layer"] == "addb"),
          sorted(BRIEF_FUNCTIONS))
    told = {r["function"]: r for r in records.of("function", layer="addb", final=True)}
    for function in BRIEF_FUNCTIONS:
        equal(function, told[function]["count"], calls_of(truth, function))
        equal(f"{function}: timed", told[function]["timed"], 0)
        equal(f"{function}: total_ns", told[function]["total_ns"], None)
    equal("functions", sorted(told), sorted(BRIEF_FUNCTIONS))
    # What a thread adds that has no machine of ADDB2 comes by neither.
    check_sums(records, {"sums": [s for s in truth["sums"] if s["record"] != "rpc-out-phase"]})
    check(any("traced in brief" in note and "--full" in note for note in records.notes()),
          f"{records.notes()}")


def test_brief_mix(env):
    """Thousands of records, labels and values: both counts and all sums are exact."""
    rounds = 3000
    records, truth = env.trace_load("addb", "--how", "mix", "--count", str(rounds), "--dir",
                                    env.dir, options=LAYERS)
    check_ledgers(records)
    equal("records", records.total("addb", "m0_addb2_consume", "count"), truth["addb"]["records"])
    found = sums_of(records)
    values = [i % 30 for i in range(rounds)] + [i % 30 for i in range(0, rounds, 3)]
    runq = found["runq", None, "value"]
    equal("runq", (runq["count"], runq["sum"]), (len(values), sum(values)))
    equal("runq: sizes", sum(b[2] for b in runq["size_buckets"]), len(values))
    equal("foms", found["fom-state", "write", "Running"]["count"], rounds // 2)


def test_full_layers(env):
    """What --full cannot mean is said before anything runs."""
    for args, reason in ((("--full", "nonsense"), "there is no such layer"),
                         (("--full", "addb", "--layer", "vfs"), "is not traced; add it"),
                         (("--full", ","), "no layer named")):
        status, _, err = env.trace(*args, "--", "true")
        check(status in (2, 125), f"status of {args}: {status}")
        check(reason in err, f"{args}: {err}")


@alone
def test_sums_beside_records(env):
    """The same with --addb, which tells each record, too; in a recording, and in its tables."""
    live, data = env.path("live.json"), env.path("data")
    truth = env.path("truth.json")
    status, _, err = env.trace("record", *LAYERS, "--addb", "--json", live, "-o", data, "--",
                               env.load, "addb", "--how", "states", "--dir", env.dir, "--truth",
                               truth)
    check(status == 0, f"recording ended with {status}: {err}")
    truth = json.loads(read_text(truth))
    records = Records(live)
    check_sums(records, truth)
    equal("records", len(records.of("addb", source="consume")), truth["addb"]["records"])
    status, out, err = env.trace("report", "--json", "-", data)
    equal("report --json", (status, err), (0, ""))
    kept = [json.loads(line) for line in out.splitlines()]
    for kind in ("addb_state", "addb_value"):
        equal(kind, [r for r in kept if r["type"] == kind], records.of(kind, final=True))
    status, out, err = env.trace("report", data)
    equal("report", (status, err), (0, ""))
    check(re.search(r"^fom-state +read +Waiting +m0_addb2_consume +20 ", out, re.M), out)
    check(re.search(r"^fom-phase +write +begin to end +m0_addb2_consume +10 +92.0 KiB ", out, re.M), out)
    check(re.search(r"^net-buf +duration +m0_addb2_consume +30 ", out, re.M), out)


def record(env, *load_args, options=()):
    """`load addb` recorded, and live beside it: (Records, lines of text, the records of dump)."""
    os.environ["TZ"] = "UTC"
    live, text, data = env.path("live.json"), env.path("live.txt"), env.path("data")
    status, _, err = env.trace("record", *LAYERS, "--addb", "--json", live, "--addb-text", text,
                               "-o", data, *options, "--", env.load, "addb", "--dir", env.dir,
                               *load_args)
    check(status == 0, f"recording ended with {status}: {err}")
    return Records(live), read_text(text).splitlines(), dump(env)


def dump(env):
    status, out, err = env.trace("dump", env.path("data"))
    equal("dump", (status, err), (0, ""))
    return [json.loads(line) for line in out.splitlines()]


def addb_of(records):
    return [r for r in records if r["type"] in ("addb", "addb_count")]


def heading(env):
    """What report says of the records."""
    status, out, err = env.trace("report", env.path("data"))
    equal("report", (status, err), (0, ""))
    return [line for line in out.splitlines() if "ADDB2 records" in line]


def test_recorded(env):
    """A recording keeps the records: dump prints those of the live run, and their text."""
    live, text, dumped = record(env)
    count, = live.of("addb_count")
    check(count["written"] > 100, f"{count['written']} records")
    equal("records of dump", addb_of(dumped), addb_of(live.all))
    status, out, err = env.trace("dump", "--addb-text", env.path("data"))
    equal("dump --addb-text", (status, err), (0, ""))
    equal("its lines", out.splitlines(), text)
    equal("report", heading(env),
          [f"ADDB2 records: {count['written']:,}; tmtrace dump prints them"])


def test_recorded_filter(env):
    """Alone, without another file, and those that are asked for."""
    status, _, err = env.trace("record", *LAYERS, "--addb=fom-to-tx,label:locality=3", "-o",
                               env.path("data"), "--", env.load, "addb", "--dir", env.dir)
    check(status == 0, f"recording ended with {status}: {err}")
    *found, count = addb_of(dump(env))
    equal("records", [r["name"] for r in found], ["fom-to-tx"] * 100)
    equal("count", (count["written"], count["filtered"]), (100, 1))


def test_recorded_full(env):
    """Where the file is full the oldest go, and it is told how many; the counts stay."""
    live, _, dumped = record(env, "--how", "storm", "--count", "50000", options=("--size", "1M"))
    count, = live.of("addb_count")
    kept = [r for r in dumped if r["type"] == "addb"]
    check(100 < len(kept) < 20000, f"{len(kept)} records in 1M")
    made = iter(live.of("addb"))
    check(all(r in made for r in kept), "those that are left are the live ones, in their order")
    equal("count", [r for r in dumped if r["type"] == "addb_count"], [count])
    there, overwritten, *dropped = heading(env)
    equal("report", there,
          f"ADDB2 records: {len(kept):,} of {count['written']:,}; tmtrace dump prints them")
    check("were overwritten by newer ones: the file was full" in overwritten, overwritten)
    check(all("were not written: the disk was too slow" in line for line in dropped), f"{dropped}")
    equal("those that went", sum(int(line.split()[0].replace(",", ""))
                                 for line in (overwritten, *dropped)), count["written"] - len(kept))


def test_recorded_small(env):
    """A record that no block of the file has room for is counted and told."""
    live, _, dumped = record(env, options=("--size", "160K"))
    count, = live.of("addb_count")
    equal("unrecorded", count["unrecorded"], 1)
    equal("count", [r for r in dumped if r["type"] == "addb_count"], [count])
    check(any("1 ADDB2 records are not in the recording" in note for note in live.notes()),
          f"{live.notes()}")


def test_bad_input(env):
    """What cannot be is said before anything runs."""
    for args, reason in (
            (("--addb=nonsense",), "no ADDB2 record is called so"),
            (("--addb-text", "x"), "go with --addb"),
            (("--addb", "--addb-text", "-"), "standard output is the command's"),
            (("--addb", "--layer", "vfs"), "add addb to it"),
            (("--addb", "--addb-buffer", "1"), "--addb-buffer"),
            (("--syslog=addb",), "with --addb only")):
        status, _, err = env.trace(*args, "--", "true")
        equal(f"status of {args}", status, 2)
        check(reason in err, f"{args}: {err}")


def test_file_that_cannot_be_written(env):
    """A full disk is told once; the command and its figures are not touched."""
    status, _, err = env.trace(*LAYERS, "--addb", "--addb-text", "/dev/full", "--", env.load,
                               "addb", "--dir", env.dir, "--truth", env.path("truth.json"))
    equal("status", status, 0)
    check("/dev/full: No space left on device" in err, err)
    equal("how often", err.count("No space left"), 1)
    check(json.loads(read_text(env.path("truth.json")))["addb"]["records"] > 0, "load did not run")
