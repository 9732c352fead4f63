"""One function: its arguments become parameters with names, its body is translated, its shapes are settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import IndexCastOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineSetAttr,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Region
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet
from xdsl.rewriter import Rewriter

from tensorlift.frontends.mlir.atoms import Size
from tensorlift.frontends.mlir.generalise import generalise
from tensorlift.frontends.mlir.index_operations import INDEX_OPERATIONS, copied
from tensorlift.frontends.mlir.memories import MEMORIES, check_memref, static_extents
from tensorlift.frontends.mlir.names import argument_marks
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.shapes import Assumed, infer_extents, known_extents, settle, size_map
from tensorlift.frontends.mlir.structures import STRUCTURES, only_block
from tensorlift.frontends.mlir.translator import Rule, Translator, check_scalar
from tensorlift.frontends.mlir.values import Memory, Scalar, View
from tensorlift.ir.cleanup import remove_dead
from tensorlift.ir.location import location_of
from tensorlift.ir.subscripts import STRUCTURED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.ir import Attribute, Operation, SSAValue

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.poly.affine import Affine


_ARITH = [
    "addf", "subf", "mulf", "divf", "remf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf", "cmpf", "cmpi",
    "select", "andi", "ori", "xori", "shrsi", "shrui", "maxui", "minui", "sitofp", "uitofp", "fptosi", "fptoui", "extf",
    "truncf",
]  # fmt: skip
_MATH = [
    "absf", "absi", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "exp", "exp2", "expm1", "floor", "fma", "fpowi", "ipowi", "log", "log10", "log1p", "log2", "powf",
    "round", "roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip

SCALAR_OPERATIONS = (*(f"arith.{name}" for name in _ARITH), *(f"math.{name}" for name in _MATH))


def _structured(t: Translator, op: Operation) -> Scalar | None:
    from tensorlift.frontends.mlir.structured import translate  # noqa: PLC0415 - rare, and the dialect takes time to load

    return translate(t, op)


HANDLERS: dict[str, Rule] = {**dict.fromkeys(SCALAR_OPERATIONS, copied), **INDEX_OPERATIONS, **STRUCTURES, **MEMORIES}
HANDLERS |= dict.fromkeys(("linalg.index", *STRUCTURED), _structured)
_C_TYPES = {"i1": "_Bool", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long", "index": "long"}
_C_TYPES |= {"f32": "float", "f64": "double"}
_C_WIDTHS = {"signed char": 8, "char": 8, "unsigned char": 9, "short": 16, "unsigned short": 17, "int": 32}
_OWN = ("tl.unsigned", "tl.strides")  # what a module that was written by another front end states


class FunctionReader:
    """Translates one function of a module."""

    def __init__(self, function: Operation, functions: Mapping[str, Operation], filename: str) -> None:
        """Look at ``function``; it may call those of ``functions`` by name."""
        self.function = function
        self.filename = filename
        self.name = _name(function)
        self.entry = Block()
        self.t = Translator(self.entry, functions, HANDLERS)
        self.marks = argument_marks(function)
        self.c_types: dict[int, str] = {}
        self.arrays: dict[int, Memory] = {}
        self.layouts: list[str] = []
        self.shapes: list[Assumed] = []
        self.names: list[str] = []  # of the arguments; xDSL cuts numbers off the ends of its name hints

    def read(self, *, generalised: bool | None, fitted: bool) -> tuple[ModuleOp, tuple[Diagnostic, ...]]:
        """Translate the function, with constants as sizes and open extents as `read_mlir` says.

        Raises LiftError where a part of it is not lifted.
        """
        body = self.t.body = only_block(self.function)
        for argument in body.args:
            self._declare(argument)
        self._state_shapes()
        self.t.calls.append(self.name)
        result = self._return(self.t.block(body))
        notes = () if generalised is False else generalise(self.t, self.function, open_extents=bool(generalised))
        self.shapes = infer_extents(self.t, self.function, fitted=fitted)
        settle(self.t)
        remove_dead(self.entry)
        self._settle_numbers()
        return self._module([] if result is None else [result]), notes

    # -- arguments

    def _declare(self, argument: BlockArgument) -> None:
        """Add the argument that stands for one of the source."""
        t, position = self.t, argument.index
        name = t.names.of_argument(argument, self.marks[position])
        if isinstance(argument.type, MemRefType):
            check_memref(argument.type, self.function)
            made = self._argument(argument, MemRefType(argument.type.element_type, argument.type.get_shape()), name)
            self._declare_array(made, argument.type, name)
            t.known[argument] = View.whole(self.arrays[position])
            self.c_types[position] = f"{_C_TYPES[str(argument.type.element_type)]} *"
            return
        check_scalar(argument.type, self.function)
        self.c_types[position] = _C_TYPES[str(argument.type)]
        width = self._width(argument)
        is_unsigned = "tl.unsigned" in self.marks[position]
        if not isinstance(argument.type, IndexType) and (
            width == 1 or not isinstance(argument.type, IntegerType) or is_unsigned
        ):
            t.known[argument] = Scalar(self._argument(argument, argument.type, name))
            return
        made = self._argument(argument, IndexType(), name)
        index = t.atoms.add(name, Size(made, width))
        value: SSAValue | None = None
        if isinstance(argument.type, IntegerType):
            value = t.emit_value(IndexCastOp(made, argument.type), self.function)
        else:
            t.use(index)
        t.known[argument] = Scalar(value, index)

    def _width(self, argument: BlockArgument) -> int:
        """Give the bits of an integer argument; an index that stands for a C integer has those of its type."""
        if isinstance(argument.type, IntegerType):
            return int(argument.type.width.data)
        stated = self.marks[argument.index].get("tl.c_type")
        return _C_WIDTHS.get(stated.data if isinstance(stated, StringAttr) else "", 64)

    def _argument(self, argument: BlockArgument, of_type: Attribute, name: str) -> BlockArgument:
        made = self.entry.insert_arg(of_type, len(self.entry.args))
        made.name_hint = name
        self.names.append(name)
        made.location = argument.location if location_of(argument) else self.function.location
        return made

    def _declare_array(self, made: BlockArgument, of_type: Any, name: str) -> None:
        memory = Memory(name, of_type.element_type, static_extents(of_type), made, location_of(made))
        self.t.memories.append(memory)
        self.arrays[made.index] = memory
        if not isinstance(of_type.layout, NoneAttr) and (
            DYNAMIC_INDEX in of_type.get_shape() or "?" in str(of_type.layout)
        ):
            self.layouts.append(f"no two elements of {name} share memory")

    def _state_shapes(self) -> None:
        """Take extents over sizes where the module states them."""
        sizes = self._source_sizes()
        for position, memory in self.arrays.items():
            shape: Any = self.marks[position].get("tl.shape")
            if shape is not None:
                memory.extents = [self.t.atoms.applied(result, (), sizes) for result in shape.data.results]

    def _source_sizes(self) -> list[Affine]:
        """List the arguments of type ``index`` of the source."""
        arguments = only_block(self.function).args
        scalars = [self.t.scalar(a) for a in arguments if isinstance(a.type, IndexType)]
        return [scalar.index for scalar in scalars if scalar.index is not None]

    # -- the emitted function

    def _return(self, last: Operation) -> Attribute | None:
        """End the body; give the type of the returned number.  A returned array is one that the function writes."""
        arrays = [value for value in last.operands if isinstance(value.type, MemRefType)]
        for value in arrays:
            self._give_out(self.t.view(value), last)
        values = [self.t.number(value, last) for value in last.operands if value not in arrays]
        if len(values) > 1:
            raise refusal("result", location_of(last), f"`{self.name}` returns {len(values)} numbers")
        self.t.emit(ReturnOp(*values), last)
        return values[0].type if values else None

    def _give_out(self, view: View, last: Operation) -> None:
        """Make an array that is allocated and returned one of the caller's; an argument is that already."""
        memory = view.memory
        if view != View.whole(memory):
            raise refusal("result", location_of(last), f"`{self.name}` returns a part of {memory.name}")
        if isinstance(memory.value, BlockArgument):
            return
        made = self.entry.insert_arg(memory.value.type, len(self.entry.args))
        owner: Any = memory.value.owner
        made.name_hint, made.location = memory.name, owner.location
        memory.value.replace_all_uses_with(made)
        owner.detach()
        owner.erase()
        memory.value = made
        self.t.added.append(memory.name)
        self.arrays[made.index] = memory
        self.c_types[made.index] = f"{_C_TYPES[str(memory.element)]} restrict *"

    def _settle_numbers(self) -> None:
        """Make numbers of the integer arguments that no index needs."""
        for name, atom in list(self.t.atoms.known.items()):
            if not isinstance(atom, Size) or name in self.t.used:
                continue
            argument: Any = atom.value
            casts = [use.operation for use in argument.uses]
            of_type = casts[0].results[0].type if casts else IntegerType(atom.width)
            made = Rewriter.replace_value_with_new_type(argument, of_type)
            for cast in casts:
                cast.results[0].replace_all_uses_with(made)
                cast.detach()
                cast.erase()

    def _module(self, results: list[Attribute]) -> ModuleOp:
        rows = [self._marks_of(argument) for argument in self.entry.args]
        function = FuncOp(
            self.t.names.of_function(self.name),
            FunctionType.from_lists([argument.type for argument in self.entry.args], results),
            Region(self.entry),
            arg_attrs=ArrayAttr(rows),
        )
        function.location = self.function.location
        function.attributes["tl.source"] = StringAttr(self.filename)
        if "tl.result_unsigned" in self.function.attributes:
            function.attributes["tl.result_unsigned"] = self.function.attributes["tl.result_unsigned"]
        if self.t.generalised:
            values = {name: IntegerAttr(number, i64) for name, number in self.t.generalised.items()}
            function.attributes["tl.generalised"] = DictionaryAttr(values)
        required = [*self._stated_requirements(), *self._requirements()]
        if required:
            function.attributes["tl.requires"] = ArrayAttr(required)
        return ModuleOp([function])

    def _marks_of(self, argument: BlockArgument) -> DictionaryAttr:
        marks: dict[str, Attribute] = {"tl.name": StringAttr(self._name_of(argument))}
        stated = self.marks[argument.index] if argument.index < len(self.marks) else {}
        c_type = self.c_types.get(argument.index, "long")
        marks["tl.c_type"] = stated.get("tl.c_type", StringAttr(c_type))
        marks |= {key: stated[key] for key in _OWN if key in stated}
        if argument.index in self.arrays:
            extents = known_extents(self.arrays[argument.index])
            if any(extent.terms for extent in extents):
                marks["tl.shape"] = size_map(self.t, extents)
        return DictionaryAttr(marks)

    def _name_of(self, argument: BlockArgument) -> str:
        known = [*self.names, *self.t.added]
        return known[argument.index]

    def _requirements(self) -> list[DictionaryAttr]:
        """State the preconditions of index arithmetic and of layouts."""
        place = StringAttr(str(location_of(self.function)))
        found = [
            DictionaryAttr({"kind": StringAttr("stride"), "text": StringAttr(text), "loc": place})
            for text in self.layouts
        ]
        for assumed in self.shapes:
            kind = "shape" if assumed.excess is None else "extent"
            marks: dict[str, Attribute] = {"kind": StringAttr(kind), "text": StringAttr(assumed.text), "loc": place}
            if assumed.excess is not None:
                marks["set"] = self._size_set([(assumed.excess, False)])
            found.append(DictionaryAttr(marks))
        for item in self.t.needs.required.values():
            row: dict[str, Attribute] = {
                "kind": StringAttr("overflow"),
                "text": StringAttr(item.text),
                "loc": StringAttr(str(item.location or "")),
                "set": self._size_set([(item.index, False)]),
            }
            found.append(DictionaryAttr(row))
        return found

    def _stated_requirements(self) -> list[DictionaryAttr]:
        """Carry over what the module states, over the sizes of the emitted function."""
        rows: Any = self.function.attributes.get("tl.requires")
        found = []
        for row in rows.data if rows is not None else ():
            marks = dict(row.data)
            if "set" in marks:
                sizes = self._source_sizes()
                constraints = [self.t.constraint(item, (), sizes) for item in marks["set"].data.constraints]
                marks["set"] = self._size_set(constraints)
            found.append(DictionaryAttr(marks))
        return found

    def _size_set(self, constraints: list[tuple[Affine, bool]]) -> AffineSetAttr:
        results = size_map(self.t, [index for index, _ in constraints]).data
        kinds = {True: AffineConstraintKind.eq, False: AffineConstraintKind.ge}
        zero = AffineExpr.constant(0)
        return AffineSetAttr(
            AffineSet(
                0,
                results.num_symbols,
                tuple(
                    AffineConstraintExpr(kinds[equality], result, zero)
                    for result, (_, equality) in zip(results.results, constraints, strict=True)
                ),
            )
        )


def _name(function: Operation) -> str:
    name: Any = function.properties["sym_name"]
    return str(name.data)
