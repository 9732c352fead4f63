"""The sizes that a program is written for, where its target may have static shapes: checked, and put in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Summary, summary_at, with_derived
from tensorlift.diagnostics import Location, refuse
from tensorlift.ir.at_sizes import program_at
from tensorlift.ops.dtypes import integer_range
from tensorlift.poly.domain import Domain, at_least, equal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.targets.target import Target

_MOST = integer_range("i32")[1]  # of the positions of an axis that a program counts


def check_request(target: Target, sizes: Mapping[str, int], known: Iterable[str], file: str) -> None:
    """Refuse sizes that nothing takes.

    Raises:
        LiftError: TL517, where the target needs none, or no function has one of these names.

    """
    if sizes and not target.takes_sizes:
        message = f"programs for the target '{target.name}' take every size"
        raise refuse(
            "TL517",
            message,
            remedy="leave --sizes out, or choose a target of static shapes, such as stablehlo",
        )
    names = sorted(set(known))
    for name in sizes:
        if name not in names:
            accepted = f"the sizes are: {', '.join(names)}" if names else "leave --sizes out"
            raise refuse("TL517", f"no function of '{file}' that is lifted has a size '{name}'", remedy=accepted)


def at_sizes(
    summary: Summary, program: TensorProgram, sizes: Mapping[str, int], location: Location | None
) -> tuple[Summary, TensorProgram]:
    """Return the definitions and the program of a function where some sizes have the given values.

    Sizes that the program counts as extents are below 2 to the power of 31, which the definitions then state.

    Raises:
        LiftError: TL516 where the function is not defined at them.

    """
    mine = {name: value for name, value in sizes.items() if name in summary.sizes}
    _check_possible(summary, mine, location)
    program = program_at(program, with_derived(summary, mine))
    summary = summary_at(summary, mine)
    counted = (summary.arrays[source.array].shape[source.axis] for source in program.sizes)
    limits = Domain.of(*(at_least(_MOST, extent) for extent in counted))
    return replace(summary, context=summary.context & limits, assumed=summary.assumed & limits), program


def _check_possible(summary: Summary, sizes: Mapping[str, int], location: Location | None) -> None:
    stated = summary.context & Domain.of(*(equal(name, value) for name, value in sizes.items()))
    if stated.is_empty():
        listed = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        message = f"{summary.name} is not defined at the sizes {listed}"
        raise refuse("TL516", message, location, f"give sizes with {_conditions(summary)}")


def _conditions(summary: Summary) -> str:
    """Spell what the sizes must meet."""
    context = summary.context.project_out(*(d.name for d in summary.derived))
    text = str(context)
    return text.rpartition(": ")[2].rstrip(" }").strip() or text
