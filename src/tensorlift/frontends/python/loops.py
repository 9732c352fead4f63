"""Loops of Python: what they run over, and their variables.

Every loop counts: over a range, or over the positions of an array, of which its targets are elements.

Comprehensions: what a generator yields, reduced as it comes or stored into an array.

The variables of a comprehension are its own: they get fresh names before anything is translated.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.arrays import counted
from tensorlift.frontends.python.assignments import Assignments
from tensorlift.frontends.python.extents import mentioned_variables
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import Scalar, binary, integer, size_of, stored, truth_of
from tensorlift.frontends.python.syntax import stored_in
from tensorlift.frontends.python.values import (
    ArrayValue,
    ArrayVariable,
    Fixed,
    Nodes,
    Operand,
    View,
    array_type,
    value_of,
    whole,
)
from tensorlift.ops.c_types import LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

    Comprehension = ast.ListComp | ast.GeneratorExp


_TWO = 2
_RANGES = {"range", "prange"}
_MOST_ITEMS = 16  # a body is repeated for each


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a loop variable: from ``start`` on in steps, to before the least of ``stops``."""

    start: Scalar
    stops: tuple[Scalar, ...]
    step: int = 1


@dataclass(frozen=True, slots=True)
class _Item:
    """The element of an array at the counter, or as far before ``last``."""

    view: View
    last: Scalar | None = None


_COUNTER = object()
_Bound: TypeAlias = list[tuple[ast.expr, object]]  # targets, and what they are at each position
_Iteration: TypeAlias = tuple[Range, _Bound]


def _written_items(loop: ast.For) -> list[list[int]] | None:
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


_STARTS = {"sum": 0, "any": 0, "all": 1}


