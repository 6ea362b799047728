# SPDX-License-Identifier: GPL-2.0-only
"""tmtrace top: its figures against fio's own, as plain text and on a terminal."""

import errno
import os
import re
import signal

from harness import PATIENCE, check, equal, read_text, wait_for
from real_machine import fio_report, need, run
from terminal import Terminal
from test_cgroup import joining, mount_v2, new_cgroup

STANDS_LOAD = True

SECONDS = 6

# What rows are called.
NAMES = ("CGROUP", "LAYER", "OPERATION", "DEVICE", "FUNCTION")

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "k": 1e3}


def number(text):
    """"12.3M", "5.99k"; nothing is 0."""
    match = re.fullmatch(r"([0-9.]+)([KMGk]?)", text)
    return float(match[1]) * UNITS[match[2]] if match else 0.0


class Frame:
    """An interval as plain text."""

    def __init__(self, text):
        lines = text.splitlines()
        clock, seconds = re.match(r"tmtrace top  ([\d:.]+)  ([\d.]+) s", lines[0]).groups()
        hours, minutes, rest = clock.split(":")
        self.end = int(hours) * 3600 + int(minutes) * 60 + float(rest)  # of the day, in UTC
        self.seconds = float(seconds)
        heading = next(i for i, line in enumerate(lines) if line.rsplit(" ", 1)[-1] in NAMES)
        self.header = lines[:heading]
        self.titles = lines[heading]
        self.rows = {}
        for line in lines[heading + 1:]:
            cells = self.cells(line)
            self.rows[cells[self.titles.split()[-1]]] = cells

    def cells(self, line):
        """{title: text}: a cell ends where its title does, or begins where it does."""
        cells, begin = {}, 0
        for match in re.finditer(r"\S+ *", self.titles):
            title, end = match[0].strip(), match.end()
            if title in NAMES:
                cells[title] = line[begin:]
            elif title == "WHERE":
                cells[title], begin = line[begin:end - 1].strip(), end
            else:
                end = match.start() + len(title)
                cells[title], begin = line[begin:end].strip(), end + 1
        return cells

    def value(self, cgroup, title):
        return number(self.rows.get(cgroup, {}).get(title, ""))


def frames(text):
    """Those that are complete."""
    return [Frame(part) for part in text.split("\n\n")[:-1] if part.strip()]


class Batch:
    """tmtrace top -b in the background, counting when this returns."""

    def __init__(self, env, *options):
        self.path = env.path("frames.txt")
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = env.start("top", "-b", *options, stdout=out,
                                     env={**os.environ, "TZ": "UTC"})
        wait_for(lambda: self.process.poll() is not None or frames(read_text(self.path)),
                 "the first frame")

    def finish(self):
        self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=60 * PATIENCE)
        equal(f"exit status of top ({err})", self.process.returncode, 0)
        return frames(read_text(self.path))


class Fio:
    """fio in a cgroup of its own, at its own rate."""

    def __init__(self, env, name, *options):
        self.report, self.log = env.path(name + ".json"), env.path(name)
        self.command = ["fio", f"--name={name}", f"--filename={env.path(name)}", "--size=16m",
                        "--fallocate=none", "--output-format=json", f"--output={self.report}"]
        run(*self.command, "--rw=write", "--bs=1m", "--end_fsync=1")
        self.options = options
        self.cgroup = new_cgroup(env, mount_v2(), name)
        self.name = "/" + os.path.basename(self.cgroup)

    def start(self, env):
        return env.spawn([*joining(self.cgroup), *self.command, *self.options, "--time_based",
                          f"--runtime={SECONDS}", f"--write_lat_log={self.log}",
                          "--log_unix_epoch=1"])

    def operations(self):
        """[(second of the day, direction, bytes)] of each operation when it was done."""
        lines = read_text(self.log + "_lat.1.log").splitlines()
        fields = [[int(word) for word in line.split(",")] for line in lines]
        return [(ms % 86400000 / 1e3, direction, size) for ms, _, direction, size, _ in fields]


    def written(self):
        """Bytes that are fio's own business: its report and logs."""
        folder, name = os.path.split(self.log)
        return sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder)
                   if file.startswith(name) and file != name)


