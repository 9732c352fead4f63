"""The sizes that a program is written for, where its target may have static shapes: checked, and put in."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.definition import Summary, summary_at, with_derived
from tensorlift.diagnostics import Location, refuse
from tensorlift.ir.tensor_program import Expression, TensorProgram
from tensorlift.ops.dtypes import integer_range
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    program = _program_at(program, with_derived(summary, mine))
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


def _program_at(program: TensorProgram, sizes: Mapping[str, int]) -> TensorProgram:
    """Return the program with numbers for some sizes; the parameters that are such sizes are gone."""
    at = _Substitution({name: Affine(value) for name, value in sizes.items()}).of
    parameters, sources, derived = (
        tuple(at(item) for item in part if item.name not in sizes)
        for part in (program.parameters, program.sizes, program.derived)
    )
    return replace(program, parameters=parameters, sizes=sources, derived=derived, body=at(program.body))


class _Substitution:
    """Puts values in everywhere; a node that occurs twice stays one object."""

    def __init__(self, values: Mapping[str, Affine]) -> None:
        self._values = values
        self._memo: dict[int, Any] = {}

    def of(self, value: Any) -> Any:
        """Return a value of a program with numbers in it."""
        if isinstance(value, Affine):
            return value.substitute(self._values)
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if not is_dataclass(value) or isinstance(value, type):
            return value
        if isinstance(value, Expression):
            if id(value) not in self._memo:
                self._memo[id(value)] = self._replaced(value)
            return self._memo[id(value)]
        return self._replaced(value)

    def _replaced(self, value: Any) -> Any:
        return replace(value, **{f.name: self.of(getattr(value, f.name)) for f in fields(value)})
