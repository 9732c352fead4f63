"""Prints a loop module so that mlir-opt accepts it unchanged and nothing that it carries is lost.

xDSL's custom forms drop attribute dictionaries on many operations, print ``affine.if`` generically and lose which
subscript operands are symbols.  The affine operations are spelled here; any other operation that carries discardable
attributes which its custom form would drop is printed in the generic form, which is always complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, IntegerAttr
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)
from xdsl.printer import Printer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    _Names = Sequence["_Operand | _Letter"]

_LOOPS = ("affine.for", "affine.parallel")
_SUM = 10  # how strongly a sum binds, less than a product
_KEEP_ATTRIBUTES = frozenset(
    {"builtin.module", "func.func", "memref.alloc", "memref.alloca", "affine.for", "arith.constant"}
)
_OPERATORS = {
    AffineBinaryOpKind.Add: (" + ", _SUM),
    AffineBinaryOpKind.Mul: (" * ", 20),
    AffineBinaryOpKind.Mod: (" mod ", 20),
    AffineBinaryOpKind.FloorDiv: (" floordiv ", 20),
    AffineBinaryOpKind.CeilDiv: (" ceildiv ", 20),
}


class LoopPrinter(Printer):
    """xDSL's printer with upstream's spelling of the affine operations, maps and sets."""

    _is_alone = False  # whether an operation is printed generically, but those inside of it are not

    def print_attribute(self, attribute: Attribute) -> None:
        """Print one attribute; maps and sets without redundant parentheses."""
        if isinstance(attribute, AffineMapAttr):
            _spell_map(self, attribute.data)
        elif isinstance(attribute, AffineSetAttr):
            _spell_set(self, attribute.data)
        else:
            super().print_attribute(attribute)

    def print_op(self, op: Operation) -> None:
        """Print one operation, in custom form where that is complete."""
        if self._is_alone:
            self._is_alone = self.print_generic_format = False
            self.print_op(op)
            self._is_alone = self.print_generic_format = True
            return
        spell = _SPELLINGS.get(op.name) if _has_names(op) else None
        if self.print_generic_format and (_lacks_body(op) or (op.results and spell is _spell_parallel)):
            self.print_generic_format = False
            self.print_op(op)
            self.print_generic_format = True
        elif self.print_generic_format or (spell is None and _is_complete(op)):
            super().print_op(op)
        elif spell is None:
            self._print_generically(op)
        else:
            self._print_spelled(op, spell)

    def _print_generically(self, op: Operation) -> None:
        self._is_alone = self.print_generic_format = True
        super().print_op(op)
        self._is_alone = self.print_generic_format = False

    def _print_spelled(self, op: Operation, spell: Callable[[LoopPrinter, Operation], None]) -> None:
        if op.results:
            self.print_list(op.results, self.print_ssa_value)
            self.print_string(" = ")
        self.print_string(f"{op.name} ")
        spell(self, op)
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)


def _is_complete(op: Operation) -> bool:
    """Tell whether xDSL's custom form of an operation says all that the operation holds."""
    if op.name == "scf.execute_region" and len(op.regions[0].blocks) > 1:
        return False  # it leaves out how blocks end
    return not op.attributes or op.name in _KEEP_ATTRIBUTES


def _has_names(op: Operation) -> bool:
    """Tell whether reductions are names, as in custom syntax; the numbers of generic syntax differ among versions."""
    return not any(isinstance(one, IntegerAttr) for one in cast("Any", op.properties.get("reductions", ())))


def _lacks_body(op: Operation) -> bool:
    """Tell whether upstream's generic form has a region that the operation itself does not hold."""
    return op.name.startswith("linalg.") and not op.regions and op.name not in ("linalg.index", "linalg.yield")


def _spell_load(printer: LoopPrinter, op: Operation) -> None:
    _spell_access(printer, op, op.operands[0], op.operands[1:])


def _spell_store(printer: LoopPrinter, op: Operation) -> None:
    printer.print_ssa_value(op.operands[0])
    printer.print_string(", ")
    _spell_access(printer, op, op.operands[1], op.operands[2:])


