"""Sharing: common subexpressions, loop invariants and parts of long expressions become variables of their own.

Equal expressions are one object, so that counting uses finds what is common.  A variable is assigned right before the
first statement that needs it, at the outermost level where its operands exist.  Views cost nothing and stay where they
are; they must, as memory under a view may change.  What may fail, and is computed at some sizes only, is assigned under
their condition, and zero at others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.ir.rewriting import affines_in, bottom_up, with_operands
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Broadcast,
    Conditional,
    Copy,
    Diagonal,
    Elementwise,
    Empty,
    Expression,
    For,
    Full,
    Gather,
    Literal,
    NewAxis,
    Range,
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
from tensorlift.poly.domain import at_least, less
from tensorlift.synthesis.derive.builder import TEMPORARY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.poly.domain import Domain
    from tensorlift.synthesis.derive.builder import Builder

_FREE = (Literal, SizeValue, Variable, Subscript, Transpose, Diagonal, Windows, Broadcast)
_NEVER_NAMED = (*_FREE, Full, Empty, Copy)
_MOST_OPERATIONS = 24  # in one expression
_SCALAR_WORTH = 3  # operations that a shared scalar must save
_EXTREMES = ("max", "min", "fmax", "fmin")


def shared(body: tuple[Statement, ...], build: Builder, context: Domain) -> tuple[Statement, ...]:
    """Return the statements with shared and long subexpressions assigned to temporaries."""
    return tuple(_Sharing(body, build, context).block(body, _Level(None)))


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
    def __init__(self, body: tuple[Statement, ...], build: Builder, context: Domain) -> None:
        self.build = build
        self.context = context
        self.uses = _count_uses(body)
        self.changing = {s.name for s in walk_statements(body) if isinstance(s, SetSlice)}
        self.depends: dict[Expression, frozenset[str]] = {}
        self.confined = _confined(body)

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
            if weights[heaviest] <= 1 or not self._can_be_named(heaviest, done[heaviest]):
                break
            weight -= weights[heaviest]
            done[heaviest], weights[heaviest] = self._name(heaviest, done[heaviest], level), 0
        operands = tuple(done[o] for o in node.operands)
        rewritten = with_operands(node, operands)
        is_worth = not is_root and self._is_worth_naming(node, weight, level)
        if is_worth and self._can_be_named(node, rewritten):
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

    def _can_be_named(self, node: Expression, value: Expression) -> bool:
        """Tell whether an expression, as it is rewritten, may be computed before the statement that needs it."""
        is_told = self.confined.get(node, ()) is not None
        return not isinstance(value, _NEVER_NAMED) and (is_told or not _may_fail_elsewhere(value, self.context))

    def _where_it_counts(self, node: Expression, value: Expression) -> Expression:
        """Return what is computed for some sizes alone so that it does not fail at others."""
        found = self.confined.get(node)
        if found is None or not _may_fail_elsewhere(value, self.context):
            return value
        condition, is_chosen = found
        zero = self.build.literal(0, value.dtype)
        nothing = self.build.full(zero, value.shape, value.dtype) if value.shape else zero
        return self.build.conditional(condition, *((value, nothing) if is_chosen else (nothing, value)))

    def _name(self, node: Expression, value: Expression, level: _Level) -> Variable:
        home, value = self._home(node, level), self._where_it_counts(node, value)
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
        while level.outer is not None and depends.isdisjoint(level.names) and not _may_raise(node, self.context):
            level = level.outer
        return level

    @staticmethod
    def _lookup(node: Expression, level: _Level | None) -> Variable | None:
        while level is not None:
            if node in level.known:
                return level.known[node]
            level = level.outer
        return None


def _confined(body: tuple[Statement, ...]) -> dict[Expression, tuple[Expression, bool] | None]:
    """Return what arms of choices alone compute: the condition, and whether it holds; None if there are several."""
    always: set[Expression] = set()
    choices: list[Conditional] = []
    work = list(roots_of(body))
    while work:
        node = work.pop()
        if node not in always:
            always.add(node)
            choices += [node] if isinstance(node, Conditional) else []
            work += [node.condition] if isinstance(node, Conditional) else node.operands
    found: dict[Expression, tuple[Expression, bool] | None] = {}
    for choice in choices:
        for arm, holds in ((choice.chosen, True), (choice.other, False)):
            for node in walk_expressions(arm):
                if node not in always:
                    where = (choice.condition, holds)
                    found[node] = where if found.get(node, where) == where else None
            inner = (node for node in walk_expressions(arm) if isinstance(node, Conditional))
            found |= dict.fromkeys(part for node in inner for part in walk_expressions(node) if part not in always)
    return found


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


def _may_raise(node: Expression, context: Domain) -> bool:
    """Tell whether evaluating the expression may fail where a loop around it never ran, or under no condition."""
    for top in walk_expressions(node):
        if isinstance(top, Gather | Take | Windows) or (isinstance(top, Reduction) and top.op in _EXTREMES):
            return True
        if isinstance(top, Subscript) and not _is_inside(top, context):
            return True
        if isinstance(top, Elementwise) and top.is_weak and top.op in ("div", "tdiv", "rem", "mod", "floordiv"):
            return True
    return False


def _may_fail_elsewhere(node: Expression, context: Domain) -> bool:
    """Tell whether evaluating the expression may fail at other sizes, where what it views has another shape."""
    views = (top for top in walk_expressions(node) if isinstance(top, Subscript))
    return _may_raise(node, context) or any(not _is_inside(view, context, whole=True) for view in views)


def _is_inside(view: Subscript, context: Domain, *, whole: bool = False) -> bool:
    """Tell whether the positions that a view takes are in range at all sizes, those of slices where it is ``whole``."""
    taken = [item for item in view.items if not isinstance(item, NewAxis)]
    asked = []
    for item, extent in zip(taken, view.argument.shape, strict=False):
        if isinstance(item, At):
            asked += [at_least(item.index, 0), less(item.index, extent)]
        elif isinstance(item, Range) and whole:
            asked += [at_least(item.start, 0), at_least(item.stop, item.start), at_least(extent, item.stop)]
    return context.implies(*asked)
