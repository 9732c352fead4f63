"""Symbolic evaluation of Python expressions, operation by operation, with the meanings of the target's rows.

Binding the arguments of a call to the parameters of a row, converted to the kinds that the row names.
"""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import (
    Strength,
    SymbolicTensor,
    affine_of,
    domain_of,
    number,
    scalar_value,
)
from tensorlift.ops.dtypes import NARROW
from tensorlift.poly.domain import Domain
from tensorlift.proofs.failure import UNREADABLE, CheckFailure
from tensorlift.proofs.parse import Function, ProgramText, unreadable
from tensorlift.proofs.sums import sum_of_arrays
from tensorlift.proofs.values import Buffer, Frame, Held, Item, cell_names
from tensorlift.targets.target import (
    Device,
    ElementType,
    Ellipsis_,
    Memory,
    NewAxis,
    OpRow,
    Parameter,
    Slice,
    SubscriptItem,
    Target,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.affine import Affine
    from tensorlift.proofs.obligations import Ledger


_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def bound(
    o: Ledger, row: OpRow, positional: Sequence[Item], keywords: Mapping[str, Item]
) -> tuple[list[object], dict[str, object]]:
    """Return converted arguments, those given by position and those given by name; refuse what does not fit."""
    values: list[object] = []
    named: dict[str, object] = {}
    rest, left = list(positional), dict(keywords)
    for parameter in row.parameters:
        if parameter.is_variadic:
            values += [_converted(o, row, parameter, value) for value in rest]
            rest = []
        elif rest and not parameter.is_keyword:
            values.append(_converted(o, row, parameter, rest.pop(0)))
        elif parameter.name in left:
            named[parameter.name] = _converted(o, row, parameter, left.pop(parameter.name))
        elif not parameter.is_optional:
            o.refuse(f"{row.spelling}: {parameter.name} is missing")
    if rest or left:
        o.refuse(f"{row.spelling}: takes no {'argument ' + min(left) if left else 'further arguments'}")
    return values, named


def _converted(o: Ledger, row: OpRow, parameter: Parameter, value: Item) -> object:
    kind = parameter.kind.removesuffix(" | None")
    if kind != parameter.kind and value is None:
        return None
    try:
        return _CONVERTERS[kind](value)
    except (TypeError, ValueError, KeyError):
        return o.refuse(f"{row.spelling}: {parameter.name} is no {kind}")


def tensor_of(value: Item) -> SymbolicTensor:
    """Return a value as an operand; a blank one is none."""
    if isinstance(value, bool):
        return number(value)
    if not isinstance(value, Held) or value.blank is not None:
        raise TypeError
    return value.tensor


def size_of(value: Item) -> Affine:
    """Return a value as a size."""
    if not isinstance(value, Held) or value.tensor.rank or value.tensor.dtype not in _INTEGERS:
        raise TypeError
    size = affine_of(value.tensor.value())
    if size is None:
        raise ValueError
    return size


def integer_of(value: Item) -> int:
    """Return a value as a constant integer."""
    size = size_of(value)
    if not size.is_constant:
        raise ValueError
    return size.constant


def _sizes(value: Item) -> tuple[Affine, ...]:
    return tuple(map(size_of, value)) if isinstance(value, tuple) else (size_of(value),)


def _axes(value: Item) -> int | tuple[int, ...] | None:
    if value is None:
        return None
    return tuple(map(integer_of, value)) if isinstance(value, tuple) else integer_of(value)


def _axis_pairs(value: Item) -> object:
    if isinstance(value, tuple) and len(value) == 2:  # noqa: PLR2004 - one entry for each operand
        return tuple(map(_axes, value))
    return integer_of(value)


def _tensors(value: Item) -> tuple[SymbolicTensor, ...]:
    if not isinstance(value, tuple) or not value:
        raise TypeError
    return tuple(map(tensor_of, value))


def _exactly(wanted: type) -> Callable[[Item], object]:
    def convert(value: Item) -> object:
        if not isinstance(value, wanted):
            raise TypeError
        return value

    return convert


_CONVERTERS: dict[str, Callable[[Item], object]] = {
    "Tensor": tensor_of,
    "Tensors": _tensors,
    "Size": size_of,
    "Sizes": _sizes,
    "Axes": _axes,
    "AxisPairs": _axis_pairs,
    "int": integer_of,
    "Flag": _exactly(bool),
    "Text": _exactly(str),
    "ElementType": _exactly(ElementType),
    "Device": _exactly(Device),
    "Subscripts": _exactly(tuple),
}


BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_UNARY = {ast.USub: "-x", ast.UAdd: "+x", ast.Invert: "~x", ast.Not: "not x"}
_LARGEST_INTEGER = 1 << 63


class Evaluator:
    """Evaluates expressions in a frame; helper functions of the text are called back through ``call``."""

    def __init__(self, program: ProgramText, target: Target, ledger: Ledger, checks: Container[str]) -> None:
        """Take the checks of the target that the text makes before anything else."""
        self.program = program
        self.checks = checks
        self.target = target
        self.ledger = ledger
        self.call: Callable[[Function, list[Item], ast.Call], Item] | None = None
        self._conversions = frozenset(f"{name}()" for name in target.element_types)
        self._handlers: dict[type[ast.expr], Callable[..., Item]] = {
            ast.Name: self._name,
            ast.Constant: self._constant,
            ast.Tuple: self._tuple,
            ast.List: self._tuple,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.Compare: self._compare,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Subscript: self._subscript,
            ast.IfExp: self._conditional,
        }

    # -- operations

    def apply(self, row: OpRow, positional: Sequence[Item], keywords: dict[str, Item] | None = None) -> Item:
        """Apply an operation by its meaning, and say where the result lives."""
        if not row.reads_cells:
            positional = [_without_cells(value) for value in positional]
        if row.spelling not in self._conversions:
            for value in held_parts([*positional, *(keywords or {}).values()]):
                if value.tensor.strength is Strength.EITHER:  # a scalar parameter, in which JAX would compute
                    self.require_enabled(value.tensor.dtype)
        if row.memory is Memory.UPDATE:
            self.ledger.refuse(f"{row.spelling} gives no value")
        values, named = bound(self.ledger, row, positional, keywords or {})
        result = row.meaning(self.ledger, *values, **named)
        if isinstance(result, tuple) and not isinstance(result, ElementType | Device):
            return tuple(Held(part) for part in result if isinstance(part, SymbolicTensor))
        if not isinstance(result, SymbolicTensor):
            return result
        if result.is_strong:
            self.require_enabled(result.dtype)
        if row.spelling in self.target.products and result.dtype in NARROW and self.target.precise not in self.checks:
            missing = f"no `{self.target.precise}` stands above the function"
            self.ledger.refuse(f"a product has the type {result.dtype}, but {missing}")
        memory = row.memory if isinstance(row.memory, Memory) else row.memory(*values, **named)
        held = _held(result, memory, positional)
        gives_numbers = row.spelling in self.target.numbers or (
            row.spelling == ".astype()" and _is_number(positional[0])
        )
        is_number = memory is Memory.NEW and not result.rank and gives_numbers
        return replace(held, is_number=True) if is_number else held

    def require_enabled(self, dtype: DType) -> None:
        """Refuse a value of a type that the target has only where a check passes which the text does not make."""
        for check, types in self.target.checks.items():
            if dtype in types and check not in self.checks:
                test = check.partition("\n")[0]
                self.ledger.refuse(f"a value has the type {dtype}, but the function does not start with `{test}`")

    # -- expressions

    def evaluate(self, node: ast.expr, frame: Frame) -> Item:
        """Return the value of an expression.

        Raises:
            CheckFailure: where it has no meaning here, or an obligation is not met.

        """
        handler = self._handlers.get(type(node))
        if handler is None:
            raise unreadable(node, "an expression that the checker does not know")
        return handler(node, frame)

    def tensor(self, node: ast.expr, frame: Frame) -> SymbolicTensor:
        """Return the value of an expression as an operand."""
        try:
            return tensor_of(self.evaluate(node, frame))
        except TypeError:
            raise unreadable(node, "no array or number") from None

    def size(self, node: ast.expr, frame: Frame) -> Affine:
        """Return the value of an expression as a size."""
        try:
            return size_of(self.evaluate(node, frame))
        except (TypeError, ValueError):
            raise unreadable(node, "no size") from None

    def _row(self, spelling: str, node: ast.AST) -> OpRow:
        row = self.target.row(spelling)
        if row is None:
            raise unreadable(node, f"'{spelling}' is no operation of the target {self.target.name}")
        return row

    def _name(self, node: ast.Name, frame: Frame) -> Item:
        if node.id in frame.values:
            return frame.values[node.id]
        if node.id in frame.lost:
            self._refuse(node, f"{node.id} shares memory that was written since")
        dotted = self.dotted(node, frame)
        if dotted is not None and dotted in self.target.element_types:
            return ElementType(self.target.element_types[dotted])
        return self._refuse(node, f"{node.id} has no value here")

    def _refuse(self, node: ast.AST, why: str) -> NoReturn:
        raise CheckFailure(UNREADABLE, why, getattr(node, "lineno", None))

    def _constant(self, node: ast.Constant, _: Frame) -> Item:
        value = node.value
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, int) and value < _LARGEST_INTEGER:
            return Held(number(value))
        if isinstance(value, float) and math.isfinite(value):
            return Held(number(value))
        raise unreadable(node, "a constant without an element type")

    def _tuple(self, node: ast.Tuple | ast.List, frame: Frame) -> Item:
        return tuple(self.evaluate(element, frame) for element in node.elts)

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Item:
        if isinstance(node.op, ast.USub) and _is_least_negated(node.operand):
            return Held(number(-_LARGEST_INTEGER))
        return self.apply(self._row(_UNARY[type(node.op)], node), [self.evaluate(node.operand, frame)])

    def _binary(self, node: ast.BinOp, frame: Frame) -> Item:
        row = self._row(BINARY[type(node.op)], node)
        return self.apply(row, [self.evaluate(node.left, frame), self.evaluate(node.right, frame)])

    def binary(self, op: ast.operator, left: Item, right: Item, node: ast.AST) -> Item:
        """Return the result of a binary operator on values."""
        return self.apply(self._row(BINARY[type(op)], node), [left, right])

    def _compare(self, node: ast.Compare, frame: Frame) -> Item:
        if len(node.ops) != 1 or type(node.ops[0]) not in BINARY:
            raise unreadable(node, "a comparison that the checker does not know")
        row = self._row(BINARY[type(node.ops[0])], node)
        return self.apply(row, [self.evaluate(node.left, frame), self.evaluate(node.comparators[0], frame)])

    def _conditional(self, node: ast.IfExp, frame: Frame) -> Item:
        test = self.tensor(node.test, frame)
        sizes = domain_of(test.value()) if test.dtype == "bool" and not test.rank else None
        if sizes is not None:
            return self.evaluate(node.body if self.ledger.is_case(sizes) else node.orelse, frame)
        row = self.target.row("x if c else y")
        if row is None:
            raise unreadable(node.test, "a condition that does not depend on sizes alone")
        arms = [self.evaluate(arm, frame) for arm in (node.body, node.orelse)]
        if not all(isinstance(arm, Held) and (arm.buffer is None or arm.is_number) for arm in arms):
            raise unreadable(node, "a choice between other values than numbers")
        chosen = self.apply(row, [Held(test), *arms])
        assert isinstance(chosen, Held)
        return replace(chosen, is_number=True)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Item:
        dotted = self.dotted(node, frame)
        if dotted is None:
            return self.apply(self._row(f".{node.attr}", node), [self.evaluate(node.value, frame)])
        if dotted in self.target.element_types:
            return ElementType(self.target.element_types[dotted])
        if dotted in self.target.constants:
            constant = self.target.constants[dotted]
            return Held(constant) if isinstance(constant, SymbolicTensor) else None
        raise unreadable(node, f"{dotted} is no value of the target")

    def dotted(self, node: ast.expr, frame: Frame) -> str | None:
        """Return the spelling of a name or of an attribute of a module, None where it is a value's."""
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value, frame)
            is_value = isinstance(node.value, ast.Name) and base not in self.program.modules
            return None if base is None or is_value else f"{base}.{node.attr}"
        if isinstance(node, ast.Name) and node.id not in frame.local_names:
            return node.id
        return None

    def _call(self, node: ast.Call, frame: Frame) -> Item:
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise unreadable(node, "unpacked arguments")
        dotted = self.dotted(node.func, frame)
        if dotted == "sum" and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return sum_of_arrays(self, node.args[0], frame)
        large = self._large_constant(dotted, node)
        if large is not None:
            return large
        positional = [self.evaluate(a, frame) for a in node.args]
        keywords = {str(k.arg): self.evaluate(k.value, frame) for k in node.keywords}
        update = _update_of(node.func)
        if dotted is None and update is not None:
            row = self._row(f".at[].{update.method}()", node)
            items = self.subscripts(update.slice, frame)
            return self.apply(row, [self.evaluate(update.array, frame), items, *positional], keywords)  # type: ignore[list-item]  # as in `_subscript`
        if dotted is None and isinstance(node.func, ast.Attribute):
            row = self._row(f".{node.func.attr}()", node)
            return self.apply(row, [self.evaluate(node.func.value, frame), *positional], keywords)
        if dotted in self.program.functions and dotted is not None:
            if keywords or self.call is None:
                raise unreadable(node, "a call by keyword")
            return self.call(self.program.functions[dotted], positional, node)
        return self.apply(self._callable(dotted, node), positional, keywords)

    def _large_constant(self, dotted: str | None, node: ast.Call) -> Held | None:
        """Return a number above those of ``int64`` that an unsigned type is given, as in ``np.uint64(1 << 63)``."""
        match node:
            case ast.Call(args=[ast.Constant(value=int(value))], keywords=[]) if value >= _LARGEST_INTEGER:
                dtype = self.target.element_types.get(dotted or "")
                return Held(scalar_value(terms.constant(value, dtype))) if dtype == "u64" and value >> 64 == 0 else None
        return None

    def _callable(self, dotted: str | None, node: ast.Call) -> OpRow:
        """Return the row of a function; a bare name is a builtin, unless an import binds it."""
        spelled = dotted or ""
        is_builtin = "." not in spelled and spelled not in self.program.modules
        if is_builtin or spelled in self.target.element_types:
            return self._row(f"{spelled}()", node)
        return self._row(spelled, node)

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Item:
        base = self.evaluate(node.value, frame)
        if isinstance(base, tuple) and not isinstance(base, ElementType | Device):
            return self._element(base, node, frame)
        return self.apply(self._row("x[]", node), [base, self.subscripts(node.slice, frame)])  # type: ignore[list-item]  # subscripts pass through the binder as they are

    def _element(self, base: tuple[Item, ...], node: ast.Subscript, frame: Frame) -> Item:
        place = self.size(node.slice, frame)
        if not place.is_constant or not -len(base) <= place.constant < len(base):
            raise unreadable(node, "an index out of the tuple")
        return base[place.constant]

    def subscripts(self, node: ast.expr, frame: Frame) -> tuple[SubscriptItem, ...]:
        """Return what stands between the brackets of a subscript."""
        elements = node.elts if isinstance(node, ast.Tuple) else [node]
        return tuple(self._subscript_item(element, frame) for element in elements)

    def _subscript_item(self, node: ast.expr, frame: Frame) -> SubscriptItem:
        if isinstance(node, ast.Slice):
            step = 1 if node.step is None else self.size(node.step, frame)
            if not isinstance(step, int) and not step.is_constant:
                raise unreadable(node, "a step that is no constant")
            return Slice(
                None if node.lower is None else self.size(node.lower, frame),
                None if node.upper is None else self.size(node.upper, frame),
                step if isinstance(step, int) else step.constant,
            )
        if isinstance(node, ast.Constant) and node.value is Ellipsis:
            return Ellipsis_()
        if ast.unparse(node) == "slice(None)" and "slice" not in frame.values:
            return Slice()
        value = self.evaluate(node, frame)
        if value is None:
            return NewAxis()
        if isinstance(value, Held) and value.blank is None and value.tensor.dtype != "bool":
            return value.tensor
        raise unreadable(node, "a subscript that the checker does not know")


