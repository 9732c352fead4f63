"""Pipelines of passes over a module: read from their text, run, and reported on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from tensorlift.diagnostics import LiftError, internal_error, refuse
from tensorlift.ir.dialects import loop_context
from tensorlift.ir.text import functions, parse_module, print_module
from tensorlift.raising.assumed import put_guard
from tensorlift.raising.passes import PASSES, Proof, RaisingPass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Diagnostic

_ANCHOR = "builtin.module("


@dataclass(frozen=True, slots=True)
class Result:
    """A module behind a pipeline, as text, with what its passes had to say, their counters by name, and proofs."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    counts: tuple[tuple[str, dict[str, int]], ...]
    proofs: tuple[Proof, ...] = ()


def parse_passes(text: str) -> list[RaisingPass]:
    """Read a pipeline, ``pass,pass{option=value}``, with or without ``builtin.module( )`` around it.

    Raises:
        LiftError: TL590 where it is malformed, TL591 where a pass or an option is not known.

    """
    inside = text.strip()
    if inside.startswith(_ANCHOR) and inside.endswith(")"):
        inside = inside.removeprefix(_ANCHOR).removesuffix(")")
    if inside.rstrip().endswith(","):
        raise _malformed(text, "a comma stands at its end")
    try:
        specs = list(parse_pipeline(inside))
    except ArgSpecParseError as error:
        raise _malformed(text, str(error).splitlines()[-1].strip()) from None
    found = []
    for spec in specs:
        if spec.name not in PASSES:
            raise refuse("TL591", f"there is no pass '{spec.name}'", remedy=f"use one of: {', '.join(PASSES)}")
        try:
            found.append(PASSES[spec.name].from_spec(spec))
        except ValueError as error:
            remedy = f"'tensorlift opt --help' lists the options of '{spec.name}'"
            raise refuse("TL591", f"'{spec}' is no use of a pass: {error}", remedy=remedy) from None
    return found


def _malformed(text: str, why: str) -> LiftError:
    remedy = "write passes with commas between: name,name{option=value}"
    return refuse("TL590", f"'{text}' is no pipeline: {why}", remedy=remedy)


def run_passes(
    text: str,
    filename: str,
    passes: Sequence[RaisingPass],
    shown: Callable[[str, str], None] | None = None,
    *,
    guards: bool = True,
) -> Result:
    """Run passes over the text of a module; ``shown`` is given each pass's name and the module behind it.

    What replacements assume is tested where their function starts; without ``guards``, it is for the caller to see to.

    Raises:
        LiftError: TL19x, where the text is no module.

    """
    module = parse_module(text, filename, places=True)

    def after(done: ModulePass | None, at: ModuleOp, _: ModulePass | None) -> None:
        if done is not None and shown is not None:
            shown(str(done.spec()), print_module(at))

    originals = {function: function.clone() for function in functions(module)}
    PassPipeline(tuple(passes), after).apply(loop_context(), module)
    for function, original in originals.items() if guards else ():
        assumptions = [found for one in passes for found in one.report.assumptions.get(function, ())]
        if assumptions:
            put_guard(module, function, original, assumptions)
    printed = print_module(module)
    _check_printed(printed)
    said = tuple(d for one in passes for d in one.report.diagnostics)
    proofs = tuple(proof for one in passes for proof in one.report.proofs)
    return Result(printed, said, tuple((one.name, one.report.counts) for one in passes), proofs)


def _check_printed(printed: str) -> None:
    """Demand that what is shown reads back as what was proved."""
    if print_module(parse_module(printed, "output")) != printed:
        raise LiftError(internal_error(AssertionError("the module reads back as another one")))
