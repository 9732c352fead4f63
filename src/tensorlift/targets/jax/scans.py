"""Which traced loops are ``lax.scan``: those whose iteration ``i`` stores cell ``i`` of arrays and reads ``x[i + c]``.

A `lax.fori_loop` carries whole arrays, so that its derivative takes time in their length for each iteration.  A scan
carries what one iteration leaves to the next alone: what is read is taken, and what is stored is given, cell by cell.
Cells of stored arrays that earlier iterations stored are carried too.  A cell is a row where there are more axes behind
that of the variable; what stands before it, a ``lead``, is the same in all iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

from tensorlift.ir.rewriting import rewritten
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Expression,
    For,
    NewAxis,
    Range,
    SetSlice,
    Subscript,
    Variable,
    values_of,
    variables_in,
    walk_expressions,
)
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import at_least
from tensorlift.poly.names import unused
from tensorlift.targets.jax.traced import affine_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.tensor_program import Shape, Statement, SubscriptItem
    from tensorlift.poly.domain import Domain

Lead = tuple[At, ...]
Place = TypeVar("Place", tuple[str, int], tuple[str, Lead, int])


class _NoScanError(Exception):
    """Raised where a loop is none."""


@dataclass
class Scan:
    """A loop as a scan: its body, and the names of the cells in it by array and place.

    ``cells`` are those that are read, by their leads and what is added to the variable, ``previous`` those that so many
    iterations before have stored, ``stored`` what this one stores, ``stacked`` what all of them do, ``definitions``
    what it is, ``leads`` where.
    One that ``is_whole`` stores all cells of its arrays.
    """

    loop: For
    names: Mapping[str, str]
    taken: set[str]
    carried: list[str] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)
    cells: dict[tuple[str, Lead, int], str] = field(default_factory=dict)
    previous: dict[tuple[str, int], str] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)
    stacked: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, str | None] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    leads: dict[str, Lead] = field(default_factory=dict)
    is_whole: bool = False

    def read(self, state: Sequence[str]) -> None:
        """Read the loop.

        Raises:
            _NoScanError: where it is none.

        """
        stores = [statement for statement in self.loop.body if isinstance(statement, SetSlice)]
        self.leads = {store.name: self._lead(store.items) for store in stores}
        if not stores or len(self.leads) < len(stores) or not self.loop.lower.is_constant:
            raise _NoScanError
        self.carried = [name for name in state if name not in self.leads]
        for statement in self.loop.body:
            self._statement(statement)
        for array, before in list(self.previous):
            for nearer in range(1, before):
                self._before(array, nearer)
        self.previous = dict(sorted(self.previous.items()))
        if not self.carried and not self.previous:
            raise _NoScanError  # nothing is handed on
        read = {name for s in self.body for value in values_of(s) for name in variables_in(value)}
        changed = {*self.carried, *(s.name for s in self.body if isinstance(s, Assign))}
        extents = {self.shapes[array][0] for array in self.stored}
        self.is_whole = self.loop.lower == ZERO and extents == {self.loop.upper} and not any(self.leads.values())
        if not self.is_whole and any(len(self.shapes[a]) > len(lead) + 1 for a, lead in self.leads.items()):
            raise _NoScanError  # a second pass over rows takes longer than the loop
        if not self.cells or read & self.leads.keys() or any(array in changed for array, _, _ in self.cells):
            raise _NoScanError

    def _statement(self, statement: Statement) -> None:
        known: dict[Expression, Expression] = {}
        if isinstance(statement, Assign) and statement.name not in self.leads:
            self.body.append(replace(statement, value=self._value(statement.value, known)))
        elif isinstance(statement, SetSlice):
            value = self._value(statement.value, known)
            array, inner = statement.name, statement.shape[len(self.leads[statement.name]) + 1 :]
            place = (*self.leads[array], At(Affine.var(self.loop.variable)))
            is_cell = statement.items in (place, (*place, *(Range(ZERO, extent) for extent in inner)))
            if not is_cell or value.shape != inner or value.is_weak:
                raise _NoScanError
            self.stored[array] = unused(f"{self.names[array]}_{self.names[self.loop.variable]}", self.taken)
            self.stacked[array] = unused(f"{self.names[array]}_all", self.taken)
            self.definitions[array] = statement.definition
            self.shapes[array] = statement.shape
            self.body.append(Assign(self.stored[array], value))
        else:
            raise _NoScanError

    def _value(self, value: Expression, known: dict[Expression, Expression]) -> Expression:
        result = rewritten(value, self._cell, known)
        for node in walk_expressions(result):
            fields = tuple(getattr(node, name) for name in node.__dataclass_fields__)
            if any(self.loop.variable in affine.variables for affine in affine_in(fields)):
                raise _NoScanError
        return result

    def _cell(self, node: Expression, _: Expression) -> Expression:
        """Return a name for a cell at the variable, or a subscript of it; everything else as it is."""
        if not isinstance(node, Subscript) or not isinstance(node.argument, Variable) or not node.items:
            return node
        lead, array = self._lead(node.items), node.argument
        if len(lead) == len(node.items) or not isinstance(first := node.items[len(lead)], At):
            return node
        offset = first.index - Affine.var(self.loop.variable)
        if not offset.is_constant or (self.loop.lower + offset).constant < 0:
            raise _NoScanError
        self.shapes[array.name] = array.shape
        inner, rest = array.shape[len(lead) + 1 :], node.items[len(lead) + 1 :]
        cell = Variable(node.dtype, inner, is_weak=False, name=self._named(array.name, lead, offset.constant))
        is_whole = all(item == Range(ZERO, extent) for item, extent in zip(rest, inner, strict=False))
        return cell if is_whole and NewAxis() not in rest else replace(node, argument=cell, items=rest)

    def _lead(self, items: Sequence[SubscriptItem]) -> Lead:
        """Return the places before the first item that says anything else."""
        places = [item for item in takewhile(lambda item: isinstance(item, At), items) if isinstance(item, At)]
        return tuple(takewhile(lambda at: not at.index.coefficient(self.loop.variable), places))

    def _named(self, array: str, lead: Lead, offset: int) -> str:
        own = self.leads.get(array)
        if own is None or _are_apart(lead, own) or (offset > 0 and lead == own):
            return self._name(self.cells, (array, lead, offset), self.names[self.loop.variable])
        if lead != own:
            raise _NoScanError
        if offset == 0:
            return self.stored.get(array) or self._name(self.cells, (array, lead, 0), "old")
        return self._before(array, -offset)

    def _before(self, array: str, back: int) -> str:
        return self._name(self.previous, (array, back), f"before{back}" if back > 1 else "before")

    def _name(self, names: dict[Place, str], place: Place, wanted: str) -> str:
        if place not in names:
            names[place] = unused(f"{self.names[place[0]]}_{wanted}", self.taken)
        return names[place]


def _are_apart(lead: Lead, other: Lead) -> bool:
    """Tell whether leads are to different rows."""
    differences = (at.index - mine.index for at, mine in zip(lead, other, strict=False))
    return any(difference.is_constant and difference != ZERO for difference in differences)


def scan_of(loop: For, state: Sequence[str], names: Mapping[str, str], known: Domain) -> Scan | None:
    """Return a traced loop as a scan, with names beside those of the text, None where it is none.

    The cells with which it begins are read even where it runs no times: there must be some.
    """
    scan = Scan(loop, names, {*names, *names.values()})
    try:
        scan.read(state)
    except _NoScanError:
        return None
    has_first = all(known.implies(at_least(scan.shapes[a][len(scan.leads[a])], 1)) for a, _ in scan.previous)
    return scan if has_first else None
