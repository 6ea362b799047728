# SPDX-License-Identifier: GPL-2.0-only
"""An SVG of what a terminal shows: its characters as text, its colours as xterm has them."""

import itertools
from xml.sax.saxutils import escape

WIDTH, HEIGHT, BORDER = 8.4, 17, 10  # of a character, and around all, in pixels
SIZE, BASE = 14, 13  # of the letters, and where they stand
FONT = "DejaVu Sans Mono,Menlo,Consolas,monospace"
INK, GROUND = "#e5e5e5", "#000"
COLOURS = ("#000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5")
BLOCKS = "▁▂▃▄▅▆▇█"


def colours_of(style):
    """(ink, ground) of a cell."""
    ink = INK if style.foreground is None else COLOURS[style.foreground]
    ground = GROUND if style.background is None else COLOURS[style.background]
    return (ground, ink) if style.reverse else (ink, ground)


def place(n):
    return f"{n:.1f}".removesuffix(".0")


def bars_of(text, x, y):
    """The path of the bars in a text: terminals draw these characters as rectangles, too."""
    return "".join(f"M{place(x + i * WIDTH)} {place(y + HEIGHT)}h{WIDTH}v-{place((BLOCKS.index(c) + 1) * HEIGHT / 8)}h-{WIDTH}"
                   for i, c in enumerate(text) if c in BLOCKS)


def run_of(style, text, x, y):
    """Cells of one style that follow one another."""
    ink, ground = colours_of(style)
    width = len(text) * WIDTH
    if ground != GROUND:
        yield f'<path fill="{ground}" d="M{place(x)} {place(y)}h{place(width)}v{HEIGHT}h-{place(width)}"/>'
    look = f'fill="{ink}"' + (' opacity=".6"' if style.dim else "")
    bars = bars_of(text, x, y)
    if bars:
        yield f'<path {look} d="{bars}"/>'
    letters = "".join(" " if c in BLOCKS else c for c in text)
    if letters.strip():
        look += ' font-weight="bold"' if style.bold else ""
        look += ' text-decoration="underline"' if style.underline else ""
        begin = len(letters) - len(letters.lstrip())
        letters = letters.strip()
        yield (f'<text {look} x="{place(x + begin * WIDTH)}" y="{place(y + BASE)}" textLength="{place(len(letters) * WIDTH)}">'
               f"{escape(letters)}</text>")


def picture_of(terminal, title):
    """The text of an SVG file."""
    width, height = terminal.columns * WIDTH + 2 * BORDER, terminal.rows * HEIGHT + 2 * BORDER
    size = f"{place(width)} {place(height)}"
    lines = []
    for i, row in enumerate(terminal.screen):
        x = BORDER
        for style, cells in itertools.groupby(row, key=lambda cell: cell.style):
            text = "".join(cells)
            lines += run_of(style, text, x, BORDER + i * HEIGHT)
            x += len(text) * WIDTH
    return (f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{size.split()[0]}" height="{size.split()[1]}" '
            f'viewBox="0 0 {size}" font-family="{FONT}" font-size="{SIZE}">\n<title>{escape(title)}</title>\n'
            f'<rect width="100%" height="100%" rx="6" fill="{GROUND}"/>\n' + "\n".join(lines) + "\n</svg>\n")
