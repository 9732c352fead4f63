"""Operations that only a tactic knows, as functions: what stands in a proof for an operation or a call of the module.

The operands are arrays with the axes that the tactic names, or scalars.  The meaning is the statement of the tactic, as
loops over these axes; the implementation is the operation, on reshaped arrays where the tactic joins their axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from tensorlift.ir.text import functions, parse_module, print_module
from tensorlift.poly.domain import UNIVERSE
from tensorlift.synthesis.tactics.built import Function, Value, tensors_of
from tensorlift.synthesis.tactics.steps import Tensor
from tensorlift.synthesis.tactics.syntax import Name, Number
from tensorlift.targets.linalg.writer import Value as Written
from tensorlift.targets.linalg.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Operation

    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.tactics.built import Built
    from tensorlift.synthesis.tactics.syntax import Subscript


_MEANING = "tl.meaning"  # a name that a lowering has until its stand-in has one


@dataclass(frozen=True)
class Operand:
    """An array or a scalar of a tactic, by its name there, with its type in the module."""

    name: str
    type: str


@dataclass(frozen=True)
class StandIn:
    """What is called in a proof; ``given`` is what the module has of it already, which then tells the meaning."""

    name: str
    operation: str
    operands: tuple[Operand, ...]
    built: Built
    dtype: DType
    given: str = ""

    @property
    def is_call(self) -> bool:
        """Whether a function is called in the module too."""
        return self.operation.startswith("@")

    @property
    def signature(self) -> str:
        """Spell the operands."""
        return ", ".join(f"%{one.name}: {one.type}" for one in self.operands)

    @property
    def types(self) -> str:
        """Spell the types of the operands."""
        return ", ".join(one.type for one in self.operands)

    @property
    def prototype(self) -> str:
        """Declare the function."""
        return f"func.func private @{self.name}({self.types})\n"

    @property
    def meaning(self) -> str:
        """Return the function as loops."""
        return self.given.replace(f"@{_MEANING}(", f"@{self.name}(", 1) or _Loops(self).text()

    @property
    def implementation(self) -> str:
        """Return the function with the operation that it stands for; one that is called stays a declaration."""
        if self.is_call:
            return ""
        lines = [f"func.func private @{self.name}({self.signature}) {{"]
        named = {t.array: t for t in (*tensors_of(self.built.value), self.built.target)}
        reshaped = [self._reshaped(one, named.get(one.name), lines) for one in self.operands]
        names, types = (", ".join(one) for one in zip(*reshaped, strict=True))
        if self.operation.startswith("linalg."):
            (left, right, out) = (f"{name} : {of_type}" for name, of_type in reshaped)
            inputs = [one.partition(" : ") for one in (left, right)]
            listed = f"{inputs[0][0]}, {inputs[1][0]} : {inputs[0][2]}, {inputs[1][2]}"
            lines.append(f"{self.operation} ins({listed}) outs({out})")
        else:
            lines.append(f'"{self.operation}"({names}) : ({types}) -> ()')
        return "\n".join([*lines, "return", "}"]) + "\n"

    def _reshaped(self, operand: Operand, tensor: Tensor | None, lines: list[str]) -> tuple[str, str]:
        """Join the axes of an operand that the tactic joins; give its name and type."""
        if tensor is None or all(len(axis) == 1 for axis in tensor.axes):
            return f"%{operand.name}", operand.type
        *extents, element = operand.type.removeprefix("memref<").removesuffix(">").split("x")
        listed, joint, at = [], [], 0
        for axis in tensor.axes:
            group = extents[at : at + len(axis)]
            listed.append(f"[{', '.join(str(at + k) for k in range(len(axis)))}]")
            joint.append("?" if "?" in group else str(prod(map(int, group))))
            at += len(axis)
        made = f"memref<{'x'.join([*joint, element])}>"
        name = f"%{operand.name}_joined"
        lines.append(
            f"{name} = memref.collapse_shape %{operand.name} [{', '.join(listed)}] : {operand.type} into {made}"
        )
        return name, made


def lowered(function: Operation, types: Sequence[str]) -> str:
    """Return the function that means an operation, on operands of other types with as many axes."""
    text = ", ".join(f"%x{k}: {of_type}" for k, of_type in enumerate(types))
    (wanted,) = functions(parse_module(f"func.func @{_MEANING}({text}) {{\nreturn\n}}\n", "operands"))
    copied = function.clone()
    for argument, other in zip(copied.regions[0].block.args, wanted.regions[0].block.args, strict=True):
        argument.replace_all_uses_with(made := copied.regions[0].block.insert_arg(other.type, argument.index))
        copied.regions[0].block.erase_arg(argument)
        made.name_hint = argument.name_hint
    copied.properties |= {
        "sym_name": wanted.properties["sym_name"],
        "function_type": wanted.properties["function_type"],
    }
    copied.properties.pop("arg_attrs", None)
    return text_of(copied)


def text_of(function: Operation) -> str:
    """Print a function by itself."""
    text = print_module(ModuleOp([function.clone()]))
    return text.strip().removeprefix("builtin.module {").removesuffix("}")


class _Loops:
    """Writes the statement of a stand-in as loops."""

    def __init__(self, wanted: StandIn) -> None:
        self.wanted = wanted
        self.types = {one.name: one.type for one in wanted.operands}
        self.writer = Writer(UNIVERSE, [one.name for one in wanted.operands])
        self.variables = {i: self.writer.fresh(f"i_{i}") for i in self._indices()}

    def _indices(self) -> list[str]:
        built = self.wanted.built
        return list(dict.fromkeys((*built.target.indices, *built.bound)))

    def text(self) -> str:
        wanted, extents = self.wanted, self._extents()
        self._nest(self._indices(), extents, lambda: self._store(self._next()))
        lines = [*self.writer.constants.values(), *self.writer.lines]
        return "\n".join([f"func.func @{wanted.name}({wanted.signature}) {{", *lines, "return", "}"]) + "\n"

    def _extents(self) -> dict[str, str]:
        found: dict[str, str] = {}
        built = self.wanted.built
        for tensor in (built.target, *tensors_of(built.value)):
            for axis, subscript in enumerate(tensor.subscripts):
                index = subscript.only
                if index is not None and index not in found:
                    at = self.writer.index(axis)
                    text = f"memref.dim %{tensor.array}, {at.name} : {self.types[tensor.array]}"
                    found[index] = self.writer.define(text, "index").name
        return found

    def _nest(self, indices: Sequence[str], extents: dict[str, str], body: Callable[[], None]) -> None:
        for index in indices:
            self.writer.line(f"affine.for {self.variables[index]} = 0 to {extents[index]} {{")
        body()
        for _ in indices:
            self.writer.line("}")

    def _next(self) -> Written:
        built = self.wanted.built
        value = self._value(built.value)
        if built.combine is None:
            return value
        operands = [self._load(built.target), value]
        return self.writer.applied(built.combine, operands, self.wanted.dtype, self.writer.define)

    def _value(self, value: Value) -> Written:
        if isinstance(value, Number):
            return self.writer.number(value.value, self.wanted.dtype)
        if isinstance(value, Name):
            return Written(f"%{value.name}", self.types[value.name])
        if isinstance(value, Tensor):
            return self._load(value)
        assert isinstance(value, Function)
        return self.writer.applied(value.op, [*map(self._value, value.args)], self.wanted.dtype, self.writer.define)

    def _load(self, tensor: Tensor) -> Written:
        return self.writer.define(f"affine.load {self._cell(tensor)}", self.wanted.dtype)

    def _store(self, value: Written) -> None:
        self.writer.line(f"affine.store {value.name}, {self._cell(self.wanted.built.target)}")

    def _cell(self, tensor: Tensor) -> str:
        places = ", ".join(map(self._place, tensor.subscripts))
        return f"%{tensor.array}[{places}] : {self.types[tensor.array]}"

    def _place(self, subscript: Subscript) -> str:
        parts = [f"{self.variables[name]} * {factor}" for factor, name in subscript.terms]
        return " + ".join([*parts, *([str(subscript.constant)] if subscript.constant else [])])
