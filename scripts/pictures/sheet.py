# SPDX-License-Identifier: GPL-2.0-only
"""A small SVG of sheets that a browser has printed to PDF.

mutool (mupdf-tools) makes SVG of a PDF with its text as text. Here what lies outside of its clip goes, coordinates are pixels with one
decimal, and cells side by side in a heat strip become one rectangle. Nothing is added.
"""

import glob
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

# PDF counts in points, the browser in pixels.
PIXELS = 4 / 3
GAP = 16  # between sheets

# Fonts that are as wide as those of the machine that drew it: the letters stand where they stood.
FAMILIES = {"DejaVuSans": "DejaVu Sans,Verdana,sans-serif", "DejaVuSansMono": "DejaVu Sans Mono,Menlo,monospace"}


class Unforeseen(Exception):
    """There is something in the PDF of which no picture is made."""


def number(value):
    """With one decimal, as short as SVG allows."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else re.sub(r"^(-?)0\.", r"\1.", text)


def matrix(text):
    """How transform="matrix(...)" maps: (factor of x, of y, shift of x, of y), to pixels."""
    a, b, c, d, e, f = map(float, re.split(r"[ ,]+", text[len("matrix("):-1]))
    if b or c:
        raise Unforeseen(f"something is turned: {text}")
    return a * PIXELS, d * PIXELS, e * PIXELS, f * PIXELS


def segments(data, transform):
    """[[command, x, y, ...]] of a path, M, L, C and Z alone, in pixels."""
    scale_x, scale_y, shift_x, shift_y = transform
    found, x, y, command, values = [], 0, 0, None, []
    needed = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6}
    for token in re.findall(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)", data):
        if token == "Z":
            found.append(["Z"])
        elif token in needed:
            command = token
        elif token.isalpha():
            raise Unforeseen(f"a path has {token}")
        else:
            values.append(float(token))
            if len(values) < needed[command]:
                continue
            if command == "H":
                values = [values[0], y]
            elif command == "V":
                values = [x, values[0]]
            x, y = values[-2:]
            points = [n * scale_x + shift_x if i % 2 == 0 else n * scale_y + shift_y for i, n in enumerate(values)]
            found.append([command if command in "MC" else "L", *points])
            command, values = "L" if command == "M" else command, []
    return found


def box_of(path):
    """(left, top, right, bottom) of what segments() found."""
    xs = [x for one in path for x in one[1::2]]
    ys = [y for one in path for y in one[2::2]]
    return min(xs), min(ys), max(xs), max(ys)


def rectangles(path):
    """[(left, top, right, bottom)] where a path is of nothing else, else None. Edges have one decimal."""
    found, points = [], []
    for command, *values in path:
        if command == "C" or (command == "M" and len(set(points)) > 1):
            return None
        if command == "M":
            points = []
        if values:
            points.append((round(values[0], 1), round(values[1], 1)))
            continue
        xs, ys = {x for x, _ in points}, {y for _, y in points}
        if len(xs) > 2 or len(ys) > 2 or len(points) not in (4, 5):
            return None
        if len(xs) == len(ys) == 2:
            found.append((min(xs), min(ys), max(xs), max(ys)))
        points = []
    return None if len(set(points)) > 1 else found


def joined(cells):
    """Cells of one colour that stand side by side are one, and so are rows of the same ends that stand on top of each other."""
    rows, columns = [], []
    for left, top, right, bottom in sorted(cells, key=lambda cell: (cell[1], cell[3], cell[0])):
        if rows and rows[-1][1] == top and rows[-1][3] == bottom and left <= rows[-1][2]:
            rows[-1][2] = max(rows[-1][2], right)
        else:
            rows.append([left, top, right, bottom])
    for left, top, right, bottom in sorted(rows, key=lambda row: (row[0], row[2], row[1])):
        if columns and columns[-1][0] == left and columns[-1][2] == right and top <= columns[-1][3]:
            columns[-1][3] = max(columns[-1][3], bottom)
        else:
            columns.append([left, top, right, bottom])
    return columns


def numbers(values):
    """As a path has them: no space before a sign."""
    return re.sub(" -", "-", " ".join(map(number, values)))


def cells_data(cells):
    """The attribute d of a path of rectangles."""
    return "".join(f"M{numbers((left, top))}h{number(right - left)}v{number(bottom - top)}h{number(left - right)}"
                   for left, top, right, bottom in joined(cells))


def path_data(path):
    """The attribute d of any other path."""
    text, at, begin = "", (0, 0), None
    for i, (command, *values) in enumerate(path):
        values = [round(value, 1) for value in values]
        if command == "L" and tuple(values) == begin and path[i + 1:i + 2] == [["Z"]]:
            continue
        if command in "LC":
            text += command.lower() + numbers([value - at[j % 2] for j, value in enumerate(values)])
        else:
            text += command + numbers(values)
        begin = tuple(values) if command == "M" else begin
        at = tuple(values[-2:]) or begin
    return text


class Sheet:
    """What is drawn on one sheet, top pixels below the upper edge of the picture."""

    def __init__(self, file, picture, top):
        self.picture = picture
        self.root = ElementTree.parse(file).getroot()
        for element in self.root.iter():
            element.tag = element.tag.rpartition("}")[2]
        self.top = top
        self.width, self.height = (float(n) * PIXELS for n in self.root.get("viewBox").split()[2:])
        self.clips = {clip.get("id"): self.clip_of(clip.find("path")) for clip in self.root.iter("clipPath")}
        self.draw(self.root, (0, top, self.width, top + self.height))

    def matrix_of(self, element):
        scale_x, scale_y, x, y = matrix(element.get("transform"))
        return scale_x, scale_y, x, y + self.top

    def path_of(self, element):
        return segments(element.get("d"), self.matrix_of(element))

    def clip_of(self, element):
        """What is inside; the round corners of fields are taken for square ones."""
        path = self.path_of(element)
        if [command for command, *_ in path].count("M") != 1:
            raise Unforeseen("a clip is of several parts")
        return box_of(path)

    def draw(self, group, clip):
        for element in group:
            if element.tag == "g":
                if set(element.keys()) - {"id", "data-name", "clip-path"}:
                    raise Unforeseen(f"a group has {', '.join(element.keys())}")
                inner = self.clips[element.get("clip-path")[len("url(#"):-1]] if element.get("clip-path") else clip
                self.draw(element, (*map(max, clip[:2], inner[:2]), *map(min, clip[2:], inner[2:])))
            elif element.tag == "path":
                self.draw_path(element, clip)
            elif element.tag == "text":
                for line in element:
                    self.draw_text(element, line, clip)
            elif element.tag != "defs":
                raise Unforeseen(f"there is an element {element.tag}")

    def draw_path(self, element, clip):
        path = self.path_of(element)
        cells = None if element.get("stroke") else rectangles(path)
        width = float(element.get("stroke-width", 0)) * self.matrix_of(element)[0]
        style = [f'fill="{element.get("fill", "#000")}"']
        style += [f'{name}="{element.get(name)}"' for name in ("fill-opacity", "stroke", "stroke-opacity") if element.get(name)]
        if width:
            style.append(f'stroke-width="{number(width)}"')
        if element.get("stroke-dasharray"):
            dashes = re.split(r"[ ,]+", element.get("stroke-dasharray"))
            style.append(f'stroke-dasharray="{" ".join(number(float(n) * self.matrix_of(element)[0]) for n in dashes)}"')
        elif cells is not None:
            style.append('class="r"')
        left, top, right, bottom = box_of(path)
        self.picture.add((left - width, top - width, right + width, bottom + width), clip,
                         f'<path {" ".join(style)} d="', path_data(path) if cells is None else cells)

    def draw_text(self, element, line, clip):
        scale, _, shift_x, shift_y = self.matrix_of(element)
        size, text = float(element.get("font-size")) * scale, line.text.rstrip()
        xs = [float(x) * scale + shift_x for x in line.get("x").split()][len(text) - len(text.lstrip()):len(text)]
        text = text.lstrip()
        y = float(line.get("y")) * scale + shift_y
        if text:
            font = "{} {}px {}".format(element.get("font-weight", "normal"), number(size),
                                       FAMILIES.get(element.get("font-family"), "sans-serif"))
            name = self.picture.style(f'font:{font};fill:{element.get("fill", "#000")}')
            self.picture.add((xs[0], y - size, xs[-1] + size, y + size / 3), clip,
                             f'<text class="{name}" y="{number(y)}" x="', " ".join(map(number, xs)), text)


class Picture:
    """Elements, the styles of texts, and the clips of what would reach beyond."""

    def __init__(self):
        self.elements, self.styles, self.clips = [], {}, {}

    def style(self, text):
        return self.styles.setdefault(text, f"t{len(self.styles)}")

    def add(self, box, clip, begin, data, words=None):
        """
        A path or a text, which begins so, with its coordinates or cells, and its words. What is inside of its clip needs none, and what is
        outside is not seen. Paths that look the same and follow one another are one, and so are texts on the same line.
        """
        if box[0] >= clip[2] or box[2] <= clip[0] or box[1] >= clip[3] or box[3] <= clip[1]:
            return
        name = None
        if box[0] < clip[0] - 1 or box[1] < clip[1] - 1 or box[2] > clip[2] + 1 or box[3] > clip[3] + 1:
            name = self.clips.setdefault(tuple(map(number, clip)), f"c{len(self.clips)}")
        last = self.elements[-1] if self.elements else [None] * 3
        if last[:2] != [name, begin]:
            self.elements.append([name, begin, data if words is None else f'{data}">{escape(words)}'])
        elif words is None:
            last[2] += data
        else:
            last[2] += f'<tspan x="{data}">{escape(words)}</tspan>'

    @staticmethod
    def element(clip, begin, data):
        text = begin + (data if isinstance(data, str) else cells_data(data)) + ('"/>' if begin.startswith("<path") else "</text>")
        return f'<g clip-path="url(#{clip})">{text}</g>' if clip else text

    def text(self, width, height, title):
        size = f"{number(width)} {number(height)}"
        clips = "".join(f'<clipPath id="{name}"><path d="M{left} {top}H{right}V{bottom}H{left}z"/></clipPath>\n'
                        for (left, top, right, bottom), name in self.clips.items())
        styles = "\n".join(f".{name}{{{text}}}" for text, name in self.styles.items())
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{size.split()[0]}" height="{size.split()[1]}" viewBox="0 0 {size}">\n'
                f"<title>{escape(title)}</title>\n<style>.r{{shape-rendering:crispEdges}}\n{styles}\n</style>\n"
                f"<defs>{clips}</defs>\n" + "\n".join(self.element(*one) for one in self.elements) + "\n</svg>\n")


def picture_of(pdf, pages, title):
    """The sheets ("1", "1-2") of a PDF file, one below the other, as the text of an SVG file."""
    folder = os.path.splitext(pdf)[0] + ".sheets"
    os.mkdir(folder)
    subprocess.run(["mutool", "convert", "-F", "svg", "-O", "text=text", "-o", f"{folder}/%d.svg", pdf, pages],
                   check=True, stderr=subprocess.DEVNULL)
    picture, top, width = Picture(), 0, 0
    for file in sorted(glob.glob(f"{glob.escape(folder)}/*.svg")):
        if top:
            picture.elements.append([None, '<path fill="#888" d="', [(0, top, width, top + GAP)]])
            top += GAP
        sheet = Sheet(file, picture, top)
        top, width = top + sheet.height, max(width, sheet.width)
    return picture.text(width, top, title)
