"""Draw docs/lift.svg, the picture of the README: ``python bench/picture.py --write``."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "lift.svg"
_LOOPS = """for (i = 0; i < n; i++)
  for (j = 0; j < m; j++) {
    y[i][j] = b[j];
    for (k = 0; k < d; k++)
      y[i][j] += x[i][k] * w[k][j];
    if (y[i][j] < 0)
      y[i][j] = 0;
  }"""
_DEFINITION = """y(i, j) = max(0,
  b(j) + sum(k) x(i, k) * w(k, j))"""
_PROGRAM = """np.maximum(b + x @ w, 0.0)"""
_STYLE = """
text { font: 14px ui-sans-serif, system-ui, sans-serif; fill: #24292f }
.code { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre }
.title { font-weight: 600 }
.small { font-size: 12px; fill: #57606a }
.box { fill: #f6f8fa; stroke: #d0d7de }
.arrow { stroke: #57606a; stroke-width: 1.5; fill: none; marker-end: url(#head) }
.proof { stroke: #1a7f37; stroke-width: 1.5; fill: none; stroke-dasharray: 5 3 }
.decided { fill: #1a7f37; font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9198a1 } .box { fill: #151b23; stroke: #3d444d }
  .arrow { stroke: #9198a1 } .proof { stroke: #3fb950 } .decided { fill: #3fb950 }
}"""


def picture() -> str:
    """Return the picture as SVG: loops, definitions, program, and the two halves of the proof under them."""
    parts = [
        *_box(10, 300, "Loops", "C, C++, Python, MLIR", _LOOPS),
        *_box(360, 290, "Definitions", "of each array, for all sizes", _DEFINITION),
        *_box(700, 260, "Program", "NumPy, JAX, PyTorch, C with BLAS, MLIR", _PROGRAM),
        '<path class="arrow" d="M314 115 H352"/>',
        '<path class="arrow" d="M654 115 H692"/>',
        *_half(160, 485, "proved: the source computes them"),
        *_half(525, 830, "proved: the text computes them"),
    ]
    head = '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    label = "Loops become definitions, and definitions a program; a checker decides both steps"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 970 275" role="img" aria-label="{label}">',
            f"<style>{_STYLE}\n</style>",
            f'<defs>{head}<path d="M0 0 L8 4 L0 8" fill="none" stroke="#57606a"/></marker></defs>',
            *parts,
            "</svg>\n",
        ]
    )


def _box(left: int, width: int, title: str, what: str, code: str) -> list[str]:
    lines = code.split("\n")
    top = 120 - 9 * len(lines)
    return [
        f'<rect class="box" x="{left}" y="10" width="{width}" height="210" rx="8"/>',
        f'<text class="title" x="{left + 12}" y="32">{title}</text>',
        *(f'<text class="code" x="{left + 12}" y="{top + 18 * k}">{escape(t)}</text>' for k, t in enumerate(lines, 1)),
        f'<text class="small" x="{left + 12}" y="210">{what}</text>',
    ]


def _half(left: int, right: int, text: str) -> list[str]:
    return [
        f'<path class="proof" d="M{left} 224 V244 H{right} V224"/>',
        f'<text class="decided" x="{(left + right) // 2}" y="266" text-anchor="middle">{text}</text>',
    ]


if __name__ == "__main__":
    if "--write" in sys.argv:
        PICTURE.write_text(picture(), encoding="utf-8")
    else:
        sys.stdout.write(picture())
