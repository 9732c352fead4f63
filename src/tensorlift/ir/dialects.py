"""The dialects of the loop IR: the context that knows exactly these, and upstream operations that xDSL lacks."""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.affine import MinOp
from xdsl.dialects.arith import FloatingPointLikeBinaryOperation, IndexCastOp
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerType, UnregisteredAttr
from xdsl.ir import Attribute, Dialect, Operation, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from tensorlift.ir.elementwise import with_tensors
from tensorlift.ir.parallel_syntax import AffineParallelOp, ForallOp, InParallelOp, ParallelInsertSliceOp
from tensorlift.ir.syntax import parse_map_application, upstream_syntax, with_syntax
from tensorlift.ops.scalar_ops import REALS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from xdsl.parser import Parser
    from xdsl.printer import Printer


@irdl_op_definition
class AffineMaxOp(IRDLOperation):
    """The greatest result of an affine map, the twin of ``affine.min``."""

    name = "affine.max"

    arguments = var_operand_def(IndexType())
    result = result_def(IndexType())
    map = prop_def(AffineMapAttr)

    traits = traits_def(Pure())

    def __init__(self, map_operands: Sequence[SSAValue | Operation], affine_map: AffineMapAttr) -> None:
        super().__init__(operands=[map_operands], properties={"map": affine_map}, result_types=[IndexType()])

    def print(self, printer: Printer) -> None:
        """Print upstream's custom form, which is that of ``affine.min``."""
        MinOp.print(self, printer)  # type: ignore[arg-type]  # reads only the operands and the map, which both ops have

    def verify_(self) -> None:
        """Check the number of operands as ``affine.min`` does."""
        MinOp.verify_(self)  # type: ignore[arg-type]  # reads only the operands and the map, which both ops have

    @classmethod
    def parse(cls, parser: Parser) -> AffineMaxOp:
        """Read upstream's custom form."""
        operands, affine_map = parse_map_application(parser)
        op = cls(operands, affine_map)
        op.attributes |= parser.parse_optional_attr_dict()
        return op


@irdl_op_definition
class RemfOp(FloatingPointLikeBinaryOperation):
    """The remainder of a truncated division of floats, C's ``fmod``."""

    name = "arith.remf"

    traits = traits_def(Pure())


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """Reads a signless integer as unsigned where it becomes an index."""

    name = "arith.index_castui"

    input = operand_def(base(IntegerType) | base(IndexType))
    result = result_def(base(IntegerType) | base(IndexType))

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"
    traits = traits_def(Pure())

    verify_ = IndexCastOp.verify_  # reads only the operand and the result

    def __init__(self, operand: SSAValue | Operation, result_type: IndexType | IntegerType) -> None:
        super().__init__(operands=[operand], result_types=[result_type])


# Where xDSL keeps each dialect.  One is imported when its first operation or type is met: math and tensor cost 20 ms
# that most programs do not need.
_HOMES = {
    "affine": "Affine",
    "arith": "Arith",
    "builtin": "Builtin",
    "cf": "Cf",
    "func": "Func",
    "index": "Index",
    "linalg": "Linalg",
    "math": "Math",
    "memref": "MemRef",
    "scf": "Scf",
    "tensor": "Tensor",
    "ub": "UB",
    "vector": "Vector",
}
_OF_VECTORS = {"broadcast", "extract", "fma", "load", "reduction", "store", "transfer_read", "transfer_write"}
# Literal IR is made of these alone: control is branches, and nothing is affine yet.
_LITERAL_HOMES = {name: _HOMES[name] for name in ("arith", "builtin", "cf", "func", "math", "memref", "ub")}
_ADDED: dict[str, list[type[Operation]]] = {
    "affine": [AffineMaxOp, AffineParallelOp],
    "arith": [RemfOp, IndexCastUIOp],
    "scf": [ForallOp, InParallelOp],
    "tensor": [ParallelInsertSliceOp],
}


@cache
def functions_of_reals() -> list[type[Operation]]:
    """Define the functions of reals that xDSL's dialect ``math`` lacks, of the form that it gives the others."""
    math = import_module("xdsl.dialects.math")
    known = {operation.name for operation in math.Math.operations}
    form, traits = math.FloatingPointLikeUnaryMathOperation, traits_def(Pure())
    missing = (name for name in (f"math.{function}" for function in REALS) if name not in known)
    return [irdl_op_definition(type(name, (form,), {"name": name, "traits": traits})) for name in missing]


