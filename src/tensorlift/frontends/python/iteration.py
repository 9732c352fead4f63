"""Loops: what they run over, and their variables; comprehensions, whose variables are their own."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.frontends.python.arrays import in_memory, keep_shown, named_memory
from tensorlift.frontends.python.assignments import bind_name, is_given_up, items_of
from tensorlift.frontends.python.calls import GENERATED, builtin_total, callee
from tensorlift.frontends.python.expressions import RULES, condition, evaluate, named, operated, scalar, whole_number
from tensorlift.frontends.python.made_arrays import written
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import NOWHERE, Scalar, binary, cast, integer, size_of, truth
from tensorlift.frontends.python.state import Inference, numerators
from tensorlift.frontends.python.syntax import filled_by, stored_in
from tensorlift.frontends.python.values import Array, NoItems, Sizes
from tensorlift.ir import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Comprehension = ast.ListComp | ast.GeneratorExp

_TWO = 2
_RANGES = {"range", "prange"}
_MOST_ITEMS = 16  # a body is repeated for each


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a loop variable: from ``start`` on in steps, to before ``stop``; None steps by a size."""

    start: Scalar
    stop: Scalar
    step: int | None = 1

    @property
    def length(self) -> Scalar:
        """How many there are, where that is not negative."""
        assert self.step is not None
        ends = (self.start, self.stop) if self.step < 0 else (self.stop, self.start)
        found = binary("-", *ends)
        step = abs(self.step)
        return found if step == 1 else binary("//", binary("+", found, integer(step - 1)), integer(step))

    @property
    def is_plain(self) -> bool:
        """Whether it counts up from zero."""
        return self.step == 1 and self.start.integer == 0


@dataclass(frozen=True, slots=True)
class Moved:
    """A number that the counter is moved by, after it is multiplied with a constant."""

    by: Scalar
    factor: int = 1


# What a target is at each position: the counter, the counter moved, or an item of an array.
_Bound: TypeAlias = list[tuple[ast.expr, Moved | Array | None]]
_Iteration: TypeAlias = tuple[Range, _Bound]


# -- what a loop runs over


def iterable(ctx: Inference, target: ast.expr, node: ast.expr) -> _Iteration:
    """Read what a loop runs over: the values of its counter, and what its targets are at each."""
    with ctx.placed(node):
        if not isinstance(node, ast.Call):
            return _over_array(ctx, target, node)
        module, name = callee(ctx, node)
        if module not in {"", "numba"} or name in ctx.module.functions:
            return _over_array(ctx, target, node)
        if node.keywords and name in {*_RANGES, "zip", "reversed", "list"}:
            raise RefusedError("arguments", f"keyword arguments of `{name}` are not lifted")
        if name == "list" and len(node.args) == 1:
            return iterable(ctx, target, node.args[0])
        if name in _RANGES:
            return _range(ctx, node), [(target, None)]
        if name == "reversed" and len(node.args) == 1:
            return _reversed(ctx, target, node.args[0])
        starts = {keyword.arg for keyword in node.keywords}
        if name == "enumerate" and starts <= {"start"} and 1 <= len(node.args) + len(starts) <= _TWO:
            return _enumerate(ctx, target, node)
        return _zip(ctx, target, node) if name == "zip" else _over_array(ctx, target, node)


def _range(ctx: Inference, node: ast.Call) -> Range:
    if not 1 <= len(node.args) <= _TWO + 1:
        raise ctx.refusal("arguments", f"`range` takes 1 to 3 arguments, not {len(node.args)}", node)
    values = [whole_number(ctx, argument) for argument in node.args]
    if len(values) == 1:
        return Range(integer(0), values[0])
    if len(values) == _TWO:
        return Range(values[0], values[1])
    step = values[-1].integer
    if step == 0:
        raise ctx.refusal("step", "zero", node.args[-1])
    return Range(values[0], values[1], int(step) if step is not None else None)


def _reversed(ctx: Inference, target: ast.expr, node: ast.expr) -> _Iteration:
    module, name = callee(ctx, node) if isinstance(node, ast.Call) else ("", "")
    if isinstance(node, ast.Call) and module in {"", "numba"} and name in _RANGES:
        span = _range(ctx, node)
        if span.step == 1:
            first, last = (binary("-", bound, integer(1)) for bound in (span.stop, span.start))
            return Range(first, last, -1), [(target, None)]
    elif module == "" and name in {"zip", "enumerate"}:
        raise ctx.refusal("iterable", f"`reversed` of `{name}`, which Python does not reverse,", node)
    span, items = _from_zero(iterable(ctx, target, node))
    last_item = binary("-", span.stop, integer(1))
    return span, [(one, rule if isinstance(rule, Array) else _backwards(rule, last_item)) for one, rule in items]