def near(what, got, wanted, part, slack=0):
    check(abs(got - wanted) <= part * wanted + slack,
          f"{what}: top has {got:.0f}, fio {wanted:.0f}")


def check_window(fio, shown, title, operations):
    """
    What fio did in the time of these intervals, which follow one another; at each end one
    operation may be on either side, and a busy machine's clock is read a moment after the counters.
    """
    begin, end = shown[0].end - shown[0].seconds, shown[-1].end
    done = [size for at, size in operations if begin < at <= end]
    rate = sum(f.value(fio.name, title) * f.seconds for f in shown) / (end - begin)
    near(f"{fio.name} {title} in {end - begin:.3f} s", rate, sum(done) / (end - begin), 0.02,
         2 * max(done) / (end - begin))


def check_rates(fio, shown):
    job = fio_report(fio.report)["jobs"][0]
    operations = fio.operations()
    busy = [f for f in shown if fio.name in f.rows][1:-1]
    check(len(busy) >= SECONDS - 2, f"{fio.name}: {len(busy)} whole intervals")
    for direction, (kind, title) in enumerate((("read", "READ/s"), ("write", "WRITE/s"))):
        wanted = job[kind]
        if not wanted["io_bytes"]:
            continue
        sums = sum(f.value(fio.name, title) * f.seconds for f in shown)
        others = fio.written() if kind == "write" else 0
        near(f"{fio.name} {kind}: bytes in all", sums - others, wanted["io_bytes"], 0.01)
        check_window(fio, busy, title, [(at, size) for at, d, size in operations
                                        if d == direction])
        latency = [f.rows[fio.name][f"{title[0]}-P99"] for f in busy]
        check(all(re.fullmatch(r"[0-9.]+[num]?s", text) for text in latency),
              f"{fio.name} {kind}: latencies {latency}")
    # fio also opens and looks at files.
    count = sum(f.value(fio.name, "OPS/s") * f.seconds for f in shown)
    least = 0.99 * (job["read"]["total_ios"] + job["write"]["total_ios"])
    check(count >= least, f"{fio.name}: {count:.0f} operations, fio {least:.0f}")


def test_rates(env):
    need("fio")
    jobs = [Fio(env, "mixed", "--rw=randrw", "--bs=16k", "--rate=6m,3m"),
            Fio(env, "writes", "--rw=write", "--bs=64k", "--rate=12m")]
    batch = Batch(env, "--layer", "vfs,block", "--interval", "1")
    for process in [job.start(env) for job in jobs]:
        _, err = process.communicate(timeout=60 * PATIENCE)
        equal(f"exit status of fio ({err})", process.returncode, 0)
    last = len(frames(read_text(batch.path)))
    wait_for(lambda: len(frames(read_text(batch.path))) > last, "a frame after the end")
    shown = batch.finish()
    for job in jobs:
        check_rates(job, shown)


def hostile_cgroup(env):
    """A name that would clear the screen, and is no UTF-8."""
    path = os.fsencode(new_cgroup(env, mount_v2(), "hostile")) + b"/\x1b[2J\xff\xe2\x80\xae"
    os.mkdir(path)
    env.cleanup(empty_and_remove, os.fsdecode(path))
    return path


def empty(cgroup):
    """Ends all processes in it."""
    with open(os.path.join(cgroup, "cgroup.kill"), "w", encoding="ascii") as f:
        f.write("1")
    wait_for(lambda: not read_text(os.path.join(cgroup, "cgroup.procs")),
             "the end of its processes")


def removed(cgroup):
    """A process that still waits for the disk keeps it for a while."""
    try:
        os.rmdir(cgroup)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
    return not os.path.exists(cgroup)