class _Update(NamedTuple):
    """The parts of ``array.at[slice].method``."""

    array: ast.expr
    slice: ast.expr
    method: str


def _is_least_negated(node: ast.expr) -> bool:
    """Tell the number that only stands behind a minus sign: text has no negative numbers."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == _LARGEST_INTEGER


def _update_of(function: ast.expr) -> _Update | None:
    """Return the parts of a functional update, None where it is none."""
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Subscript):
        return None
    base = function.value.value
    if not isinstance(base, ast.Attribute) or base.attr != "at":
        return None
    return _Update(base.value, function.value.slice, function.attr)


def held_parts(values: Iterable[Item]) -> Iterator[Held]:
    """Yield the tensors among operands."""
    for value in values:
        if isinstance(value, Held):
            yield value
        elif isinstance(value, tuple) and not isinstance(value, ElementType | Device):
            yield from held_parts(value)


def _held(result: SymbolicTensor, memory: Memory, operands: Sequence[Item]) -> Held:
    """Say where a result lives."""
    if not result.is_strong:
        return Held(result)
    if memory in (Memory.VIEW, Memory.WINDOW):
        return _view(result, operands, is_window=memory is Memory.WINDOW)
    if memory is Memory.BLANK:
        return Held(result, Buffer(), blank=Domain.box(cell_names(result.rank), result.shape))
    return Held(result, Buffer(is_cell=not result.rank))


def _view(result: SymbolicTensor, operands: Sequence[Item], *, is_window: bool) -> Held:
    base = next((value for value in operands if isinstance(value, Held)), None)
    if base is None or base.buffer is None:
        return Held(result, Buffer(is_input=True), is_window=True)  # of a number: it stands in read-only memory
    return Held(result, base.buffer, is_window or base.is_window)


def _is_number(value: Item) -> bool:
    return isinstance(value, Held) and value.is_number


def _without_cells(value: Item) -> Item:
    """Only shape and type count: a blank array will do."""
    return Held(value.tensor) if isinstance(value, Held) else value
