"""Symbolic execution of statements: each name holds a tensor, and a store is a functional update.

Long programs stay cheap because of cuts.  Where the emitter says that a variable holds a definition, equality is
decided at once, and from then on program and summary both mean the array by its name.

Stores of views into the memory that they view, and whether they write what was there before.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, SymbolicTensor, array, domain_of, scalar_value
from tensorlift.proofs.compactions import compacted
from tensorlift.proofs.counterparts import Counterparts, CutExecution
from tensorlift.proofs.evaluate import Evaluator, tensor_of
from tensorlift.proofs.failure import MEMORY, CheckFailure
from tensorlift.proofs.parse import Function, unreadable
from tensorlift.proofs.tables import check_contents
from tensorlift.proofs.traced import CellStore
from tensorlift.proofs.updates import updated
from tensorlift.proofs.values import Buffer, Frame, Held, Item, cells_of, last_serial
from tensorlift.proofs.values import Item as Value
from tensorlift.targets.target import Device, NewAxis, OpRow, Overlaps, SubscriptItem, Subscripts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.ir.cut import Cut
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.expansion import Definitions


class Store(NamedTuple):
    """A store ``array[items] = value``, and the text of both sides."""

    target: ast.Subscript
    source: ast.expr
    array: Held
    items: Subscripts
    value: Item

    @property
    def is_cell(self) -> bool:
        """Whether a single cell is written, whose new value is read before."""
        return len(self.items) == self.array.tensor.rank and all(map(_is_index, self.items))

    @property
    def rank(self) -> int:
        """The number of axes of the region that is written, -1 where index arrays pick it."""
        if any(isinstance(item, SymbolicTensor) and item.rank for item in self.items):
            return -1
        added = sum(isinstance(item, NewAxis) for item in self.items)
        return self.array.tensor.rank + added - sum(map(_is_index, self.items))


def shares_memory(array: Item, value: Item) -> bool:
    """Tell whether a value lies in the memory of an array with axes."""
    if not isinstance(array, Held) or not isinstance(value, Held) or not array.tensor.rank:
        return False
    return value.buffer is not None and value.buffer is array.buffer


def writes_old_cells(store: Store, overlaps: Overlaps) -> bool:
    """Tell whether a store writes its value as it was before the store."""
    if overlaps is Overlaps.COPIED or store.is_cell or not shares_memory(store.array, store.value):
        return True
    if overlaps is Overlaps.LOST:
        return False
    return store.rank > 1 or (store.rank == 1 and _is_along(store))


def _is_index(item: object) -> bool:
    return isinstance(item, SymbolicTensor) and not item.rank


def _is_along(store: Store) -> bool:
    """Tell whether the value is one cell, or a part of the same axis in steps as long or the other way round.

    Each side has one slice then: of subscripts, no more than axes, that leave one axis, none is an ellipsis or new.
    """
    target, source = store.target, store.source
    assert isinstance(store.value, Held)
    if not isinstance(source, ast.Subscript) or ast.dump(source.value) != ast.dump(target.value):
        return False
    if store.value.tensor.rank != 1:
        return not store.value.tensor.rank
    written, read = (_slices(side.slice, store.array.tensor.rank) for side in (target, source))
    if len(written) != 1 or len(read) != 1:
        return False
    (axis, step), (other_axis, other_step) = *written, *read
    return axis == other_axis and (step == other_step or step * other_step < 0)


def _slices(subscript: ast.expr, rank: int) -> list[tuple[int, int]]:
    """Return axis and step of each slice whose step is a number; axes without a subscript are whole."""
    items = subscript.elts if isinstance(subscript, ast.Tuple) else [subscript]
    if len(items) > rank:
        return []
    whole = [ast.Slice()] * (rank - len(items))
    steps = ((axis, _step(item)) for axis, item in enumerate([*items, *whole]) if isinstance(item, ast.Slice))
    return [(axis, step) for axis, step in steps if step]


def _step(item: ast.Slice) -> int:
    """Return a step that is written as a number, zero for another."""
    try:
        step = 1 if item.step is None else ast.literal_eval(item.step)
    except ValueError:
        return 0
    return step if isinstance(step, int) else 0


_DEEPEST_CALL = 8
_TRUE = scalar_value(terms.one("bool"), Strength.WEAK)


class Execution(CutExecution):
    """Executes the statements of a program; ``items`` are the summary's items at the present depth of loops."""

    def __init__(
        self,
        evaluator: Evaluator,
        definitions: Definitions,
        counterparts: Counterparts,
        cuts: Sequence[Cut],
        loop: Callable[[Execution, ast.For, Frame], None],
    ) -> None:
        super().__init__(evaluator.ledger, definitions, counterparts)
        self.evaluator = evaluator
        self._loop = loop
        self._cuts: dict[int, list[Cut]] = {}
        for cut in cuts:
            self._cuts.setdefault(cut.line, []).append(cut)
        self._depth = 0
        self.called: set[str] = set()
        evaluator.call = self._call

    def cuts_at(self, line: int) -> list[Cut]:
        """Return what is claimed to hold after the statement on a line."""
        return self._cuts.get(line, [])

    def run(self, body: Iterable[ast.stmt], frame: Frame) -> Value:
        """Execute statements up to a return, whose value is the result; without one it is None."""
        for statement in body:
            self.ledger.line = statement.lineno
            if isinstance(statement, ast.Return):
                return None if statement.value is None else self.evaluator.evaluate(statement.value, frame)
            if isinstance(statement, ast.With):
                self._check_with(statement)
                if any(isinstance(inner, ast.Return) for inner in statement.body):
                    return self.run(statement.body, frame)
                self.run(statement.body, frame)
            else:
                self._execute(statement, frame)
                if not self._depth:
                    self._use_cuts(statement.lineno, frame)
        return None

    def _check_with(self, statement: ast.With) -> None:
        for item in statement.items:
            if "np" not in self.evaluator.program.modules:
                raise unreadable(statement, "a with that is no np.errstate")
            spelled = ast.unparse(item.context_expr)
            if item.optional_vars is not None or not spelled.startswith("np.errstate(") or "ignore" not in spelled:
                raise unreadable(statement, "a with that is no np.errstate")
            assert isinstance(item.context_expr, ast.Call)
            settings = [k.value for k in item.context_expr.keywords]
            if item.context_expr.args or not all(isinstance(v, ast.Constant) and v.value == "ignore" for v in settings):
                raise unreadable(statement, "np.errstate with more than 'ignore'")

    def _execute(self, statement: ast.stmt, frame: Frame) -> None:
        if isinstance(statement, ast.Assign):
            if isinstance(statement, CellStore):
                self._require_cell(statement, frame)
            self._assign(statement, frame)
        elif isinstance(statement, ast.AugAssign):
            self._update(statement, frame)
        elif isinstance(statement, ast.For):
            if self._depth:
                raise unreadable(statement.target, "a loop in a helper function")
            self._loop(self, statement, frame)
        elif isinstance(statement, ast.Expr) and (found := updated(self.evaluator, statement.value, frame)) is not None:
            name, held, result, others = found
            if any(shares_memory(held, other) for other in others):
                raise self._overlap()
            self._write(name.id, held, Held(result), frame)
        elif not (isinstance(statement, ast.Pass) or _is_text(statement)):
            raise unreadable(statement, "a statement without effect")

    def _require_cell(self, statement: CellStore, frame: Frame) -> None:
        """Demand that what is stored is of the type and the shape of a cell, and no number of Python's."""
        assert isinstance(statement.value, ast.Call)
        array = self.evaluator.evaluate(statement.targets[0], frame)
        cell = self.evaluator.evaluate(statement.value.args[0], frame)
        is_cell = (
            isinstance(array, Held)
            and isinstance(cell, Held)
            and cell.tensor.is_strong
            and cell.tensor.dtype == array.tensor.dtype
            and self.has_shape(cell, array.tensor.shape[statement.axes :])
        )
        if not is_cell:
            raise unreadable(statement, "cells of another type or shape than those of the array")

    # -- assignments

    def _assign(self, statement: ast.Assign, frame: Frame) -> None:
        if len(statement.targets) != 1:
            raise unreadable(statement, "several targets")
        stored = compacted(self.evaluator, statement, frame, self._is_equal)
        if stored is not None:
            name, held, result = stored
            self._write(name.id, held, Held(result), frame)
            return
        value, maker = statement.value, self.evaluator.target.table
        is_call = isinstance(value, ast.Call) and ast.unparse(value.func) == maker
        if isinstance(value, ast.Call) and is_call and any(isinstance(given, ast.List) for given in value.args):
            self._bind_table(statement, value, frame)
            return
        self._bind(statement.targets[0], value, self.evaluator.evaluate(value, frame), frame)

    def _is_equal(self, one: Term, other: Term) -> bool:
        return self.definitions.equal(one, other, self.ledger.context)

    def _bind_table(self, statement: ast.Assign, call: ast.Call, frame: Frame) -> None:
        """Bind a table of constants of the source, whose name and cells must be these."""
        (target,) = statement.targets
        arrays, name = self.definitions.arrays, target.id if isinstance(target, ast.Name) else ""
        info = arrays.get(name) or arrays.get(name.rstrip("_"))  # names that Python has for itself got underscores
        if info is None or not info.contents:
            raise unreadable(statement, "a table that the source does not have")
        self.evaluator.require_enabled(info.dtype)
        device = check_contents(call, info, self.evaluator.target)
        if device is not None and not isinstance(self.evaluator.evaluate(device, frame), Device):
            raise unreadable(statement, "a table on what is no device")
        frame.bind(name, Held(array(info.name, info.shape, info.dtype), Buffer(is_input=True)))

    def _bind(self, target: ast.expr, source: ast.expr, value: Value, frame: Frame) -> None:
        if isinstance(target, ast.Name):
            frame.bind(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, tuple) or len(value) != len(target.elts):
                raise unreadable(target, "another number of values")
            for element, part in zip(target.elts, value, strict=True):
                if not isinstance(element, ast.Name):
                    raise unreadable(element, "a nested target")
                frame.bind(element.id, part)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self._store(target, source, value, frame)
        else:
            raise unreadable(target, "a target that the checker does not know")

    def _update(self, statement: ast.AugAssign, frame: Frame) -> None:
        """``x op= y``: in place for arrays, whose type must not change; a new value for numbers."""
        target = statement.target
        operand = self.evaluator.evaluate(statement.value, frame)
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            old = self.evaluator.evaluate(target, frame)
            new = self.evaluator.binary(statement.op, old, operand, statement)
            self._require_same_type(old, new, statement)
            self._require_apart(old, operand)
            self._store(target, statement.value, new, frame)
        elif isinstance(target, ast.Name):
            old = self.evaluator.evaluate(target, frame)
            new = self.evaluator.binary(statement.op, old, operand, statement)
            if isinstance(old, Held) and old.buffer is not None:
                self._require_same_type(old, new, statement)
                self._require_apart(old, operand)
                self._write(target.id, old, new, frame)
            else:
                frame.bind(target.id, new)
        else:
            raise unreadable(statement, "a target that the checker does not know")

    def _require_same_type(self, old: Value, new: Value, statement: ast.AugAssign) -> None:
        is_same = (
            isinstance(old, Held)
            and isinstance(new, Held)
            and old.tensor.dtype == new.tensor.dtype
            and old.tensor.shape == new.tensor.shape
        )
        if not is_same:
            raise unreadable(statement, "an update that changes type or shape")

    def _write(self, name: str, old: Held, new: Value, frame: Frame) -> None:
        assert isinstance(new, Held)
        self._require_writable(old, frame, name)
        self._lose(old, name, frame)
        frame.bind(name, old.with_tensor(new.tensor, None))

    def _store(self, target: ast.Subscript, source: ast.expr, value: Value, frame: Frame) -> None:
        assert isinstance(target.value, ast.Name)
        name = target.value.id
        held = self.evaluator.evaluate(target.value, frame)
        if not isinstance(held, Held) or held.is_number:
            raise unreadable(target, "a store into no array")
        self._require_writable(held, frame, name)
        items = self.evaluator.subscripts(target.slice, frame)
        row = self.evaluator.target.row("x[] =")
        if row is None:
            raise unreadable(target, "a store, which the target does not have")
        try:
            stored = row.meaning(self.ledger, held.tensor, items, tensor_of(value))
        except TypeError:
            raise unreadable(target, "a stored value that is no array or number") from None
        assert isinstance(stored, SymbolicTensor)
        if not writes_old_cells(Store(target, source, held, items, value), self.evaluator.target.overlaps):
            raise self._overlap()
        blank = None if held.blank is None else self._still_blank(row, held, items)
        self._lose(held, name, frame)
        frame.bind(name, held.with_tensor(stored, blank))

    def _require_apart(self, written: Value, operand: Value) -> None:
        """Refuse an update by a value in the memory that is updated, where that may read what was written."""
        if self.evaluator.target.overlaps is Overlaps.LOST and shares_memory(written, operand):
            raise self._overlap()

    def _overlap(self) -> CheckFailure:
        reason = "a stored value shares memory with what is written"
        return CheckFailure(MEMORY, reason, self.ledger.line, "store a copy of the value")

    def _still_blank(self, row: OpRow, held: Held, items: tuple[SubscriptItem, ...]) -> Domain | None:
        """Return the cells that have no value after a store, None where all have."""
        assert held.blank is not None
        unmarked = SymbolicTensor(held.tensor.shape, "bool", lambda _: terms.zero("bool"))
        marked = row.meaning(self.ledger, unmarked, items, _TRUE)
        assert isinstance(marked, SymbolicTensor)
        written = domain_of(marked.at(cells_of(marked)))
        rest = held.blank if written is None else held.blank - written
        return None if (rest & self.ledger.context).is_empty() else rest

    def _require_writable(self, held: Held, frame: Frame, name: str) -> None:
        buffer = held.buffer
        if buffer is None or buffer.is_input or held.is_window:
            raise CheckFailure(MEMORY, f"a store into {name}, which is not memory of its own", self.ledger.line)
        if buffer.serial < frame.born:
            raise CheckFailure(MEMORY, f"a helper function stores into its argument {name}", self.ledger.line)

    def _lose(self, held: Held, name: str, frame: Frame) -> None:
        assert held.buffer is not None
        frame.lose(held.buffer, name)

    # -- helper functions

    def _call(self, function: Function, arguments: list[Value], node: ast.Call) -> Value:
        if len(arguments) != len(function.parameters) or self._depth >= _DEEPEST_CALL:
            raise unreadable(node, "a call that the checker does not follow")
        self.called.add(function.name)
        frame = Frame(function.local_names, last_serial())
        for name, value in zip(function.parameters, arguments, strict=True):
            frame.bind(name, value)
        line, self._depth = self.ledger.line, self._depth + 1
        result = self.run(function.body, frame)
        self.ledger.line, self._depth = line, self._depth - 1
        return result

    # -- cuts

    def _use_cuts(self, line: int, frame: Frame) -> None:
        for cut in self.cuts_at(line):
            held = frame.values.get(cut.variable)
            known = self.cut(held if isinstance(held, Held) else None, cut)
            if known is not None:
                frame.values[cut.variable] = known


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
