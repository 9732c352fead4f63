"""What an emitter gives: the text of a program, and hints for the checker; what emitters do alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.tensor_program import Assign, Return, SetSlice, Statement, walk_statements
from tensorlift.targets.target import UnspelledError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from tensorlift.ir.cut import Cut
    from tensorlift.ir.tensor_program import Expression, Parameter, TensorProgram

Spell = Callable[[Statement, Sequence[Statement]], None]  # a statement, before those that may run after it


@dataclass(frozen=True, slots=True)
class Emitted:
    """The source of a module, the name of its function, and where variables hold definitions.

    A cut stands at the first line of its statement; at the ``for`` of a kept loop cuts tell which variables carry what.
    ``parameters`` are those of the function in order, with their names in the source.
    """

    text: str
    entry: str
    cuts: tuple[Cut, ...]
    parameters: tuple[Parameter, ...] = ()


def as_float(value: Fraction) -> float:
    """Return the nearest number in double precision; raises LiftError TL305 where it is larger than any."""
    try:
        return float(value)
    except OverflowError:
        digits = len(str(abs(int(value)))) - 1
        message = f"a product of constants is about 1e{digits}, more than any number in double precision"
        raise refuse("TL305", message, remedy="keep the product in range, or write the infinity that it is") from None


def spell_all(body: Sequence[Statement], spell: Spell, after: Sequence[Statement] = ()) -> None:
    """Spell statements in order; what is refused of one is said of the definitions from there on."""
    for position, statement in enumerate(body):
        try:
            spell(statement, [*body[position + 1 :], *after])
        except UnspelledError:
            raise
        except LiftError as error:
            raise UnspelledError(error, _definitions_computed(tuple(body[position:]))) from None


def returned(statement: Return, program: TensorProgram) -> tuple[Expression, ...]:
    """Return the values that a program gives out; raises LiftError TL306 where there are none."""
    if not statement.values:
        raise refuse("TL306", f"`{program.name}` computes nothing", program.location, "write to an array")
    return statement.values


@contextmanager
def spelling(program: TensorProgram, *, unspelled: bool = True) -> Iterator[None]:
    """Say of a refusal where the program is from, and that it is one of its spelling."""
    try:
        yield
    except LiftError as error:
        located = LiftError(*(d if d.location else replace(d, location=program.location) for d in error.diagnostics))
        names = error.definitions if isinstance(error, UnspelledError) else () if unspelled else None
        raise located if names is None else UnspelledError(located, names) from None


def _definitions_computed(body: tuple[Statement, ...]) -> list[str]:
    """Return the definitions that statements compute, in program order."""
    assigned = (s for s in walk_statements(body) if isinstance(s, Assign | SetSlice))
    return [statement.definition for statement in assigned if statement.definition is not None]
