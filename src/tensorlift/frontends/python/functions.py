"""Calls: builtins, functions of math and numpy, methods of arrays, functions of the same file."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import DOUBLE, LONG, FloatType
from tensorlift.frontends.python.arrays import Arrays
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import (
    DTYPES,
    Scalar,
    binary,
    call,
    cast,
    choose,
    compare,
    floating,
    integer,
    join,
)
from tensorlift.frontends.python.values import ArrayValue, Operand, Sizes, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

# Functions of one number by their names in math and numpy, with the name of math.h.
UNARY = {
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "cbrt": "cbrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint",
}  # fmt: skip
BINARY = {"pow": "pow", "power": "pow", "atan2": "atan2", "arctan2": "atan2", "copysign": "copysign", "fmod": "fmod"}
_ROUNDED = {"floor", "ceil", "trunc"}  # integers where they come from math
_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau}
_MODULES = {"math", "numpy"}
_EXTREMES = {"min", "max", "minimum", "maximum", "fmin", "fmax"}
_REDUCTIONS = {"sum", "mean", "prod", "min", "max", "amin", "amax", "dot"}
_CREATORS = {"zeros": 0.0, "empty": 0.0, "ones": 1.0, "full": None}
_TWO = 2


class Functions(Arrays):
    """Evaluation of calls."""

    def callee(self, node: ast.Call) -> tuple[str, str]:
        """Give the module (empty for builtins and own functions, ``.`` for methods) and the name of what is called."""
        match node.func:
            case ast.Name(id=name):
                if name in self.module.rebound:
                    raise refusal("call", self.locate(node), name)
                module, _, original = self.module.imports.get(name, f".{name}").rpartition(".")
                return ("" if module == "numba" else module), original
            case ast.Attribute(value=ast.Name(id=base), attr=name) if self._may_be_module(base):
                return self._module_of(base), name
            case ast.Attribute(attr=name):
                return ".", name
            case _:
                raise refusal("call", self.locate(node), ast.unparse(node.func))

    def _may_be_module(self, base: str) -> bool:
        return base not in self.environment and base not in self.module.rebound

    def _module_of(self, base: str) -> str:
        known = {"np": "numpy", "numpy": "numpy", "math": "math"}
        return self.module.imports.get(base, known.get(base, base))

    def named_constant(self, node: ast.Attribute) -> Scalar | None:
        """Give a constant of a module, such as ``math.pi``."""
        if isinstance(node.value, ast.Name) and self._may_be_module(node.value.id):
            if self._module_of(node.value.id) in _MODULES and node.attr in _CONSTANTS:
                return floating(_CONSTANTS[node.attr], self.locate(node))
            if self._module_of(node.value.id) in _MODULES:
                raise refusal("attribute", self.locate(node), ast.unparse(node))
        return None

    def call(self, node: ast.Call) -> Operand:
        """Evaluate a call."""
        module, name = self.callee(node)
        location = self.locate(node)
        if module == "." and isinstance(node.func, ast.Attribute):
            return self._method(node, node.func, name)
        if module == "" and name in self.module.functions:
            return self.own_function(node, name)
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            raise refusal("arguments", location, "`*` in a call is not lifted")
        if module == "" or module in _MODULES:
            found = self._known(module, name, node)
            if found is not None:
                return found
        raise refusal("call", location, ast.unparse(node.func))

    def _known(self, module: str, name: str, node: ast.Call) -> Operand | None:
        """Evaluate a function of the tables; None where there is none."""
        location = self.locate(node)
        if name in _CREATORS or name.removesuffix("_like") in _CREATORS:
            return self.created(node, name) if module == "numpy" else None
        if module == "" and name == "len":
            return self._length(node)
        if name in _REDUCTIONS and (module == "numpy" or name == "sum"):
            return self._reduce(name, node)
        if module == "numpy" and name in {"copy", "array", "asarray", "ascontiguousarray"}:
            return self._copy(node)
        if module == "numpy" and name == "matmul":
            self._take(node, _TWO)
            return self.matrix_product(self.array(node.args[0]), self.array(node.args[1]), location)
        if module == "numpy" and name == "where":
            return self._where(node)
        if name in _EXTREMES and (module != "" or name in {"min", "max"}):
            return self._extreme(name, node)
        return self._of_numbers(module, name, node)

    def _of_numbers(self, module: str, name: str, node: ast.Call) -> Operand | None:
        location = self.locate(node)
        row = self._row(module, name)
        if row is None:
            return None
        count, apply = row
        self._take(node, count)
        return self.elementwise(lambda v: apply(v, location), [self.evaluate(a) for a in node.args], location)

    def _row(self, module: str, name: str) -> tuple[int, Callable[[Sequence[Scalar], Location], Scalar]] | None:
        """Find how a function of one or two numbers is computed."""
        if module == "" and name in {"abs", "float", "int", "bool", "round"}:
            return 1, _BUILTINS[name]
        if module == "numpy" and name in DTYPES:
            return 1, lambda v, place: cast(v[0], DTYPES[name], place)
        if module == "numpy" and name in _NUMPY:
            return 1, _NUMPY[name]
        if module == "" or (module == "math" and name.startswith("arc")):
            return None
        if name in UNARY:
            whole = module == "math" and name in _ROUNDED
            return 1, lambda v, place: _unary(UNARY[name], v[0], place, module, whole=whole)
        if name in BINARY:
            return _TWO, lambda v, place: _binary(BINARY[name], v, place, module)
        if name == "hypot":
            return _TWO, lambda v, place: _hypotenuse(v, place, module)
        return None

    def _take(self, node: ast.Call, count: int) -> None:
        if len(node.args) != count or node.keywords:
            detail = f"`{ast.unparse(node.func)}` is lifted with {count} plain argument{'s' * (count > 1)}"
            raise refusal("arguments", self.locate(node), detail)

    def _length(self, node: ast.Call) -> Scalar:
        self._take(node, 1)
        value = self.evaluate(node.args[0])
        if isinstance(value, View | ArrayValue):
            return Scalar(value.extents[0], LONG, weak=True)
        raise refusal("unknown-rank", self.locate(node), ast.unparse(node.args[0]))

    def _extreme(self, name: str, node: ast.Call) -> Operand:
        """Evaluate the least or greatest of several numbers."""
        location = self.locate(node)
        if len(node.args) < _TWO:
            return self._reduce(name, node)
        if node.keywords:
            raise refusal("arguments", location, f"keyword arguments of `{name}` are not lifted")
        least = name in {"min", "minimum", "fmin"}
        found = self.evaluate(node.args[0])
        for argument in node.args[1:]:
            found = self.elementwise(
                lambda v: extreme(v[0], v[1], location, least=least), [found, self.evaluate(argument)], location
            )
        return found

    def _where(self, node: ast.Call) -> Operand:
        location = self.locate(node)
        self._take(node, 3)
        test = self.evaluate(node.args[0])
        arms = [self.evaluate(argument) for argument in node.args[1:]]

        def apply(values: Sequence[Scalar]) -> Scalar:
            condition = values[0] if values[0].truth else compare("!=", values[0], integer(0, location), location)
            return choose(condition, values[1], values[2], location)

        return self.elementwise(apply, [test, *arms], location)

    def _copy(self, node: ast.Call) -> Operand:
        self._take(node, 1)
        value = self.array(node.args[0])
        return self.elementwise(lambda v: v[0], [value], self.locate(node))

    def _method(self, node: ast.Call, function: ast.Attribute, name: str) -> Operand:
        """Evaluate a method of an array."""
        plain = ast.Call(ast.Name(name, ast.Load()), [function.value, *node.args], node.keywords)
        ast.copy_location(plain, node)
        ast.copy_location(plain.func, node)
        if name in {"sum", "mean", "prod", "min", "max", "dot"}:
            return self._reduce(name, plain)
        if name == "copy":
            return self._copy(plain)
        raise refusal("attribute", self.locate(node), name)

    def _reduce(self, name: str, node: ast.Call) -> Operand:
        """Reduce a whole array, or one axis of it by sum or mean."""
        location = self.locate(node)
        if name == "dot":
            self._take(node, _TWO)
            return self.matrix_product(self.array(node.args[0]), self.array(node.args[1]), location)
        axis = self._axis(node)
        if len(node.args) != 1 or isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
            raise refusal("arguments", location, f"`{name}` is lifted for one array")
        value = self._summand(node.args[0], location)
        if axis is not None and len(value.extents) > 1:
            return self._along(name, value, axis, location)
        return self._total(name, value, location)

    def _summand(self, node: ast.expr, location: Location) -> ArrayValue:
        value = self.evaluate(node)
        if isinstance(value, View):
            return ArrayValue(value.extents, value.at, value.array.element, frozenset({value.array.variable}))
        if isinstance(value, ArrayValue):
            return value
        raise refusal("unknown-rank", location, ast.unparse(node))

    def _axis(self, node: ast.Call) -> int | None:
        found = None
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg != "axis" or not isinstance(value, Scalar) or not isinstance(value.node, nodes.Integer):
                raise refusal("arguments", self.locate(node), f"the argument `{keyword.arg}` is not lifted")
            found = value.node.value
        return found

    def _along(self, name: str, value: ArrayValue, axis: int, location: Location) -> Operand:
        rank = len(value.extents)
        if name not in {"sum", "mean"} or not -rank <= axis < rank:
            raise refusal("arguments", location, f"`{name}` along axis {axis} is not lifted")
        axis %= rank
        inner = value.extents[axis]
        extents = (*value.extents[:axis], *value.extents[axis + 1 :])
        element = _accumulator(value.element)

        def term(indices: Sequence[nodes.Expression], k: nodes.Expression) -> Scalar:
            return value.at((*indices[:axis], k, *indices[axis:]), location)

        total = self.reduction(extents, inner, term, element, location)
        if name == "sum":
            return total
        return self.binary(ast.Div(), total, Scalar(inner, LONG, weak=True), location)

    def _total(self, name: str, value: ArrayValue, location: Location) -> Scalar:
        """Reduce all elements to one number."""
        element = _accumulator(value.element)
        if name in {"sum", "mean", "prod"}:
            start = cast(integer(int(name == "prod"), location), element, location)
            operator = "*" if name == "prod" else "+"
            result = self.temporary(start, location, "s")
            self.loop_over(
                value.extents, lambda i: self.store(result.node, operator, value.at(i, location), location), location
            )
            return self._mean(result, value, location) if name == "mean" else result
        zero = nodes.Integer(0, LONG, location)
        result = self.temporary(value.at([zero] * len(value.extents), location), location, "m")
        least = name in {"min", "amin"}

        def body(indices: Sequence[nodes.Expression]) -> None:
            self.store(result.node, "", extreme(result, value.at(indices, location), location, least=least), location)

        self.loop_over(value.extents, body, location)
        return result

    def _mean(self, total: Scalar, value: ArrayValue, location: Location) -> Scalar:
        count = Scalar(value.extents[0], LONG, weak=True)
        for extent in value.extents[1:]:
            count = binary("*", count, Scalar(extent, LONG, weak=True), location)
        mean = self.binary(ast.Div(), total, count, location)
        assert isinstance(mean, Scalar)
        return mean

    def created(self, node: ast.Call, name: str) -> ArrayValue:
        """Give the array that ``np.zeros`` and its relatives make."""
        location = self.locate(node)
        element: Number = DOUBLE
        for keyword in node.keywords:
            dtype = ast.unparse(keyword.value).rsplit(".", 1)[-1].strip("'\"")
            if keyword.arg != "dtype" or (dtype not in DTYPES and dtype != "dtype"):
                raise refusal("arguments", location, f"the argument `{keyword.arg}` is not lifted")
            element = self._dtype(keyword.value, dtype)
        number = 1 + name.startswith("full")
        if len(node.args) != number:
            raise refusal("arguments", location, f"`{name}` is lifted with {number} plain argument{'s' * (number > 1)}")
        if name.endswith("_like"):
            model = self._summand(node.args[0], location)
            extents, kind = model.extents, model.element
            element = kind if not node.keywords else element
        else:
            extents = tuple(self._shape(node.args[0]))
        value = self.scalar(node.args[1]) if number > 1 else integer(int(name.startswith("ones")), location)
        value = cast(value, element, location)
        return ArrayValue(extents, lambda _indices, _place: value, element)

    def _dtype(self, node: ast.expr, spelled: str) -> Number:
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            return self._summand(node.value, self.locate(node)).element
        return DTYPES[spelled]

    def _shape(self, node: ast.expr) -> list[nodes.Expression]:
        if isinstance(node, ast.Tuple | ast.List):
            return [self.integer(item).node for item in node.elts]
        value = self.evaluate(node)
        if isinstance(value, Sizes):
            return [item.node for item in value.items]
        return [self.integer(node).node]

    def own_function(self, node: ast.Call, name: str) -> Operand:
        """Evaluate a call of a function of the same file."""
        raise NotImplementedError


def extreme(left: Scalar, right: Scalar, location: Location, *, least: bool) -> Scalar:
    """Give the lesser or the greater of two numbers."""
    a, b, weak = join(left, right, location)
    if isinstance(a.ctype, FloatType):
        return call("fmin" if least else "fmax", [a, b], a.ctype, location, weak=weak)
    test = compare("<" if least else ">", a, b, location)
    return Scalar(nodes.Conditional(test.node, a.node, b.node, a.ctype, location), a.ctype, weak)


def _accumulator(element: Number) -> Number:
    """Give the type that NumPy sums an element type in."""
    return element if isinstance(element, FloatType) else LONG


def _float_of(value: Scalar, module: str) -> tuple[Number, bool]:
    """Give the type of a function of math or numpy of a number: math computes with Python's float."""
    if module == "math":
        return DOUBLE, True
    if isinstance(value.ctype, FloatType):
        return value.ctype, value.weak
    return DOUBLE, False