@cache
def _classifications() -> list[type[Operation]]:
    """Define ``math.isnan`` and its like, which xDSL lacks."""
    arith = import_module("xdsl.dialects.arith")
    made: list[type[Operation]] = []
    for name in ("isfinite", "isinf", "isnan"):
        members = {
            "name": f"math.{name}",
            "operand": operand_def(arith.floatingPointLike),
            "result": result_def(IntegerType(1)),
            "fastmath": prop_def(arith.FastMathFlagsAttr, default_value=arith.FastMathFlagsAttr("none")),
            "assembly_format": "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)",
            "traits": traits_def(Pure()),
            "__module__": __name__,
        }
        made.append(irdl_op_definition(type(name, (IRDLOperation,), members)))
    return made


def _added(dialect: str) -> list[type[Operation]]:
    return [*functions_of_reals(), *_classifications()] if dialect == "math" else _ADDED.get(dialect, [])


def added_operation(name: str) -> type[Operation]:
    """Give the class of an operation that xDSL lacks; raise KeyError where there is none."""
    return {operation.name: operation for operation in _added(name.partition(".")[0])}[name]


def _load(name: str) -> Dialect:
    """Import a dialect, complete with the operations and the syntax that xDSL lacks."""
    if name == "linalg":
        kinds = [import_module("xdsl.dialects.linalg.attrs").IteratorTypeAttr]
        return Dialect(name, import_module("tensorlift.ir.structured").OPERATIONS, kinds)
    if name == "index":
        return Dialect(name, import_module("tensorlift.ir.index_syntax").OPERATIONS, [])
    if name == "gpu":
        kernels = import_module("tensorlift.ir.gpu_syntax")
        attributes = [import_module("xdsl.dialects.gpu").DimensionAttr]
        return Dialect(name, [with_syntax(op, kernels.PARSERS) for op in kernels.OPERATIONS], attributes)
    if name == "llvm":
        llvm = import_module("xdsl.dialects.llvm")
        return Dialect(name, [llvm.IntToPtrOp], [llvm.LLVMPointerType])
    dialect: Dialect = getattr(import_module(f"xdsl.dialects.{name}"), _HOMES[name])
    added = _added(name)
    kept = [op for op in dialect.operations if op.name not in {other.name for other in added}]
    if name == "vector":
        kept = [op for op in kept if op.name.removeprefix("vector.") in _OF_VECTORS]
    operations = [*map(upstream_syntax, [*kept, *added])]
    if name == "arith":
        operations = [*map(with_tensors, operations)]
    return Dialect(name, operations, list(dialect.attributes))


def dialect_names() -> Iterable[str]:
    """Name the dialects that a loop module may use."""
    return _HOMES


@cache
def _foreign(name: str) -> type[Operation]:
    return type(name, (Operation,), {"name": name, "traits": traits_def()})


@cache
def _foreign_type(name: str) -> type[TypeAttribute]:
    found: Any = UnregisteredAttr.with_name_and_type(name, is_type=True)
    made: type[TypeAttribute] = found
    return made


def is_foreign(op: Operation) -> bool:
    """Tell whether an operation is of a dialect of which only the name is known."""
    return type(op) is _foreign(op.name)


class _LoopContext(Context):
    """Knows the operations and types of some dialects, and takes attributes of all, which change no meaning.

    Of the ``foreign`` dialects it takes all operations, in generic form, and all types; nothing is known of them.
    """

    foreign: Collection[str] = ()

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        found = super().get_optional_op(name, dialect_stack=dialect_stack)
        return _foreign(name) if found is None and name.partition(".")[0] in self.foreign else found

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        found = super().get_optional_type(name)
        return _foreign_type(name) if found is None and name.partition(".")[0] in self.foreign else found

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        return super().get_optional_attr(name) or UnregisteredAttr.with_name_and_type(name, is_type=False)


@cache
def loop_context() -> Context:
    """Give the one context of the process; operations of any other dialect are refused."""
    return context_with(())


@cache
def kernel_context() -> Context:
    """Give the context that reads kernels too, beside the loops that call them."""
    return context_with((), kernels=True)


def context_with(
    operations: Iterable[type[Operation]], dialects: Collection[str] = (), *, kernels: bool = False
) -> Context:
    """Give a context of the loop dialects, of some other operations, and of dialects of which only names are known."""
    context = _LoopContext()
    context.foreign = dialects
    for name in (*_HOMES, "llvm", *(["gpu"] if kernels else [])):  # of llvm only pointers, for what calls BLAS
        context.register_dialect(name, partial(_load, name))
    for operation in operations:
        context.load_op(operation)
    return context


@cache
def literal_context() -> Context:
    """Give the context of literal IR."""
    context = _LoopContext()
    for name in _LITERAL_HOMES:
        context.register_dialect(name, partial(_load, name))
    return context