def empty_and_remove(cgroup):
    empty(cgroup)
    wait_for(lambda: removed(cgroup), f"the end of {cgroup}")


def test_where(env):
    """The time in libraries, of a job whose libraries wait; in a cgroup with such a name."""
    cgroup = hostile_cgroup(env)
    env.spawn(["sh", "-c", 'echo $$ > "$0/cgroup.procs"; while "$@" > /dev/null; do :; done',
               cgroup, env.load, "all"])
    batch = Batch(env, "--cgroup", os.fsdecode(cgroup))
    wait_for(lambda: [f for f in frames(read_text(batch.path)) if f.rows], "an interval with calls")
    shown = [f for f in batch.finish() if f.rows]
    for frame in shown:
        equal("cgroups", [name.rpartition("/")[2] for name in frame.rows], ["?[2J\ufffd?"])
        row = next(iter(frame.rows.values()))
        shares = {title: float(row[title].replace("<1", "0.5") or 0)
                  for title in ("LIB%", "FILE%", "NET%", "WAIT%", "DEV%")}
        check(97 <= sum(shares.values()) <= 103, f"shares that are no whole: {shares}")
        check(shares["WAIT%"] > 10 and shares["NET%"] > 1, f"libraries that do not wait: {shares}")


class Looping:
    """A job in a cgroup of its own that writes and syncs, over and over."""

    def __init__(self, env, name):
        self.cgroup = new_cgroup(env, mount_v2(), name)
        self.name = "/" + os.path.basename(self.cgroup)
        env.cleanup(empty, self.cgroup)
        self.process = env.spawn(["sh", "-c", 'echo $$ > "$0/cgroup.procs"; cd "$1"; '
                                  "while :; do dd if=/dev/zero of=" + name + " bs=64k count=4 "
                                  "conv=fsync 2> dd.log; sleep 0.01; done", self.cgroup, env.dir])


def test_below(env):
    """The layers and functions of one job as plain text."""
    job = Looping(env, "below")
    for options, title, row in (((), "LAYER", "vfs"),
                                (("--functions", "vfs"), "OPERATION", "fsync ext4 /")):
        batch = Batch(env, "--layer", "vfs", "--job", job.name[1:], *options)
        wait_for(lambda: [f for f in frames(read_text(batch.path)) if f.rows], "a row")
        shown = [f for f in batch.finish() if f.rows]
        equal("where", {f.header[1].split(" > ")[1] for f in shown}, {job.name[1:]})
        equal("title", {f.titles.split()[-1] for f in shown}, {title})
        for frame in shown:
            name = next(name for name in frame.rows if name.startswith(row))
            check(frame.value(name, "OPS/s") > 0 and frame.rows[name]["TIME/s"], frame.rows)
            check(re.fullmatch(r"[0-9.]+[num]?s", frame.rows[name]["P99"]), frame.rows[name])
    status, _, err = env.trace("top", "-b", "--layer", "vfs", "-n", "1", "--job", "none/such")
    equal(f"a job of which nothing comes: exit status ({err})", status, 1)
    check("nothing came of a job none/such" in err, err)


LIVE = ("top", "--layer", "vfs", "--interval", "0.5")


def on_terminal(env, *options, **kwargs):
    terminal = Terminal([env.tmtrace, *LIVE, *options], **kwargs)
    env.cleanup(terminal.close)
    terminal.wait(r"^tmtrace top .* 0\.[45]\d s ")
    return terminal


def end_well(terminal, how):
    status, err = terminal.finish()
    equal(f"{how}: exit status ({err})", status, 0)
    check(terminal.is_restored(), f"{how}: the terminal is not as it was")


