"""Forms: other programs for the same definitions, for those who ask for the cheapest.

    definitions -> pieces in slices, triangles in blocks -> derived
                -> outer products stacked, operands copied, updates in place

Derivation decides by rules that are right for most kernels and targets; a form decides one of them the other way.  Each
is tried on top of those that made the program cheaper before.  A program in some form is a proposal like any other.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.forms.definitions import blocked, sliced
from tensorlift.synthesis.forms.programs import copied, in_place, stacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram

_WORTH = 0.99  # of the cost before, so that rounding makes no form cheaper

# By name, in the order in which they are tried: of definitions, then of programs.
OF_DEFINITIONS: dict[str, Callable[[Summary], Summary]] = {"sliced": sliced, "blocked": blocked}
OF_PROGRAMS: dict[str, Callable[[TensorProgram], TensorProgram]] = {
    "stacked": stacked,
    "copied": copied,
    "in place": in_place,
}


@dataclass(frozen=True, slots=True)
class Formed:
    """A program in some forms, those named."""

    forms: tuple[str, ...]
    program: TensorProgram
    cost: float


def formed(
    summary: Summary, derived: TensorProgram, offered: frozenset[str], cost: Callable[[TensorProgram], float]
) -> Iterator[Formed]:
    """Yield the programs that the offered forms make of definitions, of which a program was derived."""
    best = Formed((), derived, cost(derived))
    for name, meant in _rewritten(summary, offered):
        with suppress(LiftError):
            yield (tried := _form(best, name, derive(meant), cost))
            best = _better(best, tried)
    for name, rewrite in OF_PROGRAMS.items():
        if name in offered and (program := rewrite(best.program)) is not best.program:
            yield (tried := _form(best, name, program, cost))
            best = _better(best, tried)


def _rewritten(summary: Summary, offered: frozenset[str]) -> Iterator[tuple[str, Summary]]:
    for name, rewrite in OF_DEFINITIONS.items():
        if name in offered and (meant := rewrite(summary)) is not summary:
            yield name, meant


def _form(before: Formed, name: str, program: TensorProgram, cost: Callable[[TensorProgram], float]) -> Formed:
    return Formed((*before.forms, name), program, cost(program))


def _better(best: Formed, tried: Formed) -> Formed:
    return tried if tried.cost < _WORTH * best.cost else best


__all__ = ["OF_DEFINITIONS", "OF_PROGRAMS", "Formed", "formed"]
