"""Programs in MLIR that are rewritten: what a rewrite leaves becomes lines of the text.

Operations that it does not touch keep their lines, where operands are renamed; new ones are printed in their own form.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation, OpResult
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

from tensorlift.proofs.tensor_text.read import NamingParser

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.context import Context
    from xdsl.ir import SSAValue

_LOCATION = re.compile(r" loc\(.*\)$")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")


class PlacingParser(Parser):
    """A parser that remembers where operations stand: their first character, and that behind the last one."""

    def __init__(self, context: Context, text: str, name: str) -> None:
        self.spans: dict[Operation, tuple[int, int]] = {}
        super().__init__(context, text, name)

    def parse_operation(self) -> Operation:
        """Read an operation."""
        start, text = self.pos, self.lexer.input.content
        op = super().parse_operation()
        self.spans[op] = (start, len(text[: self.pos].rstrip()))
        return op


class _ProgramParser(PlacingParser, NamingParser):
    """A parser of programs."""

    def __init__(self, context: Context, text: str) -> None:
        self.spelled: dict[SSAValue, str] = {}
        super().__init__(context, text, "the program")

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Any) -> None:
        super()._register_ssa_definition(name, values, span)
        several = len(values) > 1
        self.spelled.update((value, f"%{name}#{k}" if several else f"%{name}") for k, value in enumerate(values))


class _NamesPrinter(Printer):
    """A printer that calls values by given names."""

    def __init__(self, stream: StringIO, names: Mapping[SSAValue, str]) -> None:
        super().__init__(stream)
        self.names = names

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of a value."""
        self.print_string(self.names[value])
        return self.names[value]


class Program:
    """A program as it is read, and the text that it has when it was rewritten."""

    def __init__(self, text: str, context: Context) -> None:
        parser = _ProgramParser(context, text)
        self.module = parser.parse_module()
        self.names = parser.spelled
        self.lines = text.split("\n")
        self.spans = {
            op: range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)
            for op, (start, end) in parser.spans.items()
        }
        self.operands = {op: tuple(op.operands) for op in self.module.walk()}
        self.operations = [op for op in self.module.walk() if op.results]  # that compute something, in order

    def line_of(self, op: Operation) -> str:
        """Return the first line of an operation."""
        return _LOCATION.sub("", self.lines[self.spans[op][0]].strip())

    def spelled(self, op: Operation) -> str:
        """Spell an operation in its own form; raises ValueError or KeyError where it has none."""
        stream = StringIO()
        _NamesPrinter(stream, self.names).print_op(op)
        return stream.getvalue()

    def rewritten(self, root: Operation, numbers: Iterator[int]) -> str:
        """Return the text after a rewrite around an operation, where values without names take numbers.

        Raises:
            ValueError, KeyError: where the new operations cannot be spelled.

        """
        self._erase_unused()
        left = list(self.module.walk())
        self._name(left, numbers)
        found = _LOCATION.search(self.lines[self.spans[root][-1]])
        place = found[0] if found else ""
        lines: list[str | None] = list(self.lines)
        for op in self.operands.keys() - set(left):
            for k in self.spans[op]:
                lines[k] = None
        added: dict[int, list[str]] = {}
        for op in left:
            if op in self.spans:
                self._rename(op, lines)
            elif op in self.operands:
                continue  # the module
            else:
                self._add(op, place, added)
        text = [line for k, kept in enumerate(lines) for line in (*added.get(k, ()), kept) if line is not None]
        return "\n".join(text)

    def _erase_unused(self) -> None:
        """Leave out what nothing uses any longer."""
        for op in reversed(list(self.module.walk())):
            if op.results and not any(result.uses for result in op.results) and op.parent is not None:
                op.parent.erase_op(op)

    def _name(self, left: Sequence[Operation], numbers: Iterator[int]) -> None:
        """Give values of new operations the names of those that they replace, else new numbers."""
        remaining = set(left)
        for op in left:
            for old, new in zip(self.operands.get(op, ()), op.operands, strict=False):
                is_gone = isinstance(old, OpResult) and old.op not in remaining
                if new not in self.names and is_gone and "#" not in self.names[old]:
                    self.names[new] = self.names[old]
        for op in left:
            self.names |= {value: f"%{next(numbers)}" for value in op.results if value not in self.names}

    def _rename(self, op: Operation, lines: list[str | None]) -> None:
        """Rename operands in the lines that are of an operation itself."""
        pairs = zip(self.operands[op], op.operands, strict=True)
        names = {self.names[old]: self.names[new] for old, new in pairs if self.names[old] != self.names[new]}
        inner = {k for region in op.regions for other in region.walk() for k in self.spans.get(other, ())}
        for k in self.spans[op] if names else ():
            line = lines[k]
            if line is not None and k not in inner:
                lines[k] = _VALUE.sub(lambda found: names.get(found[0], found[0]), line)

    def _add(self, op: Operation, place: str, added: dict[int, list[str]]) -> None:
        """Add the line of a new operation before that of the next one that was there."""
        behind = op.next_op
        while behind is not None and behind not in self.spans:
            behind = behind.next_op
        if behind is None:
            raise ValueError(f"nothing stands behind the new '{op.name}'")
        if not isinstance(op, IRDLOperation):  # the interpreter knows no properties of it
            op.properties |= op.attributes
            op.attributes.clear()
        before = self.lines[self.spans[behind][0]]
        indent = before[: len(before) - len(before.lstrip())]
        added.setdefault(self.spans[behind][0], []).append(f"{indent}{self.spelled(op)}{place}")
