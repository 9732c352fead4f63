"""Pipelines of passes over a module: run, and reported on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.passes import ModulePass, PassPipeline

from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.ir.dialects import loop_context
from tensorlift.ir.text import functions, parse_module, print_module
from tensorlift.raising.assumed import put_guard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.raising.passes import Proof, RaisingPass


@dataclass(frozen=True, slots=True)
class Result:
    """A module behind a pipeline, as text, with what its passes had to say, their counters by name, and proofs."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    counts: tuple[tuple[str, dict[str, int]], ...]
    proofs: tuple[Proof, ...] = ()


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
