"""Tables of constants in IR: ``memref.global``s that are never written, and what their cells hold.

In literal IR such a memory is flat; its attributes say what the source declares (`of_table`).  In the loop IR it has
its dimensions, and what gets it says its name and sign, as what makes a local array does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.dialects.memref import GlobalOp

from tensorlift.ops.c_types import CType, IntegerType
from tensorlift.ops.dtypes import DType, cell_text, cell_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue

    from tensorlift.diagnostics import Location


@dataclass(frozen=True, slots=True)
class Table:
    """A table that a function of the loop IR gets; ``contents`` are its cells, row by row, as `cell_text` spells."""

    name: str
    dtype: DType
    extents: tuple[int, ...]
    contents: tuple[str, ...]
    value: SSAValue
    location: Location | None

    def values(self) -> list[float]:
        """List the numbers in its cells, row by row."""
        return [cell_value(text, self.dtype) for text in self.contents]


def of_table(element: CType, extents: Sequence[int]) -> dict[str, Attribute]:
    """Give the attributes of a memory in literal IR that say what the source declares."""
    unsigned = isinstance(element, IntegerType) and not element.signed
    sign: dict[str, Attribute] = {"tl.unsigned": UnitAttr()} if unsigned else {}
    return {"tl.extents": DenseArrayBase.from_list(i64, list(extents)), **sign}


def extents_of(table: GlobalOp) -> tuple[int, ...]:
    """Return the extents that the source declares of a memory in literal IR."""
    found: Any = table.attributes.get("tl.extents")
    of_type: Any = table.type
    return tuple(of_type.get_shape() if found is None else found.get_values())


def constants_of(module: Operation | None) -> Iterator[GlobalOp]:
    """Yield the tables of constants of a module."""
    operations = module.ops if isinstance(module, ModuleOp) else ()
    return (op for op in operations if isinstance(op, GlobalOp) and op.constant is not None)


def contents_of(table: GlobalOp, dtype: DType) -> tuple[str, ...]:
    """Return the cells of a table, read as values of a type that is as wide as they are."""
    values: Any = table.initial_value
    return tuple(cell_text(value, dtype) for value in values.get_values())


def known_cell(table: GlobalOp, place: int | None) -> float | None:
    """Return the number in the cell at a place of a table, or in any one where all are alike; None if it is unknown."""
    values: Any = table.initial_value
    cells: tuple[float, ...] = values.get_values()
    if len(set(map(repr, cells))) == 1:  # which tells zeros of both signs
        return cells[0]
    return cells[place] if place is not None and 0 <= place < len(cells) else None