def _spell_access(printer: LoopPrinter, op: Operation, memref: SSAValue, indices: Sequence[SSAValue]) -> None:
    affine_map = cast("AffineMapAttr", op.properties["map"]).data
    operands = [_Operand(value, symbol=k >= affine_map.num_dims) for k, value in enumerate(indices)]
    dims, symbols = operands[: affine_map.num_dims], operands[affine_map.num_dims :]
    printer.print_ssa_value(memref)
    with printer.in_square_brackets():
        printer.print_list(affine_map.results, lambda result: _spell_expression(printer, result, dims, symbols, 0))
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(memref.type)


class _Operand:
    """A subscript operand; an induction variable is never spelled as a symbol, which upstream would refuse."""

    def __init__(self, value: SSAValue, *, symbol: bool) -> None:
        self.value = value
        self.symbol = symbol and not _is_induction_variable(value)

    def spell(self, printer: LoopPrinter) -> None:
        printer.print_string("symbol(" if self.symbol else "")
        printer.print_ssa_value(self.value)
        printer.print_string(")" if self.symbol else "")


class _Letter:
    """A dimension or symbol of a map or set by itself, ``d0`` or ``s0``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def spell(self, printer: LoopPrinter) -> None:
        printer.print_string(self.name)


def _is_induction_variable(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) and getattr(value.block.parent_op(), "name", "") in _LOOPS


def _spell_expression(
    printer: LoopPrinter, expression: AffineExpr, dims: _Names, symbols: _Names, binding: int
) -> None:
    """Print an affine expression over values; ``binding`` is the strength of the operator around it."""
    if isinstance(expression, AffineConstantExpr):
        printer.print_string(str(expression.value))
    elif isinstance(expression, AffineDimExpr):
        dims[expression.position].spell(printer)
    elif isinstance(expression, AffineSymExpr):
        symbols[expression.position].spell(printer)
    else:
        assert isinstance(expression, AffineBinaryOpExpr)
        operator, strength = _OPERATORS[expression.kind]
        right, negative = _without_sign(expression.rhs) if strength == _SUM else (expression.rhs, False)
        printer.print_string("(" if strength < binding else "")
        _spell_expression(printer, expression.lhs, dims, symbols, strength)
        printer.print_string(" - " if negative else operator)
        _spell_expression(printer, right, dims, symbols, strength + (negative or strength > _SUM))
        printer.print_string(")" if strength < binding else "")


def _without_sign(term: AffineExpr) -> tuple[AffineExpr, bool]:
    """Take the sign off a term that is added: ``n + -1`` is spelled ``n - 1``."""
    if isinstance(term, AffineConstantExpr) and term.value < 0:
        return AffineConstantExpr(-term.value), True
    if isinstance(term, AffineBinaryOpExpr) and term.kind is AffineBinaryOpKind.Mul:
        factor = term.rhs
        if isinstance(factor, AffineConstantExpr) and factor.value < 0:
            return (term.lhs if factor.value == -1 else term.lhs * -factor.value), True
    return term, False


def _spell_space(printer: LoopPrinter, space: AffineMap | AffineSet) -> tuple[_Names, _Names]:
    """Print ``(d0)[s0]`` and give the letters."""
    dims, symbols = (
        [_Letter(f"{letter}{k}") for k in range(count)]
        for letter, count in (("d", space.num_dims), ("s", space.num_symbols))
    )
    with printer.in_parens():
        printer.print_list(dims, lambda letter: letter.spell(printer))
    if symbols:
        with printer.in_square_brackets():
            printer.print_list(symbols, lambda letter: letter.spell(printer))
    return dims, symbols


def _spell_map(printer: LoopPrinter, affine_map: AffineMap) -> None:
    printer.print_string("affine_map<")
    dims, symbols = _spell_space(printer, affine_map)
    printer.print_string(" -> ")
    with printer.in_parens():
        printer.print_list(affine_map.results, lambda result: _spell_expression(printer, result, dims, symbols, 0))
    printer.print_string(">")


def _spell_set(printer: LoopPrinter, affine_set: AffineSet) -> None:
    printer.print_string("affine_set<")
    dims, symbols = _spell_space(printer, affine_set)

    def spell_constraint(constraint: AffineConstraintExpr) -> None:
        _spell_expression(printer, constraint.lhs, dims, symbols, 0)
        printer.print_string(f" {constraint.kind.value} ")
        _spell_expression(printer, constraint.rhs, dims, symbols, 0)

    printer.print_string(" : ")
    with printer.in_parens():
        printer.print_list(affine_set.constraints, spell_constraint)
    printer.print_string(">")


def _spell_map_application(printer: LoopPrinter, op: Operation) -> None:
    affine_map = cast("AffineMapAttr", op.properties["map"])
    printer.print_attribute(affine_map)
    _spell_space_operands(printer, op.operands, affine_map.data.num_dims)
    printer.print_op_attributes(op.attributes)


def _spell_space_operands(printer: LoopPrinter, operands: Sequence[SSAValue], num_dims: int) -> None:
    with printer.in_parens():
        printer.print_list(operands[:num_dims], printer.print_ssa_value)
    if operands[num_dims:]:
        with printer.in_square_brackets():
            printer.print_list(operands[num_dims:], printer.print_ssa_value)


def _spell_if(printer: LoopPrinter, op: Operation) -> None:
    condition = cast("AffineSetAttr", op.properties["condition"])
    printer.print_attribute(condition)
    _spell_space_operands(printer, op.operands, condition.data.num_dims)
    _spell_result_types(printer, [result.type for result in op.results])
    then_region, else_region = op.regions
    _spell_arm(printer, then_region, " ")
    if else_region.blocks:
        _spell_arm(printer, else_region, " else ")
    printer.print_op_attributes(op.attributes)


def _spell_arm(printer: LoopPrinter, arm: Region, before: str) -> None:
    printer.print_string(before)
    yields = bool(arm.block.last_op and (arm.block.last_op.operands or arm.block.last_op.attributes))
    printer.print_region(arm, print_entry_block_args=False, print_empty_block=False, print_block_terminators=yields)


def _spell_result_types(printer: LoopPrinter, types: list[Attribute]) -> None:
    if not types:
        return
    printer.print_string(" -> ")
    if len(types) == 1:
        printer.print_attribute(types[0])
    else:
        with printer.in_parens():
            printer.print_list(types, printer.print_attribute)


def _spell_parallel(printer: LoopPrinter, op: Operation) -> None:
    block, properties = op.regions[0].block, cast("Any", op.properties)
    with printer.in_parens():
        printer.print_list(block.args, lambda argument: printer.print_block_argument(argument, print_type=False))
    operands, lower = list(op.operands), properties["lowerBoundsMap"].data
    count = lower.num_dims + lower.num_symbols
    printer.print_string(" = ")
    _spell_bounds(printer, lower, properties["lowerBoundsGroups"], operands[:count], "max")
    printer.print_string(" to ")
    upper = properties["upperBoundsMap"].data
    _spell_bounds(printer, upper, properties["upperBoundsGroups"], operands[count:], "min")
    steps = [step.value.data for step in properties["steps"]]
    printer.print_string("" if set(steps) <= {1} else f" step ({', '.join(map(str, steps))})")
    if op.results:
        printer.print_string(" reduce ")
        with printer.in_parens():
            printer.print_list(properties["reductions"], printer.print_attribute)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(op.results, lambda result: printer.print_attribute(result.type))
    printer.print_string(" ")
    printer.print_region(op.regions[0], print_entry_block_args=False, print_block_terminators=bool(op.results))
    printer.print_op_attributes(op.attributes)


def _spell_bounds(printer: LoopPrinter, bounds: AffineMap, groups: Any, operands: list[SSAValue], word: str) -> None:
    """Print the bounds on one side, groups of several as ``max(..)`` or ``min(..)``."""
    named = [_Operand(value, symbol=k >= bounds.num_dims) for k, value in enumerate(operands)]
    dims, symbols = named[: bounds.num_dims], named[bounds.num_dims :]
    results = iter(bounds.results)

    def spell_group(count: int) -> None:
        printer.print_string(f"{word}(" if count != 1 else "")
        listed = [next(results) for _ in range(count)]
        printer.print_list(listed, lambda result: _spell_expression(printer, result, dims, symbols, 0))
        printer.print_string(")" if count != 1 else "")

    with printer.in_parens():
        printer.print_list(groups.get_values(), spell_group)


_SPELLINGS: dict[str, Callable[[LoopPrinter, Operation], None]] = {
    "affine.apply": _spell_map_application,
    "affine.if": _spell_if,
    "affine.load": _spell_load,
    "affine.max": _spell_map_application,
    "affine.min": _spell_map_application,
    "affine.parallel": _spell_parallel,
    "affine.store": _spell_store,
}
