"""Emitting programs in an imported dialect: its operations in generic form, between slices of tensors and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Copy,
    Elementwise,
    Empty,
    Full,
    Literal,
    NewAxis,
    Operation,
    Range,
    Subscript,
    Variable,
)
from tensorlift.targets.emitted import spelling
from tensorlift.targets.linalg.emit import Emission
from tensorlift.targets.linalg.values import Values
from tensorlift.targets.linalg.writer import Value, tensor_type

if TYPE_CHECKING:
    from tensorlift.comprehension.instance import InstanceOperand
    from tensorlift.ir.tensor_program import Expression, Shape, TensorProgram
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.emitted import Emitted


def emit(program: TensorProgram) -> Emitted:
    """Return the program as an MLIR function.

    Raises:
        LiftError: TL305 where the dialect has no operations for a value, TL306 where the program returns nothing, TL307
            where MLIR lacks a type.

    """
    with spelling(program):
        return Emission(program, _Values).emit()


class _Values(Values):
    """The values of one program."""

    def _tensor(self, node: Expression) -> Value:
        if isinstance(node, Variable | Copy | Empty):
            return super()._tensor(node)
        if isinstance(node, Operation):
            return self._operation(node)
        if isinstance(node, Subscript):
            return self._view(node)
        if isinstance(node, Full | Broadcast) and not node.argument.shape:
            return self._splat(node.argument, node.shape, node.dtype)
        remedy = "try another engine, or another target"
        raise refuse("TL305", f"the dialect has no operations for {_called(node)}", remedy=remedy)

    def _scalar(self, node: Expression) -> Value:
        if isinstance(node, Operation):
            return self.extracted(self._operation(node), (), node.dtype)
        if isinstance(node, Subscript) and isinstance(node.argument, Operation):
            indices = [item.index for item in node.items if isinstance(item, At)]
            return self.extracted(self.tensor(node.argument), indices, node.dtype)
        return super()._scalar(node)

    def _operation(self, node: Operation) -> Value:
        """Write an operation in its form, or in the generic one."""
        instance = node.instance
        operands = [
            self._operand(own, argument) for own, argument in zip(instance.operands, node.arguments, strict=True)
        ]
        result = tensor_type(instance.result.shape, node.dtype)
        lists = [self.writer.once(("list", own), own.text, own.type).name for own in instance.lists]
        text = instance.text(operands, result, lists)
        if not instance.others:
            return self.writer.define(text, result)
        key = ("results", text)
        whole = self.writer.known(key) or self.writer.remember(
            key, self.writer.define(text, result, others=instance.others)
        )
        return Value(f"{whole.name}#{instance.place}", result)

    def _operand(self, own: InstanceOperand, node: Expression) -> Value:
        """Return an operand in the type of the instance, which the definition is known to take."""
        if own.is_attribute:
            return Value(self._spelled(self.scalar(node, own.dtype)), own.dtype)
        if own.is_number:
            return self.scalar(node)
        value = self.tensor(node) if node.shape else self._splat(node, (), node.dtype)
        return self.cast(value, tensor_type(own.shape, own.dtype))

    def _splat(self, node: Expression, shape: Shape, dtype: DType) -> Value:
        """Return a tensor that has a number in every cell: a constant where its extents are known."""
        type_ = tensor_type(shape, dtype)
        number = self.scalar(node, dtype)
        if isinstance(node, Literal) and all(extent.is_constant for extent in shape):
            return self.writer.constant(f"dense<{self._spelled(number)}>", type_, "c")
        extents = self.writer.extents(shape)
        listed = f"[{extents}]" if extents else ""
        return self.writer.once(("splat", number, shape), f"tensor.splat {number.name}{listed} : {type_}", type_)

    def _spelled(self, number: Value) -> str:
        """Return the text of a constant."""
        defined = self.writer.constants.get(number.name)
        if defined is None:
            raise refuse("TL305", "an attribute is no constant", remedy="try another engine, or another target")
        return defined.partition("arith.constant ")[2].partition(" : ")[0]

    def _view(self, node: Subscript) -> Value:
        """Return a slice, with new axes of one position where there are any."""
        array = node.argument
        items = [item for item in node.items if not isinstance(item, NewAxis)]
        if not all(isinstance(item, Range | At) for item in items):
            raise refuse("TL305", "the dialect has no operation that reverses an axis", remedy="try another target")
        rest = [Range(extent - extent, extent) for extent in array.shape[len(items) :]]
        parts = [item for item in (*items, *rest) if isinstance(item, Range | At)]
        whole = self.tensor(array)
        if any(isinstance(item, NewAxis) for item in node.items):
            whole = self.cast(whole, tensor_type(array.shape, array.dtype))
        value = self.sliced(whole, array.shape, array.dtype, parts)
        if not any(isinstance(item, NewAxis) for item in node.items):
            return value
        return self._expanded(value, node)

    def _expanded(self, value: Value, node: Subscript) -> Value:
        """Insert axes of one position: each goes to the group of an axis beside it."""
        kept = sum(isinstance(item, Range) for item in node.items)
        inserted = [isinstance(item, NewAxis) for item in node.items if not isinstance(item, At)]
        inserted += [False] * (node.rank - len(inserted))
        old = node.rank - sum(inserted)
        assert kept <= old
        groups: list[list[int]] = [[]] if old else []
        for axis, is_new in enumerate(inserted):
            if not is_new and groups and any(not inserted[a] for a in groups[-1]):
                groups.append([])
            if groups:
                groups[-1].append(axis)
        listed = ", ".join(f"[{', '.join(map(str, group))}]" for group in groups)
        shape = ", ".join(self.writer.attribute(extent, is_extent=True) for extent in node.shape)
        type_ = tensor_type(node.shape, node.dtype)
        text = f"tensor.expand_shape {value.name} [{listed}] output_shape [{shape}] : {value.type} into {type_}"
        return self.writer.once(("expand", value, type_), text, type_)


def _called(node: Expression) -> str:
    """Name what a value is computed by."""
    return f"'{node.op}' on tensors" if isinstance(node, Elementwise) else f"a {type(node).__name__.lower()}"
