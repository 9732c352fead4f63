"""Upstream's parallel loops and whole-array operations: those that xDSL has not, and custom syntax.

``affine.parallel (%i, %j) = (0, max(%a, 3)) to (symbol(%n), 8) step (1, 2)``, ``scf.parallel``, ``scf.forall``,
``memref.copy`` and ``memref.cast``.  As in ``syntax``, what is read are xDSL's own operations, where it has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    UnrankedMemRefType,
    i32,
    i64,
)
from xdsl.dialects.utils import DynamicIndexList
from xdsl.ir import Block, Region
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.parser import Parser, UnresolvedOperand
    from xdsl.printer import Printer

    from tensorlift.ir.syntax import Subscripts


@irdl_op_definition
class AffineParallelOp(IRDLOperation):
    """``affine.parallel`` as upstream has it: results need no operands.

    Reductions are names, as in custom syntax, or numbers, as in generic syntax; versions of MLIR number differently.
    """

    name = "affine.parallel"

    map_operands = var_operand_def(IndexType)
    res = var_result_def()
    reductions = prop_def(ArrayAttr[StringAttr | IntegerAttr])
    lowerBoundsMap = prop_def(AffineMapAttr)  # noqa: N815 - upstream's name
    lowerBoundsGroups = prop_def(DenseIntElementsAttr)  # noqa: N815 - upstream's name
    upperBoundsMap = prop_def(AffineMapAttr)  # noqa: N815 - upstream's name
    upperBoundsGroups = prop_def(DenseIntElementsAttr)  # noqa: N815 - upstream's name
    steps = prop_def(ArrayAttr[IntegerAttr[IntegerType]])
    body = region_def("single_block")

    def verify_(self) -> None:
        """Check that operands, groups and reductions are as many as they must be."""
        maps = (self.lowerBoundsMap.data, self.upperBoundsMap.data)
        if len(self.operands) != sum(bounds.num_dims + bounds.num_symbols for bounds in maps):
            raise VerifyException("expected as many operands as the maps of the bounds take")
        for bounds, groups in zip(maps, (self.lowerBoundsGroups, self.upperBoundsGroups), strict=True):
            if sum(groups.get_values()) != len(bounds.results):
                raise VerifyException("expected the groups to hold each bound")
        if len(self.reductions) != len(self.results):
            raise VerifyException("expected a reduction for each result")
        last = self.body.block.last_op
        if last is None or [value.type for value in last.operands] != [result.type for result in self.results]:
            raise VerifyException("expected the body to yield a value for each result")


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """Ends the body of ``scf.forall``: says where parts of tensors go."""

    name = "scf.forall.in_parallel"

    region = region_def()
    traits = traits_def(IsTerminator(), NoTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> InParallelOp:
        """Read upstream's custom form."""
        return cls.create(regions=[parser.parse_region()])

    def print(self, printer: Printer) -> None:
        """Print upstream's custom form."""
        printer.print_string(" ")
        printer.print_region(self.region)


@irdl_op_definition
class ParallelInsertSliceOp(IRDLOperation):
    """``tensor.parallel_insert_slice``: where a part goes of a tensor that iterations make together."""

    name = "tensor.parallel_insert_slice"

    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$source `into` $dest `` custom<DynamicIndexList>($offsets, $static_offsets)"
        "custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, $static_strides)"
        "attr-dict `:` type($source) `into` type($dest)"
    )


