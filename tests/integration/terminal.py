# SPDX-License-Identifier: GPL-2.0-only
"""A terminal for programs that draw: a pty, and as much of xterm as ncurses makes use of."""

import codecs
import collections
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from harness import PATIENCE, Failure, wait_for

SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([\d;]*)([@-~])|\][^\x07]*\x07|[()][0-9A-B]|[=>78M])")

BEGUN = re.compile(r"\x1b(?:\[[?>]?[\d;]*|[()])?")

# How a character looks; colours are numbers from 0 (black) to 7 (white), None is the terminal's own.
Style = collections.namedtuple("Style", "foreground background bold dim underline reverse",
                               defaults=(None, None, False, False, False, False))

# What the parameters of "m" (SGR) change, beside colours.
CHANGES = {1: {"bold": True}, 2: {"dim": True}, 4: {"underline": True}, 7: {"reverse": True},
           22: {"bold": False, "dim": False}, 24: {"underline": False}, 27: {"reverse": False},
           39: {"foreground": None}, 49: {"background": None}}

# The background of what is selected (cyan).
SELECTED = 6


class Cell(str):
    """A character with the style that it was drawn in."""

    style = Style()

    @classmethod
    def on(cls, style, c):
        cell = cls(c)
        cell.style = style
        return cell