class Loops(Assignments):
    """Translation of loops and comprehensions."""

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Translate the statements of a block into the open one."""
        raise NotImplementedError

    def _for(self, loop: ast.For) -> None:
        location = self.locate(loop)
        if loop.orelse:
            raise refusal("statement", location, "for ... else")
        items = _written_items(loop)
        if items is not None:
            self._repeat(loop, items)
            return
        self.depth += 1
        saved = self.active
        with self.block() as outside:
            span, bind = self.iterable(loop.target, loop.iter)
            self.counted_loop(loop.target, span, bind, lambda _: self._body_of(loop))
        self.active = saved
        self.depth -= 1
        self.out += outside

    def _repeat(self, loop: ast.For, items: list[list[int]]) -> None:
        """Translate the body once for each of some written integers, or tuples of them."""
        location = self.locate(loop)
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        saved = self.active
        for item in items:
            for target, value in zip(targets, item, strict=True):
                self._bind_loop_name(target, integer(value, location), location)
            self._body_of(loop)
            self.active = saved

    def _body_of(self, loop: ast.For) -> None:
        self.active = (*self.active, *dict.fromkeys(stored_in([loop.target])))
        self.body(loop.body)

    def counted_loop(self, targets: ast.expr, span: Range, bind: _Bound, body: Callable[[Scalar], None]) -> None:
        """Emit a loop over a range; ``body`` is given the counter, after what the targets are is bound."""
        location = self.locate(targets)
        start, stops = self._once(span.start, location), [self._once(stop, location) for stop in span.stops]
        name, variable = self._counter(location, start, bind)
        rising = (start.node, [stop.node for stop in stops])
        falling = (
            binary("+", stops[0], integer(1, location), location).node,
            [binary("+", start, integer(1, location), location).node],
        )
        with self.block() as statements, self.counting(variable, rising if span.step > 0 else falling):
            counter = size_of(nodes.Name(variable, LONG, location))
            for target, rule in bind:
                self._bind_item(target, rule, counter, location)
            if name:
                self.environment[name] = counter
            body(counter)
        self.emit(counted(variable, [stop.node for stop in stops], statements, location, span.step))

    def _counter(self, location: Location, start: Scalar, bind: _Bound) -> tuple[str, nodes.Variable]:
        """Make the loop variable: the target of the loop itself where it counts."""
        for target, rule in bind:
            if rule is _COUNTER and isinstance(target, ast.Name):
                if target.id in self.environment:
                    raise refusal("loop-variable", location, target.id)
                bind.remove((target, rule))
                return target.id, nodes.Variable(target.id, LONG, location, initialiser=start.node)
        return "", nodes.Variable(self.fresh("i"), LONG, location, initialiser=start.node)

    def _once(self, bound: Scalar, location: Location) -> Scalar:
        """Compute a bound before the loop unless it stays the same."""
        if self.is_stable(bound.node):
            return bound
        found = self.temporary(bound, location, "stop")
        assert isinstance(found.node, nodes.Name)
        self.stable.add(found.node.variable)
        return found

    def _bind_item(self, target: ast.expr, rule: object, counter: Scalar, location: Location) -> None:
        if rule is _COUNTER:
            self._bind_loop_name(target, counter, location)
        elif isinstance(rule, Scalar):  # a counter that starts elsewhere
            self._bind_loop_name(target, binary("+", counter, rule, location), location)
        else:
            assert isinstance(rule, _Item)
            index = counter if rule.last is None else binary("-", rule.last, counter, location)
            axis = rule.view.axes[0]
            dimensions = list(rule.view.dimensions)
            dimensions[axis] = Fixed(rule.view.along(axis).at(index.node, location))
            view = View(rule.view.array, tuple(dimensions), rule.view.axes[1:])
            if view.axes:
                self._bind_loop_name(target, view, location)
            else:
                held = self.temporary(view.at((), location), location, getattr(target, "id", "v"))
                self._bind_loop_name(target, held, location)

    def _bind_loop_name(self, target: ast.expr, value: Scalar | View, location: Location) -> None:
        if not isinstance(target, ast.Name):
            raise refusal("target", location, f"the loop target `{ast.unparse(target)}` is not lifted")
        if isinstance(self.environment.get(target.id), ArrayVariable | nodes.Variable):
            raise refusal("loop-variable", location, target.id)
        self.environment[target.id] = value

    def iterable(self, target: ast.expr, node: ast.expr) -> _Iteration:
        """Read what a loop runs over: the values of its counter, and what its targets are at each."""
        location = self.locate(node)
        if not isinstance(node, ast.Call):
            return self._over_array(target, node, reverse=False)
        module, name = self.callee(node)
        if module not in {"", "numba"} or name in self.module.functions:
            raise refusal("iterable", location, f"`{ast.unparse(node)}`")
        if node.keywords and name in {*_RANGES, "zip", "reversed"}:
            raise refusal("arguments", location, f"keyword arguments of `{name}` are not lifted")
        if name in _RANGES:
            return self._range(node), [(target, _COUNTER)]
        if name == "reversed" and len(node.args) == 1:
            return self._reversed(target, node.args[0])
        if name == "enumerate" and 1 <= len(node.args) <= _TWO:
            return self._enumerate(target, node)
        if name == "zip":
            return self._zip(target, node)
        return self._over_array(target, node, reverse=False)

    def _range(self, node: ast.Call) -> Range:
        location = self.locate(node)
        if not 1 <= len(node.args) <= _TWO + 1:
            raise refusal("arguments", location, f"`range` takes 1 to 3 arguments, not {len(node.args)}")
        values = [self.integer(argument) for argument in node.args]
        if len(values) == 1:
            return Range(integer(0, location), (values[0],))
        step = 1
        if len(values) > _TWO:
            given = values[2].node
            if not isinstance(given, nodes.Integer) or given.value == 0:
                text = ast.unparse(node.args[2])
                detail = "zero" if isinstance(given, nodes.Integer) else f"`{text}`, which is no constant"
                raise refusal("step", self.locate(node.args[2]), detail)
            step = given.value
        return Range(values[0], (values[1],), step)

    def _reversed(self, target: ast.expr, node: ast.expr) -> _Iteration:
        if isinstance(node, ast.Call) and self.callee(node)[1] in _RANGES:
            location = self.locate(node)
            span = self._range(node)
            if span.step != 1:
                raise refusal("iterable", location, "`reversed` of a range with a step")
            first = binary("-", span.stops[0], integer(1, location), location)
            return Range(first, (binary("-", span.start, integer(1, location), location),), -1), [(target, _COUNTER)]
        return self._over_array(target, node, reverse=True)

    def _over_array(self, target: ast.expr, node: ast.expr, *, reverse: bool) -> _Iteration:
        location = self.locate(node)
        if isinstance(node, ast.List | ast.Tuple):
            value: Operand = whole(self.materialise(self.literal(node), location), location)
        elif isinstance(node, ast.Name | ast.Subscript | ast.Attribute):
            value = self.evaluate(node)
        else:
            raise refusal("iterable", location, f"`{ast.unparse(node)}`")
        if isinstance(value, ArrayValue):
            value = whole(self.materialise(self.own(value, location), location), location)
        if not isinstance(value, View):
            raise refusal("iterable", location, f"`{ast.unparse(node)}`")
        length = size_of(value.extents[0])
        last = binary("-", length, integer(1, location), location) if reverse else None
        return Range(integer(0, location), (length,)), [(target, _Item(value, last))]

    def _enumerate(self, target: ast.expr, node: ast.Call) -> _Iteration:
        location = self.locate(node)
        if not isinstance(target, ast.Tuple) or len(target.elts) != _TWO:
            raise refusal("target", location, "`enumerate` needs two targets")
        span, items = self.iterable(target.elts[1], node.args[0])
        if span.step != 1 or not isinstance(span.start.node, nodes.Integer) or span.start.node.value != 0:
            raise refusal("iterable", location, "`enumerate` of a range that does not start at 0")
        starts = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
        first: object = self.integer(starts[0]) if starts else _COUNTER
        return span, [(target.elts[0], first), *items]

    def _zip(self, target: ast.expr, node: ast.Call) -> _Iteration:
        location = self.locate(node)
        if not isinstance(target, ast.Tuple) or len(target.elts) != len(node.args) or not node.args:
            raise refusal("target", location, "`zip` needs a target for each of its arguments")
        found: _Bound = []
        stops: list[Scalar] = []
        for inner, argument in zip(target.elts, node.args, strict=True):
            span, items = self.iterable(inner, argument)
            if span.step != 1 or not isinstance(span.start.node, nodes.Integer) or span.start.node.value != 0:
                raise refusal("iterable", location, "`zip` of a range that does not start at 0")
            found += items
            stops += span.stops
        for stop in stops[1:]:
            self.require_equal(stops[0].node, stop.node, location)
        return Range(integer(0, location), (stops[0],)), found

    def generated(self, name: str, node: ast.GeneratorExp | ast.ListComp) -> Scalar:
        """Reduce what a generator yields."""
        location = self.locate(node)
        if name not in _STARTS:
            return self.builtin_total(name, self._stored(node), location)
        own = self._renamed(node)
        result = self.fresh("s")
        self.stores[result] = 2
        self.body(
            _filled([_assigned(result, ast.Constant(_STARTS[name])), _nest(own, _step(name, result, own.elt))], node)
        )
        value = self.scalar(ast.copy_location(ast.Name(result, ast.Load()), node))
        return value if name == "sum" else truth_of(value, location)

    def listed(self, node: ast.ListComp) -> ArrayValue:
        """Give the list that a comprehension makes."""
        return self._stored(node)

    def _stored(self, node: Comprehension) -> ArrayValue:
        """Store what a generator yields, which must be a number or a new list at each step."""
        location = self.locate(node)
        own = self._renamed(node)
        generator = own.generators[0]
        if len(own.generators) > 1 or generator.ifs:
            raise refusal("comprehension", location, "a comprehension with a condition or several loops")
        name = self.fresh("w")
        key = self.key(f"{name}[]")
        found: list[ArrayVariable] = []
        constant = set(self.stable)
        with self.block() as outside:
            span, bind = self.iterable(generator.target, generator.iter)
            if span.step != 1 or len(span.stops) != 1:
                raise refusal("comprehension", location, "a comprehension over a range with a step")

            def body(counter: Scalar) -> None:
                item = self._listed_item(own.elt)
                if isinstance(item, Scalar):
                    self.note(key, item)
                    element = self.facts.join(key, item.ctype, weak=item.weak)
                else:
                    element = self.facts.join(key, item.element, weak=item.is_weak)
                inner = () if isinstance(item, Scalar) else item.extents
                extents = (binary("-", span.stops[0], span.start, location).node, *inner)
                if not mentioned_variables(extents) <= constant:
                    raise refusal("comprehension", location, "a comprehension of lists whose lengths change")
                found.append(self._array_of(name, element, extents, location))
                self._store_item(found[0], binary("-", counter, span.start, location), item, location)

            self.counted_loop(generator.target, span, bind, body)
        (array,) = found
        self.emit(nodes.Declare(array.variable, location))
        for statement in outside:
            self.emit(statement)
        return value_of(array)

    def _listed_item(self, node: ast.expr) -> Scalar | ArrayValue:
        value: Operand = self.evaluate(node)
        if isinstance(value, Scalar):
            return stored(value, self.locate(node))
        if isinstance(value, ArrayValue) and value.is_list:
            return value
        raise refusal("comprehension", self.locate(node), "a comprehension of other items than numbers and new lists")

    def _array_of(self, name: str, element: Number, extents: Nodes, location: Location) -> ArrayVariable:
        """Make the array, which is declared before the loop that stores into it."""
        for extent in extents:
            self.require_nonnegative(extent, location)
        variable = nodes.Variable(name, array_type(element, len(extents)), location, tuple(extents), keeps_rank=True)
        key = self.key(f"{name}[]")
        is_weak = self.facts.type_of(key)[1]
        made = ArrayVariable(name, variable, element, tuple(extents), is_list=True, is_weak=is_weak, key=key)
        made.is_mixed, made.is_loose = self.facts.kinds_of(key)
        self.keep(made)
        return made

    def _store_item(self, array: ArrayVariable, index: Scalar, item: Scalar | ArrayValue, location: Location) -> None:
        if isinstance(item, Scalar):
            self.store(array.at([index.node], location).node, "", item, location)
            return

        def body(indices: Nodes) -> None:
            self.store(array.at([index.node, *indices], location).node, "", item.at(indices, location), location)

        self.loop_over(item.extents, body, location)

    def _renamed(self, node: Comprehension) -> Comprehension:
        """Copy a comprehension with fresh names for its variables."""
        own = copy.deepcopy(node)
        targets = [generator.target for generator in own.generators]
        names = {name: self.fresh(f"{name}_") for name in dict.fromkeys(stored_in(targets))}
        for inner in ast.walk(own):
            if isinstance(inner, ast.Name) and inner.id in names:
                inner.id = names[inner.id]
        self.loop_names = self.loop_names | set(names.values())
        return own


def _nest(node: Comprehension, innermost: ast.stmt) -> ast.stmt:
    """Put a statement into the loops and conditions of a comprehension."""
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            innermost = ast.If(test, [innermost], [])
        innermost = ast.For(generator.target, generator.iter, [innermost], [])
    return innermost


def _step(name: str, result: str, element: ast.expr) -> ast.stmt:
    """Give what a reduction does with one element."""
    if name == "sum":
        return _assigned(result, ast.BinOp(ast.Name(result, ast.Load()), ast.Add(), element))
    test = element if name == "any" else ast.UnaryOp(ast.Not(), element)
    return ast.If(test, [_assigned(result, ast.Constant(int(name == "any")))], [])


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _filled(statements: list[ast.stmt], node: ast.expr) -> list[ast.stmt]:
    """Give new syntax the place of a piece of the source."""
    for statement in statements:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.expr | ast.stmt) and not hasattr(inner, "lineno"):
                ast.copy_location(inner, node)
    return statements
