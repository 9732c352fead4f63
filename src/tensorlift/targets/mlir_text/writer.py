"""Writing straight-line MLIR programs: a function over tensors, operation by operation, and its text."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region
from xdsl.printer import Printer

from tensorlift.ir.cut import Cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xdsl.ir import Attribute, SSAValue

_RESULTS = re.compile(r" *%[^=]* = ")
_ARGUMENTS = re.compile(r" *\^.*")
_NAME = re.compile(r"%(\w+)")


class Writer:
    """Collects the operations of one function; every value gets a name that no other has."""

    def __init__(self, parameters: Iterable[tuple[str, Attribute]]) -> None:
        named = list(parameters)
        self.block = Block(arg_types=[kind for _, kind in named])
        self.names: dict[SSAValue, str] = {}
        self.cuts: list[tuple[str, str]] = []
        self._taken: Counter[str] = Counter()
        self._numbered = 0
        self._spare: list[SSAValue] = []
        for argument, (name, _) in zip(self.block.args, named, strict=True):
            self.names[argument] = self._unused(name)

    def add(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        attributes: Mapping[str, Attribute] | None = None,
        region: Region | None = None,
    ) -> SSAValue:
        """Add an operation with one result, and return the result."""
        op = kind.create(
            operands=list(operands),
            result_types=[result],
            properties=dict(attributes or {}),
            regions=[] if region is None else [region],
        )
        return self.add_operation(op).results[0]

    def add_operation(self, op: Operation) -> Operation:
        """Add any operation."""
        self.block.add_op(op)
        return op

    @contextmanager
    def region(self, arguments: Sequence[Attribute]) -> Iterator[Block]:
        """Add what follows to a new block with arguments of these types."""
        outer, self.block = self.block, Block(arg_types=arguments)
        try:
            yield self.block
        finally:
            self.block = outer

    def name(self, value: SSAValue, name: str, definition: str | None = None) -> None:
        """Name a value that has no name yet, and say which definition it holds."""
        if value not in self.names:
            self.names[value] = self._unused(name)
        if definition is not None:
            self.cuts.append((self.names[value], definition))

    def leave_out_unused(self, value: SSAValue) -> None:
        """Leave a value out of the text, with what only it takes, where nothing uses it in the end."""
        self._spare.append(value)

    def text(self, entry: str, results: Sequence[SSAValue], comment: str = "") -> str:
        """Return the function that gives these values out."""
        self.block.add_op(ReturnOp(*results))
        for value in self._spare:
            _erase_unused(value)
        kinds = [argument.type for argument in self.block.args], [value.type for value in results]
        function = FuncOp(entry, FunctionType.from_lists(*kinds), Region(self.block))
        out = StringIO()
        printer = _NamingPrinter(out)
        for value in _values(self.block):
            printer.names[value] = self.names.get(value) or self._number()
        printer.print_op(function)
        body = out.getvalue().replace("\n  func.return ", "\n  return ")
        return (f"// {comment}\n" if comment else "") + body + "\n"

    def located_cuts(self, text: str) -> tuple[Cut, ...]:
        """Return what values of the text hold, with the lines on which they get their values."""
        lines: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            head = _RESULTS.match(line) or _ARGUMENTS.match(line)
            lines.update((name, number) for name in (_NAME.findall(head[0]) if head else ()))
        return tuple(Cut(lines[name], name, definition) for name, definition in self.cuts if name in lines)

    def _unused(self, name: str) -> str:
        """Return the name, with a number where it is taken."""
        while True:
            self._taken[name] += 1
            candidate = name if self._taken[name] == 1 else f"{name}_{self._taken[name] - 1}"
            if candidate == name or not self._taken[candidate]:
                self._taken[candidate] = max(self._taken[candidate], 1)
                return candidate

    def _number(self) -> str:
        self._numbered += 1
        return str(self._numbered - 1)


class _NamingPrinter(Printer):
    """A printer that spells values by the names that were given to them."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self.names: dict[SSAValue, str] = {}

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of a value."""
        name = self.names[value]
        self.print_string(f"%{name}")
        return name


def _erase_unused(value: SSAValue) -> None:
    op = value.owner
    if isinstance(op, Operation) and not any(result.uses.get_length() for result in op.results):
        operands = dict.fromkeys(op.operands)
        op.detach()  # type: ignore[no-untyped-call]  # xDSL does not type it
        op.erase()
        for operand in operands:
            _erase_unused(operand)


def _values(block: Block) -> Iterable[SSAValue]:
    """Yield the values of a block, those of regions included, in the order of the text."""
    yield from block.args
    for op in block.ops:
        yield from op.results
        for region in op.regions:
            for inner in region.blocks:
                yield from _values(inner)
