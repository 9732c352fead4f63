"""Which kept loops are ``lax.fori_loop`` or ``lax.while_loop``: those in which no shape follows a loop variable.

JAX traces the body of such a loop once, whatever the number of iterations.  So slices have fixed extents, the variable
of the loop only says positions, and what an iteration leaves to the next, the state, keeps its shapes and types.
Bodies are widened where that makes them so.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from tensorlift.ir.stores import read_first
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Cast,
    Elementwise,
    Expression,
    For,
    Gather,
    Literal,
    Range,
    SetSlice,
    SizeValue,
    Subscript,
    Take,
    Variable,
    values_of,
    variables_in,
    walk_expressions,
    walk_statements,
)
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, less
from tensorlift.targets.jax.widening import COMPARISONS, FollowsError, Widening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.ir.tensor_program import Shape, Statement, TensorProgram
    from tensorlift.ops.dtypes import DType

Body = tuple["Statement", ...]
_Kind = tuple["DType", "Shape", bool]


class TracedLoops:
    """The loops of a program that are traced; ``program`` is what it becomes for that."""

    def __init__(self, program: TensorProgram) -> None:
        self._states: dict[int, tuple[str, ...]] = {}  # by identity, of loops that are kept alive
        self._kept: list[Statement] = []
        self.known = (program.context or UNIVERSE) & (program.ranges or UNIVERSE)
        given = {p.name: (p.dtype, p.shape, not p.shape) for p in program.parameters}
        self.program = replace(program, body=self._decided(program.body, given, frozenset(), ()))
        arrays = {p.name for p in program.parameters if p.shape}
        read = arrays & self._read_cells(self.program.body)
        self.read_cells = [p.name for p in program.parameters if p.name in read]

    def is_carried(self, name: str) -> bool:
        """Tell whether a traced loop carries a variable."""
        return any(name in state for state in self._states.values())

    def state(self, loop: Statement) -> tuple[str, ...]:
        """Return the variables that the iterations of a loop leave to each other; none where it is not traced."""
        return self._states.get(id(loop), ())

    def _decided(
        self, body: Body, defined: dict[str, _Kind], later: frozenset[str], around: tuple[For, ...]
    ) -> tuple[Statement, ...]:
        """Decide on the loops of a block, given the names that have a value before it and those that are read after."""
        decided: list[Statement] = []
        for position, statement in enumerate(body):
            if isinstance(statement, For):
                after = later | frozenset(read_first(body[position + 1 :]))
                inside = after | frozenset(read_first(statement.body))
                nest = (*around, statement)
                loop = replace(statement, body=self._decided(statement.body, dict(defined), inside, nest))
                decided.append(self._traced(loop, around, defined, after))
                defined |= {name: kind for name, kind in _kinds(statement.body) if name in self._bound((statement,))}
                continue
            decided.append(statement)
            if isinstance(statement, Assign):
                defined[statement.name] = _kind_of(statement)
        return tuple(decided)

    def _traced(self, loop: For, around: tuple[For, ...], defined: dict[str, _Kind], after: frozenset[str]) -> For:
        """Return a loop as it is traced, or as it is where it is not."""
        widening = Widening((*around, loop), self._holds_in_32_bits)
        wide = loop
        if loop.goes_on is None:
            try:
                wide = replace(loop, body=widening.body(loop.body))
            except FollowsError:
                return loop
        copied = {
            id(widening.copies.get(id(s), s)): state for s in walk_statements(loop.body) if (state := self.state(s))
        }
        self._states |= copied
        state = self._state_of(wide, defined, after)
        if not state:
            return loop
        self._states[id(wide)] = state
        self._kept.append(wide)
        return wide

    def _holds_in_32_bits(self, extent: Affine) -> bool:
        return self.known.implies(less(extent, 1 << 31))

    def _state_of(self, loop: For, defined: dict[str, _Kind], after: frozenset[str]) -> tuple[str, ...]:
        bound = self._bound(loop.body)
        state = tuple(name for name in defined if name in bound)
        kinds = {name: {defined[name]} for name in state}
        for name, kind in _kinds(loop.body):
            kinds.get(name, set()).add(kind)
        inner = (s for s in walk_statements(loop.body) if isinstance(s, For))
        is_traced = (
            loop.step == 1
            and all(map(self.state, inner))
            and all(_is_array(kinds[name]) for name in state)
            and not (bound.keys() - set(state)) & after
            and not any(loop.variable in affine.variables for affine in _fixed(loop.body))
        )
        return state if is_traced else ()

    def _bound(self, body: Body) -> dict[str, None]:
        """Return the names that have another value after statements, in order."""
        bound: dict[str, None] = {}
        for statement in body:
            if isinstance(statement, Assign | SetSlice):
                bound[statement.name] = None
            elif isinstance(statement, For):
                bound |= dict.fromkeys(self.state(statement)) or self._bound(statement.body)
        return bound

    def _read_cells(
        self, body: Body, loops: frozenset[str] = frozenset(), inside: frozenset[str] = frozenset()
    ) -> set[str]:
        """Return the names of which cells at traced positions are read, but for those in states around the place."""
        found: set[str] = set()
        for statement in body:
            if isinstance(statement, For):
                state = self.state(statement)
                variable = {statement.variable} if state else set()
                found |= self._read_cells(statement.body, loops | variable, inside | set(state))
            for value in values_of(statement):
                for node in walk_expressions(value):
                    if isinstance(node, Subscript | Gather | Take) and _is_traced(node, loops):
                        found |= variables_in(node.argument) - inside
        return found


def _is_array(kinds: set[_Kind]) -> bool:
    """Tell whether a variable is of one type and shape, and never a number of Python's."""
    return len(kinds) == 1 and not any(is_weak for _, _, is_weak in kinds)


