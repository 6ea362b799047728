# SPDX-License-Identifier: GPL-2.0-only
"""The recorder is killed at random moments: all up to the last second before is in the file.

TMTRACE_TEST_KILLS=N kills it so often (5).
"""

import json
import os
import random
import signal
import statistics
import sys
import time

from harness import check, equal, read_text, wait_for

KILLS = int(os.environ.get("TMTRACE_TEST_KILLS", "5"))
LONGEST = 2.5  # seconds from the first call to the kill
LATE = 1.0  # how much later than each second a busy machine may write it
READING = 0.5  # how long it may read the counters before it takes the time

# Makes calls that nobody else makes, and writes its pid and of each call the begin and the end.
LOAD = f"""
import os, sys, time
end = time.monotonic() + {2 * LONGEST + 5}
with open(sys.argv[1], "w", buffering=1) as truth, open(sys.argv[2], "wb") as file:
    print(os.getpid(), file=truth)
    while time.monotonic() < end:
        begin = time.time_ns()
        os.ftruncate(file.fileno(), 4096)
        print(begin, time.time_ns(), file=truth)
        time.sleep(0.001)
"""


def read_calls(path):
    """Begin and end of each call; the last line may be cut off."""
    lines = read_text(path).splitlines(keepends=True)[1:]
    return [tuple(map(int, line.split())) for line in lines if line.endswith("\n")]


def record_and_kill(env, moment):
    """Records a load, and kills the recorder so many seconds after the load's first call."""
    data, truth = env.path("data"), env.path("truth")
    for path in (data, truth):
        if os.path.exists(path):
            os.unlink(path)
    recorder = env.start("record", "-q", "--calls", "-o", data, "--layer", "vfs", "--", sys.executable,
                         "-c", LOAD, truth, env.path("file"))
    wait_for(lambda: os.path.exists(truth) and read_calls(truth), "the load's first call")
    load = int(read_text(truth).split()[0])
    time.sleep(moment)
    recorder.send_signal(signal.SIGKILL)
    killed_ns = time.time_ns()
    recorder.wait()
    os.kill(load, signal.SIGKILL)
    return data, read_calls(truth), killed_ns


def records_of(env, *args):
    status, out, err = env.trace(*args)
    equal(f"{args}: exit status and standard error", (status, err), (0, ""))
    return [json.loads(line) for line in out.splitlines()]


def check_counts(records, calls, killed_ns):
    """Each second has the calls of its time; the last one's time."""
    known = records[0]["start_ns"]
    for record in records:
        if record["type"] == "function" and record["function"] == "truncate":
            known = record["time_ns"]
            least = sum(end < known - READING * 1e9 for _, end in calls)
            most = sum(begin < known for begin, _ in calls)
            check(least <= record["count"] <= most,
                  f"{record['count']} calls, not {least} to {most}: {record}")
    check(killed_ns - known < (1 + LATE) * 1e9, f"{(killed_ns - known) / 1e9} s are missing")
    return known


def check_calls(records, calls, killed_ns):
    """Of the single calls none is missing before the last one that is there; its begin."""
    found = [r for r in records if r["type"] == "call" and r["function"] == "truncate"]
    for record, (begin, end) in zip(found, calls):
        check(begin <= record["start_ns"] <= record["start_ns"] + record["duration_ns"] <= end,
              f"not the call from {begin} to {end}: {record}")
    needed = sum(end < killed_ns - (1 + LATE) * 1e9 for _, end in calls)
    check(len(found) >= needed, f"{len(found)} calls, {needed} had ended a second before")
    return found[-1]["start_ns"] if found else records[0]["start_ns"]


def test_random_moments(env):
    """All that was counted and recorded up to the last second is there, and is right."""
    counted, recorded, moments = [], [], random.Random()
    for _ in range(KILLS):
        moment = moments.uniform(0, LONGEST)
        data, calls, killed_ns = record_and_kill(env, moment)
        records = records_of(env, "dump", data)
        counted.append((killed_ns - check_counts(records, calls, killed_ns)) / 1e9)
        recorded.append((killed_ns - check_calls(records, calls, killed_ns)) / 1e9)
        last = records_of(env, "report", "--json", "-", data)[-1]
        check(last["final"] and last["end_ns"] <= killed_ns, f"the last record: {last}")
    env.remark = (f"{KILLS} kills; missing at the end: counts {statistics.median(counted):.2f} s, "
                  f"at most {max(counted):.2f} s; calls {statistics.median(recorded):.2f} s, "
                  f"at most {max(recorded):.2f} s")


test_random_moments.time_limit = 60 + 8 * KILLS
