"""Typed reading of a function of the loop IR: its parameters, extents, preconditions and effects (docs/loop-ir.md)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp

from tensorlift.diagnostics import Location, refuse
from tensorlift.ir.c_types import FLOAT_NAMES
from tensorlift.ir.linear import Linear, NotLinearError, apply_map
from tensorlift.ir.location import location_of
from tensorlift.ir.prototype import RETURNED, Dimension, literal_names, returned_sizes
from tensorlift.ir.tables import Table, constants_of, contents_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
    from xdsl.ir.affine import AffineMap, AffineSet


Role = Literal["size", "scalar", "array"]

_C_INTEGERS = {
    "_Bool": "bool",
    "bool": "bool",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int": "i32",
    "unsigned int": "u32",
    "long": "i64",
    "unsigned long": "u64",
    "long long": "i64",
    "unsigned long long": "u64",
}

# End the names in literal IR of the distance between rows, a size, an offset, whether a pointer is null; no name of a
# source has a space.
ROW, SIZE, OFFSET, NULL, SAME = " row", " size", " offset", " null", " is "
FAILS = "an assertion on pointers fails"  # the name of the truth value whether one does that cannot be read
OUTSIDE, TEXT = "@", "text "  # begin the names of variables at file scope, and of string literals
EQUAL = "tl.equal"  # tells of literal IR which sizes are another one
WRITTEN = "tl.written"  # names what other cases of a function store to
PARALLEL = "tl.parallel"  # marks loops whose iterations may run in any order, as the source says
_ACCESS = re.compile(r"(\w*)(->|\[\]\.|\.|)(.*)")
_LED_BY = re.compile(r"->|\[\]\.")
_LOOPS = frozenset({"affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.while", "scf.parallel"})


def _split(access: str) -> tuple[str, str, str]:
    found = _ACCESS.fullmatch(access.removesuffix("[]"))
    assert found is not None  # any text does
    return found[1], found[2], found[3]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of the source function.

    ``dtype`` is a name of `ops.dtypes`; an array's is that of its elements.
    ``extents`` are the exact extents of an array over the sizes, None where one is not linear or not known.
    ``strides`` are distances in elements in the C memory, polynomials over parameter names; None is dense row-major.
    ``access`` says how C reaches what is no parameter of C: ``m->rows``, ``x[].re``, ``s->p[].re``, or the name of a
    global; ``path`` how C++ reaches it.  What is part of a variable at file scope ``is_outside``.
    """

    name: str
    role: Role
    dtype: str
    c_type: str
    extents: tuple[Linear, ...] | None
    strides: tuple[str, ...] | None
    value: BlockArgument
    location: Location | None
    access: str = ""
    path: str = ""
    is_outside: bool = False

    @property
    def member(self) -> tuple[str, str, str]:
        """What the access starts from, a structure or a global; what leads on, ``->``, ``.`` or ``[].``; the path."""
        return _split(self.access)

    @property
    def is_returned(self) -> bool:
        """Whether it is what a function in C returns, or a part of that."""
        return self.access.removesuffix("[]").split(".")[0] == RETURNED

    @property
    def holders(self) -> tuple[str, ...]:
        """What C reaches the structures by that lead to it, each an array where ``[]`` follows: ``s``, ``s->p``."""
        ends = [link.start() for link in _LED_BY.finditer(self.access)]
        return tuple(self.access[:end] for end in ends) or (self.member[0],)

    @property
    def literal_name(self) -> str:
        """What literal IR calls it: a member as C reaches it, ``m->rows``; ``@g`` or ``@g.n`` at file scope."""
        if not self.access:
            return self.path or self.name
        return f"{OUTSIDE}{self.access.removesuffix('[]')}" if self.is_outside else self.access

    @property
    def is_column(self) -> bool:
        """Whether it is one member of all structures of an array."""
        return "[]." in self.access

    @property
    def lies_inside(self) -> bool:
        """Whether it lies inside of the structure or global that the access names, and is not pointed to."""
        is_object = self.access.endswith("[]") or "*" not in self.c_type
        return bool(self.access) and not self.is_column and is_object


@dataclass(frozen=True, slots=True)
class Requirement:
    """A precondition that the front end assumed: where it is affine over ``sizes``, that one of ``choices`` holds."""

    kind: str
    text: str
    choices: tuple[AffineSet, ...]
    sizes: tuple[str, ...]
    location: Location | None


def functions(module: ModuleOp) -> tuple[Operation, ...]:
    """List the functions of a module that have a body, in order."""
    return tuple(op for op in module.ops if op.name == "func.func" and op.regions[0].blocks)


