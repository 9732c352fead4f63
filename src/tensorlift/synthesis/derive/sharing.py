"""Sharing: common subexpressions, loop invariants and parts of long expressions become variables of their own.

Equal expressions are one object, so that counting uses finds what is common.  A variable is assigned right before the
first statement that needs it, at the outermost level where its operands exist.  Views cost nothing and stay where they
are; they must, as memory under a view may change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.ir.rewriting import affines_in, bottom_up, with_operands
from tensorlift.ir.tensor_program import (
    Assign,
    Broadcast,
    Copy,
    Diagonal,
    Elementwise,
    Empty,
    Expression,
    For,
    Full,
    Gather,
    Literal,
    Reduction,
    Return,
    SetSlice,
    SizeValue,
    Statement,
    Subscript,
    Take,
    Transpose,
    Variable,
    Windows,
    roots_of,
    walk_expressions,
    walk_statements,
)
from tensorlift.synthesis.derive.builder import TEMPORARY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.synthesis.derive.builder import Builder

_FREE = (Literal, SizeValue, Variable, Subscript, Transpose, Diagonal, Windows, Broadcast)
_NEVER_NAMED = (*_FREE, Full, Empty, Copy)
_MOST_OPERATIONS = 24  # in one expression
_SCALAR_WORTH = 3  # operations that a shared scalar must save
_EXTREMES = ("max", "min", "fmax", "fmin")


def shared(body: tuple[Statement, ...], build: Builder) -> tuple[Statement, ...]:
    """Return the statements with shared and long subexpressions assigned to temporaries."""
    return tuple(_Sharing(body, build).block(body, _Level(None)))


def temporary_stem(name: str) -> str | None:
    """Return what to call a variable that sharing made up, None for any other."""
    return name[1:].rstrip("0123456789") if name.startswith(TEMPORARY) else None


class _Level:
    """One block: where temporaries may be assigned; ``names`` are the variables that exist only inside it."""

    def __init__(self, outer: _Level | None, names: Iterable[str] = ()) -> None:
        self.outer = outer
        self.names = frozenset(names)
        self.pending: list[Statement] = []
        self.known: dict[Expression, Variable] = {}
        self.to_come: dict[Expression, Assign] = {}  # definitions of the block, to be made early where needed early


class _Sharing:
    def __init__(self, body: tuple[Statement, ...], build: Builder) -> None:
        self.build = build
        self.uses = _count_uses(body)
        self.changing = {s.name for s in walk_statements(body) if isinstance(s, SetSlice)}
        self.depends: dict[Expression, frozenset[str]] = {}

    def block(self, body: tuple[Statement, ...], level: _Level) -> list[Statement]:
        """Return the statements of a block with what they share assigned before them."""
        for statement in body:
            if (
                isinstance(statement, Assign)
                and self._is_named(statement.value)
                and statement.name not in self.changing
            ):
                level.to_come.setdefault(statement.value, statement)
        result: list[Statement] = []
        for statement in body:
            made = level.known.get(statement.value) if isinstance(statement, Assign) else None
            if made is not None and isinstance(statement, Assign) and made.name == statement.name:
                continue
            done = self._statement(statement, level)
            result += level.pending
            level.pending = []
            result.append(done)
        return result

    def _statement(self, statement: Statement, level: _Level) -> Statement:
        if isinstance(statement, For):
            inside = [statement.variable, *(s.name for s in walk_statements(statement.body) if hasattr(s, "name"))]
            return replace(statement, body=tuple(self.block(statement.body, _Level(level, inside))))
        if isinstance(statement, Return):
            return Return(tuple(self._root(value, level) for value in statement.values))
        return self._assignment(statement, level)

    def _assignment(self, statement: Assign | SetSlice, level: _Level) -> Statement:
        value = statement.value
        known = self._lookup(value, level)
        if not value.shape and isinstance(statement, Assign) and weight(value) < _SCALAR_WORTH:
            known = None  # each has a number of its own
        if known is not None and isinstance(statement, SetSlice):
            return replace(statement, value=known)
        if known is not None:
            return replace(statement, value=self.build.copy(known) if value.shape else known)
        if isinstance(statement, SetSlice) and self.uses.get(value, 0) > 1 and self._is_named(value) and value.shape:
            return replace(statement, value=self._name(value, self._root(value, level), level))
        done = replace(statement, value=self._root(value, level))
        if isinstance(statement, Assign) and self._is_named(value) and statement.name not in self.changing:
            level.known[value] = self.build.variable(statement.name, value.dtype, value.shape)
        return done

    def _root(self, value: Expression, level: _Level) -> Expression:
        """Rewrite an expression from its leaves, without recursion, so that its depth does not matter."""
        done: dict[Expression, Expression] = {}
        weights: dict[Expression, int] = {}
        stack = [value]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            known = self._lookup(node, level) if node is not value else None
            if known is not None:
                done[node], weights[node] = known, 0
                stack.pop()
                continue
            waiting = [o for o in node.operands if o not in done]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            self._finish(node, done, weights, level, is_root=node is value)
            stack.pop()
        return done[value]

    def _finish(
        self,
        node: Expression,
        done: dict[Expression, Expression],
        weights: dict[Expression, int],
        level: _Level,
        *,
        is_root: bool,
    ) -> None:
        weight = (not isinstance(node, _FREE)) + sum(weights[o] for o in node.operands)
        while weight > _MOST_OPERATIONS:
            heaviest = max(node.operands, key=lambda o: weights[o])
            if weights[heaviest] <= 1 or isinstance(done[heaviest], _NEVER_NAMED):
                break
            weight -= weights[heaviest]
            done[heaviest], weights[heaviest] = self._name(heaviest, done[heaviest], level), 0
        operands = tuple(done[o] for o in node.operands)
        rewritten = with_operands(node, operands)
        if not is_root and self._is_worth_naming(node, weight, level):
            rewritten, weight = self._name(node, rewritten, level), 0
        done[node], weights[node] = rewritten, weight

    def _is_worth_naming(self, node: Expression, weight: int, level: _Level) -> bool:
        if not self._is_named(node):
            return False
        if self.uses.get(node, 0) > 1 and (node.shape or weight >= _SCALAR_WORTH):
            return True
        return bool(node.shape) and self._home(node, level) is not level

    def _is_named(self, node: Expression) -> bool:
        return not isinstance(node, _NEVER_NAMED)

    def _name(self, node: Expression, value: Expression, level: _Level) -> Variable:
        home = self._home(node, level)
        early = home.to_come.get(node)
        if early is not None:
            variable = self.build.variable(early.name, node.dtype, node.shape)
            home.known[node] = variable
            home.pending.append(replace(early, value=value))
            return variable
        name = self.build.temporary("mask" if node.dtype == "bool" else "t")
        variable = self.build.variable(name, node.dtype, node.shape)
        home.known[node] = variable
        home.pending.append(Assign(variable.name, value))
        return variable

    def _home(self, node: Expression, level: _Level) -> _Level:
        """Return the outermost level at which everything that the expression needs exists."""
        for top in bottom_up(node, self.depends):
            self.depends[top] = frozenset(names_in(top)).union(*(self.depends[o] for o in top.operands))
        depends = self.depends[node]
        while level.outer is not None and depends.isdisjoint(level.names) and not _may_raise(node):
            level = level.outer
        return level

    @staticmethod
    def _lookup(node: Expression, level: _Level | None) -> Variable | None:
        while level is not None:
            if node in level.known:
                return level.known[node]
            level = level.outer
        return None


def weight(value: Expression) -> int:
    """Count the operations of an expression."""
    return sum(not isinstance(node, _FREE) for node in walk_expressions(value))


def names_in(node: Expression) -> set[str]:
    """Return the variables, sizes and loop variables that the node itself mentions, its operands aside."""
    if isinstance(node, Variable):
        return {node.name}
    return {name for value in affines_in(node) for name in value.variables}


def _count_uses(body: tuple[Statement, ...]) -> dict[Expression, int]:
    """Count how often the text would have each expression if nothing were shared but what can be named."""
    roots = roots_of(body)
    uses: dict[Expression, int] = {}
    for value in roots:
        uses[value] = uses.get(value, 0) + 1
    operands_first: dict[Expression, None] = {}
    for root in roots:
        for node in bottom_up(root, operands_first):
            operands_first[node] = None
    for node in reversed(operands_first):
        times = uses[node] if isinstance(node, _NEVER_NAMED) else 1
        for operand in _distinct(node):
            uses[operand] = uses.get(operand, 0) + times
    return uses


def _distinct(node: Expression) -> Iterable[Expression]:
    """Return the operands, those of a square once."""
    return dict.fromkeys(node.operands) if isinstance(node, Elementwise) and node.op == "mul" else node.operands


def _may_raise(node: Expression) -> bool:
    """Tell whether evaluating the expression may fail where a loop around it never ran."""
    for top in walk_expressions(node):
        if isinstance(top, Gather | Take | Windows) or (isinstance(top, Reduction) and top.op in _EXTREMES):
            return True
        if isinstance(top, Subscript) and any(hasattr(item, "index") for item in top.items):
            return True
        if isinstance(top, Elementwise) and top.is_weak and top.op in ("div", "tdiv", "rem", "mod", "floordiv"):
            return True
    return False
