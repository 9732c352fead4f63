"""The sizes that a program is written for, where its target has static shapes only: chosen, checked, put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.at_sizes import summary_at, with_derived
from tensorlift.comprehension.domain import Domain, equal
from tensorlift.diagnostics import refuse
from tensorlift.ir.at_sizes import program_at, sizes_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.comprehension.definition import Summary
    from tensorlift.diagnostics import LiftError, Location
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.targets.target import Target


def check_request(target: Target, sizes: Mapping[str, int], known: Iterable[str], file: str) -> None:
    """Refuse sizes that nothing takes.

    Raises:
        LiftError: TL517, where the target needs none, or no function has one of these names.

    """
    if sizes and not target.is_static:
        message = f"programs for the target '{target.name}' take every size"
        raise refuse(
            "TL517", message, remedy="leave --sizes out, or choose a target of static shapes such as stablehlo"
        )
    names = sorted(set(known))
    for name in sizes:
        if name not in names:
            accepted = f"the sizes are: {', '.join(names)}" if names else "leave --sizes out"
            raise refuse("TL517", f"no function of '{file}' that is lifted has a size '{name}'", remedy=accepted)


def at_sizes(
    summary: Summary, program: TensorProgram, sizes: Mapping[str, int], location: Location | None
) -> tuple[Summary, TensorProgram]:
    """Return the definitions and the program of a function where its sizes have the given values.

    Raises:
        LiftError: TL515 where one that shapes need is missing, TL516 where the function is not defined at them.

    """
    mine = {name: value for name, value in sizes.items() if name in summary.sizes}
    _check_possible(summary, mine, location)
    known = with_derived(summary, mine)
    missing = _behind(summary, sizes_needed(program) - known.keys())
    if missing:
        raise _missing(summary, missing, mine, location)
    return summary_at(summary, mine), program_at(program, known)


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


def _behind(summary: Summary, names: set[str]) -> list[str]:
    """Return the sizes of the source that some sizes are made of, in its order."""
    derived = {d.name: d.numerator.variables for d in summary.derived}
    found = set(names)
    while found & derived.keys():
        found = {inner for name in found for inner in derived.get(name, (name,))}
    return [name for name in summary.sizes if name in found]


def _missing(summary: Summary, missing: list[str], given: Mapping[str, int], location: Location | None) -> LiftError:
    names = [f"{name}={given[name]}" for name in summary.sizes if name in given]
    example = ",".join([*names, *(f"{name}=64" for name in missing)])
    what = f"the size {missing[0]}" if len(missing) == 1 else f"the sizes {', '.join(missing)}"
    return refuse("TL515", f"{what} of {summary.name} must be given", location, f"for example: --sizes {example}")
