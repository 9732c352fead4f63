"""Names of what a function of the source has: identifiers, each once.

Arguments come first, then the local arrays and the numbers that loops carry, in the order of the text.  Whoever reads a
function in that order gives all of them the same names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr

from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.ir.location import location_of
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.ir import Attribute, Block, BlockArgument, Operation


class Names:
    """The names of one function that are taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Take no other names yet."""
        self._taken = set(taken)

    def fresh(self, hint: str | None, otherwise: str) -> str:
        """Make a name of the source an identifier that is not taken."""
        name = re.sub(r"\W", "_", hint or otherwise, flags=re.ASCII)
        name = f"_{name}" if name[0].isdigit() else name
        return unused(name, self._taken, "_")

    def of_argument(self, argument: BlockArgument, marks: Mapping[str, Attribute]) -> str:
        """Name an argument as it is stated, or as the text calls it."""
        stated = marks.get("tl.name")
        hint = stated.data if isinstance(stated, StringAttr) else argument.name_hint
        return self.fresh(hint, f"arg{argument.index}")

    def of_local(self, op: Operation) -> str:
        """Name memory that the function makes."""
        stated = op.attributes.get("tl.name")
        return self.fresh(stated.data if isinstance(stated, StringAttr) else op.results[0].name_hint, "local")

    def of_function(self, symbol: str) -> str:
        """Name the function itself, which an operation of MLIR may have with other signs."""
        return symbol if symbol.isidentifier() else self.fresh(symbol, "f")


def argument_marks(function: Operation) -> Sequence[Mapping[str, Attribute]]:
    """List what is stated of each argument of a function."""
    rows = function.properties.get("arg_attrs")
    count = len(function.regions[0].blocks[0].args)
    return [row.data for row in rows] if rows is not None else [{}] * count  # type: ignore[attr-defined]  # an array


def first_block(function: Operation) -> Block:
    """Give the block of a function that has its arguments."""
    return function.regions[0].blocks[0]


def only_block(function: Operation) -> Block:
    """Give the body of a function that does not jump."""
    region = function.regions[0]
    if len(region.blocks) > 1:
        raise refusal("control", location_of(function), "a function of several blocks is not lifted")
    return region.block
