"""Where the symbolic execution puts the program: a sink, which drops everything unless it is one that emits.

The quiet one serves the analysis of loops, which runs a body only for its effect on steering integers and pointers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ZERO, Polynomial
from tensorlift.frontends.c.c_types import BOOL, CType, IntegerType
from tensorlift.frontends.c.values import Array, Data, Domain, LoopRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Diagnostic, Location


@dataclass(frozen=True, slots=True)
class AffineCondition:
    """A conjunction of constraints (``polynomial >= 0``, or ``== 0`` if marked); its negation if ``inverted``."""

    constraints: tuple[tuple[Polynomial, bool], ...]
    inverted: bool = False


Condition = AffineCondition | Data


class Sink:
    """Receives the data part of a program, in order of evaluation; this one is quiet, and gives values of the types."""

    emits = False

    def constant(self, value: float, ctype: CType, location: Location) -> Data:
        """Give a constant."""
        del value, location
        return Data(None, ctype)

    def index_value(self, polynomial: Polynomial, ctype: IntegerType, location: Location, *, wraps: bool) -> Data:
        """Turn a polynomial into a value of an integer type, which it ``wraps`` into unless that surely holds it."""
        del polynomial, location, wraps
        return Data(None, ctype)

    def data_place(self, value: Data, location: Location) -> Polynomial:
        """Give the variable that stands for a subscript that depends on data, none where it has no closed form."""
        del value, location
        return ZERO

    def convert(self, value: Data, ctype: CType, location: Location) -> Data:
        """Convert between arithmetic types."""
        del value, location
        return Data(None, ctype)

    def unary(self, operator: str, value: Data, location: Location) -> Data:
        """Apply ``-``, ``~`` or ``!`` to a promoted value."""
        del operator, location
        return value

    def arithmetic(self, operator: str, left: Data, right: Data, location: Location) -> Data:
        """Apply an arithmetic operator to two values of one type (shifts: of the left operand's type)."""
        del operator, right, location
        return left

    def compare(self, operator: str, left: Data, right: Data, location: Location) -> Data:
        """Compare two values of one type."""
        del operator, left, right, location
        return Data(None, BOOL, truth=True)

    def truth_of(self, condition: AffineCondition, location: Location) -> Data:
        """Turn an affine condition into a truth value."""
        del condition, location
        return Data(None, BOOL, truth=True)

    def truth(self, value: int, location: Location) -> Data:
        """Give a constant truth value."""
        del value, location
        return Data(None, BOOL, truth=True)

    def connect(self, operator: str, left: Data, right: tuple[Data, object], location: Location) -> Data:
        """Combine truth values with ``&&`` or ``||``; the right one comes with the arm that computes it."""
        del operator, right, location
        return left

    def library_call(self, name: str, arguments: Sequence[Data], ctype: CType, location: Location) -> Data:
        """Call a function of <math.h>."""
        del name, arguments, location
        return Data(None, ctype)

    def allocate(self, array: Array, domain: Domain) -> None:
        """Make room for a local object."""

    def load(self, array: Array, subscripts: tuple[Polynomial, ...], domain: Domain, location: Location) -> Data:
        """Read a cell."""
        del subscripts, domain, location
        return Data(None, array.element)

    def store(
        self, array: Array, subscripts: tuple[Polynomial, ...], value: Data, domain: Domain, location: Location
    ) -> None:
        """Write a cell."""

    def begin_loop(self, loop: LoopRange, hint: str, location: Location, left: Diagnostic | None = None) -> None:
        """Enter the body of a loop."""

    def end_loop(self) -> None:
        """Leave the body of a loop."""

    def begin_branch(self) -> None:
        """Collect what follows apart, as one arm of a condition."""

    def end_branch(self) -> object:
        """Give what was collected."""
        return None

    def branch(
        self,
        condition: Condition,
        arms: tuple[object, object],
        results: tuple[Data, Data] | None,
        location: Location,
    ) -> Data | None:
        """Join two arms under a condition, with a value where both have one."""
        del condition, arms, location
        return results[0] if results else None
