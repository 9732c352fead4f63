"""Calls: builtins, functions of math and numpy, methods of arrays, functions of the same file."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.numeric import extreme, function_of_numbers
from tensorlift.frontends.python.reductions import Reductions
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import (
    Scalar,
    binary,
    cast,
    choose,
    floating,
    holds,
    join,
    of_numpy,
    promoted,
    size_of,
    truth_of,
)
from tensorlift.frontends.python.syntax import CONSTANTS, MODULES, OPERATORS
from tensorlift.frontends.python.values import ArrayValue, Nodes, Operand, Sizes, View, whole
from tensorlift.ops.c_types import LONG, UNSIGNED_LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location

_NO_NUMBERS = {"nan", "NaN"}
_MODULES = {"math", "numpy"}
_EXTREMES = {"min", "max", "minimum", "maximum", "fmin", "fmax"}
_REDUCTIONS = {"sum", "mean", "prod", "min", "max", "amin", "amax", "dot", "any", "all", "count_nonzero", "var", "std"}
_REDUCING = {"sum", "min", "max", "any", "all"}  # builtins
_METHODS = {"sum", "mean", "prod", "min", "max", "dot", "any", "all", "var", "std"}
_TWO = 2


class Functions(Reductions):
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
            case ast.Attribute(value=ast.Name(id=base)) if base in self.module.rebound - self.environment.keys():
                raise refusal("call", self.locate(node), ast.unparse(node.func))
            case ast.Attribute(attr=name):
                return ".", name
            case _:
                raise refusal("call", self.locate(node), ast.unparse(node.func))

    def _may_be_module(self, base: str) -> bool:
        return base not in self.environment and base not in self.module.rebound

    def _module_of(self, base: str) -> str:
        return self.module.imports.get(base, MODULES.get(base, base))

    def named_constant(self, node: ast.Attribute) -> Scalar | None:
        """Give a constant of a module, such as ``math.pi``."""
        base = node.value.id if isinstance(node.value, ast.Name) else ""
        if not base or not self._may_be_module(base) or self._module_of(base) not in _MODULES:
            return None
        if node.attr in CONSTANTS:
            return floating(CONSTANTS[node.attr], self.locate(node))
        reason = "infinite" if node.attr in _NO_NUMBERS else "attribute"
        raise refusal(reason, self.locate(node), ast.unparse(node))

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
        if module == "numpy" and (create := self.creator(name)) is not None:
            return create(node, name)
        if module == "" and (found := self._builtin(name, node)) is not None:
            return found
        if module == "numpy" and name in _REDUCTIONS:
            return self._reduce(name, node)
        if module == "numpy" and name in OPERATORS:
            self.take(node, _TWO)
            left, right = (self._taken_by_numpy(argument) for argument in node.args)
            return _of_numpy(self.binary(OPERATORS[name](), left, right, self.locate(node)))
        if module == "numpy" and name in (own := self._of_arrays()):
            return own[name](node)
        if name in _EXTREMES and (module != "" or name in {"min", "max"}):
            return self._extreme(module, name, node)
        return self._of_numbers(module, name, node)

    def _builtin(self, name: str, node: ast.Call) -> Operand | None:
        """Evaluate a builtin that takes arrays or gives several numbers."""
        if name == "len":
            return self._length(node)
        if name == "list":
            return self._list_of(node)
        if name == "float" and node.args and ast.unparse(node.args[0]).strip("'-+").lower() in {"inf", "infinity"}:
            return floating(float(ast.literal_eval(node.args[0])), self.locate(node))
        if name in {"pow", "divmod"}:
            return self._division(node) if name == "divmod" else self._power_of(node)
        if name == "sum" and (start := _start_of_sum(node)) is not None:
            rest = self.call(ast.copy_location(ast.Call(node.func, node.args[:1], []), node))
            return self.binary(ast.Add(), self.scalar(start), rest, self.locate(node))
        if name in _REDUCING and len(node.args) == 1 and not node.keywords:
            if isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
                return self.generated(name, node.args[0])
            return self.builtin_reduction(name, node)
        if name in _REDUCING - _EXTREMES:
            raise refusal("arguments", self.locate(node), f"`{name}` is lifted for one array or generator")
        return None

    def _of_arrays(self) -> dict[str, Callable[[ast.Call], Operand]]:
        """Map functions of numpy that take arrays to their evaluation."""
        return {
            "array": self._array,
            "copy": self._array,
            "asarray": self._same_array,
            "where": self._where,
            "matmul": self._matrix_product,
            "inner": self._inner,
            "vdot": self._inner,
            "outer": self._outer,
            "transpose": self._transposed,
            "diag": self._diagonal,
            "trace": self._trace,
        }

    def _power_of(self, node: ast.Call) -> Operand:
        self.take(node, _TWO)
        base, exponent = (self.evaluate(argument) for argument in node.args)
        return self.binary(ast.Pow(), base, exponent, self.locate(node))

    def _division(self, node: ast.Call) -> Sizes:
        """Give the quotient and the remainder of ``divmod``."""
        self.take(node, _TWO)
        location = self.locate(node)
        left, right = (self.held(self.scalar(argument), location) for argument in node.args)
        found = [self.binary(op, left, right, location) for op in (ast.FloorDiv(), ast.Mod())]
        return Sizes(tuple(self.held(value, location) for value in found if isinstance(value, Scalar)))

    def _of_numbers(self, module: str, name: str, node: ast.Call) -> Operand | None:
        location = self.locate(node)
        row = function_of_numbers(module, name)
        if row is None:
            return None
        count, apply = row
        self.take(node, count)
        match name, node.args:
            case "uint64", [ast.Constant(value=int(value))] if not holds(LONG, value) and holds(UNSIGNED_LONG, value):
                return Scalar(nodes.Integer(value, UNSIGNED_LONG, location), UNSIGNED_LONG)

        def applied(values: Sequence[Scalar]) -> Scalar:
            result = apply(values, location)
            is_new = any(isinstance(v.ctype, FloatType) or not holds(LONG, v.ctype.maximum) for v in values)
            if is_new or (name == "abs" and any(self.is_any(v.node) for v in values)):
                self.note_growth(result, location)
            return result

        return self.elementwise(applied, [self.evaluate(a) for a in node.args], location)

    def _length(self, node: ast.Call) -> Scalar:
        self.take(node, 1)
        value = self.evaluate(node.args[0])
        if isinstance(value, View | ArrayValue):
            return size_of(value.extents[0])
        raise refusal("unknown-rank", self.locate(node), ast.unparse(node.args[0]))

    def _extreme(self, module: str, name: str, node: ast.Call) -> Operand:
        """Evaluate the least or greatest of several numbers."""
        location = self.locate(node)
        if len(node.args) < _TWO:
            raise refusal("arguments", location, f"`{name}` is lifted for several numbers, or for one array")
        if node.keywords or (module and len(node.args) != _TWO):
            raise refusal("arguments", location, f"`{name}` is lifted for plain numbers or arrays")
        found, *others = (
            self._taken_by_numpy(argument) if module == "numpy" else self.evaluate(argument) for argument in node.args
        )

        def apply(values: Sequence[Scalar]) -> Scalar:
            chosen = extreme(values[0], values[1], location, name, keeps_type=not module)
            return replace(chosen, weak=False, mixed=False, loose=False) if module == "numpy" else chosen

        for other in others:
            found = self.elementwise(apply, [found, other], location)
        return found

    def _taken_by_numpy(self, node: ast.expr) -> Operand:
        """Evaluate an argument of a function of NumPy, which takes truth values of Python for its own."""
        value = self.evaluate(node)
        return of_numpy(value) if isinstance(value, Scalar) else value

    def _where(self, node: ast.Call) -> Operand:
        location = self.locate(node)
        self.take(node, 3)
        condition = self.evaluate(node.args[0])
        given = [self._taken_by_numpy(argument) for argument in node.args[1:]]

        def apply(values: Sequence[Scalar]) -> Scalar:
            test, then, otherwise = values
            if not (then.is_truth and otherwise.is_truth):  # an array has one type, in which NumPy takes either
                then, otherwise, _ = join(then, otherwise, location)
            return replace(choose(truth_of(test, location), then, otherwise, location), weak=False, mixed=False)

        return self.elementwise(apply, [condition, *given], location)

    def _array(self, node: ast.Call) -> ArrayValue:
        """Give a copy as an array, of a list too."""
        given = self._named_arguments(node, ["object", "dtype"])
        if "object" not in given:
            raise refusal("arguments", self.locate(node), f"`{ast.unparse(node.func)}` is lifted for one array")
        value = self.array_value(given["object"])
        element = self._dtype(given["dtype"]) if "dtype" in given else value.element

        def at(indices: Nodes, place: Location) -> Scalar:
            return cast(value.at(indices, place), element, place)

        return ArrayValue(value.extents, at, element, value.reads)

    def _list_of(self, node: ast.Call) -> ArrayValue:
        """Give the items of an array or a list of one dimension as a new list."""
        self.take(node, 1)
        value = self.array_value(node.args[0])
        if len(value.extents) != 1:
            raise refusal("several-dimensions", self.locate(node), "list")
        return replace(value, fresh=None, is_list=True)

    def _same_array(self, node: ast.Call) -> Operand:
        """Give an array itself, and a list as an array."""
        self.take(node, 1)
        value = self.array(node.args[0])
        is_list = value.array.is_list if isinstance(value, View) else value.is_list
        return self._array(node) if is_list else value

    def _matrix_product(self, node: ast.Call) -> Operand:
        self.take(node, _TWO)
        return self.matrix_product(self.array(node.args[0]), self.array(node.args[1]), self.locate(node))

    def _vectors(self, node: ast.Call) -> list[ArrayValue]:
        """Give the two arguments, which must be arrays of one dimension, ready to be read again and again."""
        self.take(node, _TWO)
        values = [self.in_memory(self.array(argument), self.locate(node)) for argument in node.args]
        if any(len(value.extents) != 1 for value in values):
            name = ast.unparse(node.func)
            raise refusal("rank", self.locate(node), f"`{name}` of arrays with more than one dimension")
        return values

    def _inner(self, node: ast.Call) -> Operand:
        left, right = self._vectors(node)
        return self.matrix_product(left, right, self.locate(node))

    def _outer(self, node: ast.Call) -> ArrayValue:
        left, right = self._vectors(node)

        def at(indices: Nodes, place: Location) -> Scalar:
            return binary("*", left.at(indices[:1], place), right.at(indices[1:], place), place)

        element = promoted(left.element, False, right.element, False)[0]  # noqa: FBT003 - neither is weak
        return ArrayValue((*left.extents, *right.extents), at, element, left.reads | right.reads)

    def _transposed(self, node: ast.Call) -> Operand:
        self.take(node, 1)
        value = self.array(node.args[0])
        if isinstance(value, ArrayValue):
            value = whole(self.materialise(value, self.locate(node)), self.locate(node))
        return View(value.array, value.dimensions, tuple(reversed(value.axes)))

    def _diagonal(self, node: ast.Call) -> ArrayValue:
        """Give the diagonal of a square matrix."""
        self.take(node, 1)
        value = self.array_value(node.args[0])
        if len(value.extents) != _TWO:
            raise refusal("rank", self.locate(node), f"`{ast.unparse(node.func)}` is lifted for two dimensions")
        self.require_equal(value.extents[0], value.extents[1], self.locate(node))
        return ArrayValue(value.extents[:1], lambda i, place: value.at((*i, *i), place), value.element, value.reads)

    def _trace(self, node: ast.Call) -> Operand:
        return self._total("sum", self._diagonal(node), self.locate(node))

    def _method(self, node: ast.Call, function: ast.Attribute, name: str) -> Operand:
        """Evaluate a method of an array."""
        plain = ast.Call(ast.Name(name, ast.Load()), [function.value, *node.args], node.keywords)
        ast.copy_location(plain, node)
        ast.copy_location(plain.func, node)
        if name in _METHODS:
            return self._reduce(name, plain)
        if name == "astype":
            return self._array(
                ast.copy_location(ast.Call(node.func, [function.value, *node.args], node.keywords), node)
            )
        if name == "copy":
            value = self.array_value(function.value)
            if value.is_list and len(value.extents) > 1:
                raise refusal("index", self.locate(node), f"the rows in the copy `{ast.unparse(node)}` are shared")
            return ArrayValue(value.extents, value.at, value.element, value.reads, None, value.is_list, value.is_weak)
        raise refusal("attribute", self.locate(node), name)

    def generated(self, name: str, node: ast.GeneratorExp | ast.ListComp) -> Scalar:
        """Reduce what a generator yields."""
        raise NotImplementedError

    def own_function(self, node: ast.Call, name: str) -> Operand:
        """Evaluate a call of a function of the same file."""
        raise NotImplementedError


def _of_numpy(value: Operand) -> Operand:
    """Give a number the type of NumPy, whose functions never give Python's own."""
    return replace(value, weak=False, mixed=False, loose=False) if isinstance(value, Scalar) else value


def _start_of_sum(node: ast.Call) -> ast.expr | None:
    """Give what ``sum`` starts from, where the call says so."""
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords if keyword.arg == "start")]
    return given[0] if len(given) == 1 == len(node.args) + len(node.keywords) - 1 else None