def function_named(module: ModuleOp, name: str) -> FuncOp:
    """Return the one function of a module that has a name."""
    (found,) = (op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
    return found


def axis_name(array: str, axis: int, what: str) -> str:
    """Name the stride (``ROW``) or size of an array along an axis in literal IR."""
    return f"{array}.{axis}{what}"


class FunctionView:
    """Read access to one ``func.func``; computed on demand, never written back."""

    def __init__(self, func_op: Operation) -> None:
        """Look at ``func_op``, which must have a body."""
        self.func_op = func_op

    @staticmethod
    def of(function: Operation | FunctionView) -> FunctionView:
        """Look at a function; a view of it is given back, with all that it found out."""
        return function if isinstance(function, FunctionView) else FunctionView(function)

    @property
    def name(self) -> str:
        """The name in the source."""
        return _text(self.func_op.properties, "sym_name")

    @property
    def location(self) -> Location | None:
        """Where the function begins."""
        return location_of(self.func_op)

    @property
    def source(self) -> str:
        """The file name as given."""
        return _text(self.func_op.attributes, "tl.source")

    @cached_property
    def body(self) -> Block:
        """The only block of the function."""
        return self.func_op.regions[0].block

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The operations of the function, itself first, outer ones before those inside."""
        return tuple(self.func_op.walk())

    @property
    def loop_depth(self) -> int:
        """How deep its loops are nested; those between two numbers do not count, except in functions of other files.

        So a call of BLAS counts for the loops that it stands for.
        """
        depths: dict[Operation | None, int] = {None: 0}
        for op in self.operations:
            is_loop = op.name in _LOOPS and (op.name != "affine.for" or bool(op.operands) or not self._is_here(op))
            depths[op] = depths.get(op.parent_op(), 0) + is_loop
        return max(depths.values())

    def _is_here(self, op: Operation) -> bool:
        place = location_of(op)
        return place is None or place.file == self.source

    @cached_property
    def size_names(self) -> tuple[str, ...]:
        """The source names of the ``index`` arguments in order: the symbols of every map over sizes."""
        arguments = zip(self.body.args, self._argument_attributes, strict=True)
        return tuple(_name(value, marks) for value, marks in arguments if isinstance(value.type, IndexType))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in source order."""
        arguments = zip(self.body.args, self._argument_attributes, strict=True)
        return tuple(self._parameter(value, marks) for value, marks in arguments)

    @cached_property
    def literal_names(self) -> dict[str, str]:
        """The names of the parameters, by what literal IR calls them."""
        return {parameter.literal_name: parameter.name for parameter in self.parameters}

    @cached_property
    def result_dtype(self) -> str | None:
        """The type of the returned scalar, None where nothing is returned."""
        returned = self.body.last_op
        if returned is None or not returned.operands:
            return None
        return dtype_of(returned.operands[0].type, unsigned="tl.result_unsigned" in self.func_op.attributes)

    @cached_property
    def requires(self) -> tuple[Requirement, ...]:
        """The preconditions that the front end assumed."""
        rows = self.func_op.attributes.get("tl.requires")
        return (
            tuple(_requirement(row.data, self.size_names) for row in rows if isinstance(row, DictionaryAttr))
            if isinstance(rows, ArrayAttr)
            else ()
        )

    @cached_property
    def c_parameters(self) -> tuple[tuple[str, str], ...]:
        """Names of the parameters that C declares, with the type of each structure; empty where they are the same."""
        rows = self.func_op.attributes.get("tl.c_parameters")
        found = [row.data for row in rows if isinstance(row, DictionaryAttr)] if isinstance(rows, ArrayAttr) else []
        return tuple((_text(row, "name"), _text(row, "type")) for row in found)

    @cached_property
    def made_sizes(self) -> dict[str, tuple[str, int]]:
        """The sizes that a front end made of extents that the source has no name for, each with its array and axis."""
        arrays = [p for p in self.parameters if p.role == "array"]
        extents = [(str(e), e, p.name, axis) for p in arrays for axis, e in enumerate(p.extents or ())]
        return {
            size: (array, axis)
            for size, extent, array, axis in extents
            if extent == Linear.size(size) and self._is_made(size, array, axis)
        }

    def _is_made(self, size: str, array: str, axis: int) -> bool:
        if self.c_parameters and size not in self.declared:
            return True
        if self.prototype:
            return size == f"{array}{'_row' * axis}_size"
        if is_python(self):
            return size == f"{array}_shape{axis}"
        fortran = fortran_of(self)
        names_axes = self.source.endswith(".mlir") or (bool(fortran) and not fortran["by_columns"])
        return names_axes and size == f"{array}_d{axis}"

    @cached_property
    def generalised(self) -> dict[str, int]:
        """The sizes that stand for a constant of the source, which does not say what it does for others."""
        found: Any = self.func_op.attributes.get("tl.generalised")
        return {name: value.value.data for name, value in found.data.items()} if found is not None else {}

    @cached_property
    def declared(self) -> frozenset[str]:
        """The names of what C declares as parameters, and of what it reaches by other names."""
        reached = {p.name for p in self.parameters if p.access or not self.c_parameters}
        return frozenset({name for name, _ in self.c_parameters} | reached)

    @property
    def prototype(self) -> str:
        """How C++ calls the function, as JSON (docs/loop-ir.md); empty for other languages."""
        return _text(self.func_op.attributes, "tl.prototype")

    @property
    def result_c_type(self) -> str:
        """The type of the result as C spells it, where its width and sign do not tell; else empty."""
        return _text(self.func_op.attributes, "tl.result_c_type")

    @cached_property
    def returned_sizes(self) -> Mapping[str, Dimension]:
        """The sizes of what a C++ function returns, by what literal IR calls them."""
        return returned_sizes(self.prototype) if self.prototype else {}

    @cached_property
    def returns(self) -> tuple[tuple[str, str], ...]:
        """What a Python function returns, in its order: the names (see docs/loop-ir.md) and the kinds."""
        names, kinds = (self.func_op.attributes.get(key) for key in ("tl.returns", "tl.return_kinds"))
        if not isinstance(names, ArrayAttr) or not isinstance(kinds, ArrayAttr):
            return ()
        return tuple((_string(name), _string(kind)) for name, kind in zip(names, kinds, strict=True))

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The array parameters that this case or another one stores to; what Python returns comes last."""
        places = {name: place for place, (name, _) in enumerate(self.returns, 1)}
        more: Any = self.func_op.attributes.get(WRITTEN, ())
        found = {*self._accessed({"affine.store": 1, "memref.store": 1}), *map(_string, more)}
        listed = (parameter.name for parameter in self.parameters if parameter.name in found)
        return tuple(sorted(listed, key=lambda name: places.get(name, 0)))

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The array parameters that some operation loads from, in source order."""
        return self._accessed({"affine.load": 0, "memref.load": 0})

    def _accessed(self, position: Mapping[str, int]) -> tuple[str, ...]:
        touched = {op.operands[position[op.name]] for op in self.operations if op.name in position}
        return tuple(parameter.name for parameter in self.parameters if parameter.value in touched)

    @property
    def _argument_attributes(self) -> Iterator[Mapping[str, Attribute]]:
        rows = self.func_op.properties.get("arg_attrs")
        if not isinstance(rows, ArrayAttr):
            return ({} for _ in self.body.args)
        return (row.data if isinstance(row, DictionaryAttr) else {} for row in rows)

    def _parameter(self, value: BlockArgument, marks: Mapping[str, Attribute]) -> Parameter:
        c_type = _text(marks, "tl.c_type")
        strides = marks.get("tl.strides")
        return Parameter(
            name=_name(value, marks),
            role=_role(value),
            dtype=_C_INTEGERS.get(_unqualified(c_type), "i64")
            if isinstance(value.type, IndexType)
            else dtype_of(value.type, unsigned="tl.unsigned" in marks, c_type=c_type),
            c_type=c_type,
            extents=self.extents_of(value, marks),
            strides=tuple(_string(stride) for stride in strides) if isinstance(strides, ArrayAttr) else None,
            value=value,
            location=location_of(value),
            access=_text(marks, "tl.access"),
            path=self._paths.get(_name(value, marks), ""),
            is_outside=self._is_outside(_text(marks, "tl.access")),
        )

    def _is_outside(self, access: str) -> bool:
        """Whether C reaches something through a variable at file scope, and not through a parameter."""
        root, link, _ = _split(access)
        return bool(access) and root != RETURNED and (not link or root not in {name for name, _ in self.c_parameters})

    @cached_property
    def _paths(self) -> Mapping[str, str]:
        return literal_names(self.prototype) if self.prototype else {}

    def extents_of(self, value: SSAValue, marks: Mapping[str, Attribute]) -> tuple[Linear, ...] | None:
        """Give the extents of an array from its ``tl.shape``, or from its type where that is static."""
        if not isinstance(value.type, MemRefType):
            return None
        shape = marks.get("tl.shape")
        static = value.type.get_shape()
        if isinstance(shape, AffineMapAttr):
            return _linear_results(shape.data, self.size_names)
        return tuple(Linear((), extent) for extent in static) if all(extent >= 0 for extent in static) else None


def _linear_results(shape: AffineMap, sizes: tuple[str, ...]) -> tuple[Linear, ...] | None:
    try:
        return apply_map(shape, (), [Linear.size(name) for name in sizes])
    except NotLinearError:
        return None


def _requirement(row: Mapping[str, Attribute], sizes: tuple[str, ...]) -> Requirement:
    condition = row.get("set")
    sets = condition.data if isinstance(condition, ArrayAttr) else (condition,)
    return Requirement(
        kind=_text(row, "kind"),
        text=_text(row, "text"),
        choices=tuple(one.data for one in sets if isinstance(one, AffineSetAttr)),
        sizes=sizes,
        location=parse_place(_text(row, "loc")),
    )


def complex_parameters(view: FunctionView) -> dict[str, tuple[str, ...]]:
    """Give the complex parameters of a Python function: a number with the names of its parts, an array with none.

    Where there are any, ``return`` has how each item is returned: as ``pairs``, ``parts`` or ``real``.
    """
    names = view.func_op.attributes.get("tl.complex")
    rows = [_string(name).split() for name in names] if isinstance(names, ArrayAttr) else []
    return {name: tuple(parts) for name, *parts in rows}


def returned_pointer_of(view: FunctionView) -> str:
    """Give the type of the pointer, structure or complex number that C returns; else nothing."""
    return _text(view.func_op.attributes, "tl.returned")


def fortran_of(view: FunctionView) -> dict[str, Any]:
    """Say how Fortran calls a function (docs/loop-ir.md); empty for other languages."""
    text = _text(view.func_op.attributes, "tl.fortran")
    found: dict[str, Any] = json.loads(text) if text else {}
    return found


def as_c_calls(view: FunctionView) -> FunctionView:
    """Give a function as C calls its program, without what Fortran knows of it."""
    if not fortran_of(view):
        return view
    made = view.func_op.clone()
    del made.attributes["tl.fortran"]
    return FunctionView(made)


def structures_of(view: FunctionView) -> tuple[str, ...]:
    """Return declarations in C of the structures that parameters are or point to, each behind those inside of it."""
    texts = view.func_op.attributes.get("tl.structures")
    return tuple(map(_string, texts)) if isinstance(texts, ArrayAttr) else ()


def tables_of(view: FunctionView) -> tuple[Table, ...]:
    """Return the tables of constants that a function reads."""
    return tuple(_table(op, view.func_op.parent_op()) for op in view.operations if op.name == "memref.get_global")


def _table(op: Operation, module: Operation | None) -> Table:
    symbol, of_type = op.properties["name"], op.results[0].type
    assert isinstance(symbol, SymbolRefAttr)
    assert isinstance(of_type, MemRefType)
    (declared,) = (table for table in constants_of(module) if table.sym_name == symbol.root_reference)
    dtype: Any = dtype_of(of_type, unsigned="tl.unsigned" in op.attributes)
    contents = contents_of(declared, dtype)
    return Table(_text(op.attributes, "tl.name"), dtype, of_type.get_shape(), contents, op.results[0], location_of(op))


def dtype_of(of_type: Attribute, *, unsigned: bool = False, c_type: str = "") -> str:
    """Name the element type of a scalar or memref type; raises LiftError TL193 for a type outside the loop IR."""
    element: Any = of_type.get_element_type() if isinstance(of_type, MemRefType) else of_type
    if element in FLOAT_NAMES:
        return FLOAT_NAMES[element]
    if isinstance(element, IndexType):
        return "i64"
    if isinstance(element, IntegerType) and element.width.data in {1, 8, 16, 32, 64}:
        is_bool = element.width.data == 1 or base_type(c_type) in {"_Bool", "bool"}
        return "bool" if is_bool else f"{'u' if unsigned else 'i'}{element.width.data}"
    message = f"values of type {element} are not part of the loop IR"
    raise refuse("TL193", message, None, "use i8 to i64, f16, bf16, f32 or f64")


def base_type(c_type: str) -> str:
    """Spell the type of a number of C, or of the elements that a pointer reaches, without qualifiers."""
    return _unqualified(re.split(r"[*\[(]", c_type)[0])


def _unqualified(c_type: str) -> str:
    return " ".join(word for word in c_type.split() if word not in {"const", "volatile", "restrict"})


def _role(value: SSAValue) -> Role:
    if isinstance(value.type, IndexType):
        return "size"
    return "array" if isinstance(value.type, MemRefType) else "scalar"


def _name(value: BlockArgument, marks: Mapping[str, Attribute]) -> str:
    return _text(marks, "tl.name") or value.name_hint or f"arg{value.index}"


def _text(marks: Mapping[str, Attribute], key: str) -> str:
    return _string(marks[key]) if key in marks else ""


def _string(attribute: Attribute) -> str:
    return attribute.data if isinstance(attribute, StringAttr) else ""


def parse_place(text: str) -> Location | None:
    """Read a place as locations are spelled, ``file:line:column``; None where it is none."""
    file, _, rest = text.rpartition(":")
    file, _, line = file.rpartition(":")
    return Location(file, int(line), int(rest)) if line.isdigit() and rest.isdigit() else None


def is_python(function: FunctionView) -> bool:
    """Whether a function is one of Python."""
    return "tl.returns" in function.func_op.attributes
