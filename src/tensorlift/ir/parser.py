"""xDSL's parser, which also reads what upstream prints and xDSL 0.74 does not.

What is mended here, each to be left out once xDSL has it:

- an alias may stand behind its uses, as upstream prints locations, and may be one of an attribute that xDSL cannot
  read, which then stays the name of the alias;
- one result of a loop needs no parentheses: ``iter_args(%s = %x) -> f64``;
- the location that upstream prints after an induction variable, and those that are fused by an attribute or have forms
  that are not known, which count as unknown;
- resources at the end of a file, ``{-# .. #-}``, say nothing about what is read;
- what operations have of their own, by upstream's definitions, is none of their notes: one that changes what they mean
  is refused, and ``no_inline`` of a function is a note;
- operations by the names that they had before (``OLD_NAMES``);
- a string that is not closed takes time that doubles with each of its characters; other tokens, and operations on two
  numbers as they are printed, take a long time.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    IndexType,
    IntAttr,
    StringAttr,
    UnknownLoc,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import BuiltinAttribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer
from xdsl.utils.mlir_lexer import MLIRTokenKind as Kind

from tensorlift.ir.skip import end_of_bracket, end_of_operation, without_comments

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.printer import Printer

OLD_NAMES = {"arith.maxf": "arith.maximumf", "arith.minf": "arith.minimumf", "func": "func.func"}
# What operations of upstream have of their own, and xDSL takes for notes.
_MEANT = frozenset({"cast", "dilations", "indexing_maps", "roundingmode", "strides", "unsignedCmp"})


@irdl_attr_definition
class AliasAttr(BuiltinAttribute, ParametrizedAttribute):
    """An attribute that cannot be read, by the name that the text gives it."""

    name = "tl.alias"

    alias: StringAttr = param_def()  # type: ignore[assignment]  # as xDSL's own attributes are declared

    def print_builtin(self, printer: Printer) -> None:
        """Print the name."""
        printer.print_string(self.alias.data)


_BINARY = re.compile(  # no location stands behind it
    r"(%[\w$.-]+) = (arith\.\w+(?:i(?=.*: i)|f(?=.*: f))) (%[\w$.-]+), (%[\w$.-]+) : (\w+)(?=\n\s*(?!loc\b)[\w%}])",
    re.ASCII,
)
_NUMBERS = {str(kind): kind for kind in (IndexType(), i1, i32, i64, f32, f64)}
_MEMREF = re.compile(r"memref<[\w?]+(?:, strided<[^<>]*>)?>")  # of a builtin element type, without an alias
_MEMREFS: dict[str, Any] = {}  # types that were read, by their text


# Nearly all tokens are a name, a value, a number or one character, and what starts such a token says which.
_USUAL = re.compile(
    r"\s*([a-zA-Z_][\w$.]*|%(?:[0-9]+|[a-zA-Z$._-][\w$.-]*)|[0-9]+(?![0-9.x])|\{(?!-#)|[:,()}\[\]<>=+*?])", re.ASCII
)
_KINDS = {
    **dict.fromkeys(ascii_letters + "_", Kind.BARE_IDENT),
    **dict.fromkeys(digits, Kind.INTEGER_LIT),
    **KIND_BY_PUNCTUATION_SPELLING,
    "%": Kind.PERCENT_IDENT,
}


class Lexer(MLIRLexer):
    """xDSL's, and faster."""

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"')

    def lex(self) -> Token[Kind, str]:
        """Read a token, the usual ones at once."""
        found = _USUAL.match(self.input.content, self.pos)
        if found is None:
            return super().lex()
        start, self.pos = found.span(1)
        return Token(_KINDS[self.input.content[start]], Span(start, self.pos, self.input))


