"""Upstream's kernels: custom syntax of ``gpu.launch``, ``gpu.launch_func``, ``gpu.func`` and the ids of threads.

xDSL has these operations in generic syntax.  Clusters, launches that do not wait, and memory that threads share are
no part of what is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    opt_attr_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.parser import Parser

_Item = TypeVar("_Item")
_BARE = [1] * 6  # segments of operands: three sizes of the grid, three of a block


@irdl_op_definition
class FuncOp(IRDLOperation):
    """``gpu.func`` as upstream has it: the sizes that are known are its own."""

    name = "gpu.func"

    body = region_def()
    sym_name = attr_def(StringAttr)
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    known_block_size = opt_prop_def(DenseArrayBase)
    known_grid_size = opt_prop_def(DenseArrayBase)
    attributions = opt_attr_def(IntegerAttr, attr_name="workgroup_attributions")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), HasParent(gpu.ModuleOp))

    def verify_(self) -> None:
        """Check that the function takes what its type says, and that its threads share no memory of their own."""
        if self.attributions is not None and self.attributions.value.data:
            raise VerifyException("its threads share memory")
        if not self.body.blocks or self.body.blocks[0].arg_types != self.function_type.inputs.data:
            raise VerifyException("expected a body that takes what the type says")

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        """Read upstream's custom form."""
        return _parse_func(parser)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a kernel, which gives nothing."""

    name = "gpu.return"

    assembly_format = "attr-dict"
    traits = traits_def(IsTerminator(), HasParent(FuncOp))


def parse_launch(parser: Parser) -> Operation:
    """Read ``gpu.launch blocks(%i, ..) in (%gx = %a, ..) threads(%j, ..) in (%sx = %b, ..) { .. }``."""
    ids: list[Parser.UnresolvedArgument] = []
    dims, sizes = [], []
    for keyword in ("blocks", "threads"):
        parser.parse_keyword(keyword)
        ids += _listed(parser, lambda: parser.parse_argument(expect_type=False))
        parser.parse_keyword("in")
        for dim, size in _listed(parser, lambda: _assigned(parser)):
            dims.append(dim)
            sizes.append(size)
    if parser.parse_optional_keyword("workgroup"):
        parser.raise_error("its threads share memory")
    body = parser.parse_region([argument.resolve(IndexType()) for argument in (*ids, *dims)])
    return gpu.LaunchOp.create(
        operands=sizes,
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [0, *_BARE, 0, 0, 0, 0])},
        attributes=parser.parse_optional_attr_dict(),
        regions=[body],
    )


def _listed(parser: Parser, parse: Callable[[], _Item]) -> list[_Item]:
    """Read three things in parentheses."""
    place = parser.pos
    found = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse)
    if len(found) != 3:  # noqa: PLR2004 - dimensions x, y and z
        parser.raise_error("expected three dimensions", place)
    return found


def _assigned(parser: Parser) -> tuple[Parser.UnresolvedArgument, SSAValue]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_operand(IndexType())


def parse_launch_func(parser: Parser) -> Operation:
    """Read ``gpu.launch_func @m::@k blocks in (%a, ..) threads in (%b, ..) [args(%x : type, ..)]``."""
    kernel, sizes = parser.parse_attribute(), []
    for keyword in ("blocks", "threads"):
        parser.parse_keyword(keyword)
        parser.parse_keyword("in")
        sizes += _listed(parser, parser.parse_unresolved_operand)
    kind = parser.parse_type() if parser.parse_optional_punctuation(":") else IndexType()
    given: list[SSAValue] = []
    if parser.parse_optional_keyword("args"):
        given = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _typed(parser))
    if not isinstance(kernel, SymbolRefAttr):
        parser.raise_error("expected the name of a kernel")
    return launch_func(kernel, [parser.resolve_operand(size, kind) for size in sizes], given)


def _typed(parser: Parser) -> SSAValue:
    operand = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    return parser.resolve_operand(operand, parser.parse_type())


def launch_func(kernel: SymbolRefAttr, sizes: Sequence[SSAValue], given: Sequence[SSAValue]) -> Operation:
    """Make the launch of a kernel, by the sizes of its grid and of a block."""
    segments = DenseArrayBase.from_list(i32, [0, *_BARE, 0, 0, 0, 0, len(given), 0])
    properties = {"kernel": kernel, "operandSegmentSizes": segments}
    return gpu.LaunchFuncOp.create(operands=[*sizes, *given], properties=properties)


def parse_module(parser: Parser) -> Operation:
    """Read ``gpu.module @m [<..>] [attributes {..}] { .. }``."""
    name = parser.parse_symbol_name()
    attributes = parser.parse_optional_attr_dict_with_keyword()
    body = parser.parse_region()
    noted = attributes.data if attributes is not None else {}
    return gpu.ModuleOp.create(properties={"sym_name": name}, attributes=noted, regions=[body])


def _parse_func(parser: Parser) -> FuncOp:
    """Read ``gpu.func @k(%x: type, ..) [kernel] [attributes {..}] { .. }``."""
    name, marks = parser.parse_symbol_name(), []

    def argument() -> Parser.Argument:
        found = parser.parse_argument()
        marks.append(DictionaryAttr(parser.parse_optional_attr_dict()))
        return found

    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
    is_kernel = parser.parse_optional_keyword("kernel")
    noted = parser.parse_optional_attr_dict_with_keyword()
    attributes = dict(noted.data) if noted is not None else {}
    known: dict[str, Attribute] = {
        key: attributes.pop(key) for key in ("known_block_size", "known_grid_size") if key in attributes
    }
    if is_kernel:
        attributes["gpu.kernel"] = UnitAttr()
    taken = FunctionType.from_lists([argument.type for argument in arguments], [])
    return FuncOp.create(
        properties={"function_type": taken, "arg_attrs": ArrayAttr(marks), **known},
        attributes={"sym_name": name, **attributes},
        regions=[parser.parse_region(arguments)],
    )


def _parse_id(kind: type[Operation]) -> Callable[[Parser], Operation]:
    def parse(parser: Parser) -> Operation:
        dimension = gpu.DimensionAttr(parser.parse_str_enum(gpu.DimensionEnum))
        attributes = parser.parse_optional_attr_dict()
        return kind.create(result_types=[IndexType()], properties={"dimension": dimension}, attributes=attributes)

    return parse


_IDS = (gpu.BlockIdOp, gpu.ThreadIdOp, gpu.GridDimOp, gpu.BlockDimOp, gpu.GlobalIdOp)
PARSERS: dict[str, Callable[[Parser], Operation]] = {
    "gpu.launch": parse_launch,
    "gpu.launch_func": parse_launch_func,
    "gpu.module": parse_module,
    **{kind.name: _parse_id(kind) for kind in _IDS},
    "gpu.terminator": lambda parser: gpu.TerminatorOp.create(attributes=parser.parse_optional_attr_dict()),
}
OPERATIONS: list[type[Operation]] = [
    FuncOp,
    gpu.LaunchFuncOp,
    gpu.LaunchOp,
    gpu.ModuleOp,
    ReturnOp,
    gpu.TerminatorOp,
    *_IDS,
]
