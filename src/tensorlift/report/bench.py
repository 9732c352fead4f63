"""The table of a benchmark, as text.

Plots of a benchmark: the time of a call for each contender, on a logarithmic scale; SVG here, PNG by Matplotlib.
"""

from __future__ import annotations

import io
from html import escape
from importlib import import_module
from importlib.util import find_spec
from math import ceil, floor, log10
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse
from tensorlift.measurement import ORIGINAL, BenchRecord, Contender, Spread
from tensorlift.report.output import seconds_text, three_digits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_HEAD = ("", "warm", "cold", "transfer", "GFLOP/s", "of gemm", "GB/s", "of triad", "speed-up", "")
_ONE_PERCENT = 0.01


def show_bench(record: BenchRecord) -> str:
    """Render a record: what was measured, the machine, and a row for each contender."""
    rows = [_HEAD, *(_row(record, contender) for contender in record.contenders)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(_HEAD))]
    return "\n".join([*_heading(record), *(_aligned(row, widths) for row in rows)]) + "\n"


def _heading(record: BenchRecord) -> Iterator[str]:
    sizes = ", ".join(f"{name} = {value}" for name, value in record.sizes.items())
    operations = "" if not record.operations else f"{three_digits(record.operations / 1e9)} G operations, "
    moved = f"{three_digits((record.bytes_read + record.bytes_written) / 1e6)} MB"
    yield f"{record.function}: {sizes or 'no sizes'}; {operations}{moved}; seed {record.seed}, {record.style} inputs"
    machine = record.machine
    threads = f"{machine.threads} thread{'s' * (machine.threads > 1)}"
    gemm = "".join(f", {dtype} product {peak:.1f} GFLOP/s" for dtype, peak in machine.gemm.items())
    triad = f"triad {machine.triad:.1f} GB/s in memory, {machine.triad_here:.1f} GB/s on as many bytes"
    yield f"{machine.processor}, {machine.device}, {threads}{gemm}, {triad}"


def _row(record: BenchRecord, contender: Contender) -> tuple[str, ...]:
    if contender.warm is None:
        return (contender.name, *("-",) * (len(_HEAD) - 2), _remark(contender))
    cold = seconds_text(contender.cold["total"]) if contender.cold else "-"
    transfer = seconds_text(sum(contender.transfer.values())) if contender.transfer else "-"
    speedup = f"{three_digits(contender.speedup.median)} {_around(contender.speedup)}" if contender.speedup else "-"
    return (
        contender.name,
        f"{seconds_text(contender.warm.median)} {_around(contender.warm)}",
        cold,
        transfer,
        _figure(record.gflops(contender)),
        _percent(record.of_gemm(contender)),
        _figure(record.gbs(contender)),
        _percent(record.of_triad(contender)),
        speedup,
        _remark(contender),
    )


def _remark(contender: Contender) -> str:
    """Say how an original was compiled, what became of a program, or why nothing was measured."""
    if contender.warm is None:
        return contender.diagnostics[0].message if contender.diagnostics else ""
    if contender.kind == ORIGINAL:
        return contender.how
    return ", ".join(part for part in (contender.verdict, contender.level, contender.agreement) if part)


