"""``tensorlift bench``: a function measured, compiled and lifted, in one run."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import (
    PATH,
    REFUSED,
    case_option,
    complain,
    conditions,
    lift_options,
    running_options,
    source_options,
)
from tensorlift.commands.screen import progress

if TYPE_CHECKING:
    from tensorlift.pipeline import LiftOptions

_SIZE = re.compile(r"(?P<number>\d+(\.\d+)?)\s*(?P<unit>[kKmMgG]?)i?B?")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class _Bytes(click.ParamType):  # type: ignore[type-arg] # which click takes since 8.4
    """A number of bytes, such as ``4M``."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text of an option."""
        found = _SIZE.fullmatch(str(value).strip())
        if found is None:
            self.fail(f"'{value}' is no number of bytes: write 4M, for example", param, ctx)
        return int(float(found["number"]) * _UNITS[found["unit"].lower()])


@click.command(short_help="Measure a lifted function beside the original.")
@click.argument("file", type=PATH)
@click.option("--function", metavar="F", help="Measure this function; needed where the file defines several.")
@click.option("--sizes", metavar="N=..,M=..", multiple=True, help="The sizes (repeatable).  [default: --array-bytes]")
@click.option(
    "--array-bytes", type=_Bytes(), default="4M", show_default=True, help="Choose sizes for a largest array of this."
)
@click.option(
    "--backend", "backends", metavar="BACKEND", multiple=True, help="What to run on (repeatable).  [default: all]"
)
@click.option("--mesh", metavar="N", type=click.IntRange(min=1), help="Spread arrays over N devices; implies jax.")
@click.option(
    "--compiler", "compilers", metavar="CC", multiple=True, help="gcc, clang, clang-polly or gfortran (repeatable)."
)
@click.option("--rounds", type=click.IntRange(min=1), default=15, show_default=True, help="Samples of each contender.")
@click.option(
    "--seconds", type=click.FloatRange(min=0), default=2.0, show_default=True, help="For the samples of a backend."
)
@click.option("--fresh-memory", is_flag=True, help="Let the C library give memory back that is freed.")
@click.option(
    "--json", "report", metavar="REPORT", type=PATH, help="Write the record to this file ('-': standard output)."
)
@click.option("--plot", "picture", metavar="OUT.svg", help="Write a plot to this file, SVG or PNG.")
@running_options
@case_option
@source_options
def bench(  # noqa: PLR0913 - one parameter for each option
    *,
    file: str,
    function: str | None,
    sizes: tuple[str, ...],
    array_bytes: int,
    backends: tuple[str, ...],
    mesh: int | None,
    compilers: tuple[str, ...],
    rounds: int,
    seconds: float,
    fresh_memory: bool,
    report: str | None,
    picture: str | None,
    seed: int,
    device: str,
    threads: int | None,
    wall_seconds: float,
    **flags: Any,
) -> int:
    """Measure a function of FILE: compiled at -O3 -march=native, and lifted, on each backend.

    All runs in processes of its own with limits.
    Exit status: 0 measured, 1 the function is refused or its program differs, 2 the request is wrong.
    """
    from tensorlift.report.bench import check_plot, plot
    from tensorlift.report.output import STDOUT, check_outputs, write_data, write_output
    from tensorlift.source import read_source

    check_outputs(file, [name for name in (report, picture) if name])
    if picture:
        check_plot(picture)
    source = read_source(file)
    from tensorlift.commands.benchmark import Settings, benchmark
    from tensorlift.commands.prepare import NotLiftedError, check_mesh
    from tensorlift.report.bench import show_bench
    from tensorlift.runtime.backends import chosen_backends, get_backend
    from tensorlift.runtime.large_sizes import parse_sizes

    if mesh:
        backends = backends or ("jax",)
        check_mesh(get_backend(name, device) for name in backends)
    under = conditions(seed=seed, device=device, threads=threads, wall_seconds=wall_seconds)
    settings = Settings(
        chosen_backends(backends, device),
        compilers,
        parse_sizes(sizes) if sizes else None,
        array_bytes,
        rounds=rounds,
        seconds=seconds,
        conditions=replace(under, fresh_memory=fresh_memory, mesh=mesh or 0),
    )

    def options(target: str) -> LiftOptions:
        return lift_options(file, (function,) if function else (), target, dict(flags))

    try:
        with progress():
            record = benchmark(source, options, settings)
    except NotLiftedError as refusal:
        return complain(refusal.diagnostics, REFUSED, source)
    if report:
        write_output(report, record.to_json())
    if picture:
        write_data(picture, plot(record, picture))
    if report != STDOUT:
        click.echo(show_bench(record), nl=False)
    found = [
        d for contender in record.contenders if contender.warm or not contender.level for d in contender.diagnostics
    ]
    return complain(found, REFUSED, source)
