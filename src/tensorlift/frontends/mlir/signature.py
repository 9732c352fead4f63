"""What a function of an MLIR module takes and gives, as a signature of C: open extents of memrefs are sizes beside.

Sizes that the function asks for come first.  Memory that it makes and returns is one more argument, which it fills.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, StringAttr
from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind, AffineExpr

from tensorlift.diagnostics import Location
from tensorlift.frontends.mlir.agreement import Agreement
from tensorlift.frontends.mlir.names import argument_marks, first_block
from tensorlift.frontends.mlir.refusals import check_scalar, refusal
from tensorlift.ir import nodes
from tensorlift.ir.function import SIZE, axis_name
from tensorlift.ir.linear import evaluated
from tensorlift.ir.literal_function import argument_names
from tensorlift.ir.location import location_of
from tensorlift.ops.c_types import (
    LONG,
    SCALAR_TYPES,
    SCALAR_TYPES_BY_RANK,
    TRUTH,
    VOID,
    ArrayType,
    FloatType,
    IntegerType,
    VoidType,
)
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Attribute, Operation

    from tensorlift.frontends.mlir.generalise import Sizes

Axis: TypeAlias = tuple[SSAValue, int]  # of a memref
Extent: TypeAlias = int | SSAValue | AffineExpr | Axis  # a number, an argument, what a mark states, or an open one

_NAMES = {"i8": "signed char", "i16": "short", "i32": "int", "i64": "long", "index": "long"}
_NAMES |= {"f16": "_Float16", "bf16": "__bf16", "f32": "float", "f64": "double"}
_OPERATORS = {
    AffineBinaryOpKind.Add: "+",
    AffineBinaryOpKind.Mul: "*",
    AffineBinaryOpKind.FloorDiv: "//",
    AffineBinaryOpKind.Mod: "%",
}
_VIEWS = {"memref.cast", "memref.assume_alignment"}


@dataclass(frozen=True)
class Interface:
    """What a function takes: its arguments by name, what is stated of each, and what tells the extents of memrefs.

    ``open`` are the extents that nothing tells, of which the first ``asked`` are sizes that the function asks for.
    """

    function: Operation
    literal: FuncOp
    place: Location
    arguments: Mapping[str, BlockArgument]
    marks: Mapping[str, Mapping[str, Attribute]]
    extents: Mapping[str, Sequence[Extent]]
    open: Sequence[Axis]
    asked: int
    sizes: Sizes | None = None

    def spelled(self, axis: Axis) -> tuple[str, int]:
        """Give an open extent by the name of its array."""
        return next(name for name, argument in self.arguments.items() if argument is axis[0]), axis[1]

    def signature(self, inferred: Collection[Axis] = ()) -> nodes.Function:
        """Give the signature, with some open extents left to the accesses to tell."""
        taken = set(self.arguments)
        numbers: dict[SSAValue, nodes.Variable] = {
            argument: self._number(name, argument)
            for name, argument in self.arguments.items()
            if name not in self.extents
        }
        indices = [_used(number) for argument, number in numbers.items() if isinstance(argument.type, IndexType)]
        sizes: dict[Axis, nodes.Variable] = {}
        for axis in (axis for axis in self.open if axis not in inferred):
            array, dimension = self.spelled(axis)
            sizes[axis] = self._size(unused(f"{array}_d{dimension}", taken), self._at(axis[0]))
        general = {name: self._size(name, self.place) for name in self.sizes.values} if self.sizes is not None else {}

        def extent(name: str, axis: int) -> nodes.Expression | None:
            told = self.extents[name][axis]
            if self.sizes is not None and (name, axis) in self.sizes.slots:
                size, more = self.sizes.slots[name, axis]
                return _combined(self.place, AffineBinaryOpKind.Add, _used(general[size]), self._constant(more))
            if isinstance(told, AffineExpr):
                return evaluated(told, [], indices, self._constant, partial(_combined, self.place))
            if isinstance(told, int):
                return self._constant(told)
            variable = sizes.get(told) if isinstance(told, tuple) else numbers[told]
            return None if variable is None else _used(variable)

        parameters = [
            self._array(name, argument, argument.type, tuple(extent(name, axis) for axis in range(len(told))))
            if (told := self.extents.get(name)) is not None
            else numbers[argument]
            for name, argument in self.arguments.items()
        ]
        symbol: Any = self.literal.properties["sym_name"]
        declared = (*parameters, *self._made(), *general.values(), *sizes.values())
        return nodes.Function(symbol.data, declared, self._result(), self.place)

    @staticmethod
    def _size(name: str, place: Location) -> nodes.Variable:
        return nodes.Variable(name, LONG, place, is_parameter=True)

    def _at(self, value: SSAValue) -> Location:
        return location_of(value if isinstance(value, BlockArgument) else value.owner) or self.place  # type: ignore[arg-type]  # an operation

    def _constant(self, number: int) -> nodes.Expression:
        return nodes.Integer(number, LONG, self.place)

    def _number(self, name: str, argument: BlockArgument) -> nodes.Variable:
        stated = self.marks[name].get("tl.c_type")
        kind = _ctype(argument.type, self.marks[name])
        if isinstance(argument.type, IndexType) and isinstance(stated, StringAttr):
            kind = SCALAR_TYPES.get(stated.data, kind)
        return nodes.Variable(name, kind, self._at(argument), is_parameter=True)

    def _array(
        self, name: str, value: SSAValue, kind: Any, extents: tuple[nodes.Expression | None, ...], more: str = "["
    ) -> nodes.Variable:
        element = _ctype(kind.element_type, self.marks.get(name, {}))
        of_type = ArrayType(f"{element.spelling} {more}", element, None)
        return nodes.Variable(name, of_type, self._at(value), extents, is_parameter=True, keeps_rank=True)

    def _made(self) -> list[nodes.Variable]:
        """List the arguments that stand for memory that is made and returned; where it is made tells open extents."""
        last: Any = self.literal.body.blocks[-1].last_op
        made = [value for value in last.operands if isinstance(value.type, MemRefType)]
        ends = [block.last_op for block in self.function.regions[0].blocks]
        returned: Any = next(op for op in ends if op is not None and op.name == "func.return")
        kinds: list[Any] = [value.type for value in returned.operands if _is_made(value)]
        if len(kinds) != len(made):
            raise refusal("part", location_of(returned), "an array that a call returns is returned")
        found = {}
        for value, kind in zip(made, kinds, strict=True):
            extents = tuple(None if e == DYNAMIC_INDEX else self._constant(e) for e in kind.get_shape())
            found[value] = self._array(value.name_hint, value, kind, extents, "restrict")
        return list(found.values())

    def _result(self) -> IntegerType | FloatType | VoidType:
        kinds = [kind for kind in self.literal.function_type.outputs if not isinstance(kind, MemRefType)]
        marks = {"tl.unsigned": None} if "tl.result_unsigned" in self.function.attributes else {}
        return _ctype(kinds[0], marks) if kinds else VOID


def interface_of(function: Operation, literal: FuncOp, source: str, sizes: Sizes | None = None) -> Interface:
    """Find out what a function takes, whose literal IR has the same arguments by name, and the sizes that it asks for.

    ``sizes`` are constants that it takes too.

    Raises:
        LiftError: for a type that no argument has.

    """
    names, body = argument_names(literal), first_block(function)
    general = () if sizes is None else sizes.values
    own = [name for name in names if name.isidentifier() and name not in general]
    arguments = dict(zip(own, body.args, strict=True))
    marks = dict(zip(own, argument_marks(function), strict=True))
    agreement = Agreement(body)
    extents: dict[str, Sequence[Extent]] = {}
    for name, argument in arguments.items():
        if isinstance(argument.type, MemRefType):
            shape: Any = marks[name].get("tl.shape")
            told = [agreement.extent(argument, axis) for axis in range(len(argument.type.get_shape()))]
            extents[name] = told if shape is None else shape.data.results
    told_by = {axis_name(name, axis, SIZE): told for name in extents for axis, told in enumerate(extents[name])}
    asked = list(dict.fromkeys(told_by[name] for name in names if isinstance(told_by.get(name), tuple)))
    rest = dict.fromkeys(told for told in told_by.values() if isinstance(told, tuple) and told not in asked)
    place = location_of(function) or Location(source, 1, 1)
    return Interface(function, literal, place, arguments, marks, extents, [*asked, *rest], len(asked), sizes)  # type: ignore[list-item] # as said


def _is_made(value: SSAValue) -> bool:
    """Whether memory is no argument."""
    while isinstance(value, OpResult) and value.op.name in _VIEWS:
        value = value.op.operands[0]
    return isinstance(value.type, MemRefType) and not isinstance(value, BlockArgument)


def _ctype(kind: Attribute, marks: Mapping[str, Any]) -> IntegerType | FloatType:
    check_scalar(kind, None)
    if str(kind) == "i1":
        return TRUTH
    found = SCALAR_TYPES[_NAMES[str(kind)]]
    if "tl.unsigned" in marks and isinstance(found, IntegerType):
        return SCALAR_TYPES_BY_RANK[found.rank]
    return found


def _used(variable: nodes.Variable) -> nodes.Expression:
    return nodes.Name(variable, variable.ctype, variable.location)


def _combined(
    place: Location, kind: AffineBinaryOpKind, left: nodes.Expression, right: nodes.Expression
) -> nodes.Expression:
    if kind is AffineBinaryOpKind.CeilDiv:
        assert isinstance(right, nodes.Integer)
        left = nodes.Binary("+", left, nodes.Integer(right.value - 1, LONG, place), LONG, place)
        kind = AffineBinaryOpKind.FloorDiv
    return nodes.Binary(_OPERATORS[kind], left, right, LONG, place)