@irdl_op_definition
class ForallOp(IRDLOperation):
    """``scf.forall``; bounds and steps are numbers, or values where these say so.

    Of tensors that are ``outputs`` the body sees what they are before, whatever iterations hand on.
    """

    name = "scf.forall"

    lower = var_operand_def(IndexType)
    upper = var_operand_def(IndexType)
    steps = var_operand_def(IndexType)
    outputs = var_operand_def()
    staticLowerBound = prop_def(DenseArrayBase.constr(i64))  # noqa: N815 - upstream's name
    staticUpperBound = prop_def(DenseArrayBase.constr(i64))  # noqa: N815 - upstream's name
    staticStep = prop_def(DenseArrayBase.constr(i64))  # noqa: N815 - upstream's name
    mapping = opt_prop_def(ArrayAttr)
    made = var_result_def(TensorType)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def bounds(self) -> list[tuple[int | SSAValue, ...]]:
        """Give where each variable starts and ends, and its step."""
        parts = (
            (self.staticLowerBound, self.lower),
            (self.staticUpperBound, self.upper),
            (self.staticStep, self.steps),
        )
        return list(zip(*(_mixed(numbers, values) for numbers, values in parts), strict=True))

    def verify_(self) -> None:
        """Check that there are as many bounds as variables, and that tensors go where the body ends."""
        counts = {len(part) for part in (self.staticLowerBound, self.staticUpperBound, self.staticStep)}
        types, given = [arg.type for arg in self.body.block.args], [value.type for value in self.outputs]
        if len(counts) != 1 or types != [IndexType()] * counts.pop() + given:
            raise VerifyException("expected an index, bounds and a step for each dimension, then each tensor")
        if given != [result.type for result in self.made]:
            raise VerifyException("expected a result for each tensor")
        last = self.body.block.last_op
        if not isinstance(last, InParallelOp):
            raise VerifyException("expected its body to end in scf.forall.in_parallel")
        shared = self.body.block.args[len(types) - len(given) :]
        if any(not isinstance(op, ParallelInsertSliceOp) or op.dest not in shared for op in last.region.block.ops):
            raise VerifyException("expected its body to end with parts of its tensors")

    @classmethod
    def parse(cls, parser: Parser) -> ForallOp:
        """Read ``scf.forall (%i, %j) = (0, %a) to (8, %n) step (1, 2) { .. }`` or ``.. (%i) in (%n)``."""
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        low, step = ([number] * len(arguments) for number in (0, 1))
        parts: list[list[int | SSAValue]] = [[*low], [], [*step]]
        if parser.parse_optional_punctuation("="):
            for k, keyword in enumerate(("", "to", "step")):
                if keyword:
                    parser.parse_keyword(keyword)
                parts[k] = _numbers_or_values(parser)
        else:
            parser.parse_keyword("in")
            parts[1] = _numbers_or_values(parser)
        shared: list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = []
        types: list[Attribute] = []
        if parser.parse_optional_keyword("shared_outs"):
            shared = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _assigned(parser))
            parser.parse_punctuation("->")
            types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        outputs = parser.resolve_operands([value for _, value in shared], types, parser.pos)
        inside = [argument.resolve(kind) for (argument, _), kind in zip(shared, types, strict=True)]
        body = parser.parse_region([*(argument.resolve(IndexType()) for argument in arguments), *inside])
        if not isinstance(body.block.last_op, InParallelOp):
            body.block.add_op(InParallelOp.create(regions=[Region(Block())]))
        attributes = parser.parse_optional_attr_dict()
        values = [[one for one in part if not isinstance(one, int)] for part in parts]
        numbers = [
            DenseArrayBase.from_list(i64, [one if isinstance(one, int) else DYNAMIC_INDEX for one in part])
            for part in parts
        ]
        named = dict(zip(("staticLowerBound", "staticUpperBound", "staticStep"), numbers, strict=True))
        mapping = {"mapping": attributes.pop("mapping")} if "mapping" in attributes else {}
        segments = DenseArrayBase.from_list(i32, [*map(len, values), len(outputs)])
        return cls.create(
            operands=[*(value for part in values for value in part), *outputs],
            result_types=types,
            properties={"operandSegmentSizes": segments, **named, **mapping},
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        """Print upstream's custom form."""

        def item(one: int | SSAValue) -> None:
            printer.print_string(str(one)) if isinstance(one, int) else printer.print_ssa_value(one)

        def listed(before: str, part: Sequence[int | SSAValue]) -> None:
            printer.print_string(f" {before} (")
            printer.print_list(part, item)
            printer.print_string(")")

        printer.print_string(" (")
        bounds = self.bounds()
        printer.print_list(self.body.block.args[: len(bounds)], printer.print_ssa_value)
        printer.print_string(")")
        for before, part in zip(("=", "to", "step"), zip(*bounds, strict=True), strict=True):
            listed(before, part)
        if self.outputs:
            printer.print_string(" shared_outs(")
            pairs = zip(self.body.block.args[len(bounds) :], self.outputs, strict=True)
            printer.print_list(pairs, lambda pair: _print_pair(printer, *pair))
            printer.print_string(") -> (")
            printer.print_list(self.made, lambda one: printer.print_attribute(one.type))
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=bool(self.outputs))
        if self.mapping is not None:
            printer.print_string(" {mapping = ")
            printer.print_attribute(self.mapping)
            printer.print_string("}")


def _assigned(parser: Parser) -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()


def _print_pair(printer: Printer, argument: SSAValue, value: SSAValue) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" = ")
    printer.print_ssa_value(value)


def _mixed(numbers: DenseArrayBase[IntegerType], values: Sequence[SSAValue]) -> list[int | SSAValue]:
    given = iter(values)
    return [next(given) if number == DYNAMIC_INDEX else int(number) for number in numbers.get_values()]


def _numbers_or_values(parser: Parser) -> list[int | SSAValue]:
    def item() -> int | SSAValue:
        number = parser.parse_optional_integer(allow_boolean=False)
        return parser.parse_operand(IndexType()) if number is None else number

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, item)


def parse_affine_parallel(parser: Parser, subscripts: Callable[[Parser], Subscripts]) -> Operation:
    """Read ``affine.parallel``; ``subscripts`` makes a reader of affine expressions over values."""
    arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    parser.parse_punctuation("=")
    lower_map, lower_groups, lower = _bounds(parser, subscripts(parser), "max")
    parser.parse_keyword("to")
    upper_map, upper_groups, upper = _bounds(parser, subscripts(parser), "min")
    steps = [1] * len(arguments)
    if parser.parse_optional_keyword("step"):
        steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
    reductions: list[str] = []
    types: list[Attribute] = []
    if parser.parse_optional_keyword("reduce"):
        reductions = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_str_literal)
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    body = parser.parse_region([argument.resolve(IndexType()) for argument in arguments])
    if not isinstance(body.block.last_op, affine.YieldOp):
        body.block.add_op(affine.YieldOp.get())
    return AffineParallelOp.create(
        operands=[*lower, *upper],
        result_types=types,
        properties={
            "reductions": ArrayAttr([StringAttr(name) for name in reductions]),
            "lowerBoundsMap": lower_map,
            "lowerBoundsGroups": lower_groups,
            "upperBoundsMap": upper_map,
            "upperBoundsGroups": upper_groups,
            "steps": ArrayAttr([IntegerAttr(step, i64) for step in steps]),
        },
        attributes=parser.parse_optional_attr_dict(),
        regions=[body],
    )