def _around(spread: Spread) -> str:
    """Spell the distance of the quartiles as a share of the median."""
    share = (spread.high - spread.low) / 2 / spread.median if spread.median else 0.0
    return "± <1%" if share < _ONE_PERCENT else f"± {share:.0%}"


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *middle, last = row
    cells = [f"{first:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(middle, widths[1:-1], strict=True))]
    return "  ".join([*cells, last]).rstrip()


def _figure(figure: float | None) -> str:
    return "-" if figure is None else three_digits(figure)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


_WIDTH, _LEFT, _RIGHT = 720, 130, 150
_TOP, _ROW, _BAR, _BOTTOM = 44, 30, 18, 34
_COLOURS = {True: "#8a8a8a", False: "#2f6db3"}  # of originals, of programs
_FONT = "font-family='sans-serif' font-size='12'"


def check_plot(name: str) -> None:
    """Refuse the name of a plot before anything is measured: TL542 its format, TL543 Matplotlib is missing."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in {".svg", ".png"}:
        raise refuse("TL542", f"no plot can be written to '{name}'", remedy="give a name that ends with .svg or .png")
    if suffix == ".png" and find_spec("matplotlib") is None:
        message = "a plot as PNG needs matplotlib, which is not installed"
        raise refuse(
            "TL543", message, remedy="give a name that ends with .svg, or install it: pip install 'tensorlift[plot]'"
        )


def plot(record: BenchRecord, name: str) -> bytes:
    """Give the plot in the format of a file name; Matplotlib is imported for PNG only."""
    return _png(record) if PurePath(name).suffix.lower() == ".png" else svg(record).encode()


def svg(record: BenchRecord) -> str:
    """Draw the plot: a bar to the median, a line between the quartiles, the time and the speed-up beside it."""
    rows = [(c, c.warm) for c in record.contenders if c.warm is not None]
    height = _TOP + _ROW * len(rows) + _BOTTOM
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{height}' {_FONT}>",
        f"<rect width='{_WIDTH}' height='{height}' fill='white'/>",
        f"<text x='10' y='24' font-size='14'>{escape(_title(record))}</text>",
    ]
    low, high = _decades([warm for _, warm in rows])
    parts += _grid(low, high, height)
    for position, (contender, warm) in enumerate(rows):
        parts += _bar(contender, warm, _TOP + _ROW * position, (low, high))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _title(record: BenchRecord) -> str:
    sizes = ", ".join(f"{name} = {value}" for name, value in record.sizes.items())
    return f"{record.function}{': ' * bool(sizes)}{sizes}, seconds of a call"


def _decades(spreads: list[Spread]) -> tuple[int, int]:
    """Give the powers of ten around all times."""
    if not spreads:
        return -3, 0
    low, high = floor(log10(min(s.low for s in spreads))), ceil(log10(max(s.high for s in spreads)))
    return low, max(high, low + 1)


def _across(seconds: float, decades: tuple[int, int]) -> float:
    low, high = decades
    return _LEFT + (log10(seconds) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)


def _grid(low: int, high: int, height: int) -> Iterator[str]:
    for power in range(low, high + 1):
        x = _across(10.0**power, (low, high))
        yield f"<line x1='{x:.1f}' y1='{_TOP - 6}' x2='{x:.1f}' y2='{height - _BOTTOM}' stroke='#dddddd'/>"
        yield f"<text x='{x:.1f}' y='{height - 12}' text-anchor='middle'>{seconds_text(10.0**power)}</text>"


def _bar(contender: Contender, warm: Spread, top: float, decades: tuple[int, int]) -> Iterator[str]:
    end, middle = _across(warm.median, decades), top + _BAR / 2
    colour = _COLOURS[contender.kind == ORIGINAL]
    yield f"<text x='{_LEFT - 8}' y='{middle + 4:.1f}' text-anchor='end'>{escape(contender.name)}</text>"
    width = max(end - _LEFT, 1.0)
    yield f"<rect x='{_LEFT}' y='{top}' width='{width:.1f}' height='{_BAR}' fill='{colour}'/>"
    low, high = _across(warm.low, decades), _across(warm.high, decades)
    yield f"<line x1='{low:.1f}' y1='{middle}' x2='{high:.1f}' y2='{middle}' stroke='black' stroke-width='2'/>"
    yield f"<text x='{max(end, high) + 8:.1f}' y='{middle + 4:.1f}'>{_label(contender, warm)}</text>"


def _label(contender: Contender, warm: Spread) -> str:
    speedup = f", {contender.speedup.median:.2f} times" if contender.speedup else ""
    return f"{seconds_text(warm.median)}{speedup}"


def _png(record: BenchRecord) -> bytes:
    figures: Any = import_module("matplotlib.figure")
    rows = [(c, c.warm) for c in record.contenders if c.warm is not None][::-1]
    figure = figures.Figure(
        figsize=(_WIDTH / 100, (_TOP + _ROW * len(rows) + _BOTTOM) / 100 + 0.4), layout="constrained"
    )
    axes = figure.add_subplot()
    medians = [warm.median for _, warm in rows]
    errors = [[w.median - w.low for _, w in rows], [w.high - w.median for _, w in rows]]
    colours = [_COLOURS[c.kind == ORIGINAL] for c, _ in rows]
    bars = axes.barh([c.name for c, _ in rows], medians, xerr=errors, color=colours)
    axes.bar_label(bars, [_label(c, warm) for c, warm in rows], padding=4)
    axes.set_xscale("log")
    axes.margins(x=0.3)
    axes.set_title(_title(record), fontsize=10, loc="left")
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=150)
    return file.getvalue()
