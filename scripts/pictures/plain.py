# SPDX-License-Identifier: GPL-2.0-only
"""Whether pictures are small SVG files that hold shapes and text alone: python3 scripts/pictures/plain.py FILE..."""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

LARGEST, ALL_OF_THEM = 130_000, 500_000  # bytes

ELEMENTS = {"svg", "title", "style", "defs", "clipPath", "g", "path", "rect", "text", "tspan"}
ATTRIBUTES = {"width", "height", "viewBox", "id", "class", "clip-path", "d", "x", "y", "rx", "textLength", "fill", "fill-opacity",
              "opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-family", "font-size", "font-weight",
              "text-decoration", "{http://www.w3.org/XML/1998/namespace}space"}
# Of this machine, or of anything outside of the picture.
FOREIGN = re.compile(r"/(?:tmp|home|root)\b|@import|url\((?!#)")


def problem(text):
    """What a picture has that it may not have; None: nothing."""
    size = len(text.encode())
    if size > LARGEST:
        return f"{size:,} bytes are more than {LARGEST:,}"
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        return f"no XML: {error}"
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        return f"no SVG but {root.tag}"
    for element in root.iter():
        name = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        if name not in ELEMENTS:
            return f"an element {name}"
        for attribute in set(element.keys()) - ATTRIBUTES:
            return f"an attribute {attribute} of {name}"
    found = FOREIGN.search(text)
    return f"{found[0]!r} in it" if found else None


def main():
    total = 0
    for path in sys.argv[1:]:
        total += os.path.getsize(path)
        with open(path, encoding="utf-8") as f:
            reason = problem(f.read())
        if reason:
            sys.exit(f"{path}: {reason}")
    if total > ALL_OF_THEM:
        sys.exit(f"{total:,} bytes are more than {ALL_OF_THEM:,}")


if __name__ == "__main__":
    main()
