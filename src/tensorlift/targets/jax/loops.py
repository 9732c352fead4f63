"""Which kept loops are ``lax.fori_loop``: those in which no shape follows a loop variable.

JAX traces the body of such a loop once, whatever the number of iterations.  So slices have fixed extents, the variable
of the loop only says positions, and what an iteration leaves to the next, the state, keeps its shapes and types.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Elementwise,
    For,
    Range,
    SetSlice,
    SizeValue,
    Subscript,
    Variable,
    read_first,
    values_of,
    variables_in,
    walk_expressions,
    walk_statements,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.ir.tensor_program import Expression, Shape, Statement, TensorProgram
    from tensorlift.ops.dtypes import DType

Body = tuple["Statement", ...]
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_Kind = tuple["DType", "Shape", bool]


class TracedLoops:
    """The loops of a program that are traced."""

    def __init__(self, program: TensorProgram) -> None:
        self._states: dict[int, tuple[str, ...]] = {}
        given = {p.name: (p.dtype, p.shape, not p.shape) for p in program.parameters}
        self._decide(program.body, given, frozenset())
        arrays = {p.name for p in program.parameters if p.shape}
        self.read_cells = [p.name for p in program.parameters if p.name in arrays & self._read_cells(program.body)]

    def state(self, loop: For) -> tuple[str, ...]:
        """Return the variables that the iterations of a loop leave to each other; none where it is not traced."""
        return self._states.get(id(loop), ())

    def _decide(self, body: Body, defined: dict[str, _Kind], later: frozenset[str]) -> None:
        """Decide on the loops of a block, given the names that have a value before it and those that are read after."""
        for position, statement in enumerate(body):
            if isinstance(statement, For):
                after = later | frozenset(read_first(body[position + 1 :]))
                self._decide(statement.body, dict(defined), after | frozenset(read_first(statement.body)))
                state = self._state_of(statement, defined, after)
                if state:
                    self._states[id(statement)] = state
                defined |= {name: kind for name, kind in _kinds(statement.body) if name in self._bound((statement,))}
            elif isinstance(statement, Assign):
                defined[statement.name] = _kind(statement.value)

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
                    if isinstance(node, Subscript) and any(
                        not loops.isdisjoint(at.variables) for at in _positions(node)
                    ):
                        found |= variables_in(node.argument) - inside
        return found


def _is_array(kinds: set[_Kind]) -> bool:
    """Tell whether a variable is of one type and shape, and never a number of Python's."""
    return len(kinds) == 1 and not any(is_weak for _, _, is_weak in kinds)


def _kind(value: Expression) -> _Kind:
    """Return the type and the shape of a value, and whether it may be a number of Python's."""
    return value.dtype, value.shape, value.is_weak


def _kinds(body: Body) -> Iterator[tuple[str, _Kind]]:
    """Yield what statements assign to variables and read of them."""
    for statement in walk_statements(body):
        if isinstance(statement, Assign):
            yield statement.name, _kind(statement.value)
        for value in values_of(statement):
            yield from ((node.name, _kind(node)) for node in walk_expressions(value) if isinstance(node, Variable))


def _positions(node: Subscript) -> Iterator[Affine]:
    return (item.index for item in node.items if isinstance(item, At))


def _fixed(body: Body) -> Iterator[Affine]:
    """Yield the extents, bounds and numbers in statements: all but positions of single cells and what is compared."""
    for statement in walk_statements(body):
        if isinstance(statement, For):
            yield from (statement.lower, statement.upper)
        if isinstance(statement, SetSlice):
            yield from _affine_in((statement.shape, statement.items))
        for value in values_of(statement):
            compared = {
                operand for node in walk_expressions(value) if _is_comparison(node) for operand in node.operands
            }
            for node in walk_expressions(value):
                if not (isinstance(node, SizeValue) and node in compared):
                    yield from _affine_in(tuple(getattr(node, field.name) for field in fields(node)))


def _is_comparison(node: Expression) -> bool:
    return isinstance(node, Elementwise) and node.op in _COMPARISONS


def _affine_in(value: object) -> Iterator[Affine]:
    if isinstance(value, Affine):
        yield value
    elif isinstance(value, Range):
        yield from (value.start, value.stop)
    elif isinstance(value, tuple):
        for part in value:
            yield from _affine_in(part)