def _backwards(rule: Moved | None, last: Scalar) -> Moved:
    rule = rule or Moved(integer(0))
    return Moved(binary("+", rule.by, binary("*", integer(rule.factor), last)), -rule.factor)


def _from_zero(iteration: _Iteration) -> _Iteration:
    """Let a counter count up from zero; what is moved by it is a range as it was."""
    span, items = iteration
    if span.is_plain:
        return iteration
    if span.step is None:
        raise RefusedError("step", "no constant")
    return Range(integer(0), span.length), [(one, Moved(span.start, span.step)) for one, _ in items]


def _over_array(ctx: Inference, target: ast.expr, node: ast.expr) -> _Iteration:
    if isinstance(node, ast.List | ast.Tuple):
        value = in_memory(ctx, written(ctx, node))
    else:
        found = evaluate(ctx, node)
        if not isinstance(found, Array):
            raise RefusedError("iterable", f"`{ast.unparse(node)}`")
        value = found if found.view is not None else named_memory(ctx, found)
        keep_shown(ctx, found, value)
    ctx.mention(value.extents[0])
    return Range(integer(0), size_of(value.extents[0])), [(target, value)]


def _enumerate(ctx: Inference, target: ast.expr, node: ast.Call) -> _Iteration:
    if not isinstance(target, ast.Tuple) or len(target.elts) != _TWO:
        raise RefusedError("target", "`enumerate` needs two targets")
    span, items = _from_zero(iterable(ctx, target.elts[1], node.args[0]))
    starts = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
    return span, [(target.elts[0], Moved(whole_number(ctx, starts[0])) if starts else None), *items]


def _zip(ctx: Inference, target: ast.expr, node: ast.Call) -> _Iteration:
    if not isinstance(target, ast.Tuple) or len(target.elts) != len(node.args) or not node.args:
        raise RefusedError("target", "`zip` needs a target for each of its arguments")
    found: _Bound = []
    stops: list[Scalar] = []
    for inner, argument in zip(target.elts, node.args, strict=True):
        span, items = _from_zero(iterable(ctx, inner, argument))
        found += items
        stops.append(span.stop)
    return Range(integer(0), reduce(partial(_shortest, ctx), stops)), found


def _shortest(ctx: Inference, one: Scalar, other: Scalar) -> Scalar:
    """Give the lesser of two lengths; where that is not known they must be equal."""
    ends = ctx.extent(one), ctx.extent(other)
    mine, others = map(ctx.polynomial, numerators(*ends) or ends)
    longer = None if mine is None or others is None else (mine - others).constant_value
    if longer is None:
        ctx.require_equal(ctx.extent(one), ctx.extent(other))
    return other if longer is not None and longer > 0 else one


# -- loops


def written_items(loop: ast.For | ast.comprehension) -> list[list[int]] | None:
    """Give the few integers, or tuples of them, that a loop without early exits runs over; None for anything else."""
    if not isinstance(loop.iter, ast.Tuple | ast.List) or not 0 < len(loop.iter.elts) <= _MOST_ITEMS:
        return None
    if any(isinstance(node, ast.Break | ast.Return) for node in ast.walk(loop)):
        return None
    width = len(loop.target.elts) if isinstance(loop.target, ast.Tuple) else None
    items: list[list[int]] = []
    for element in loop.iter.elts:
        parts = [element]
        if width is not None:
            parts = element.elts if isinstance(element, ast.Tuple | ast.List) else []
        values = [value for value in map(_written_integer, parts) if value is not None]
        if len(values) != (width or 1) or len(parts) != len(values):
            return None
        items.append(values)
    return items


def _written_integer(node: ast.expr) -> int | None:
    sign, inner = (-1, node.operand) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else (1, node)
    return sign * inner.value if isinstance(inner, ast.Constant) and type(inner.value) is int else None


@contextmanager
def _growing(ctx: Inference, names: Sequence[str]) -> Iterator[None]:
    """Be in a loop that appends to lists."""
    scope = ctx.scope
    outer = scope.growing, scope.length, scope.before
    scope.growing = dict.fromkeys(names)
    try:
        yield
    finally:
        scope.growing, scope.length, scope.before = outer


