"""A function as the summariser sees it: its parameters and arrays, what is required of sizes, and the statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.poly.names import formals

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import ArrayInfo, DerivedSize
    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain
    from tensorlift.summarize.statements import Block


@dataclass(frozen=True)
class Program:
    """One function.

    ``parameters`` are the names of sizes, scalars and arrays together in source order, ``written`` the array
    parameters that the function stores to.  ``requires`` holds the sizes that the front end allows and what is known of
    derived sizes, ``representable`` the same without conditions on accesses, ``ranges`` what the types of sizes say of
    them.  ``result`` is the returned value, over values that the last statements load; ``has_nan`` where a NaN is
    among the literals.
    """

    name: str
    parameters: tuple[str, ...]
    sizes: tuple[str, ...]
    scalars: dict[str, DType]
    arrays: dict[str, ArrayInfo]
    written: tuple[str, ...]
    body: Block
    result: Term | None
    requires: Domain
    representable: Domain
    derived: tuple[DerivedSize, ...]
    names: set[str]
    location: Location | None
    ranges: Domain
    has_nan: bool

    def formals(self, array: str) -> tuple[str, ...]:
        """Return the index variables of an array's definitions."""
        return formals(array, len(self.arrays[array].shape))
