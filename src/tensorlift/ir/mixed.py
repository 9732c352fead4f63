"""A module of mixed dialects: what the loop IR knows is read, anything else stays text between.

An operation that cannot be read, of another dialect or in a form that xDSL lacks, becomes an opaque one: it uses all
values that its text names, and what it gives has the type that it is first used with.  The text of each operation and
the name of each value are known, so that parts of the module can be written elsewhere as they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import NoneType, UnknownLoc
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import traits_def
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRTokenKind as Kind

from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.ir.dialects import loop_context
from tensorlift.ir.function import functions
from tensorlift.ir.syntax import LoopParser
from tensorlift.ir.text import LOCATION_ALIAS, XDSL_LIMITS, syntax_error, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.parser import UnresolvedOperand

    Span = tuple[int, int]

_OPENING, _CLOSING = {Kind.L_BRACE, Kind.L_PAREN, Kind.L_SQUARE}, {Kind.R_BRACE, Kind.R_PAREN, Kind.R_SQUARE}
_GOES_ON = {Kind.ARROW, Kind.COLON, Kind.COMMA, Kind.EQUAL}  # behind these an operation does not end
_STARTS = {Kind.CARET_IDENT, Kind.EXCLAMATION_IDENT, Kind.HASH_IDENT, Kind.PERCENT_IDENT, Kind.STRING_LIT}
_NAME = re.compile(r"(?:%[^=]*=\s*)?\"?([\w.$]+)")


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
    reasons: Mapping[Operation, LiftError]  # of opaque operations
    unknown: frozenset[str]  # names that opaque operations have for values which stand behind them

    def of(self, op: Operation) -> str:
        """Give the text of an operation."""
        start, end = self.spans[op]
        return self.text[start:end]

    def functions(self) -> dict[str, Operation]:
        """List the functions that have a body and can be read, by name."""
        return {name_of(op): op for op in functions(self.module)}

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


def opaque_in(op: Operation) -> list[OpaqueOp]:
    """List the opaque operations in one."""
    return [inner for inner in op.walk() if isinstance(inner, OpaqueOp)]


def read_mixed(text: str, filename: str) -> Mixed:
    """Read a module of mixed dialects; raises LiftError TL190 or TL191 where the text is no module at all."""
    aliases = LOCATION_ALIAS.findall(text)
    hoisted = "".join(f"{alias} " for alias in aliases)
    try:
        parser = _Reader(hoisted + LOCATION_ALIAS.sub(lambda found: " " * len(found[0]), text), filename)
        module = parser.parse_module()
    except ParseError as error:
        raise syntax_error(error) from None
    except XDSL_LIMITS as error:
        raise unreadable(error, Location(filename, 1, 1)) from None
    shift = len(hoisted)
    spans = {op: (start - shift, end - shift) for op, (start, end) in parser.spans.items()}
    own = [(start - shift, end - shift) for start, end in parser.alias_spans if start >= shift]
    listed = [*own, *(found.span() for found in LOCATION_ALIAS.finditer(text))]
    names, unknown = parser.value_names, frozenset(parser.unknown)
    found = Mixed(text, filename, module, spans, names, listed, parser.reasons, unknown)
    if parser.reasons and not found.functions():
        raise next(iter(parser.reasons.values()))
    return found


class _Reader(LoopParser):
    """Reads operations that it knows, and skips others."""

    def __init__(self, text: str, filename: str) -> None:
        self.spans: dict[Operation, Span] = {}
        self.alias_spans: list[Span] = []
        self.value_names: dict[SSAValue, str] = {}
        self.reasons: dict[Operation, LiftError] = {}
        self.unknown: set[str] = set()
        self.untyped: set[SSAValue] = set()
        self.end, self.last = 0, Kind.EOF  # where the token before ends, and what it is
        super().__init__(loop_context(), text, filename)

    def _consume_token(self, expected_kind: Any = None) -> Any:
        token = super()._consume_token(expected_kind)
        self.end, self.last = token.span.end, token.kind
        return token

    def _parse_alias_def(self) -> None:
        start = self.pos
        super()._parse_alias_def()  # type: ignore[no-untyped-call]  # untyped in xDSL
        self.alias_spans.append((start, self.end))

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
        values, blocks = dict(self.ssa_values), (self.blocks, self.forward_block_references)
        forward = {name: dict(uses) for name, uses in self.forward_ssa_references.items()}
        try:
            op = super().parse_operation()
        except (ParseError, *XDSL_LIMITS) as error:
            self._resume_from(start)
            del self._parser_state.dialect_stack[depth:]
            self.ssa_values, self.forward_ssa_references = values, forward
            self.blocks, self.forward_block_references = blocks
            op = self._skipped(error)
        self.spans[op] = (start, self.end)
        return op

    def _skipped(self, error: Exception) -> Operation:
        """Go over the text of an operation, and give what stands for it; raise the error where it has no end."""
        start, results = self.pos, self._parse_op_result_list()
        operands = dict.fromkeys(self._named(error))
        made = OpaqueOp.create(operands=list(operands), result_types=[NoneType()] * sum(size for _, size in results))
        self.reasons[made] = self._reason(error, start)
        self.untyped.update(made.results)
        position = 0
        for span, size in results:
            self._register_ssa_definition(span.text[1:], made.results[position : position + size], span)
            position += size
        return made

    def _named(self, error: Exception) -> Iterable[SSAValue]:
        """Yield the values that are named up to the end of an operation: the end of a line outside of brackets."""
        depth, is_first = 0, True
        while True:
            token = self._current_token
            if depth == 0 and not is_first and (token.kind in _CLOSING or token.kind is Kind.EOF or self._ends_here()):
                return
            if token.kind is Kind.EOF:
                raise error
            depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
            is_first = False
            if token.kind is Kind.PERCENT_IDENT:
                values = self.ssa_values.get(token.text[1:], ())
                self.unknown |= set() if values else {token.text[1:]}
                yield from values
            self._consume_token()

    def _ends_here(self) -> bool:
        """Tell whether the next token is on another line, and starts something."""
        token = self._current_token
        if self.last in _GOES_ON or "\n" not in self.lexer.input.content[self.end : token.span.start]:
            return False
        if token.kind is Kind.BARE_IDENT:
            known = self.ctx.get_optional_op(token.text, dialect_stack=self._parser_state.dialect_stack)
            return "." in token.text or known is not None
        return token.kind in _STARTS

    def _reason(self, error: Exception, start: int) -> LiftError:
        """Say why an operation could not be read, at its place in the text."""
        content, line_start = self.lexer.input.content, self.lexer.input.content.rfind("\n", 0, start)
        named = _NAME.match(content, start)
        place = Location(self.lexer.input.name, content.count("\n", 0, start) + 1, start - line_start)
        detail = error.msg if isinstance(error, ParseError) else str(error)
        message = f"`{named[1] if named else content[start : self.end]}` cannot be read: {detail}"
        return refuse("TL583", message, place, "keep it out of the loops; those around it are lifted")


def stated_location(op: Operation) -> str:
    """Spell the location that an operation states, with a space before; nothing where it states none."""
    return "" if isinstance(op.location, UnknownLoc) else f" {op.location}"