def test_keys(env):
    terminal = on_terminal(env)
    terminal.wait(r"^READ/s WRITE/s OPS/s LOAD% R-P99 W-P99 WHERE +LAST 60 s +CGROUP$")
    for keys, shown in (("r", r"all layers by load, reversed"), ("r", r"by load  "),
                        ("s", r"by rp99  "), ("<", r"by load  "), (">", r"by rp99  "),
                        ("l", r" s  vfs by rp99"), ("l", r" s  all layers by rp99"),
                        ("h", r"^q +end$"), ("h", r"^READ/s"),
                        ("d9", r"^interval in seconds: 9_"), ("\x7f0.3\r", r" 0\.[34]\d s ")):
        terminal.send(keys)
        terminal.wait(shown)
    terminal.send("q")
    end_well(terminal, "q")


def title_of(terminal):
    return terminal.wait(r"^tmtrace top +(\S+) +\S+ s")[1]


def test_freeze(env):
    """The picture stays, and one goes back and forth through what was collected meanwhile."""
    terminal = on_terminal(env)
    terminal.send(" ")
    frozen = terminal.wait(r"^tmtrace top +(\S+) .*FROZEN since (\S+)")
    lines = terminal.lines()
    terminal.read(2.2)
    equal("frozen", terminal.lines(), lines)
    terminal.send("[")
    terminal.wait(r"FROZEN since " + frozen[2])
    # What came meanwhile is there: to the end of it, and no further.
    terminal.send("]]]]]]]]]]")
    later = wait_for(lambda: terminal.read(0.1) or title_of(terminal) > frozen[1] and
                     title_of(terminal), "a later interval")
    terminal.wait(r"FROZEN since " + frozen[2])
    check(later > frozen[1], f"{later} is not after {frozen[1]}")
    terminal.send("f")
    wait_for(lambda: terminal.read(0.1) or "FROZEN" not in terminal.lines()[0], "to go on")
    terminal.send("q")
    end_well(terminal, "q")


def test_drill(env):
    """From the job to its layers, functions, one function's latencies; and up again."""
    job = Looping(env, "drilled")
    terminal = on_terminal(env, columns=140)
    terminal.select(job.name)
    terminal.send("\r")
    terminal.wait(r"^jobs > " + job.name + "$")
    terminal.wait(r"^BYTES/s OPS/s TIME/s .* LAYER$")
    terminal.select("vfs")
    terminal.send("\x1bOC")
    terminal.wait(r"^jobs > " + job.name + " > vfs$")
    terminal.wait(r"^BYTES/s .* OPERATION$")
    terminal.wait(r" fsync \S+ /\S*$")
    terminal.select(re.search(r"(?m)fsync \S+ /\S*$", "\n".join(terminal.lines()))[0])
    terminal.send("\r")
    terminal.wait(r"^jobs > " + job.name + r" > vfs > fsync \S+ /\S*$")
    terminal.wait(r"^latency  p50 ")
    terminal.wait(r"^where    files \d+ %")
    terminal.wait(r"^ +UP TO +0\.\d\d s +60 s CALLS BY LATENCY$")
    bars = [line.split() for line in terminal.lines() if re.search(r" #+$", line)]
    check(bars and max(len(bar[-1]) for bar in bars) > 40, f"bars: {bars}")
    for key, shown in (("\x7f", r"^BYTES/s .* OPERATION$"), ("\x1bOD", r"^BYTES/s .* LAYER$"),
                       ("\x1b", r" CGROUP$"), ("a", r"^jobs > all jobs$")):
        terminal.send(key)
        terminal.wait(shown)
    terminal.send("q")
    end_well(terminal, "q")


def test_early_key(env):
    """Before the first interval has passed there is nothing to show, whatever is asked for."""
    terminal = Terminal([env.tmtrace, *LIVE, "--interval", "3600"])
    env.cleanup(terminal.close)
    terminal.wait(r"^tmtrace top .* 0\.00 s  all layers")
    terminal.send("l")
    terminal.wait(r" 0\.00 s  vfs by load")
    terminal.send("q")
    end_well(terminal, "q")


