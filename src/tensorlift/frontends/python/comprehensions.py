"""Comprehensions: what a generator yields, reduced as it comes or stored into an array.

The variables of a comprehension are its own: they get fresh names before anything is translated.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.extents import mentioned_variables
from tensorlift.frontends.python.flow import stored_in
from tensorlift.frontends.python.loops import Loops
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import Scalar, binary, stored, truth_of
from tensorlift.frontends.python.values import (
    ArrayValue,
    ArrayVariable,
    Operand,
    array_type,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

    Comprehension = ast.ListComp | ast.GeneratorExp

_STARTS = {"sum": 0, "any": 0, "all": 1}


class Comprehensions(Loops):
    """Translation of comprehensions."""

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
        reads = frozenset({array.variable})
        return ArrayValue(array.extents, array.at, array.element, reads, array, array.is_list, array.is_weak)

    def _listed_item(self, node: ast.expr) -> Scalar | ArrayValue:
        value: Operand = self.evaluate(node)
        if isinstance(value, Scalar):
            return stored(value, self.locate(node))
        if isinstance(value, ArrayValue) and value.is_list:
            return value
        raise refusal("comprehension", self.locate(node), "a comprehension of other items than numbers and new lists")

    def _array_of(
        self, name: str, element: Number, extents: Sequence[nodes.Expression], location: Location
    ) -> ArrayVariable:
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

        def body(indices: Sequence[nodes.Expression]) -> None:
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