class Terminal:
    """A program on a terminal of so many columns and rows."""

    def __init__(self, argv, columns=80, rows=24, **environment):
        self.master, self.slave = pty.openpty()
        self.columns, self.rows = columns, rows
        self.output = self.cut = ""
        self.style = Style()
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.set_size(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        env = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}
        env = {name: value for name, value in env.items() if value is not None}
        self.process = subprocess.Popen(argv, stdin=self.slave, stdout=self.slave,
                                        stderr=subprocess.PIPE, env=env, text=True,
                                        preexec_fn=self.take_over)

    def take_over(self):
        """In the child: it is the terminal's session, so that control characters are signals."""
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.master)
        os.close(self.slave)

    def set_size(self, columns, rows):
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen = [self.blank(columns) for _ in range(rows)]
        self.x = self.y = 0
        self.region = 0, rows - 1  # that scrolls

    def send(self, keys):
        os.write(self.master, keys.encode())

    def read(self, seconds):
        """What the program writes within that time is on the screen."""
        end = time.monotonic() + seconds
        while select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            text = self.decoder.decode(data)
            self.output += text
            self.show(text)

    def wait(self, pattern, seconds=20):
        """Until a line of the screen matches; the match."""
        end = time.monotonic() + seconds * PATIENCE
        while time.monotonic() < end:
            self.read(0.1)
            for line in self.lines():
                match = re.search(pattern, line)
                if match:
                    return match
            if self.process.poll() is not None:
                break
        raise Failure(f"no {pattern!r} on the screen:\n" + "\n".join(self.lines()))

    def lines(self):
        return ["".join(row).rstrip() for row in self.screen]

    def selected(self):
        """The line that is drawn as selected; "": none is."""
        return next((line for line, row in zip(self.lines(), self.screen)
                     if row[0].style.background == SELECTED), "")

    def select(self, name):
        """Goes down to the row that ends so; it stays selected, wherever it goes."""
        wait_for(lambda: self.read(0.1) or any(line.endswith(name) for line in self.lines()), f"a row of {name}")
        for _ in range(60):
            if self.selected().endswith(name):
                return
            self.send("\x1bOB")
            self.read(0.1)
        raise Failure(f"{name} was not reached: {self.lines()}")

    def finish(self, seconds=30):
        """Waits for its end: (status, standard error)."""
        end = time.monotonic() + seconds * PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        self.read(0)
        if self.process.poll() is None:
            raise Failure("it does not end")
        return self.process.returncode, self.process.stderr.read()

    def is_restored(self):
        """Is the terminal as it was: its modes, the screen, the cursor?"""
        opened, closed = self.output.count("\x1b[?1049h"), self.output.count("\x1b[?1049l")
        cursor = self.output.rfind("\x1b[?25h") > self.output.rfind("\x1b[?25l")
        return (termios.tcgetattr(self.slave) == self.before and opened == closed > 0 and cursor)

    def show(self, text):
        """Draws; of a sequence that is cut in two, the first part waits for the other one."""
        text, self.cut = self.cut + text, ""
        while text:
            match = SEQUENCE.match(text)
            if match:
                if match[3] and not match[1]:
                    self.control(match[3], [int(n or 0) for n in match[2].split(";")])
                elif match[0] == "\x1bM" and self.y == self.region[0]:
                    self.scroll(self.y, -1)
                elif match[0] == "\x1bM":
                    self.y = max(self.y - 1, 0)
                text = text[match.end():]
            elif BEGUN.fullmatch(text):
                self.cut, text = text, ""
            else:
                self.character(text[0])
                text = text[1:]

    def character(self, c):
        if c == "\r":
            self.x = 0
        elif c == "\n" and self.y == self.region[1]:
            self.scroll(self.region[0], 1)
        elif c == "\n":
            self.y = min(self.y + 1, self.rows - 1)
        elif c == "\b":
            self.x = max(self.x - 1, 0)
        elif c >= " ":
            if self.x >= self.columns:
                self.x, self.y = 0, min(self.y + 1, self.rows - 1)
            self.last = c
            self.screen[self.y][self.x] = Cell.on(self.style, c)
            self.x += 1

    def blank(self, n):
        """What is erased has the background of what would be drawn."""
        return [Cell.on(Style(background=self.style.background), " ") for _ in range(n)]

    def scroll(self, top, lines):
        """What is below top in the region that scrolls goes up, or down, by so many lines."""
        for _ in range(abs(lines)):
            del self.screen[top if lines > 0 else self.region[1]]
            self.screen.insert(self.region[1] if lines > 0 else top, self.blank(self.columns))

    def restyled(self, number):
        if number == 0:
            return Style()
        if 30 <= number <= 37:
            return self.style._replace(foreground=number - 30)
        if 40 <= number <= 47:
            return self.style._replace(background=number - 40)
        return self.style._replace(**CHANGES.get(number, {}))

    def control(self, what, numbers):
        n = max(numbers[0], 1)
        row = self.screen[self.y]
        if what == "H":
            self.y = min(n, self.rows) - 1
            self.x = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif what == "d":
            self.y = min(n, self.rows) - 1
        elif what == "G":
            self.x = min(n, self.columns) - 1
        elif what in "AB":
            self.y = min(max(self.y + (n if what == "B" else -n), 0), self.rows - 1)
        elif what in "CD":
            self.x = min(max(self.x + (n if what == "C" else -n), 0), self.columns - 1)
        elif what == "X":
            row[self.x:self.x + n] = self.blank(len(row[self.x:self.x + n]))
        elif what == "b":
            for _ in range(n):
                self.character(self.last)
        elif what == "P":
            del row[self.x:self.x + n]
            row.extend(self.blank(self.columns - len(row)))
        elif what == "@":
            row[self.x:self.x] = self.blank(n)
            del row[self.columns:]
        elif what == "K":
            begin, end = {0: (self.x, self.columns), 1: (0, self.x + 1)}.get(
                numbers[0], (0, self.columns))
            row[begin:end] = self.blank(end - begin)
        elif what == "J":
            if numbers[0] == 2:
                self.screen = [self.blank(self.columns) for _ in range(self.rows)]
            elif numbers[0] == 0:
                self.control("K", [0])
                for y in range(self.y + 1, self.rows):
                    self.screen[y] = self.blank(self.columns)
        elif what == "m":
            for number in numbers:
                self.style = self.restyled(number)
        elif what == "r":
            bottom = numbers[1] if len(numbers) > 1 else 0
            self.region = n - 1, (bottom or self.rows) - 1
            self.x = self.y = 0
        elif what in "ST":
            self.scroll(self.region[0], n if what == "S" else -n)
        elif what in "LM":
            self.scroll(self.y, n if what == "M" else -n)
