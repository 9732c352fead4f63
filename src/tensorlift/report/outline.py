"""An outline as a drawing: each line of an indented text is a box, joined to the line that it stands below.

Lines without indentation that begin with a `#` are notes.  The drawing is an SVG of nothing but boxes, curves and text,
the same for the same text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_INDENT = 2  # spaces a level
_CHARACTER, _PADDING = 7.3, 8  # pixels: the width of a character, the room beside a label
_HEIGHT, _ROW, _GAP, _MARGIN = 24, 34, 36, 16
_FONT = "font-family='monospace' font-size='12'"


@dataclass(slots=True)
class _Box:
    """A line with the lines below it; ``row`` is its height among the leaves, which have whole numbers."""

    label: str
    depth: int
    row: float = 0.0
    below: list[_Box] = field(default_factory=list)

    @property
    def width(self) -> float:
        return len(self.label) * _CHARACTER + 2 * _PADDING

    def all(self) -> Iterator[_Box]:
        yield self
        for box in self.below:
            yield from box.all()


def outline_svg(text: str) -> str:
    """Draw an indented text as trees that grow to the right, notes below them."""
    lines = [line for line in text.splitlines() if line.strip()]
    notes = [line.lstrip("# ") for line in lines if line.startswith("#")]
    roots = _boxes([line for line in lines if not line.startswith("#")])
    rows = 0
    for root in roots:
        rows = _placed(root, rows)
    boxes = [box for root in roots for box in root.all()]
    columns = _columns(boxes)
    width = max([columns[b.depth] + b.width for b in boxes] + [len(n) * _CHARACTER + _MARGIN for n in notes], default=0)
    height = _MARGIN * 2 + (rows + len(notes)) * _ROW
    drawn = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width + _MARGIN:.0f}' height='{height}' {_FONT}>",
        "<rect width='100%' height='100%' fill='white'/>",
        *(_edge(box, below, columns) for box in boxes for below in box.below),
        *(line for box in boxes for line in _drawn(box, columns)),
        *(
            f"<text x='{_MARGIN}' y='{_MARGIN + (rows + k) * _ROW + 16}' fill='#555'>{escape(note)}</text>"
            for k, note in enumerate(notes)
        ),
        "</svg>",
    ]
    return "\n".join(drawn) + "\n"


def _boxes(lines: list[str]) -> list[_Box]:
    roots: list[_Box] = []
    path: list[_Box] = []
    for line in lines:
        depth = min((len(line) - len(line.lstrip())) // _INDENT, len(path))
        box = _Box(line.strip(), depth)
        (path[depth - 1].below if depth else roots).append(box)
        path[depth:] = [box]
    return roots


def _placed(box: _Box, rows: int) -> int:
    """Give a box and those below it their rows, from a row on; return the row after them."""
    if not box.below:
        box.row = rows
        return rows + 1
    for below in box.below:
        rows = _placed(below, rows)
    box.row = (box.below[0].row + box.below[-1].row) / 2
    return rows


def _columns(boxes: list[_Box]) -> list[float]:
    """Return where the boxes of each depth begin."""
    starts = [float(_MARGIN)]
    for depth in range(max((box.depth for box in boxes), default=0)):
        starts.append(starts[-1] + max(box.width for box in boxes if box.depth == depth) + _GAP)
    return starts


def _edge(box: _Box, below: _Box, columns: list[float]) -> str:
    x, y = columns[box.depth] + box.width, _middle(box)
    to, at = columns[below.depth], _middle(below)
    half = (x + to) / 2
    path = f"M{x:.1f},{y:.1f} C{half:.1f},{y:.1f} {half:.1f},{at:.1f} {to:.1f},{at:.1f}"
    return f"<path d='{path}' fill='none' stroke='#888'/>"


def _drawn(box: _Box, columns: list[float]) -> Iterator[str]:
    x, y = columns[box.depth], _middle(box)
    fill = "#eef3fb" if box.below else "#eef8ee"
    frame = f"width='{box.width:.1f}' height='{_HEIGHT}' rx='4' fill='{fill}' stroke='#2f6db3'"
    yield f"<rect x='{x:.1f}' y='{y - _HEIGHT / 2:.1f}' {frame}/>"
    yield f"<text x='{x + _PADDING:.1f}' y='{y + 4:.1f}'>{escape(box.label)}</text>"


def _middle(box: _Box) -> float:
    return _MARGIN + box.row * _ROW + _HEIGHT / 2
