"""Settling: what the source does not name, and one statement needs once, is computed in that statement.

Readers give names to what stands inside of expressions.  A sum that is divided by the number of its summands is put
into the division whatever it is called, so that it is written as the mean that it is.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.ir.means import is_mean
from tensorlift.ir.rewriting import bottom_up, rewritten
from tensorlift.ir.tensor_program import (
    Assign,
    Elementwise,
    Empty,
    Expression,
    For,
    Reduction,
    Return,
    SetSlice,
    Statement,
    Subscript,
    Variable,
    nodes_of,
    roots_of,
    values_of,
    variables_in,
    walk_expressions,
    walk_statements,
)
from tensorlift.synthesis.derive.sharing import temporary_stem, weight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_NAMELESS = re.compile(r"temporary\d+")
_RESULT = re.compile(r"result(_\d+)?")
_MOST = 8  # operations that are put into another expression
_MOST_BESIDE = 4  # that stand beside others which are returned


def is_nameless(name: str) -> bool:
    """Tell whether a reader made up the name of a variable, which says nothing."""
    return _NAMELESS.fullmatch(name) is not None


def _is_made(name: str) -> bool:
    return is_nameless(name) or _RESULT.fullmatch(name) is not None


def settled(body: tuple[Statement, ...], arrays: Mapping[str, str]) -> tuple[Statement, ...]:
    """Return the statements without variables that only carry a value; ``arrays`` are what versions are of."""
    plain = {s.name: s.value for s in walk_statements(body) if isinstance(s, Assign) and not s.is_update}
    viewed = {v.argument.name for v in plain.values() if isinstance(v, Subscript) and isinstance(v.argument, Variable)}
    made = {name for name in plain if _is_made(arrays.get(name, "")) or (temporary_stem(name) and name in viewed)}
    body = tuple(_with_views(body, made))
    uses = sum(map(_occurrences, roots_of(body)), Counter[str]())
    changing = {
        s.name for s in walk_statements(body) if isinstance(s, SetSlice) or (isinstance(s, Assign) and s.is_update)
    }
    changing |= {name for s in walk_statements(body) if isinstance(s, For) for name, _ in s.carried}
    quotients = [n.arguments for n in nodes_of(body) if isinstance(n, Elementwise) and n.op == "div"]
    sums = {
        n.name
        for n, count in quotients
        if isinstance(n, Variable) and n.name in plain and is_mean(plain[n.name], count)
    }
    kept = {name for name, value in plain.items() if any(map(_is_position, walk_expressions(value)))}
    once = {name for name in plain.keys() - changing - kept if uses[name] == 1}
    return tuple(_block(body, once & (sums | made)))


def _with_views(body: tuple[Statement, ...], nameless: set[str]) -> Iterator[Statement]:
    """Yield statements that read a view of what has no name by the name of that view."""
    known: dict[object, Variable] = {}

    def rule(node: Expression, _: Expression) -> Expression:
        return known.get(key(node), node)

    def key(node: Expression | None) -> object:
        is_view = isinstance(node, Subscript) and isinstance(node.argument, Variable) and node.argument.name in nameless
        return (node.argument.name, node.items) if is_view else None  # type: ignore[union-attr]  # a subscript's

    for statement in body:
        yield _rewritten(statement, rule) if known else statement
        value = statement.value if isinstance(statement, Assign) and not statement.is_update else None
        if isinstance(statement, Assign) and value is not None and key(value) is not None:
            known[key(value)] = Variable(value.dtype, value.shape, value.is_weak, statement.name)


def _block(body: tuple[Statement, ...], goes: set[str]) -> Iterator[Statement]:
    """Yield the statements of a block; what waits for its place is not kept waiting by what may change arrays."""
    waiting: dict[str, Assign] = {}
    made = set[str]()  # in memory of their own since anything waits
    for statement in body:
        if not waiting:
            made.clear()
        needed = {name for value in values_of(statement) for name in variables_in(value)} & waiting.keys()
        if not isinstance(statement, Assign | Return) or (isinstance(statement, Assign) and statement.is_update):
            stays = needed if isinstance(statement, SetSlice) else set[str]()
            if isinstance(statement, SetSlice) and statement.name in made:
                stays = {*waiting}  # nothing that waits reads of memory that was made since
            yield from (waiting.pop(name) for name in [*waiting] if name not in stays)
            needed &= stays
        if isinstance(statement, Return) and len(statement.values) > 1:
            yield from (waiting.pop(name) for name in [*waiting] if weight(waiting[name].value) > _MOST_BESIDE)
        values = {name: waiting.pop(name).value for name in [*waiting] if name in needed}
        done = _with_values(statement, values)
        if isinstance(done, For):
            yield replace(done, body=tuple(_block(done.body, goes)))
        elif isinstance(done, Assign) and done.name in goes and weight(done.value) <= _MOST:
            waiting[done.name] = done
            made.clear()
        else:
            made |= {done.name} if isinstance(done, Assign) and isinstance(done.value, Empty) else set()
            yield done
    yield from waiting.values()


def _with_values(statement: Statement, values: Mapping[str, Expression]) -> Statement:
    def rule(node: Expression, _: Expression) -> Expression:
        return values.get(node.name, node) if isinstance(node, Variable) else node

    return _rewritten(statement, rule) if values else statement


def _rewritten(statement: Statement, rule: Callable[[Expression, Expression], Expression]) -> Statement:
    """Rewrite what a statement evaluates, but for loops."""
    if isinstance(statement, Return):
        return Return(tuple(rewritten(value, rule, {}) for value in statement.values))
    return statement if isinstance(statement, For) else replace(statement, value=rewritten(statement.value, rule, {}))


def _is_position(node: Expression) -> bool:
    """Tell whether a node is the place of an extreme, of which proofs go by the name."""
    return isinstance(node, Reduction) and node.op in {"argmax", "argmin"}


def _occurrences(root: Expression) -> Counter[str]:
    """Count how often the text of an expression has each variable."""
    order = dict[Expression, None]()
    for node in bottom_up(root, order):
        order[node] = None
    times = Counter[Expression]({root: 1})
    for node in reversed(order):
        for operand in node.operands:
            times[operand] += times[node]
    return Counter({node.name: times[node] for node in order if isinstance(node, Variable)})