def _unary(name: str, value: Scalar, location: Location, module: str, *, whole: bool) -> Scalar:
    if whole and value.is_integer:
        return value
    ctype, weak = _float_of(value, module)
    result = call(name, [value], ctype, location, weak=weak)
    return Scalar(cast(result, LONG, location).node, LONG, weak=True) if whole else result


def _binary(name: str, values: Sequence[Scalar], location: Location, module: str) -> Scalar:
    left, right, _ = join(values[0], values[1], location)
    ctype, weak = _float_of(left, module)
    return call(name, [left, right], ctype, location, weak=weak)


def _hypotenuse(values: Sequence[Scalar], location: Location, module: str) -> Scalar:
    squares = [binary("*", value, value, location) for value in values]
    total = binary("+", squares[0], squares[1], location)
    return _unary("sqrt", total, location, module, whole=False)


def _absolute(values: Sequence[Scalar], location: Location) -> Scalar:
    (value,) = values
    if isinstance(value.ctype, FloatType):
        return call("fabs", [value], value.ctype, location, weak=value.weak)
    zero = integer(0, location)
    return choose(compare("<", value, zero, location), binary("-", zero, value, location), value, location)


def _sign(values: Sequence[Scalar], location: Location) -> Scalar:
    (value,) = values
    zero = integer(0, location)
    below = choose(
        compare("<", value, zero, location),
        cast(integer(-1, location), value.ctype, location),
        cast(zero, value.ctype, location),
        location,
    )
    return choose(
        compare(">", value, zero, location), cast(integer(1, location), value.ctype, location), below, location
    )


def _to_integer(values: Sequence[Scalar], location: Location) -> Scalar:
    return Scalar(cast(values[0], LONG, location).node, LONG, weak=True)


def _rounded(values: Sequence[Scalar], location: Location) -> Scalar:
    if values[0].is_integer:
        return values[0]
    return _to_integer([call("rint", [values[0]], DOUBLE, location, weak=True)], location)


def _to_truth(values: Sequence[Scalar], location: Location) -> Scalar:
    return values[0] if values[0].truth else compare("!=", values[0], integer(0, location), location)


def _to_float(values: Sequence[Scalar], location: Location) -> Scalar:
    return Scalar(cast(values[0], DOUBLE, location).node, DOUBLE, weak=True)


def _square(values: Sequence[Scalar], location: Location) -> Scalar:
    return binary("*", values[0], values[0], location)


_BUILTINS: dict[str, Callable[[Sequence[Scalar], Location], Scalar]] = {
    "abs": _absolute,
    "int": _to_integer,
    "float": _to_float,
    "bool": _to_truth,
    "round": _rounded,
}
_NUMPY: dict[str, Callable[[Sequence[Scalar], Location], Scalar]] = {
    "abs": _absolute,
    "absolute": _absolute,
    "sign": _sign,
    "square": _square,
}
