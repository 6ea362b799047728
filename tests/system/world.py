# SPDX-License-Identifier: GPL-2.0-only
"""The machine as the steps of in_machine.py see it, and how they say what is wrong."""

import json
import shlex

HOST = "/mnt/host"  # this machine's files
CONFIG = "/etc/tmtrace/tmtrace.yaml"
COOKIE = "@cee: "
JOB_BLOCKS = 1000
# A job: writes and reads a file of its own, one process of it is killed; it ends when a file is there.
JOB = f"""cd; dd if=/dev/zero of=data bs=4096 count={JOB_BLOCKS} conv=fsync status=none
dd if=data of=/dev/null bs=4096 status=none
sh -c 'dd if=data of=/dev/null bs=4096 count=10 status=none; kill -9 $$'
until [ -e "$1" ]; do sleep 1; done"""


class World:
    """The machine, and packages and the sample stack to be tried in it: paths on this machine."""

    def __init__(self, guest, package, newer, stack):
        self.guest = guest
        self.stack = HOST + stack
        self.package, self.newer = HOST + package, HOST + newer
        self.files_before = None
        # guest.Guest has the words that steps are made of.
        self.run, self.output, self.wait_for = guest.run, guest.output, guest.wait_for

    def show(self, name):
        """A property of the service, as systemd knows it."""
        return self.output(f"systemctl show --value -p {name} tmtrace.service")

    def service_is_up(self):
        equal("is-active", self.run("systemctl is-active tmtrace").output, "active")
        equal("restarts by systemd", self.show("NRestarts"), "0")

    def configure(self, text):
        """Counts are to be exact, however dear they are in a machine that is emulated."""
        text += "\nmax_overhead: none"
        self.output(f"printf '%s\\n' {shlex.quote(text)} >{CONFIG}")

    def pid(self):
        pid = int(self.show("MainPID"))
        check(pid, "the service does not run")
        return pid

    def run_job(self, name, user, until=None):
        """Runs JOB in a scope of systemd, as a user; in the background where it ends with a file."""
        self.output(f"systemd-run --scope --quiet --collect --uid={user} --unit={name} "
                    f"sh -c {shlex.quote(JOB)} sh {until or '/'}"
                    + (" >/dev/null 2>&1 &" if until else ""))

    @staticmethod
    def lines(kind, source, job):
        """A command that prints what is in rsyslog's file or in the journal of a type and a job."""
        command = {"rsyslog": f"grep -F '\"type\":\"{kind}\"' /var/log/syslog",
                   "journal": f"journalctl -o cat TMTRACE_TYPE={kind}"}[source]
        return f"{command} | grep -F '\"jobid\":\"{job}\"'"

    def records(self, kind, source, job):
        """Waits for such lines; the records."""
        lines = self.wait_for(self.lines(kind, source, job), f"{kind} records of {job} by {source}")
        return [json.loads(line[line.index(COOKIE) + len(COOKIE):])
                for line in lines.splitlines()]


def equal(what, got, wanted):
    assert got == wanted, f"{what}: {got!r}, not {wanted!r}"


def check(condition, text):
    assert condition, text
