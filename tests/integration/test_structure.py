# SPDX-License-Identifier: GPL-2.0-only
"""docs/structure.md and the rooms of user/ agree, and scripts/rooms sees it where they do not."""

import os
import shutil
import subprocess

from harness import check, equal

SHARES_MACHINE = True

ROOMS = ("low", "middle", "high")
DOCUMENT = "".join(f"| `user/{room}` | a room |\n" for room in ROOMS) + """
<!-- picture: scripts/rooms --write -->
<!-- end of the picture -->
"""
FILES = {
    "low/number.h": "",
    "low/number.c": '#include "low/number.h"\n',
    "middle/sum.h": '#include "low/number.h"\n',
    "middle/sum_state.h": '#include "middle/sum.h"\n',
    "middle/sum.c": '#include "middle/sum_state.h"\n',
    "high/main.c": '#include "low/number.h"\n#include "middle/sum.h"\n',
}
PICTURE = """```mermaid
flowchart BT
    low
    middle --> low
    high --> middle
```
"""


def rooms(top, *args):
    """(exit status, what it prints)"""
    done = subprocess.run([os.path.join(top, "scripts", "rooms"), *args], capture_output=True,
                          text=True, timeout=60, check=False)
    check(not done.stderr, f"rooms {args}: {done.stderr}")
    return done.returncode, done.stdout


def write(top, path, text):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def make_house(env, **others):
    """A small house whose document has its picture; others: further texts of files, by path."""
    top = env.path("house")
    shutil.rmtree(top, ignore_errors=True)
    for path, text in FILES.items():
        write(top, os.path.join("user", path), text)
    write(top, "docs/structure.md", DOCUMENT)
    os.makedirs(os.path.join(top, "scripts"))
    shutil.copy(os.path.join(env.source, "scripts", "rooms"), os.path.join(top, "scripts"))
    equal("--write", rooms(top, "--write"), (0, ""))
    for path, text in others.items():
        write(top, os.path.join("user", path), text)
    return top


def test_document(env):
    """The document's picture is that of the code, and no arrow goes against the line."""
    equal("scripts/rooms --check", rooms(env.source, "--check"), (0, ""))


def test_picture(env):
    """Arrows that follow from others are left out; two files of a module may include one another."""
    top = make_house(env)
    equal("the picture", rooms(top), (0, PICTURE))
    equal("--check", rooms(top, "--check"), (0, ""))


def test_old_picture(env):
    """An arrow more than the document has."""
    top = make_house(env)
    write(top, "user/high/main.c", '#include "low/number.h"\n')
    status, said = rooms(top, "--check")
    check(status == 1 and "the picture in docs/structure.md is not that of the code" in said,
          f"{status}: {said}")


def test_against_the_line(env):
    """A room uses one that comes later: the file is named, and the circle that this makes."""
    top = make_house(env, **{"low/number.c": '#include "middle/sum.h"\n'})
    status, said = rooms(top, "--check")
    lines = said.splitlines()
    check(status == 1 and "user/low uses user/middle, which comes later in the line: "
          "user/low/number.c includes middle/sum.h" in lines, f"{status}: {said}")
    check("the rooms low, middle use one another in a circle" in lines, said)


def test_circle_of_modules(env):
    """Three modules in a circle, in one room."""
    top = make_house(env, **{"middle/a.c": '#include "middle/b.h"\n', "middle/a.h": "",
                             "middle/b.h": '#include "middle/c.h"\n',
                             "middle/c.h": '#include "middle/a.h"\n'})
    equal("--check", rooms(top, "--check"), (1, "the modules middle/a, middle/b, middle/c include "
                                             "one another in a circle\n"))


def test_unknown_room(env):
    """A folder without a row, and a row without a folder."""
    top = make_house(env, **{"attic/box.c": ""})
    shutil.rmtree(os.path.join(top, "user", "high"))
    status, said = rooms(top, "--check")
    check(status == 1 and "user/attic has no row in the table of docs/structure.md" in said and
          "docs/structure.md has a row for user/high, which has no file" in said,
          f"{status}: {said}")
