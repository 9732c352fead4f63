"""A module of mixed dialects: what the loop IR knows is read, anything else stays text between.

An operation that cannot be read, of another dialect or in a form that xDSL lacks, becomes an opaque one: it uses all
values that its text names, and what it gives has the type that it is first used with.  The text of each operation and
the name of each value are known, so that parts of the module can be written elsewhere as they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, NoneType, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import traits_def
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span as Stretch

from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.ir.dialects import is_foreign, loop_context
from tensorlift.ir.function import functions
from tensorlift.ir.parser import LoopParser
from tensorlift.ir.skip import START, end_of_bracket
from tensorlift.ir.text import XDSL_LIMITS, syntax_error, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.context import Context
    from xdsl.parser import UnresolvedOperand

    Span = tuple[int, int]

_MODULE = re.compile(
    r'(?:builtin\.)?module\b\s*(?:@(?:[\w$.-]+|"(?:[^"\\]|\\.)*")\s*)?(?:(?P<attributes>attributes)\s*)?(?=\{)'
)
_SYMBOL = re.compile(r'(?:"[^"]*"|[^"@=<({\[])*@(?:([\w$.-]+)|"([^"]*)")')  # before what it names besides
_STATED = re.compile(r'\bsym_name\s*=\s*"(?P<symbol>[^"]*)"|"(?:[^"\\]|\\.)*"|//[^\n]*|[(){}\[\]]')
_FUNCTION = re.compile(r'"?func(?:\.func)?\b')
_DECLARED = re.compile(r"(?:[^}\s]|attributes\s*\{[^{}]*\})\s*(?:loc\(.*\))?\Z")
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|%([\w$.-]+)')
_NAME = re.compile(r"(?:%[^=]*=\s*)?\"?([\w.$]+)")
HEAD = re.compile(r"func\.func\s+((?:public|private)\s+)?@")  # before the name of a function


class OpaqueOp(Operation):
    """What another dialect does."""

    name = "tl.opaque"
    traits = traits_def()


@dataclass(frozen=True, slots=True)
class Mixed:
    """A module with the text that it was read from."""

    text: str
    filename: str
    module: Any
    spans: Mapping[Operation, Span]
    names: Mapping[SSAValue, str]  # without the percent sign
    aliases: Sequence[Span]
    errors: Mapping[Operation, LiftError]  # TL190 or TL191, why operations are opaque
    unknown: frozenset[str]  # names that opaque operations have for values which stand behind them
    renamed: tuple[tuple[int, str], ...]  # where operations have old names

    def of(self, op: Operation) -> str:
        """Give the text of an operation."""
        start, end = self.spans[op]
        return self.text[start:end]

    def functions(self) -> dict[str, Operation]:
        """List the functions that have a body and can be read, by name."""
        return {name_of(op): op for op in functions(self.module)}

    def reason(self, op: Operation) -> LiftError:
        """Say why an operation is opaque, at its place."""
        named, error = _NAME.match(self.of(op)), self.errors[op].diagnostics[0]
        name = named[1] if named else self.of(op)
        detail = (
            error.message.removeprefix("not MLIR: ").removeprefix("cannot be read: ").replace(f"'{name}' is", "it is")
        )
        remedy = "keep it out of the loops"
        return refuse("TL583", f"`{name}` cannot be read: {detail}", self.location(op), remedy)

    def location(self, op: Operation) -> Location:
        """Give the place of an operation in the text."""
        return self.place(self.spans[op][0])

    def place(self, offset: int) -> Location:
        """Give the line and column of an offset."""
        line = self.text.count("\n", 0, offset) + 1
        return Location(self.filename, line, offset - self.text.rfind("\n", 0, offset))

    def only(self, kept: Iterable[Operation]) -> str:
        """Blank all out but aliases, declarations and some functions, which keep their lines and columns."""
        blank = re.sub(r"[^\n]", " ", self.text)
        defined = set(self.functions().values())
        declared = [op for op in self.module.ops if op not in defined and not opaque_in(op)]
        for start, end in (*self.aliases, *(self.spans[op] for op in (*declared, *kept))):
            blank = blank[:start] + self.text[start:end] + blank[end:]
        return blank


def name_of(function: Operation) -> str:
    """Give the name of a function."""
    name: Any = function.properties["sym_name"]
    return str(name.data)


def symbol_of(op: Operation, mixed: Mixed) -> str:
    """Give the symbol that an operation of a module defines, whatever its dialect; nothing where it has none."""
    text = mixed.of(op)
    found = _SYMBOL.match(text)
    return next(filter(None, found.groups()), "") if found else _stated_symbol(text)


def _stated_symbol(text: str) -> str:
    """Give the symbol that attributes of an operation state, not those of operations inside of it."""
    depth, found = 0, list[tuple[int, str]]()
    for part in _STATED.finditer(text):
        if part["symbol"] is not None:
            found.append((depth, part["symbol"]))
        depth += (part[0] in "({[") - (part[0] in ")}]")
    return min(found, key=lambda stated: stated[0], default=(0, ""))[1]


def is_function(op: Operation, mixed: Mixed) -> bool:
    """Tell whether an operation is a function with a body, one that cannot be read too."""
    if isinstance(op, OpaqueOp):
        return may_be_called(op, mixed) and _DECLARED.search(mixed.of(op)) is None
    return op.name == "func.func" and bool(op.regions[0].blocks)


def may_be_called(op: Operation, mixed: Mixed) -> bool:
    """Tell whether an operation is a function, one that is only declared or cannot be read too."""
    return op.name == "func.func" or (isinstance(op, OpaqueOp) and _FUNCTION.match(mixed.of(op)) is not None)


def opaque_in(op: Operation) -> list[OpaqueOp]:
    """List the opaque operations in one."""
    return [inner for inner in op.walk() if isinstance(inner, OpaqueOp)]


def read_mixed(text: str, filename: str, *, places: bool = False, context: Context | None = None) -> Mixed:
    """Read a module of mixed dialects; with ``places``, an operation without a location gets its place in the text.

    A ``context`` knows more operations than those of the loop dialects.

    Raises LiftError TL190 or TL191 where the text is no module at all.
    """
    try:
        parser = _Reader(context or loop_context(), text, filename)
        parser.places = places
        module = parser.parse_module()
    except ParseError as error:
        raise syntax_error(error) from None
    except XDSL_LIMITS as error:
        raise unreadable(error, Location(filename, 1, 1)) from None
    aliases, unknown = list(parser.aliases.values()), frozenset(parser.unknown)
    renamed = tuple(parser.renamed)
    return Mixed(text, filename, module, parser.spans, parser.value_names, aliases, parser.errors, unknown, renamed)


class _Reader(LoopParser):
    """Reads operations that it knows, and skips others."""

    def __init__(self, context: Context, text: str, filename: str) -> None:
        self.spans: dict[Operation, Span] = {}
        self.value_names: dict[SSAValue, str] = {}
        self.errors: dict[Operation, LiftError] = {}
        self.met: list[tuple[int, LiftError]] = []  # in the order in which they were found
        self.unknown: set[str] = set()
        self.untyped: set[SSAValue] = set()
        super().__init__(context, text, filename)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Any) -> None:
        super()._register_ssa_definition(name, values, span)
        self.value_names.update({value: name if len(values) == 1 else f"{name}#{k}" for k, value in enumerate(values)})

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> Any:  # noqa: A002 - xDSL's signature
        """Give a value; one of an opaque operation has the type of its first use."""
        for value in self.ssa_values.get(operand.operand_name, ())[operand.index : operand.index + 1]:
            if value in self.untyped:
                value._type = type  # noqa: SLF001 - nothing has looked at the type before
                self.untyped.discard(value)
        return super().resolve_operand(operand, type)

    def parse_operation(self) -> Operation:
        """Read one operation, or skip it."""
        start, depth = self.pos, len(self._parser_state.dialect_stack)
        values, count = self.ssa_values, len(self.ssa_values)  # to which names are only added
        blocks = self.blocks, self.forward_block_references
        forward = {name: dict(uses) for name, uses in self.forward_ssa_references.items()}
        renamed = len(self.renamed)
        try:
            op = self._module(start) or super().parse_operation()
            self._check(op, start)
        except Exception as error:  # noqa: BLE001 - whatever xDSL breaks down over is not read
            self._resume_from(start)
            del self._parser_state.dialect_stack[depth:], self.renamed[renamed:]
            self.ssa_values, self.forward_ssa_references = dict(islice(values.items(), count)), forward
            self.blocks, self.forward_block_references = blocks
            op = self._skipped(error)
        self.spans[op] = (start, self.end)
        return op

    def _module(self, start: int) -> Operation | None:
        """Read a module whatever its attributes are; give None for any other operation."""
        content = self.lexer.input.content
        head = _MODULE.match(content, start)
        if head is None:
            return None
        opened = end_of_bracket(content, head.end()) if head["attributes"] else head.end()
        if opened is None:
            return None
        if end_of_bracket(content, content.find("{", opened)) is None:
            self.raise_error("a bracket is not closed", start)
        self._resume_from(opened)
        region = self.parse_region()
        self.parse_optional_location()
        return ModuleOp.create(regions=[region])

    def _check(self, op: Operation, start: int) -> None:
        """Let a module have one block, and an operation of which nothing is known none, and no successors."""
        if isinstance(op, ModuleOp):
            if not op.body.blocks:
                op.body.add_block(Block())
            if len(op.body.blocks) > 1:
                self.raise_error("a module has one block", start)
        elif is_foreign(op) and (op.regions or op.successors):
            self.raise_error("it holds other operations, or jumps to them", start)

    def _skipped(self, error: Exception) -> Operation:
        """Go over the text of an operation, and give what stands for it; raise the error where there is none."""
        start, content = self.pos, self.lexer.input.content
        if _MODULE.match(content, start):
            raise error
        self.met.append((start, self._located(error, start)))
        if set(self._parser_state.dialect_stack) <= {"builtin"} and START.match(content, start) is None:
            self.raise_error("an operation is expected", start)
        results = self._parse_op_result_list()
        self._skip(self.pos)
        named = [found[1] for found in _VALUE.finditer(content, start, self.end) if found[1]]
        self.unknown |= {name for name in named if name not in self.ssa_values}
        operands = dict.fromkeys(value for name in named for value in self.ssa_values.get(name, ()))
        made = OpaqueOp.create(operands=list(operands), result_types=[NoneType()] * sum(size for _, size in results))
        self.errors[made] = next(met for place, met in self.met if start <= place < self.end)
        self.untyped.update(made.results)
        position = 0
        for span, size in results:
            self._register_ssa_definition(span.text[1:], made.results[position : position + size], span)
            position += size
        return made

    def _located(self, error: Exception, start: int) -> LiftError:
        if isinstance(error, ParseError):
            return syntax_error(error)
        found = Stretch(start, start, self.lexer.input).get_location()
        return unreadable(error, Location(found.file, found.line, found.col))


def stated_location(op: Operation) -> str:
    """Spell the location that an operation states, with a space before; nothing where it states none."""
    return "" if isinstance(op.location, UnknownLoc) else f" {op.location}"