def append(ctx: Inference, name: str, item: ast.expr) -> None:
    """Read the statement that gives a list one item in each iteration."""
    if name not in ctx.scope.growing:
        raise RefusedError("append", name)
    ctx.source = item
    value = _listed_item(ctx, item, may_be_array=name in ctx.scope.stacked)
    own = ctx.scope.growing[name] = _grown(ctx, value, ctx.fresh("w"), ctx.scope.length, ctx.scope.before)
    ctx.source = None
    ctx.written.append(own.memory)


def looped(ctx: Inference, loop: ast.For | ast.comprehension, body: Callable[[], None]) -> None:
    """Read the body of a loop, or once for each of a few integers that are written out, or tuples of them."""
    items, active = written_items(loop), ctx.scope.active

    def inside() -> None:
        ctx.scope.active = (*active, *stored_in([loop.target]))
        body()
        ctx.scope.active = active

    if items is None:
        filled = filled_by(loop) if isinstance(loop, ast.For) else []
        growing = [name for name in filled if isinstance(ctx.scope.environment.get(name), NoItems)]
        with ctx.block(), _growing(ctx, growing):
            span, bind = iterable(ctx, loop.target, loop.iter)
            ctx.scope.length = ctx.extent(span.length) if span.step is not None else nodes.Unsupported(NOWHERE)
            ctx.scope.before = set(ctx.names)
            counted_loop(ctx, loop.target, (span, bind), lambda _: inside())
            made = dict(ctx.scope.growing)
        for name, found in made.items():
            assert found is not None
            ctx.scope.environment[name] = replace(found, is_new=False, is_whole=True)
        return
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    own = {*stored_in(loop.body if isinstance(loop, ast.For) else [])} - ctx.scope.environment.keys()
    for item in items:
        for name in [n for n in own if isinstance(ctx.scope.environment.get(n), Scalar)]:  # each item has its own
            del ctx.scope.environment[name]
        for target, value in zip(targets, item, strict=True):
            _bind_target(ctx, target, integer(value))
        outer, ctx.scope.outer = ctx.scope.outer, dict(ctx.scope.environment)
        inside()
        for name in ctx.scope.environment.keys() - ctx.scope.outer.keys():
            if isinstance(
                ctx.scope.environment[name], Array | Sizes
            ):  # a body that goes on early may not have bound it
                del ctx.scope.environment[name]
        ctx.scope.outer = outer


def counted_loop(ctx: Inference, target: ast.expr, iteration: _Iteration, body: Callable[[str], None]) -> None:
    """Be in a loop; ``body`` is given the name of the counter, after what the targets are is bound."""
    span, bind = iteration
    with ctx.placed(target):
        bounds = [_once(ctx, bound) for bound in (span.start, span.stop)]
        ctx.mention(*map(ctx.extent, bounds))
        name = _counter(ctx, bind)
        counter = size_of(ctx.size(name))
        if all(ctx.polynomial(ctx.extent(bound)) is not None for bound in bounds):
            ctx.counters.add(name)
        for one, rule in bind:
            _bind_item(ctx, one, rule, counter)
    body(name)


def _counter(ctx: Inference, bind: _Bound) -> str:
    """Name the loop variable, by the target of the loop itself where it counts."""
    for target, rule in bind:
        if rule is None and isinstance(target, ast.Name):
            return target.id
    return ctx.fresh("i")


def _once(ctx: Inference, bound: Scalar) -> Scalar:
    """Compute a bound before the loop unless it stays the same."""
    return bound if bound.is_stable else replace(bound, node=ctx.size(ctx.fresh("stop")))


def _bind_item(ctx: Inference, target: ast.expr, rule: Moved | Array | None, counter: Scalar) -> None:
    if rule is None:
        _bind_target(ctx, target, counter)
    elif isinstance(rule, Moved):
        moved = counter if rule.factor == 1 else binary("*", integer(rule.factor), counter)
        _bind_target(ctx, target, binary("+", moved, rule.by))
    elif rule.rank > 1:
        _bind_target(ctx, target, replace(rule, extents=rule.extents[1:], is_whole=False))
    else:
        _bind_target(ctx, target, rule.item)