def test_sizes(env):
    terminal = on_terminal(env)
    terminal.set_size(132, 43)
    terminal.wait(r"^READ/s .* WHERE +LIB% FILE% NET% WAIT% DEV% CPU% +MEM LAST 60 s +CGROUP$")
    terminal.set_size(30, 6)
    terminal.wait(r"^30 x 6 is too small")
    terminal.set_size(50, 10)
    terminal.wait(r"^READ/s WRITE/s OPS/s LOAD% .*CGROUP$")
    check(all(len(line) <= 50 for line in terminal.lines()), "lines are too long")
    terminal.send("q")
    end_well(terminal, "q")


def test_signals(env):
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        terminal = on_terminal(env)
        terminal.process.send_signal(getattr(signal, name))
        end_well(terminal, name)
    terminal = on_terminal(env)
    terminal.send("\x03")
    end_well(terminal, "Ctrl-C")
    for name in ("SIGSEGV", "SIGABRT"):
        terminal = on_terminal(env)
        terminal.process.send_signal(getattr(signal, name))
        status, _ = terminal.finish()
        equal(f"{name}: exit status", status, -getattr(signal, name))
        check(terminal.is_restored(), f"{name}: the terminal is not as it was")


def test_stopped(env):
    """Ctrl-Z gives the terminal to the shell; fg takes it again."""
    terminal = Terminal(["sh", "-mc", '"$@"; echo "stopped: $?"; read line; fg', "sh",
                         env.tmtrace, *LIVE])
    env.cleanup(terminal.close)
    terminal.wait(r"^tmtrace top .* 0\.[45]\d s ")
    terminal.send("\x1a")
    terminal.wait(r"stopped: \d+")
    check(terminal.is_restored(), "the terminal is not as it was while it is stopped")
    shown = len(terminal.output)
    terminal.send("\r")
    wait_for(lambda: terminal.read(0.1) or "\x1b[?1049h" in terminal.output[shown:], "a redraw")
    terminal.wait(r"^tmtrace top .* 0\.[45]\d s ")
    terminal.send("q")
    end_well(terminal, "q")


def test_colours(env):
    """The bars have them, unless NO_COLOR is set."""
    reader = env.spawn(["sh", "-c", "while :; do cat /etc/passwd; sleep 0.1; done"])
    for without in (None, "1"):
        terminal = on_terminal(env, NO_COLOR=without)
        terminal.wait(r" [fd]{10} ")
        coloured = bool(re.search(r"\x1b\[[\d;]*3[1-6]m", terminal.output))
        equal(f"NO_COLOR={without}: colours", coloured, not without)
        terminal.send("q")
        end_well(terminal, "q")
    reader.kill()


def test_no_terminal(env):
    status, out, err = env.trace(*LIVE, "-n", "1", timeout=60)
    equal(f"into a pipe: exit status ({err})", status, 0)
    equal("into a pipe: frames", len(frames(out)), 1)
    check("\x1b" not in out, "escape sequences in plain text")
    for kind in ("dumb", "no-such-terminal"):
        terminal = Terminal([env.tmtrace, *LIVE], TERM=kind)
        env.cleanup(terminal.close)
        status, err = terminal.finish()
        equal(f"{kind}: exit status", status, 1)
        check(f'of type "{kind}"' in err and "--batch" in err, f"{kind}: {err}")


def test_usage(env):
    for options, wanted in (
            (("--sort", "size"), "there is no such column, known are: read,"),
            (("--interval", "0"), "not a number of seconds"),
            (("--frames", "0"), "not a number from 1"),
            (("--", "true"), "it shows what runs already"),
            (("--layer", "nonsense"), "there is no such layer"),
            (("--layer", "vfs", "--functions", "nonsense"), "there is no such layer"),
            (("--layer", "vfs", "--job", "x", "--sort", "read"), "has no such column"),
            (("--job", ""), "no name of a job"),
            (("--json", "x"), "unrecognized option")):
        status, out, err = env.trace("top", *options)
        equal(f"{options}: exit status", status, 2)
        check(wanted in err and err.count("\n") == 1 and not out, f"{options}: {err}")
