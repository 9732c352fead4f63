"""Expressions of a function with complex numbers, split into their parts."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from tensorlift.frontends.python.complex_names import NUMBER, PARTS, Names
from tensorlift.frontends.python.complex_parts import (
    Complex,
    Pairs,
    Parts,
    added,
    bilinear,
    binary,
    called,
    conjugate,
    difference,
    divided,
    negated,
    number,
    size,
)
from tensorlift.frontends.python.syntax import OPERATORS, indices_of, is_ellipsis, is_new_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LINEAR = {"sum", "mean", "cumsum", "transpose", "flip", "roll"}
_BILINEAR = {"dot", "matmul", "outer", "inner", "vdot"}


class Expressions:
    """Splits the expressions of one function."""

    def __init__(self, names: Names) -> None:
        """Split by what names are."""
        self._names = names

    def iterated(self, target: ast.expr, items: ast.expr) -> ast.expr:
        """Give what is gone over; items of arrays of complex numbers are pairs, or arrays of them."""
        match items:
            case ast.Name(id=name) if isinstance(self._names.kinds.get(name), Pairs):
                of = self._names.kinds[name]
                assert isinstance(of, Pairs)
                if not isinstance(target, ast.Name):
                    raise self._names.refusal(f"the items of `{name}` have no name")
                kind = Pairs(of.rank - 1, of.dtype)
                if self._names.kinds.setdefault(target.id, kind) != kind:
                    raise self._names.refusal(f"the name `{target.id}` is used again")
                return items
            case ast.Call(func=ast.Name(id="reversed"), args=[inner], keywords=[]):
                return ast.Call(items.func, [self.iterated(target, inner)], [])
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *more], keywords=[]) if (
                isinstance(target, ast.Tuple) and len(target.elts) == 2  # noqa: PLR2004 - the place and the item
            ):
                return ast.Call(items.func, [self.iterated(target.elts[1], inner), *map(self.real, more)], [])
            case ast.Call(func=ast.Name(id="zip"), args=arguments, keywords=[]) if isinstance(
                target, ast.Tuple
            ) and len(target.elts) == len(arguments):
                pairs = zip(target.elts, arguments, strict=True)
                return ast.Call(items.func, [self.iterated(one, inner) for one, inner in pairs], [])
        if isinstance(items, ast.Call) and ast.unparse(items.func) in {"range", "prange", "nb.prange", "numba.prange"}:
            self._names.bind(target, set())
        else:
            is_flat = isinstance(items, ast.Name) and self._names.rank(items.id) == 1
            self._names.bind(target, set() if is_flat else {"?"})
        return self.real(items)

    def real(self, node: ast.expr) -> ast.expr:
        """Split an expression that must be real."""
        found = self.value(node)
        if isinstance(found, Complex):
            raise self._names.refusal(f"`{ast.unparse(node)}`")
        return found

    def value(self, node: ast.expr) -> Complex | ast.expr:
        """Split an expression; one that is real is given with its parts split."""
        match node:
            case ast.Constant(value=complex() as literal):
                return Complex(None, ast.Constant(literal.imag))
            case ast.Name(id=name) if name in self._names.kinds:
                return self._name(name)
            case ast.BinOp(left=left, op=operator, right=right):
                return self.operated(self.value(left), operator, self.value(right))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                found = self.value(operand)
                if isinstance(found, Complex):
                    is_minus = isinstance(node.op, ast.USub)
                    return Complex(negated(found.re), negated(found.im)) if is_minus else found
                return ast.UnaryOp(node.op, found)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
                return self._compared(self.value(left), operator, self.value(right))
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                condition, arms = self.real(test), (self.value(body), self.value(otherwise))
                return self._chosen(arms, lambda one, other: ast.IfExp(copy.deepcopy(condition), one, other))
            case ast.Attribute(value=inner, attr=name):
                return self._attribute(node, inner, name)
            case ast.Subscript(value=inner):
                return self._subscript(node, inner)
        return self._call(node) if isinstance(node, ast.Call) else self._rebuilt(node)

    def _rebuilt(self, node: ast.expr) -> ast.expr:
        """Copy an expression whose parts must be real."""
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                if name != "elt":
                    setattr(made, name, self.real(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.comprehension):
                setattr(made, name, self._generators(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                setattr(made, name, [self.real(item) for item in value])
        if isinstance(made, ast.GeneratorExp | ast.ListComp):
            made.elt = self.real(made.elt)
        return made

    def _generators(self, generators: Sequence[ast.comprehension]) -> list[ast.comprehension]:
        made = []
        for one in generators:
            items = self.iterated(one.target, one.iter)
            made.append(ast.comprehension(one.target, items, [self.real(test) for test in one.ifs], one.is_async))
        return made

    def _name(self, name: str) -> Complex:
        kind = self._names.kinds[name]
        if isinstance(kind, Parts):
            return Complex(ast.Name(kind.re, ast.Load()), ast.Name(kind.im, ast.Load()))
        return self._within(name, [])

    def _within(self, name: str, indices: Sequence[ast.expr]) -> Complex:
        """Give the parts of what is in an array of pairs."""
        kind = self._names.kinds[name]
        assert isinstance(kind, Pairs)
        given = sum(not is_new_axis(index) for index in indices)
        rest = [ast.Constant(...)] if given < kind.rank and not any(map(is_ellipsis, indices)) else []

        def part(number: int) -> ast.expr:
            parts = [*(copy.deepcopy(index) for index in indices), *rest, ast.Constant(number)]
            place = ast.Tuple(list(parts), ast.Load()) if len(parts) > 1 else parts[0]
            return ast.Subscript(ast.Name(name, ast.Load()), place, ast.Load())

        return Complex(part(0), part(1))

    def _subscript(self, node: ast.Subscript, inner: ast.expr) -> Complex | ast.expr:
        if isinstance(inner, ast.Attribute) and inner.attr == "shape" and isinstance(inner.value, ast.Name):
            index, is_pairs = node.slice, isinstance(self._names.kinds.get(inner.value.id), Pairs)
            if is_pairs and not (isinstance(index, ast.Constant) and isinstance(index.value, int) and index.value >= 0):
                raise self._names.refusal(f"`{ast.unparse(node)}`")
            if is_pairs:
                return node
        base, indices = inner, list(map(self.real, indices_of(node)))
        while isinstance(base, ast.Subscript) and not any(isinstance(i, ast.Slice) for i in indices_of(base)):
            indices = [*map(self.real, indices_of(base)), *indices]
            base = base.value
        if isinstance(base, ast.Name) and isinstance(self._names.kinds.get(base.id), Pairs):
            return self._within(base.id, indices)
        found = self.value(inner)
        place = self.real(node.slice)
        if isinstance(found, Complex):
            re, im = (part and ast.Subscript(part, copy.deepcopy(place), ast.Load()) for part in found)
            return Complex(re, im)
        return ast.Subscript(found, place, node.ctx)

    def _attribute(self, node: ast.Attribute, inner: ast.expr, name: str) -> Complex | ast.expr:
        if isinstance(inner, ast.Name) and inner.id not in self._names.kinds:
            return node
        kind = self._names.kinds.get(inner.id) if isinstance(inner, ast.Name) else None
        if isinstance(kind, Pairs) and name == "shape":
            return ast.Tuple(
                [ast.Subscript(node, ast.Constant(axis), ast.Load()) for axis in range(kind.rank)], ast.Load()
            )
        found = self.value(inner)
        if not isinstance(found, Complex):
            return ast.Attribute(found, name, node.ctx)
        match name:
            case "real" | "imag":
                self._names.shaped(found, f"`{ast.unparse(node)}`")
                return number(found.re if name == "real" else found.im)
            case "T":
                re, im = (part and ast.Attribute(part, "T", ast.Load()) for part in found)
                return Complex(re, im)
        raise self._names.refusal(f"`{ast.unparse(node)}`")

    def operated(
        self, left: Complex | ast.expr, operator: ast.operator, right: Complex | ast.expr
    ) -> Complex | ast.expr:
        """Apply an operator of Python."""
        if not isinstance(left, Complex) and not isinstance(right, Complex):
            return ast.BinOp(left, operator, right)
        one, other = (value if isinstance(value, Complex) else Complex(value, None) for value in (left, right))
        match operator:
            case ast.Add():
                return Complex(added(one.re, other.re), added(one.im, other.im))
            case ast.Sub():
                return Complex(difference(one.re, other.re), difference(one.im, other.im))
            case ast.Mult() | ast.MatMult():
                if isinstance(operator, ast.MatMult):
                    self._names.check_shapes([one, other], "`@`")
                return bilinear(one, other, lambda a, b: binary(a, operator, b))
            case ast.Div():
                return divided(one, other)
            case ast.Pow() if isinstance(right, ast.Constant) and right.value == 2:  # noqa: PLR2004 - the square
                return bilinear(one, one, lambda a, b: binary(a, ast.Mult(), b))
        raise self._names.refusal("this operator on complex numbers")

    def _compared(self, left: Complex | ast.expr, operator: ast.cmpop, right: Complex | ast.expr) -> ast.expr:
        if not isinstance(left, Complex) and not isinstance(right, Complex):
            return ast.Compare(left, [operator], [right])
        one, other = (value if isinstance(value, Complex) else Complex(value, None) for value in (left, right))
        re, im = (ast.Compare(number(a), [operator], [number(b)]) for a, b in zip(one, other, strict=True))
        return ast.BinOp(re, ast.BitAnd() if isinstance(operator, ast.Eq) else ast.BitOr(), im)

    def _chosen(
        self, arms: tuple[Complex | ast.expr, Complex | ast.expr], choose: Callable[[ast.expr, ast.expr], ast.expr]
    ) -> Complex | ast.expr:
        one, other = arms
        if not isinstance(one, Complex) and not isinstance(other, Complex):
            return choose(one, other)
        first, second = (arm if isinstance(arm, Complex) else Complex(arm, None) for arm in arms)
        re, im = (choose(number(a), number(b)) for a, b in zip(first, second, strict=True))
        return Complex(re, im)

    def _call(self, node: ast.Call) -> Complex | ast.expr:
        home, name = self._names.callee(node.func)
        if (home, name) == ("", "len") and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            kind = self._names.kinds.get(node.args[0].id)
            if isinstance(kind, Pairs) and kind.rank:
                return node
        match home, name, node.args:
            case "", "sum", [ast.GeneratorExp() | ast.ListComp() as items]:
                return self._summed(node, items)
        given: list[Complex | ast.expr] = [self.value(argument) for argument in node.args]
        if home == ".":
            assert isinstance(node.func, ast.Attribute)
            given.insert(0, self.value(node.func.value))
        made = self._made(node, home, name, given)
        if made is not None:
            return made
        if any(isinstance(value, Complex) for value in given):
            raise self._names.refusal(f"`{ast.unparse(node)}`")
        call = self._rebuilt(node)
        assert isinstance(call, ast.Call)
        call.keywords = [ast.keyword(one.arg, self.real(one.value)) for one in node.keywords]
        return call

    def _made(
        self, node: ast.Call, home: str, name: str, given: Sequence[Complex | ast.expr]
    ) -> Complex | ast.expr | None:
        """Apply a function to complex numbers; None where it is none that is known."""
        if (home, name) == ("", "complex") and not node.keywords and given:
            return self._composed(given)
        if not given or not any(isinstance(value, Complex) for value in given) or home == "?":
            return None
        numbers = [value if isinstance(value, Complex) else Complex(value, None) for value in given]
        first, is_plain = numbers[0], not node.keywords
        match home, name, len(given):
            case "." | "numpy", "conj" | "conjugate", 1 if is_plain:
                return conjugate(first)
            case "numpy", "real" | "imag", 1 if is_plain:
                self._names.shaped(first, f"`{ast.unparse(node)}`")
                return number(first.re if name == "real" else first.im)
            case ("" | "numpy", "abs", 1) | ("numpy", "absolute" | "angle", 1) | ("cmath", "phase", 1) if is_plain:
                if home != "numpy":
                    self._names.keep_width()
                return self._polar(node, name, first)
            case "numpy" | "cmath", "exp", 1 if is_plain:
                if home == "cmath":
                    self._names.keep_width()
                return self._exponential(first)
        return self._made_of_arrays(node, home, name, given)

    def _polar(self, node: ast.Call, name: str, value: Complex) -> ast.expr:
        """Give the absolute value, or the angle."""
        if name.startswith("abs"):
            return called(self._names.numpy("sqrt"), size(value))
        self._names.shaped(value, f"`{ast.unparse(node)}`")
        return called(self._names.numpy("arctan2"), number(value.im), number(value.re))

    def _made_of_arrays(
        self, node: ast.Call, home: str, name: str, given: Sequence[Complex | ast.expr]
    ) -> Complex | ast.expr | None:
        """Apply a function of NumPy that is linear, in each of its arguments."""
        numbers = [value if isinstance(value, Complex) else Complex(value, None) for value in given]
        is_plain = not node.keywords
        match home, name, len(given):
            case "numpy", "where", 3 if is_plain and isinstance(given[0], ast.expr):
                test = given[0]
                return self._chosen((given[1], given[2]), lambda a, b: called(node.func, test, a, b))
            case "numpy" | ".", _, _ if name in _LINEAR:
                return self._linear(node, home, given)
            case "numpy" | ".", _, 2 if name in _BILINEAR and is_plain and not (home == "." and name != "dot"):
                product = self._names.numpy("dot" if name == "vdot" else name)
                self._names.check_shapes(numbers, f"`{ast.unparse(node)}`")
                if name == "vdot" and not all(map(self._names.is_vector, node.args)):
                    raise self._names.refusal(f"`{ast.unparse(node)}` of what may have several dimensions")
                left = conjugate(numbers[0]) if name == "vdot" else numbers[0]
                return bilinear(left, numbers[1], lambda a, b: called(product, a, b))
            case "numpy", _, 2 if name in OPERATORS and is_plain:
                return self.operated(given[0], OPERATORS[name](), given[1])
        return None

    def _composed(self, given: Sequence[Complex | ast.expr]) -> Complex:
        """Read ``complex(re, im)``."""
        match given:
            case [Complex() as value]:
                return value
            case [ast.expr() as re]:
                return Complex(re, None)
            case [ast.expr() as re, ast.expr() as im]:
                return Complex(re, im)
        raise self._names.refusal("this call of `complex`")

    def _exponential(self, value: Complex) -> Complex:
        angle = number(value.im)
        turned = [called(self._names.numpy(name), angle) for name in ("cos", "sin")]
        if value.re is None:
            return Complex(*turned)
        size = called(self._names.numpy("exp"), value.re)
        return Complex(*(binary(size, ast.Mult(), one) for one in turned))

    def _linear(self, node: ast.Call, home: str, given: Sequence[Complex | ast.expr]) -> Complex:
        value, *more = given
        if not isinstance(value, Complex) or any(isinstance(one, Complex) for one in more):
            raise self._names.refusal(f"`{ast.unparse(node)}`")
        self._names.shaped(value, f"`{ast.unparse(node)}`")
        if any(one.arg in {"dtype", "out", None} for one in node.keywords):
            raise self._names.refusal(f"`{ast.unparse(node)}`")
        keywords = [ast.keyword(one.arg, self.real(one.value)) for one in node.keywords]
        rest = [one for one in more if isinstance(one, ast.expr)]

        def applied(part: ast.expr) -> ast.expr:
            assert isinstance(node.func, ast.Attribute)
            function = ast.Attribute(part, node.func.attr, ast.Load()) if home == "." else copy.deepcopy(node.func)
            arguments = rest if home == "." else [part, *rest]
            return ast.Call(function, copy.deepcopy(arguments), copy.deepcopy(keywords))

        re, im = (part and applied(part) for part in value)
        return Complex(re, im)

    def _summed(self, node: ast.Call, items: ast.GeneratorExp | ast.ListComp) -> Complex | ast.expr:
        """Read ``sum(... for ...)``."""
        generators = self._generators(items.generators)
        found = self.value(items.elt)

        def folded(part: ast.expr) -> ast.expr:
            return ast.Call(node.func, [type(items)(part, copy.deepcopy(generators))], [])

        if not isinstance(found, Complex):
            return folded(found)
        re, im = (part and folded(part) for part in found)
        return Complex(re, im)

    def created(self, value: ast.expr) -> tuple[ast.expr, Pairs] | None:
        """Give the array of pairs that an expression makes as one of complex numbers; None for any other."""
        if not isinstance(value, ast.Call):
            return None
        home, name = self._names.callee(value.func)
        told = {keyword.arg: keyword.value for keyword in value.keywords}
        source = value.args[0] if value.args else None
        if home == "." and isinstance(value.func, ast.Attribute) and name == "copy" and not value.args:
            source = value.func.value
        kind = self._names.kinds.get(source.id) if isinstance(source, ast.Name) else None
        is_copy = home in {"numpy", "."} and name in {"copy", "zeros_like", "empty_like"}
        if is_copy and isinstance(kind, Pairs) and not told and len(value.args) <= 1:
            return value, kind
        if home != "numpy" or name not in {"zeros", "empty"} or source is None:
            return None
        dtype = told.get("dtype", value.args[1] if len(value.args) > 1 else None)
        text = "" if dtype is None else ast.unparse(dtype).strip("'\"")
        found = NUMBER.fullmatch(text)
        if found is None:
            return None
        extents = self._shape(source)
        shape = ast.Tuple([*extents, ast.Constant(2)], ast.Load())
        part = ast.Constant(PARTS[found[1]])
        return ast.Call(value.func, [shape], [ast.keyword("dtype", part)]), Pairs(len(extents), PARTS[found[1]])

    def _shape(self, shape: ast.expr) -> list[ast.expr]:
        match shape:
            case ast.Tuple(elts=extents) | ast.List(elts=extents):
                return [self.real(extent) for extent in extents]
            case ast.Attribute(value=ast.Name(id=name), attr="shape"):
                kind = self._names.kinds.get(name)
                if isinstance(kind, Pairs):
                    return [ast.Subscript(shape, ast.Constant(axis), ast.Load()) for axis in range(kind.rank)]
                raise self._names.refusal(f"an array of the shape `{name}.shape`")
        return [self.real(shape)]
