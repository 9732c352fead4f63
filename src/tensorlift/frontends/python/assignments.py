"""Assignments of Python: to names, elements, slices and several targets at once.

An integer that is assigned once, from sizes and loop variables, is no variable but a name for its expression.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.functions import Functions
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import Scalar, cast, choose, keeps_kind, name_of, stored, truth_of
from tensorlift.frontends.python.syntax import names_in, stored_in
from tensorlift.frontends.python.values import (
    ArrayValue,
    ArrayVariable,
    Fixed,
    Operand,
    Sizes,
    View,
    value_of_view,
    whole,
)
from tensorlift.ops.c_types import BOOL, LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number


class Assignments(Functions):
    """Translation of assignments."""

    depth = 0  # how many loops and conditions are open
    active: tuple[str, ...] = ()  # the loop variables
    returned_names: tuple[str, ...] = ()  # what the last statement returns

    def _declare(self, name: str, value: Scalar | None, location: Location) -> nodes.Variable:
        """Make a local variable, with the type that all its values fit."""
        ctype = self.facts.type_of(self.key(name))[0]
        if value is not None:
            ctype = self._joined(name, value)
        initialiser = None if value is None else cast(value, ctype, location).node
        variable = nodes.Variable(name, ctype, location, initialiser=initialiser)
        self.emit(nodes.Declare(variable, location))
        self.environment[name] = variable
        return variable

    def _joined(self, name: str, value: Scalar) -> Number:
        self.latest[self.key(name)] = value
        return self.joined(self.key(name), name, stored(value, value.node.location), value.node.location)

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr, location: Location) -> None:
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List):
            self._unpack(targets[0].elts, value, location)
            return
        found = self.evaluate(value)
        if len(targets) > 1 and isinstance(found, Scalar):
            found = self.held(found, location)
        elif len(targets) > 1 and isinstance(found, ArrayValue):  # one array, whose names are all of it
            found = whole(self.materialise(self.own(found, location), location), location)
        for target in targets:
            self._bind(target, found, location)

    def held(self, value: Scalar, location: Location) -> Scalar:
        """Compute a value before others are assigned."""
        if isinstance(value.node, nodes.Integer | nodes.Floating) or (not value.truth and self.is_stable(value.node)):
            return value
        return self.temporary(value, location)

    def _unpack(self, targets: Sequence[ast.expr], value: ast.expr, location: Location) -> None:
        """Assign several targets at once: all values are computed before the first is stored."""
        if isinstance(value, ast.Tuple | ast.List):
            if len(value.elts) != len(targets):
                raise refusal("target", location, "the sides of the assignment differ in length")
            values: list[Operand] = [
                self._frozen(self.evaluate(item), location, hold=_must_be_held(k, targets, value.elts))
                for k, item in enumerate(value.elts)
            ]
        else:
            found = self.evaluate(value)
            if isinstance(found, View) and len(found.axes) == 1:
                found = self._items_of(found, len(targets), location)
            if not isinstance(found, Sizes) or len(found.items) != len(targets):
                raise refusal(
                    "target", location, f"`{ast.unparse(value)}` cannot be unpacked into {len(targets)} names"
                )
            values = list(found.items)
        for target, item in zip(targets, values, strict=True):
            self._bind(target, item, location)

    def _items_of(self, row: View, count: int, location: Location) -> Sizes:
        """Read the items of a row that must have so many."""
        self.require_equal(row.extents[0], nodes.Integer(count, LONG, location), location)
        places = [nodes.Integer(position, LONG, location) for position in range(count)]
        return Sizes(tuple(self.temporary(row.at((place,), location), location) for place in places))

    def _frozen(self, value: Operand, location: Location, *, hold: bool) -> Operand:
        if isinstance(value, Scalar):
            return self.held(value, location) if hold else value
        if isinstance(value, View | ArrayValue):
            raise refusal("target", location, "several arrays are assigned at once")
        return value

    def _bind(self, target: ast.expr, value: Operand, location: Location) -> None:
        match target:
            case ast.Name(id=name):
                self._bind_name(name, value, location)
            case ast.Subscript():
                self._store(target, value, location)
            case _:
                raise refusal("target", self.locate(target), f"the target `{ast.unparse(target)}` is not lifted")

    def _bind_name(self, name: str, value: Operand, location: Location) -> None:
        known = self.environment.get(name)
        if name in self.active:
            raise refusal("loop-variable", location, name)
        if isinstance(known, ArrayVariable | View | Sizes):
            raise refusal("rebind", location, name)
        if isinstance(value, Scalar):
            self._bind_scalar(name, known, value, location)
        elif known is not None or self.stores.get(name, 0) - self.augmented.get(name, 0) > 1:
            raise refusal("rebind", location, name)
        elif isinstance(value, View):
            self._alias(name, value, location)
        elif isinstance(value, ArrayValue):
            self.environment[name] = self._new_array(name, self.own(value, location), location)
        else:
            self.environment[name] = value

    def _alias(self, name: str, value: View, location: Location) -> None:
        """Name a part of an array; what its place depends on must not change."""
        for dimension in value.dimensions:
            used = [dimension.index] if isinstance(dimension, Fixed) else [dimension.start, dimension.extent]
            if not all(map(self.is_stable, used)):
                raise refusal("index", location, f"the part of an array that `{name}` names may move")
        self.environment[name] = value

    def _new_array(self, name: str, value: ArrayValue, location: Location) -> ArrayVariable:
        """Make the array that a name is bound to; one that is returned belongs to the caller."""
        if name in self.returned_names and self.depth == 0 and len(self.calling) == 1:
            array = self.result_array(name, self.element_of(name, value), value.extents, location)
        elif value.fresh is not None:
            return value.fresh
        else:
            array = self.allocate(name, self.element_of(name, value), value.extents, location)
        self.mark_list(array, value)
        self.fill(whole(array, location), "", value, location)
        return array

    def _bind_scalar(self, name: str, known: object, value: Scalar, location: Location) -> None:
        if isinstance(known, nodes.Variable):
            self._joined(name, value)
            ctype = known.ctype
            converted = cast(value, ctype, location)  # type: ignore[arg-type] # a local variable is a number
            self.emit(nodes.assignment(nodes.name_of(known, location), converted.node, location))
        elif isinstance(known, Scalar):
            raise refusal("rebind", location, name)
        elif self.stores.get(name, 0) == 1 and value.is_integer and not value.is_truth and self.is_stable(value.node):
            self._name_extent(name, value)
            self.environment[name] = value
        else:
            self._declare(name, value, location)

    def _name_extent(self, name: str, value: Scalar) -> None:
        """Show an extent by the name that the function gives to it."""
        if not isinstance(value.node, nodes.Name) or len(self.calling) > 1 or self.depth:
            return
        own = self.extents.get(value.node.variable.name)
        if own is not None and own not in self.facts.display and not self._is_bound_by_callees(name):
            self.facts.display[own] = name
            self.facts.changed = True

    def _is_bound_by_callees(self, name: str) -> bool:
        """Whether a function that this one may call binds a name too."""
        reached: set[ast.FunctionDef] = set()
        work = [(self.module, self.function)]
        while work:
            module, function = work.pop()
            for callee in sorted(names_in(function) & module.functions.keys()):
                if module.functions[callee] not in reached:
                    reached.add(module.functions[callee])
                    work.append((module.home_of(callee), module.functions[callee]))
        return any(name in set(stored_in(function.body)) for function in reached)

    def _store(self, target: ast.Subscript, value: Operand, location: Location) -> None:
        """Store into an element or a part of an array."""
        if isinstance(value, Sizes):
            raise refusal("target", location, "a tuple is stored into an array")
        mask = self._mask(target)
        if mask is not None:
            self._store_where(mask, target, lambda _: value, location)
            return
        view = self._target_view(target)
        if not view.axes:
            if not isinstance(value, Scalar):
                raise refusal("rank", location, "an array is stored into one element")
            view.array.written = True
            self._put_item(view, value, location)
            return
        if view.array.is_list:
            raise refusal("target", location, f"a part of the list `{view.array.name}` is replaced")
        self.fill(view, "", value if isinstance(value, Scalar | ArrayValue) else value_of_view(value), location)

    def _mask(self, target: ast.Subscript) -> ArrayValue | None:
        """Evaluate the index of a target that is an array of truth values; None for any other index."""
        index = target.slice
        if isinstance(index, ast.Name):
            known = self.environment.get(index.id)
            if not isinstance(known, ArrayVariable) or known.element != BOOL:
                return None
        elif not isinstance(index, ast.Compare | ast.BinOp | ast.UnaryOp) or not any(
            isinstance(n, ast.Compare | ast.Invert) for n in ast.walk(index)
        ):
            return None
        found = self.evaluate(index)
        if isinstance(found, View):
            found = value_of_view(found)
        return found if isinstance(found, ArrayValue) and found.element == BOOL else None

    def _updated(self, old: Scalar, op: ast.operator, given: Operand, location: Location) -> Operand:
        """Compute what `op=` makes of an element in place."""
        result = self.binary(op, old, given, location)
        if isinstance(result, Scalar):
            self._check_kind(result.ctype, old.ctype, location)
        return result

    def _check_kind(self, found: Number, target: Number, location: Location) -> None:
        if not keeps_kind(found, target):
            detail = f"an array of {name_of(target)} cannot take {name_of(found)} in place"
            raise refusal("type", location, detail)

    def _store_where(
        self, mask: ArrayValue, target: ast.Subscript, value: Callable[[Scalar], Operand], location: Location
    ) -> None:
        """Store a number into all elements of an array for which a mask holds."""
        base = self.evaluate(target.value)
        if not isinstance(base, View) or base.array.is_list or len(base.axes) != len(mask.extents):
            raise refusal(
                "target", self.locate(target), f"`{ast.unparse(target)}` is no array under a mask of its shape"
            )

        def at(indices: Sequence[nodes.Expression], place: Location) -> Scalar:
            old = base.at(indices, place)
            new = value(old)
            if not isinstance(new, Scalar):
                raise refusal("target", location, "an array is stored under a mask")
            return choose(truth_of(mask.at(indices, place), place), cast(new, old.ctype, place), old, place)

        kept = ArrayValue(base.extents, at, base.array.element, mask.reads)
        for mine, other in zip(base.extents, mask.extents, strict=True):
            self.require_equal(mine, other, location)
        self.fill(base, "", kept, location)

    def _target_view(self, target: ast.Subscript) -> View:
        base = self.evaluate(target.value)
        if not isinstance(base, View):
            raise refusal("target", self.locate(target), f"`{ast.unparse(target.value)}` is no array")
        return self.view(base, target)

    def _augment(self, target: ast.expr, op: ast.operator, value: ast.expr, location: Location) -> None:
        """Translate ``target op= value``."""
        given = self.evaluate(value)
        view: View | None = None
        if isinstance(target, ast.Subscript):
            mask = self._mask(target)
            if mask is not None:
                self._store_where(mask, target, lambda old: self._updated(old, op, given, location), location)
                return
            view = self._target_view(target)
        elif isinstance(target, ast.Name):
            found = self.evaluate(target)
            view = found if isinstance(found, View) else None
            if isinstance(found, Scalar):
                result = self.binary(op, found, given, location)
                if not isinstance(result, Scalar):
                    raise refusal("rank", location, f"`{target.id}` would become an array")
                self._bind_name(target.id, result, location)
                return
        if view is None:
            raise refusal("target", self.locate(target), f"the target `{ast.unparse(target)}` is not lifted")
        self._augment_view(view, op, given, location)

    def _augment_view(self, view: View, op: ast.operator, given: Operand, location: Location) -> None:
        view.array.written = True
        if view.axes:
            if view.array.is_list:
                raise refusal("target", location, f"the list `{view.array.name}` is extended")
            mine = value_of_view(view)
            result = self.binary(op, mine, self._apart(view, given, location), location)
            assert isinstance(result, ArrayValue)
            self._check_kind(result.element, view.array.element, location)
            if len(result.extents) != len(view.axes):
                raise refusal("shape", location, "the value has more dimensions than the target")
            # Each element reads itself alone, so that no copy is needed.
            self.fill(view, "", ArrayValue(view.extents, result.at, result.element), location)
            return
        result = self.binary(op, view.at((), location), given, location)
        if not isinstance(result, Scalar):
            raise refusal("rank", location, "an array is stored into one element")
        self._put_item(view, result, location)

    def _put_item(self, view: View, value: Scalar, location: Location) -> None:
        """Store into one element; a list keeps the number as it is, so its items must be of a type that holds it."""
        array = view.array
        if array.is_list:
            held = stored(value, location)
            ctype = self.joined(array.key, array.name, held, location) if array.key else array.element
            if not array.key and not (isinstance(ctype, FloatType) or held.is_integer):
                detail = f"the list `{array.name}` of integers would hold a float"
                raise refusal("list-type", location, detail)
            if ctype == BOOL and not value.is_truth:
                detail = f"the list `{array.name}` of truth values would hold a number"
                raise refusal("list-of-truths", location, detail)
        self.store(view.at((), location).node, "", value, location)

    def _apart(self, view: View, given: Operand, location: Location) -> Operand:
        """Give an operand that does not read the array that is about to be written."""
        if isinstance(given, View):
            given = value_of_view(given)
        if isinstance(given, ArrayValue) and view.array.variable in given.reads:
            return self.stored(given, location)
        return given

    def returned(self, value: ast.expr | None, location: Location) -> None:
        """Translate ``return``."""
        raise NotImplementedError

    def result_array(
        self, name: str, element: Number, extents: Sequence[nodes.Expression], location: Location
    ) -> ArrayVariable:
        """Make an array that the caller gets."""
        raise NotImplementedError


def _must_be_held(position: int, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
    """Whether a value must be computed before the targets to the left of its own are stored."""
    before = targets[:position]
    if any(isinstance(node, ast.Call) for value in values[position + 1 :] for node in ast.walk(value)):
        return True
    if not all(isinstance(target, ast.Name) for target in before):
        return True
    return bool(names_in(values[position]) & {target.id for target in before if isinstance(target, ast.Name)})
