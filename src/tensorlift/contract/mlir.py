"""Tests of conditions in MLIR, in a function of arguments ``%a0``, ``%a1``, ...: lines of text, each operation once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from tensorlift.contract.language import AnyOf, Atom, Compare, Sum

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_PREDICATES = {"<=": "sle", ">=": "sge", "<": "slt", ">": "sgt", "==": "eq", "!=": "ne"}


@dataclass(slots=True)
class Tests(ABC):
    """Tests under construction; ``known`` is what operations without effects gave."""

    types: Sequence[Any]
    results: Sequence[Any]
    lines: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    count: int = 0

    address: ClassVar[str] = "memref.extract_aligned_pointer_as_index {} : {} -> index"
    constants: ClassVar[str] = "v"  # how the names of numbers start

    @abstractmethod
    def factors(self, factor: int, atoms: Sequence[Atom], value: Sum) -> Iterable[str]:
        """Return what a product in a sum is made of, in the order in which it is multiplied."""

    def new(self, operation: str, prefix: str = "v") -> str:
        """Return what an operation without effects gives."""
        if operation not in self.known:
            self.known[operation] = self.fresh(operation, prefix)
        return self.known[operation]

    def fresh(self, operation: str, prefix: str = "v") -> str:
        """Add an operation."""
        name = f"%{prefix}{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {operation}")
        return name

    def number(self, value: int) -> str:
        """Return a number as an index."""
        return self.new(f"arith.constant {value} : index", self.constants)

    def as_index(self, position: int) -> str:
        """Return an integer argument as an index; a condition on it is one on its value with its sign."""
        own = str(self.types[position])
        return f"%a{position}" if own == "index" else self.new(f"arith.index_cast %a{position} : {own} to index")

    def extent(self, position: int, axis: int) -> str:
        """Return an extent of an array."""
        return self.new(f"memref.dim %a{position}, {self.number(axis)} : {self.types[position]}")

    def joined(self, values: Iterable[str], operation: str, kind: str = "i1") -> str:
        """Join values by an operation."""
        total = ""
        for value in values:
            total = self.new(f"arith.{operation} {total}, {value} : {kind}") if total else value
        return total

    def sum(self, value: Sum) -> str:
        """Return a sum over sizes and extents as an index."""
        parts = [self.joined(self.factors(*term, value), "muli", "index") for term in value.terms]
        return self.joined(parts, "addi", "index") or self.number(0)

    def test(self, condition: Compare | AnyOf) -> str:
        """Return whether a relation, or one of several choices, holds."""
        if isinstance(condition, Compare):
            left, right = self.sum(condition.left), self.sum(condition.right)
            return self.new(f"arith.cmpi {_PREDICATES[condition.relation]}, {left}, {right} : index")
        choices = [self.joined([self.test(part) for part in choice], "andi") for choice in condition.choices]
        return self.joined(choices, "ori")

    def span(self, position: int) -> tuple[str, str]:
        """Return the first address of an array whose strides are positive, and the one behind its last."""
        memory = self.types[position]
        start = self.new(self.address.format(f"%a{position}", memory))
        size = self.number(-(-memory.element_type.bitwidth // 8))
        if hasattr(memory.layout, "strides"):
            offset = self._layout(position, memory.layout.offset, 1)
            start = self.joined([start, self.joined([size, offset], "muli", "index")], "addi", "index")
            size = self.joined([size, self._reach(position)], "muli", "index")
        else:
            for axis in range(len(memory.get_shape())):
                size = self.new(f"arith.muli {size}, {self.extent(position, axis)} : index")
        return start, self.new(f"arith.addi {start}, {size} : index")

    def _reach(self, position: int) -> str:
        """Return how many places there are from the first element of an array to its last."""
        reach = [self.number(1)]
        for axis in range(len(self.types[position].get_shape())):
            before = self.new(f"arith.subi {self.extent(position, axis)}, {self.number(1)} : index")
            reach.append(self.joined([before, self.stride(position, axis)], "muli", "index"))
        return self.joined(reach, "addi", "index")

    def spread(self, position: int) -> str:
        """Test that each stride of an array passes all that lies inside of it, in the order of the axes."""
        tests, least = [], self.number(1)
        for axis in reversed(range(len(self.types[position].get_shape()))):
            stride = self.stride(position, axis)
            tests.append(self.new(f"arith.cmpi sge, {stride}, {least} : index"))
            least = self.joined([stride, self.extent(position, axis)], "muli", "index")
        return self.joined(tests, "andi") or self.new("arith.constant true")

    def stride(self, position: int, axis: int) -> str:
        """Return how far elements along an axis are apart."""
        memory = self.types[position]
        return self._layout(position, memory.layout.strides.data[axis], 2 + len(memory.get_shape()) + axis)

    def _layout(self, position: int, stated: Any, result: int) -> str:
        """Return a number that the layout of an array states, or that is known of it when the function runs."""
        if hasattr(stated, "data"):
            return self.number(stated.data)
        memory, count = self.types[position], 2 + 2 * len(self.types[position].get_shape())
        space = "" if memory.memory_space.name == "none" else f", {memory.memory_space}"
        base = f"memref<{memory.element_type}{space}>"
        given = f'"memref.extract_strided_metadata"(%a{position}) : ({memory})'
        text = f"{given} -> ({', '.join([base, *['index'] * (count - 1)])})"
        if text not in self.known:
            self.known[text] = f"%m{position}"
            self.lines.append(f"%m{position}:{count} = {text}")
        return f"{self.known[text]}#{result}"

    def apart(self, one: tuple[str, str], other: tuple[str, str]) -> list[str]:
        """Return two tests, one of which holds where spans of memory lie apart."""
        ends = (one[1], other[0]), (other[1], one[0])
        return [self.new(f"arith.cmpi ule, {last}, {first} : index") for last, first in ends]

    @property
    def parameters(self) -> str:
        """The arguments with their types."""
        return ", ".join(f"%a{k}: {own}" for k, own in enumerate(self.types))

    def call(self, name: str) -> str:
        """Spell a call of a function of the same arguments and results."""
        given, types = ", ".join(f"%a{k}" for k in range(len(self.types))), ", ".join(map(str, self.types))
        return f"func.call @{name}({given}) : ({types}) -> ({', '.join(map(str, self.results))})"
