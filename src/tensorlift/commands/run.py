"""``tensorlift run``: a lifted program run on inputs of given sizes, and compared with the compiled original."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import (
    OK,
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
    from tensorlift.commands.prepare import Prepared
    from tensorlift.diagnostics import Diagnostic
    from tensorlift.runtime.backends import Backend
    from tensorlift.runtime.compare import Tolerance
    from tensorlift.runtime.measure import Conditions, Inputs, Measured

_DIGITS = 16  # of a digest that are shown


@click.command(short_help="Run a lifted function on inputs of given sizes.")
@click.argument("file", type=PATH)
@click.option("--function", metavar="F", help="Run this function; needed where the file defines several.")
@click.option("--sizes", metavar="N=..,M=..", multiple=True, help="The sizes to run at (repeatable).")
@click.option("--backend", metavar="BACKEND", default="numpy", show_default=True, help="What to run on.")
@click.option("--mesh", metavar="N", type=click.IntRange(min=1), help="Spread arrays over N devices (jax).")
@click.option("--compare", is_flag=True, help="Also run the original, compiled at -O3, and compare.")
@click.option("-o", "--output", metavar="OUT.npz", help="Write the results to this file.")
@running_options
@case_option
@source_options
def run(  # noqa: PLR0913 - one parameter for each option
    *,
    file: str,
    function: str | None,
    sizes: tuple[str, ...],
    backend: str,
    mesh: int | None,
    compare: bool,
    output: str | None,
    seed: int,
    device: str,
    threads: int | None,
    wall_seconds: float,
    **flags: Any,
) -> int:
    """Lift a function of FILE, run the program on inputs drawn from a seed, and say what it returns.

    It runs in a process of its own with limits.  Backends: numpy, jax (under jit), xla (from StableHLO), torch,
    torch-compile, mlir, c.
    Exit status: 0 it ran (and agrees), 1 the function is refused or disagrees, 2 the request is wrong.
    """
    from tensorlift.report.output import check_outputs
    from tensorlift.source import read_source

    check_outputs(file, [output] if output else [])
    source = read_source(file)
    from tensorlift.commands.prepare import NotLiftedError, check_mesh, check_spread, prepare
    from tensorlift.runtime.backends import get_backend, require_backend
    from tensorlift.runtime.large_sizes import parse_sizes
    from tensorlift.targets import get_target

    chosen = get_backend(backend, device)
    if mesh:
        check_mesh([chosen])
    require_backend(chosen)
    given = parse_sizes(sizes)
    options = lift_options(file, (function,) if function else (), chosen.target, flags)
    if get_target(chosen.target).takes_sizes:
        options = replace(options, sizes=tuple(given.items()))
    try:
        with progress():
            prepared = prepare(source, options)
    except NotLiftedError as refusal:
        return complain(refusal.diagnostics, REFUSED, source)
    inputs = prepared.inputs(prepared.checked(given), seed)
    under = conditions(seed=seed, device=device, threads=threads, wall_seconds=wall_seconds)
    if mesh:
        under = replace(under, mesh=mesh)
    with progress():
        measured, tolerance = _run(prepared, inputs, chosen, under, compare=compare, keep=bool(output))
    check_spread(measured, under.mesh, prepared.record.location)
    for line in _described(prepared, inputs, chosen, under, measured):
        click.echo(line)
    if output:
        _write(output, inputs, measured)
    return complain(_verdict(prepared, measured, tolerance), REFUSED, source) if tolerance else OK


def _run(  # noqa: PLR0913 - what to run, on what, and what for
    prepared: Prepared, inputs: Inputs, backend: Backend, under: Conditions, *, compare: bool, keep: bool
) -> tuple[Measured, Tolerance | None]:
    """Run the program, beside the original if it is to be compared; then give the tolerance too."""
    from tensorlift.diagnostics import refuse
    from tensorlift.runtime.compilers import chosen_compilers
    from tensorlift.runtime.measure import has_original, is_compiled, measure, prepared_originals, tolerance_at

    program = prepared.program(backend)
    if not compare:
        return measure(inputs, program, (), under, keep=keep), None
    name = prepared.source.name
    if not has_original(name):
        message = f"there is no original to compare with: '{name}' is not compiled here"
        raise refuse("TL552", message, prepared.record.location, "leave --compare out")
    compilers = chosen_compilers((), inputs.view)[:1] if is_compiled(name) else ()
    tolerance = tolerance_at(inputs)
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
        originals = prepared_originals(prepared.original, inputs, compilers, Path(folder))
        return measure(inputs, program, originals, under, tolerance=tolerance, keep=keep), tolerance


def _described(
    prepared: Prepared, inputs: Inputs, backend: Backend, under: Conditions, measured: Measured
) -> list[str]:
    """Say what was run, and describe each output."""
    sizes = ", ".join(f"{name} = {value}" for name, value in inputs.sizes.items())
    kept = "" if prepared.program(backend).is_compiled or not backend.compiled else ", operation by operation"
    devices = f", {under.mesh} devices" if under.mesh else ""
    where = f"{backend.name} ({under.device}{devices}{kept})"
    head = f"{prepared.record.name} on {where}{', ' * bool(sizes)}{sizes}: seed {under.seed}, {measured.style} inputs"
    rows = [(o.name, f"{o.dtype}[{', '.join(map(str, o.shape))}]", o) for o in measured.outputs]
    name_width = max((len(name) for name, _, _ in rows), default=0)
    type_width = max((len(spelled) for _, spelled, _ in rows), default=0)
    spread = [f"{name} in {count} parts" for name, count in measured.parts.items() if count > 1]
    head += "".join(f"\n  {line}" for line in [f"spread over the devices: {', '.join(spread)}"] if spread)
    return [head] + [
        f"  {name:<{name_width}}  {spelled:<{type_width}}  sum {o.sum:.12g}  sha256 {o.sha256[:_DIGITS]}"
        for name, spelled, o in rows
    ]


def _verdict(prepared: Prepared, measured: Measured, tolerance: Tolerance) -> list[Diagnostic]:
    """Say whether the results agree with the original's, in print or as diagnostics."""
    from tensorlift.diagnostics import Diagnostic, Severity

    place, found = prepared.record.location, []
    for name, complaints in measured.complaints.items():
        if not complaints:
            allowed = f"{tolerance.f64:.1e} is allowed for float64, {tolerance.f32:.1e} for float32"
            click.echo(f"  agrees with the original ({name}): largest difference {measured.error:.1e}; {allowed}")
        elif name in measured.unstable:
            message = f"comparing with the original tells nothing: it is unstable on these inputs ({complaints[0]})"
            found.append(Diagnostic("TL554", message, place, "try another --seed, or smaller sizes", Severity.WARNING))
        else:
            message = f"the program differs from the original ({name}): {'; '.join(complaints)}"
            found.append(Diagnostic("TL553", message, place, "report it as a defect of tensorlift"))
    return found


def _write(output: str, inputs: Inputs, measured: Measured) -> None:
    """Write the results by their names to a file of NumPy's."""
    import io

    import numpy as np

    from tensorlift.report.output import write_data

    file = io.BytesIO()
    named: dict[str, Any] = dict(zip(inputs.outputs, measured.results, strict=True))
    np.savez(file, **named)
    write_data(output, file.getvalue())
