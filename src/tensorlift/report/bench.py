"""The table of a benchmark, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.measurement import ORIGINAL
from tensorlift.report.output import seconds_text, three_digits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.measurement import BenchRecord, Contender, Spread

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