def _bounds(
    parser: Parser, reader: Subscripts, extremum: str
) -> tuple[AffineMapAttr, DenseIntElementsAttr, list[SSAValue]]:
    """Read the bounds on one side, each an expression or ``max(..)`` or ``min(..)`` of some."""

    def group() -> list[AffineExpr]:
        if parser.parse_optional_keyword(extremum):
            return parser.parse_comma_separated_list(parser.Delimiter.PAREN, reader.sum)
        return [reader.sum()]

    groups = parser.parse_comma_separated_list(parser.Delimiter.PAREN, group)
    results = tuple(result for found in groups for result in found)
    bound_map = AffineMap(len(reader.dims), len(reader.symbols), results)
    counts = DenseIntElementsAttr.from_list(TensorType(i32, [len(groups)]), [len(found) for found in groups])
    return AffineMapAttr(bound_map), counts, reader.operands()


def parse_scf_parallel(parser: Parser) -> Operation:
    """Read ``scf.parallel (%i) = (%lo) to (%hi) step (%s) [init (%x) -> f64] { .. }``."""

    def operands() -> list[SSAValue]:
        return parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType()))

    arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    parser.parse_punctuation("=")
    lower = operands()
    parser.parse_keyword("to")
    upper = operands()
    parser.parse_keyword("step")
    steps = operands()
    initial: list[SSAValue] = []
    if parser.parse_optional_keyword("init"):
        names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        parser.parse_punctuation("->")
        several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        types = [parser.parse_type()] if several is None else several
        initial = list(parser.resolve_operands(names, types, parser.pos))
    body = parser.parse_region([argument.resolve(IndexType()) for argument in arguments])
    if not isinstance(body.block.last_op, scf.ReduceOp):
        body.block.add_op(scf.ReduceOp())
    op = scf.ParallelOp(lower, upper, steps, body, initial)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def parse_scf_while(parser: Parser) -> Operation:
    """Read ``scf.while (%s = %x) : (f64) -> f64 { .. } do { .. }``, whose list is left out where nothing is carried."""
    pairs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, lambda: _assigned(parser)) or []
    parser.parse_punctuation(":")
    place, types = parser.pos, parser.parse_function_type()
    operands = parser.resolve_operands([operand for _, operand in pairs], types.inputs.data, place)
    arguments = [argument.resolve(t) for (argument, _), t in zip(pairs, types.inputs.data, strict=True)]
    before = parser.parse_region(arguments)
    parser.parse_keyword("do")
    op = scf.WhileOp(operands, types.outputs.data, before, parser.parse_region())
    attributes = parser.parse_optional_attr_dict_with_keyword()
    op.attributes |= {} if attributes is None else attributes.data
    return op


def parse_scope(parser: Parser) -> Operation:
    """Read ``memref.alloca_scope [-> (f64)] { .. }``."""
    types: list[Attribute] = []
    if parser.parse_optional_punctuation("->"):
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    scope = parser.parse_region()
    if not isinstance(scope.block.last_op, memref.AllocaScopeReturnOp):
        scope.block.add_op(memref.AllocaScopeReturnOp.create())
    attributes = parser.parse_optional_attr_dict()
    return memref.AllocaScopeOp.create(result_types=types, regions=[scope], attributes=attributes)


def parse_scope_end(parser: Parser) -> Operation:
    """Read ``memref.alloca_scope.return [%x : f64]``."""
    names = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    operands: Sequence[SSAValue] = ()
    if names:
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands(names, types, parser.pos)
    return memref.AllocaScopeReturnOp.create(operands=operands)


def parse_copy(parser: Parser) -> Operation:
    """Read ``memref.copy %a, %b : memref<..> to memref<..>``."""
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    target = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    source_type = parser.parse_type()
    parser.parse_keyword("to")
    operands = [parser.resolve_operand(source, source_type), parser.resolve_operand(target, parser.parse_type())]
    return memref.CopyOp.create(operands=operands, attributes=attributes)


def parse_cast(parser: Parser) -> Operation:
    """Read ``memref.cast %a : memref<..> to memref<..>``."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(source, parser.parse_type())
    parser.parse_keyword("to")
    position = parser.pos
    target = parser.parse_type()
    if not isinstance(target, MemRefType | UnrankedMemRefType):
        parser.raise_error("expected a memref type", position)
    return memref.CastOp.create(operands=[operand], result_types=[target], attributes=attributes)