class LoopParser(Parser):
    """xDSL's parser for what upstream prints.

    With ``places``, an operation that states no location gets its own place in the text.  ``aliases`` are the places of
    aliases that were read, ``renamed`` those of operations under old names.
    """

    places = False

    def __init__(self, context: Context, text: str, name: str) -> None:
        self.aliases: dict[str, tuple[int, int]] = {}
        self.renamed: list[tuple[int, str]] = []
        self.end, self.last = 0, Kind.EOF  # where the token before ends, and what it is
        super().__init__(context, "", name)
        self._parser_state = ParserState(Lexer(Input(text, name)))

    def parse_operation(self) -> Operation:
        """Read one operation."""
        position = self.pos
        op = self._binary(position) or super().parse_operation()
        if "no_inline" in op.properties:
            op.attributes["no_inline"] = op.properties.pop("no_inline")
        if meant := _MEANT & op.attributes.keys():
            self.raise_error(f"'{min(meant)}' changes what {op.name} means", position)
        if self.places and isinstance(op.location, UnknownLoc):
            found = Span(position, position, self.lexer.input).get_location()
            op.location = FileLineColLoc(StringAttr(found.file), IntAttr(found.line), IntAttr(found.col))
        return op

    def _binary(self, position: int) -> Operation | None:
        """Read an operation on two numbers of one type; None for any other, and where it is not that simple."""
        found = _BINARY.match(self.lexer.input.content, position)
        of_type = _NUMBERS.get(found[5]) if found is not None else None
        op_type = self.ctx.get_optional_op(found[2]) if found is not None and of_type is not None else None
        if found is None or of_type is None or op_type is None:
            return None
        result, *spans = (Span(*found.span(part), self.lexer.input) for part in (1, 3, 4))
        operands = [self.resolve_operand(UnresolvedOperand(span, 0), of_type) for span in spans]
        op = op_type.create(operands=operands, result_types=[of_type])
        self._register_ssa_definition(found[1][1:], op.results, result)
        self._go_on(found.end(), Kind.BARE_IDENT)
        return op

    def _go_on(self, end: int, last: Kind) -> None:
        """Go on behind what was read without its tokens."""
        self._resume_from(end)
        self.end, self.last = end, last

    def _consume_token(self, expected_kind: Any = None) -> Any:
        token = super()._consume_token(expected_kind)
        self.end, self.last = token.span.end, token.kind
        return token

    def parse_optional_type(self) -> Any:
        """Read a type; those of memory are read again and again, and each is the same wherever it stands."""
        start, content = self._current_token.span.start, self.lexer.input.content
        found = _MEMREF.match(content, start)
        if found is None:
            return super().parse_optional_type()
        known = _MEMREFS.get(found[0])
        if known is None:
            known = super().parse_optional_type()
            if self.end == found.end():
                _MEMREFS[found[0]] = known
            return known
        self._go_on(found.end(), Kind.GREATER)
        return known

    def _parse_dialect_symbol_body(self) -> str:
        start = self._current_token.span.end
        body = super()._parse_dialect_symbol_body()
        self.end, self.last = start + len(body) + 1, Kind.GREATER
        return " ".join(line.strip() for line in without_comments(body).splitlines()) if "\n" in body else body

    def _get_op_by_name(self, name: str) -> type[Operation]:
        if name in OLD_NAMES:
            self.renamed.append((self.pos, name))
        return super()._get_op_by_name(OLD_NAMES.get(name, name))

    def parse_comma_separated_list(self, delimiter: Any, parse: Any, context_msg: str = "") -> Any:
        """Read a list; one type behind an arrow needs no parentheses."""
        is_type = parse in (self.parse_type, self.parse_attribute) and delimiter is self.Delimiter.PAREN
        if is_type and self.last is Kind.ARROW and self._current_token.kind is not Kind.L_PAREN:
            return [parse()]
        return super().parse_comma_separated_list(delimiter, parse, context_msg)

    # -- aliases and resources

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: Any) -> Any:
        alias = ("!" if is_type else "#") + attr_or_dialect_name
        if alias not in self.attribute_aliases and "." not in alias and self._current_token.kind is not Kind.LESS:
            self._read_ahead(alias)
            if is_type and alias in self.aliases and alias not in self.attribute_aliases:
                self.raise_error(f"the type '{alias}' is not known")
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)

    def _read_ahead(self, alias: str) -> None:
        """Read an alias that is stated further on."""
        found = re.compile(rf"^{re.escape(alias)}\s*=", re.MULTILINE).search(self.lexer.input.content)
        if found is not None and found.start() not in dict(self.aliases.values()):
            position = self.pos
            self._resume_from(found.start())
            self._parse_alias_def()
            self._resume_from(position)

    def _parse_alias_def(self) -> None:
        start, name = self.pos, self._current_token.text
        if self.aliases.get(name, (start, 0))[0] != start:
            self.raise_error(f"re-declaration of alias '{name}'")
        self._consume_token()
        self.parse_punctuation("=", "after attribute alias name")
        inside = self.pos
        self.aliases[name] = (start, inside)
        try:
            self.attribute_aliases[name] = self.parse_attribute()
            if "\n" not in self.lexer.input.content[self.end : self.pos] and self._current_token.kind is not Kind.EOF:
                self.raise_error("the alias goes on")  # by a type
        except (ParseError, ValueError, NotImplementedError):
            self._skip(inside)
            if name.startswith("#"):
                self.attribute_aliases[name] = AliasAttr(StringAttr(name))
        self.aliases[name] = (start, self.end)

    def _skip(self, start: int) -> None:
        """Go over what stands at a place, to where the next thing starts."""
        end = end_of_operation(self.lexer.input.content, start, self._is_operation)
        if end is None:
            self.raise_error("a bracket is not closed", start)
        self._go_on(end, Kind.EOF)

    def _is_operation(self, name: str) -> bool:
        return self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack) is not None

    def _parse_file_metadata_dictionary(self) -> None:
        end = self.lexer.input.content.find("#-}", self.pos)
        if end < 0:
            self.raise_error("the resources are not closed")
        self._resume_from(end + len("#-}"))

    # -- locations

    def parse_optional_argument(self, expect_type: bool = True) -> Any:  # noqa: FBT001, FBT002 - xDSL's signature
        """Read ``%i loc("f.c":3:7)``; the loop operation carries the place, so that of the variable is dropped."""
        argument = super().parse_optional_argument(expect_type)
        if argument is not None and not expect_type:
            self.parse_optional_location()
        return argument

    def _parse_location(self) -> Any:
        start = self.pos
        try:
            return super()._parse_location()
        except ParseError:
            self._resume_from(start)
        try:
            return self._parse_fused()
        except ParseError:
            closed = end_of_bracket(self.lexer.input.content, self.lexer.input.content.rfind("(", 0, start))
            if closed is None:
                raise
            self._resume_from(closed - 1)
            return UnknownLoc()

    def _parse_fused(self) -> FusedLoc:
        """Read ``fused<#attribute>[..]``."""
        self.parse_keyword("fused")
        with self.in_angle_brackets():
            attribute = self.parse_attribute()
        parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(ArrayAttr(parts), attribute)
