"""Arrays of Python: basic indexing and slices, element by element arithmetic, products, all expanded to loops.

A slice ``a[lo:hi]`` of Python cuts off what lies outside of the array and counts negative bounds from the end.  Here
constant negative bounds are rewritten, and that the array has so many elements becomes a precondition; any other bound
must be certainly at least zero, and that it does not exceed the extent becomes a precondition of the access.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.expressions import Expressions
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import Scalar, binary, cast, integer, product, promoted, size_of
from tensorlift.frontends.python.syntax import indices_of, is_ellipsis, is_new_axis, without_ellipsis
from tensorlift.frontends.python.values import (
    Along,
    ArrayValue,
    ArrayVariable,
    Fixed,
    Nodes,
    Operand,
    Sizes,
    View,
    array_type,
    value_of,
    value_of_view,
    whole,
)
from tensorlift.ops.c_types import BOOL, INT, LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number


class Arrays(Expressions):
    """Evaluation of what concerns arrays."""

    def element(self, node: ast.Subscript | ast.Attribute) -> Operand:
        """Evaluate a subscript or an attribute."""
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        location = self.locate(node)
        base = self.evaluate(node.value)
        if isinstance(base, Sizes):
            return self._item(base, node)
        if isinstance(base, ArrayValue):
            base = whole(self.materialise(base, location), location)
        if not isinstance(base, View):
            raise refusal("rank", location, f"`{ast.unparse(node.value)}` is no array")
        parts = indices_of(node)
        if any(map(is_new_axis, parts)):
            return self._with_new_axes(base, node, parts)
        view = self.view(base, node)
        if not view.axes:
            return view.at((), location)
        return self._list_part(view, node) if base.array.is_list else view

    def _with_new_axes(self, base: View, node: ast.Subscript, parts: Sequence[ast.expr]) -> ArrayValue:
        """Read a part of an array with new axes of extent one, where its index has ``None``."""
        location = self.locate(node)
        kept = [part for part in parts if not is_new_axis(part)]
        if base.array.is_list or any(map(is_ellipsis, kept)):
            raise refusal("index", location, f"the index `{ast.unparse(node.slice)}` is not lifted")
        rest = ast.Subscript(node.value, ast.Tuple(kept, ast.Load()), node.ctx)
        view = self.view(base, ast.copy_location(rest, node))
        is_new = [is_new_axis(part) for part in parts if is_new_axis(part) or isinstance(part, ast.Slice)]
        is_new += [False] * (len(view.axes) - is_new.count(False))
        extents = iter(view.extents)
        one = nodes.Integer(1, LONG, location)

        def at(indices: Nodes, place: Location) -> Scalar:
            return view.at([index for index, new in zip(indices, is_new, strict=True) if not new], place)

        reads = frozenset({base.array.variable})
        shape = tuple(one if new else next(extents) for new in is_new)
        return ArrayValue(shape, at, base.array.element, reads, shows=base.array.name)

    def _list_part(self, view: View, node: ast.Subscript) -> View | ArrayValue:
        """Give a part of a list: a row is the list itself, a slice a new list of the same items."""
        if not isinstance(node.slice, ast.Slice):
            return view
        if len(view.axes) > 1:
            raise refusal("index", self.locate(node), f"the rows in the slice `{ast.unparse(node)}` are shared")
        return value_of_view(view)

    def _item(self, sizes: Sizes, node: ast.Subscript) -> Scalar:
        index = self.evaluate(node.slice)
        value = index.node.value if isinstance(index, Scalar) and isinstance(index.node, nodes.Integer) else None
        if value is None or not -len(sizes.items) <= value < len(sizes.items):
            raise refusal("index", self.locate(node), f"`{ast.unparse(node)}` is no known extent")
        return sizes.items[value]

    def view(self, base: View, node: ast.Subscript) -> View:
        """Select a part of a view; each entry of the index takes one axis."""
        parts = indices_of(node)
        if base.array.is_list and len(parts) > 1:
            raise refusal("rank", self.locate(node), f"the list `{base.array.name}` takes one index at a time")
        parts = without_ellipsis(parts, len(base.axes))
        if len(parts) > len(base.axes):
            detail = f"`{ast.unparse(node)}` has {len(parts)} indices for {len(base.axes)} dimensions"
            raise refusal("rank", self.locate(node), detail)
        dimensions = list(base.dimensions)
        axes = list(base.axes)
        for axis, part in zip(base.axes, parts, strict=False):
            along = base.along(axis)
            extent = along.extent
            if isinstance(part, ast.Slice):
                dimensions[axis] = self._slice(along, part)
            else:
                index = self._index(part, extent)
                dimensions[axis] = Fixed(along.at(index.node, self.locate(part)))
                axes.remove(axis)
        return View(base.array, tuple(dimensions), tuple(axes))

    def _index(self, part: ast.expr, extent: nodes.Expression) -> Scalar:
        """Evaluate one index; a negative constant counts from the end."""
        value = self._index_value(part)
        if _is_negative(value):
            return binary("+", Scalar(extent, LONG), value, self.locate(part))
        return value

    def _index_value(self, part: ast.expr) -> Scalar:
        """Evaluate an index or a bound as it stands."""
        location = self.locate(part)
        if is_ellipsis(part) or (isinstance(part, ast.Constant) and part.value is None):
            raise refusal("index", location, f"the index `{ast.unparse(part)}` is not lifted")
        value = self.evaluate(part)
        if not isinstance(value, Scalar) or value.is_truth:
            raise refusal("index", location, "an index that is an array is not lifted")
        if not value.is_integer:
            raise refusal("index", location, f"the index `{ast.unparse(part)}` is not known to be an integer")
        return value if isinstance(value.node, nodes.Integer) else cast(value, LONG, location)

    def _slice(self, along: Along, part: ast.Slice) -> Along:
        """Give the part of a dimension that a slice selects."""
        location = self.locate(part)
        step = 1 if part.step is None else self._step(part.step)
        if step < 0:
            return self._reversed_slice(along, part, -step)
        lower = integer(0, location) if part.lower is None else self._bound(part.lower, along.extent)
        upper = Scalar(along.extent, LONG) if part.upper is None else self._bound(part.upper, along.extent)
        if part.upper is not None:
            self.require_nonnegative(binary("-", Scalar(along.extent, LONG), upper, location).node, location)
        extent = upper if part.lower is None else _difference(upper, lower, location)
        self.require_nonnegative(extent.node, location)
        extent = _in_steps(extent, step, location)
        return Along(along.at(lower.node, location), extent.node, along.step * step)

    def _step(self, node: ast.expr) -> int:
        given = self.evaluate(node)
        value = given.node.value if isinstance(given, Scalar) and isinstance(given.node, nodes.Integer) else 0
        if value == 0:
            raise refusal("index", self.locate(node), f"the slice step `{ast.unparse(node)}` is not lifted")
        return value

    def _reversed_slice(self, along: Along, part: ast.Slice, step: int) -> Along:
        """Give all of a dimension from its end on."""
        location = self.locate(part)
        if part.lower is not None or part.upper is not None:
            raise refusal("index", location, f"the slice `{ast.unparse(part)}` has bounds and a negative step")
        extent = Scalar(along.extent, LONG)
        last = binary("-", extent, integer(1, location), location)
        return Along(along.at(last.node, location), _in_steps(extent, step, location).node, -along.step * step)

    def _bound(self, part: ast.expr, extent: nodes.Expression) -> Scalar:
        """Evaluate a bound of a slice; one that counts from the end must not lie before the start."""
        location = self.locate(part)
        value = self._index_value(part)
        if _is_negative(value):
            value = binary("+", Scalar(extent, LONG), value, location)
            self.require_nonnegative(value.node, location)
        else:
            detail = f"the bound `{ast.unparse(part)}` may be negative, and would then count from the end"
            self.require_nonnegative(value.node, location, ("index", detail))
        return value

    def _attribute(self, node: ast.Attribute) -> Operand:
        location = self.locate(node)
        constant = self.named_constant(node)
        if constant is not None:
            return constant
        base = self.evaluate(node.value)
        if isinstance(base, View | ArrayValue) and node.attr == "shape":
            return Sizes(tuple(map(size_of, base.extents)))
        if isinstance(base, View):
            if node.attr == "T":
                return View(base.array, base.dimensions, tuple(reversed(base.axes)))
            if node.attr == "ndim":
                return integer(len(base.axes), location)
            if node.attr == "size":
                return product(base.extents, location)
        raise refusal("attribute", location, node.attr)

    def named_constant(self, node: ast.Attribute) -> Scalar | None:
        """Give a constant of a module, such as ``math.pi``."""
        raise NotImplementedError

    def elementwise(
        self, apply: Callable[[Sequence[Scalar]], Scalar], operands: Sequence[Operand], location: Location
    ) -> Operand:
        """Apply a function of scalars, element by element if an operand is an array."""
        if all(isinstance(operand, Scalar) for operand in operands):
            return apply([operand for operand in operands if isinstance(operand, Scalar)])
        values = [self._operand(operand, location) for operand in operands]
        extents = self._common_extents([value for value in values if isinstance(value, ArrayValue)], location)

        def at(indices: Nodes, place: Location) -> Scalar:
            return apply([v if isinstance(v, Scalar) else _broadcast(v, indices, place) for v in values])

        sample = at([nodes.Integer(0, LONG, location)] * len(extents), location)
        reads = frozenset[nodes.Variable]().union(*(v.reads for v in values if isinstance(v, ArrayValue)))
        return ArrayValue(extents, at, BOOL if sample.truth else sample.ctype, reads)

    def _operand(self, operand: Operand, location: Location) -> Scalar | ArrayValue:
        if isinstance(operand, View | ArrayValue):
            return _without_lists(operand, location)
        if isinstance(operand, Sizes):
            raise refusal("operator", location, "a tuple has no arithmetic")
        is_plain = isinstance(operand.node, nodes.Integer | nodes.Floating | nodes.Name)
        return operand if is_plain else self.temporary(operand, location)

    def _common_extents(self, values: Sequence[ArrayValue], location: Location) -> tuple[nodes.Expression, ...]:
        """Give the extents of the result; extents of the literal 1 are stretched, others must be equal."""
        rank = max(len(value.extents) for value in values)
        extents: list[nodes.Expression] = []
        for axis in range(rank):
            found = [v.extents[axis - rank] for v in values if len(v.extents) >= rank - axis]
            found = [extent for extent in found if not _is_one(extent)] or found
            for other in found[1:]:
                self.require_equal(found[0], other, location)
            extents.append(found[0])
        return tuple(extents)

    def matrix_product(self, left: ArrayValue | View, right: ArrayValue | View, location: Location) -> Operand:
        """Multiply two arrays as ``@`` does."""
        a, b = self.in_memory(left, location), self.in_memory(right, location)
        ranks = len(a.extents), len(b.extents)
        if not {*ranks} <= {1, 2}:
            raise refusal("rank", location, "`@` of arrays with more than two dimensions")
        inner = a.extents[-1]
        self.require_equal(inner, b.extents[0], location)
        extents = (*a.extents[:-1], *b.extents[1:])
        rows = len(a.extents) - 1

        def term(indices: Nodes, k: nodes.Expression) -> Scalar:
            return binary("*", a.at((*indices[:rows], k), location), b.at((k, *indices[rows:]), location), location)

        return self.reduction(extents, inner, term, promoted(a.element, False, b.element, False)[0], location)  # noqa: FBT003 - neither is weak

    def reduction(
        self,
        extents: tuple[nodes.Expression, ...],
        inner: nodes.Expression,
        term: Callable[[Nodes, nodes.Expression], Scalar],
        element: Number,
        location: Location,
    ) -> Operand:
        """Sum ``term`` over ``inner`` for each index; without extents the sum is a scalar."""
        zero = cast(integer(0, location), element, location)
        if not extents:
            total = self.temporary(zero, location, "s")
            self.loop_over([inner], lambda k: self.store(total.node, "+", term((), k[0]), location), location)
            return total
        result = self.allocate(self.fresh("w"), element, extents, location)

        def row(indices: Nodes) -> None:
            target = result.at(indices, location).node
            self.store(target, "", zero, location)
            self.loop_over([inner], lambda k: self.store(target, "+", term(indices, k[0]), location), location)

        self.loop_over(extents, row, location)
        return value_of(result)

    def in_memory(self, value: ArrayValue | View, location: Location) -> ArrayValue:
        """Give an array whose elements are cheap to read again and again."""
        found = _without_lists(value, location)
        return found if isinstance(value, View) else self.stored(found, location)

    def stored(self, value: ArrayValue, location: Location) -> ArrayValue:
        """Give a value that is read from memory of its own."""
        return value_of_view(whole(self.materialise(value, location), location))

    def own(self, value: ArrayValue, location: Location) -> ArrayValue:
        """Refuse a value that shows another array, which what is given its name could write."""
        if value.shows:
            raise refusal("view", location, value.shows)
        return value

    def materialise(self, value: ArrayValue, location: Location) -> ArrayVariable:
        """Store an array value into memory of its own."""
        if value.fresh is not None:
            return value.fresh
        name = self.fresh("w")
        array = self.allocate(name, self.element_of(name, value), value.extents, location)
        self.mark_list(array, value)
        self.fill(whole(array, location), "", value, location)
        return array

    def element_of(self, name: str, value: ArrayValue) -> Number:
        """Give the type of the elements of a new array; that of a list holds all that is ever stored into it."""
        if not value.is_list:
            return value.element
        return self.facts.join(self.key(f"{name}[]"), value.element, weak=value.is_weak)

    def mark_list(self, array: ArrayVariable, value: ArrayValue) -> None:
        """Note that an array is a list, where the value that it is made of is one."""
        array.is_list = value.is_list
        array.key = self.key(f"{array.name}[]") if value.is_list else ""
        array.is_weak = self.facts.type_of(array.key)[1] if value.is_list else value.is_weak
        array.is_mixed, array.is_loose = self.facts.kinds_of(array.key)
        if value.is_list:
            start = [nodes.Integer(0, LONG, array.variable.location)] * array.rank
            self.note_data(array.key, value.at(start, array.variable.location).node)
            self.keep(array)

    def allocate(self, name: str, element: Number, extents: Nodes, location: Location) -> ArrayVariable:
        """Make a local array."""
        if not all(map(self.is_stable, extents)):
            raise refusal("shape", location, f"the extents of `{name}` change, or are no sums of sizes")
        for extent in extents:
            self.require_nonnegative(extent, location)
        room = tuple(map(self.greatest, extents))  # extents that vary with loops around are those of a part of it
        variable = nodes.Variable(name, array_type(element, len(extents)), location, room, keeps_rank=True)
        self.emit(nodes.Declare(variable, location))
        return ArrayVariable(name, variable, element, tuple(extents))

    def fill(self, target: View, operator: str, value: ArrayValue | Scalar, location: Location) -> None:
        """Store an array, or one number everywhere, into a view."""
        target.array.written = True
        if isinstance(value, Scalar) and not isinstance(value.node, nodes.Integer | nodes.Floating):
            value = self.temporary(value, location)
        if isinstance(value, ArrayValue):
            if len(value.extents) > len(target.axes):
                raise refusal("shape", location, "the value has more dimensions than the target")
            for mine, given in zip(reversed(target.extents), reversed(value.extents), strict=False):
                if not _is_one(given):
                    self.require_equal(mine, given, location)
            if target.array.variable in value.reads:
                value = self.stored(value, location)

        def body(indices: Nodes) -> None:
            item = value if isinstance(value, Scalar) else _broadcast(value, indices, location)
            self.store(target.at(indices, location).node, operator, item, location)

        self.loop_over(target.extents, body, location)

    def loop_over(
        self,
        extents: Nodes,
        body: Callable[[Nodes], None],
        location: Location,
    ) -> None:
        """Emit a nest of loops over all indices of some extents."""

        def nest(indices: tuple[nodes.Expression, ...]) -> None:
            if len(indices) == len(extents):
                body(indices)
                return
            extent = extents[len(indices)]
            variable = self._loop_variable(location)
            name = nodes.Name(variable, LONG, location)
            start = nodes.Integer(0, LONG, location)
            with self.block() as statements, self.counting(variable, (start, [extent])):
                nest((*indices, name))
            self.emit(counted(variable, [extent], statements, location))

        nest(())

    def _loop_variable(self, location: Location) -> nodes.Variable:
        start = nodes.Integer(0, LONG, location)
        return nodes.Variable(self.fresh("i"), LONG, location, initialiser=start)

    def store(self, target: nodes.Expression, operator: str, value: Scalar, location: Location) -> None:
        """Emit ``target = value``, or with an operator ``target = target operator value``."""
        ctype = target.ctype
        assert ctype is not None
        if operator:
            old = Scalar(target, ctype)  # type: ignore[arg-type] # an element is a number
            value = binary(operator, old, value, location)
        converted = cast(value, ctype, location)  # type: ignore[arg-type] # an element is a number
        self.emit(nodes.assignment(target, converted.node, location))


def counted(
    variable: nodes.Variable,
    uppers: Nodes,
    body: Sequence[nodes.Statement],
    location: Location,
    step: int = 1,
) -> nodes.Loop:
    """Build a loop that counts a variable from its initialiser to the least of some bounds."""
    name = nodes.Name(variable, LONG, location)
    operator = "<" if step > 0 else ">"
    tests: list[nodes.Expression] = [nodes.Binary(operator, name, upper, INT, location) for upper in uppers]
    condition = tests[0]
    for test in tests[1:]:
        condition = nodes.Binary("&&", condition, test, INT, location)
    distance = nodes.Integer(abs(step), LONG, location)
    advance = nodes.Assign("+" if step > 0 else "-", name, distance, LONG, location)
    declaration = nodes.Declare(variable, location)
    return nodes.Loop("for", declaration, condition, advance, nodes.Block(tuple(body), location), location)


def _in_steps(extent: Scalar, step: int, location: Location) -> Scalar:
    """Give how many steps fit into an extent, the first included."""
    if step == 1:
        return extent
    rounded = binary("+", extent, integer(step - 1, location), location)
    return binary("//", rounded, integer(step, location), location)


def _difference(upper: Scalar, lower: Scalar, location: Location) -> Scalar:
    if isinstance(upper.node, nodes.Integer) and isinstance(lower.node, nodes.Integer):
        return integer(max(upper.node.value - lower.node.value, 0), location)
    return binary("-", upper, lower, location)


def _without_lists(value: ArrayValue | View, location: Location) -> ArrayValue:
    """Give an array as a value; a list has no arithmetic."""
    if isinstance(value, View):
        if value.array.is_list:
            raise refusal("operator", location, f"`{value.array.name}` is a list, which has no arithmetic")
        return value_of_view(value)
    if value.is_list:
        raise refusal("operator", location, "a list has no arithmetic")
    return value


def _is_negative(value: Scalar) -> bool:
    return isinstance(value.node, nodes.Integer) and value.node.value < 0


def _is_one(extent: nodes.Expression) -> bool:
    return isinstance(extent, nodes.Integer) and extent.value == 1


def _broadcast(value: ArrayValue, indices: Nodes, location: Location) -> Scalar:
    """Read an array at the indices of a result of at least its rank."""
    last = indices[len(indices) - len(value.extents) :]
    zero = nodes.Integer(0, LONG, location)
    places = [zero if _is_one(extent) else index for extent, index in zip(value.extents, last, strict=True)]
    return value.at(places, location)