def _kind(value: Expression) -> _Kind:
    """Return the type and the shape of a value, and whether it may be a number of Python's."""
    return value.dtype, value.shape, value.is_weak


def _kind_of(statement: Assign) -> _Kind:
    """Return what is assigned; a literal of Python's becomes a number of JAX's where a loop carries it."""
    dtype, shape, is_weak = _kind(statement.value)
    return dtype, shape, is_weak and not isinstance(statement.value, Literal)


def _kinds(body: Body) -> Iterator[tuple[str, _Kind]]:
    """Yield what statements assign to variables and read of them."""
    for statement in walk_statements(body):
        if isinstance(statement, Assign):
            yield statement.name, _kind_of(statement)
        for value in values_of(statement):
            yield from ((node.name, _kind(node)) for node in walk_expressions(value) if isinstance(node, Variable))


def _is_traced(node: Subscript | Gather | Take, loops: frozenset[str]) -> bool:
    """Tell whether positions follow variables of traced loops, as index arrays there may."""
    if not isinstance(node, Subscript):
        return bool(loops)
    return any(not loops.isdisjoint(item.index.variables) for item in node.items if isinstance(item, At))


def _fixed(body: Body) -> Iterator[Affine]:
    """Yield extents and numbers in statements, but no positions of cells, no bounds, nothing compared or converted."""
    for statement in walk_statements(body):
        if isinstance(statement, SetSlice):
            yield from affine_in((statement.shape, statement.items))
        for value in values_of(statement):
            said = {operand for node in walk_expressions(value) if _takes_place(node) for operand in node.operands}
            for node in walk_expressions(value):
                if not (isinstance(node, SizeValue) and node in said):
                    yield from affine_in(tuple(getattr(node, field.name) for field in fields(node)))


def _takes_place(node: Expression) -> bool:
    return isinstance(node, Cast) or (isinstance(node, Elementwise) and node.op in COMPARISONS)


def affine_in(value: object) -> Iterator[Affine]:
    """Yield the affine expressions in a field of a node."""
    if isinstance(value, Affine):
        yield value
    elif isinstance(value, Range):
        yield from (value.start, value.stop)
    elif isinstance(value, tuple):
        for part in value:
            yield from affine_in(part)
