"""Measure the examples of docs/gallery.md, and write their table there: ``python bench/gallery.py --write``.

A figure is how many times faster a call is than the source at -O3 -march=native, by the fastest compiler that is here,
both on one core and measured in turns in one process.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.targets import Row, measure_entry
from tensorlift.report.output import seconds_text

_ROOT = Path(__file__).resolve().parent.parent
_PAGE = _ROOT / "docs" / "gallery.md"
_TABLE = re.compile(r"(?<=<!-- figures -->\n)(\|[^\n]*\n)*")
_BACKENDS = ("numpy", "jax", "torch", "c")
_BYTES = {"64 KB": 64 << 10, "4 MB": 4 << 20}


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Measure the examples of the gallery.")
    parser.add_argument("--seconds", type=float, default=0.4, help="for the samples of one example on one backend")
    parser.add_argument("--write", action="store_true", help="write the table to docs/gallery.md")
    options = parser.parse_args()
    page = _PAGE.read_text(encoding="utf-8")
    lines = [f"| example | arrays | source | {' | '.join(_BACKENDS)} |", "|---" * (3 + len(_BACKENDS)) + "|"]
    for name in re.findall(r"^\[(\w+)\.c\]", page, re.MULTILINE):
        for size, count in _BYTES.items():
            lines.append(_line(name, size, _measured(name, count, options.seconds)))
            print(lines[-1], flush=True)
    if options.write:
        _PAGE.write_text(_TABLE.sub("".join(f"{line}\n" for line in lines), page), encoding="utf-8")
    return 0


def _measured(name: str, count: int, seconds: float) -> Row:
    entry = {"file": str(_ROOT / "examples" / f"{name}.c"), "suite": "examples", "name": name, "function": name}
    settings: dict[str, Any] = {"backend": _BACKENDS, "array_bytes": count, "operations": 5e8, "rounds": 21}
    settings |= {"seconds": seconds, "threads": 1, "time_limit": 60.0}
    return measure_entry(entry, cast("argparse.Namespace", SimpleNamespace(**settings)))


def _line(name: str, size: str, row: Row) -> str:
    figures = (cell.speedup if (cell := row.cells.get(backend)) else None for backend in _BACKENDS)
    cells = ["" if figure is None else f"{figure:.2f}" for figure in figures]
    return f"| `{name}` | {size} | {seconds_text(row.original_seconds or 0.0)} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
