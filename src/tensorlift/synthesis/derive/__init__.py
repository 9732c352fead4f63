"""Deriving a tensor program: each definition is covered by array operations according to the shape of its term.

    definitions -> values with named axes -> statements -> shared subexpressions named -> others put in their place
                -> variables named -> surface

The program is a proposal: whatever it is, the emitted text is proved against the summary afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.segments import asking_all
from tensorlift.synthesis.derive.builder import Builder
from tensorlift.synthesis.derive.elementwise import value_of
from tensorlift.synthesis.derive.lower import Cover, Lowering
from tensorlift.synthesis.derive.naming import arrays_of, named
from tensorlift.synthesis.derive.settling import settled
from tensorlift.synthesis.derive.sharing import shared
from tensorlift.synthesis.derive.surface import read_versions, surface

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.definition import Item, Summary
    from tensorlift.ir.tensor_program import Statement, TensorProgram
    from tensorlift.poly.domain import Domain
    from tensorlift.synthesis.derive.lower import Evaluate

    Select = Callable[[tuple[Statement, ...], Builder, Domain], tuple[Statement, ...]]


def derive(
    summary: Summary,
    evaluate: Evaluate = value_of,
    select: Select | None = None,
    build: Builder | None = None,
    *,
    settles: bool = False,
) -> TensorProgram:
    """Return a program that computes what the summary says; ``evaluate`` finds the expression of each term.

    ``build`` makes the expressions, and says what there may be.  With ``settles``, what the source does not name has no
    name here, as is good for people.

    Raises:
        LiftError: TL301 to TL304, where a definition has no form in array operations, or what ``evaluate`` raises.

    """
    return assembled(summary, None, evaluate, select, build=build, settles=settles)


def assembled(  # noqa: PLR0913 - what is lowered, by which engine, and what becomes of it
    summary: Summary,
    cover: Cover | None,
    evaluate: Evaluate = value_of,
    select: Select | None = None,
    *,
    items: tuple[Item, ...] | None = None,
    divide: Callable[[tuple[Statement, ...], Builder], tuple[Statement, ...]] = lambda body, _: body,
    build: Builder | None = None,
    settles: bool = False,
) -> TensorProgram:
    """Return the program of statements that ``cover`` gives for each definition, those derived where it is None.

    ``select`` says what they become in the operations of an imported dialect.  ``items`` are those of the summary that
    are lowered, by default all; ``divide`` rewrites their statements.
    """
    build = Builder() if build is None else build
    summary = asking_all(summary)
    lowered = summary if items is None else replace(summary, items=items)
    body = divide(Lowering(lowered, build, cover, evaluate).body(), build)
    body = body if select is None else select(body, build, summary.context)
    body = shared(body, build, summary.context)
    body = settled(body, arrays_of(summary.items)) if settles else body
    return surface(summary, named(body, summary), read_versions(body))


__all__ = ["assembled", "derive"]