def _bind_target(ctx: Inference, target: ast.expr, value: Scalar | Array) -> None:
    if isinstance(target, ast.Tuple | ast.List) and not isinstance(value, Scalar):
        for one, item in zip(target.elts, items_of(ctx, value, len(target.elts), ast.unparse(target)), strict=True):
            assert isinstance(item, Scalar)
            _bind_target(ctx, one, item)
        return
    if not isinstance(target, ast.Name):
        raise RefusedError("target", f"the loop target `{ast.unparse(target)}` is not lifted")
    ctx.scope.environment[target.id] = value


# -- comprehensions


@contextmanager
def _own_names(ctx: Inference, node: Comprehension) -> Iterator[None]:
    """Be in a comprehension, whose variables hide others of their names."""
    own, outer = {n for g in node.generators for n in stored_in([g.target])}, ctx.scope.environment
    ctx.scope.environment = {name: value for name, value in outer.items() if name not in own}
    try:
        yield
    finally:
        ctx.scope.environment = outer


def generated(ctx: Inference, name: str, node: Comprehension) -> Scalar:
    """Reduce what a generator yields."""
    if name in {"min", "max"}:
        return builtin_total(ctx, name, listed(ctx, node))
    result = ctx.fresh("s")
    ctx.scope.stores[result] = 2

    def innermost() -> None:
        if name == "sum":
            bind_name(ctx, result, operated(ctx, ast.Add(), named(ctx, result), evaluate(ctx, node.elt)))
        else:
            condition(ctx, node.elt)

    bind_name(ctx, result, integer(0))
    with _own_names(ctx, node):
        _nested(ctx, node.generators, innermost)
    return scalar(ctx, ast.copy_location(ast.Name(result, ast.Load()), node)) if name == "sum" else truth(weak=True)


def _nested(ctx: Inference, generators: Sequence[ast.comprehension], innermost: Callable[[], None]) -> None:
    """Be in the loops and conditions of a comprehension."""
    if not generators:
        innermost()
        return

    def body() -> None:
        for test in generators[0].ifs:
            condition(ctx, test)
        _nested(ctx, generators[1:], innermost)

    looped(ctx, generators[0], body)


def listed(ctx: Inference, node: Comprehension) -> Array:
    """Give the list that a comprehension makes, of a number or a new list at each step."""
    generator, name, made = node.generators[0], ctx.fresh("w"), list[Array]()
    if len(node.generators) > 1 or generator.ifs:
        raise RefusedError("comprehension", "a comprehension with a condition or several loops")

    with _own_names(ctx, node):
        span, bind = iterable(ctx, generator.target, generator.iter)
        if span.step != 1:
            raise RefusedError("comprehension", "a comprehension over a range with a step")
        length, before = ctx.extent(span.length), set(ctx.names)

        def body(_: str) -> None:
            item = _listed_item(ctx, node.elt, is_taken=node in ctx.scope.stacked)
            made.append(_grown(ctx, item, name, length, before))

        counted_loop(ctx, generator.target, (span, bind), body)
    return made[0]


def _grown(ctx: Inference, item: Scalar | Array, name: str, length: nodes.Expression, before: set[str]) -> Array:
    """Give the list of so many items, of which one is read; its loop does not change the integers ``before``."""
    inner = () if isinstance(item, Scalar) else item.extents
    names = {variable.name for extent in (length, *inner) for variable in nodes.names_in(extent)}
    if isinstance(length, nodes.Unsupported) or not names <= before:
        raise RefusedError("comprehension", "a list of lists whose lengths change")
    one = item if isinstance(item, Scalar) else item.item
    if isinstance(item, Scalar):
        ctx.facts.note_kind(ctx.key(f"{name}[]"), one)
    made = ctx.listed(ctx.made(name, one.ctype, (length, *inner)), name, one)
    cast(one, made.element)
    return made


def _listed_item(
    ctx: Inference, node: ast.expr, *, may_be_array: bool = False, is_taken: bool = False
) -> Scalar | Array:
    """Evaluate an item: a number, or what only the list has; any array where the list ``is_taken`` for one at once."""
    value = evaluate(ctx, node)
    if isinstance(value, Scalar):
        return value
    is_own = isinstance(value, Array) and (value.is_list or may_be_array) and is_given_up(ctx, value)
    if isinstance(value, Array) and (is_taken or is_own):
        return value
    raise ctx.refusal("comprehension", "a comprehension of other items than numbers and new lists", node)


RULES[ast.ListComp] = listed
GENERATED.append(generated)
