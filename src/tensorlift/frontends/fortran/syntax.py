"""Source text of Fortran to syntax trees, one for each program unit, by fparser.

A unit that does not parse refuses itself: where units begin and end is told by their first and last statements alone.
fparser joins lines and leaves out comments; statements keep the lines that they stand on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.fortran.parse_errors import LAST_COLUMN, PARENTHESES, Statement, parse_error
from tensorlift.frontends.fortran.preprocess import preprocessed
from tensorlift.frontends.fortran.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tensorlift.frontends.fortran.preprocess import Line
    from tensorlift.frontends.fortran.symbols import Procedure

_FIXED = {".f", ".for", ".f77"}
SUFFIXES = {*_FIXED, ".f90", ".f95", ".f03", ".f08"}
_LABEL = 5  # columns for labels, of fixed form
_OF_FREE_FORM = re.compile(r"[ \d]{0,4}[abe-z]", re.IGNORECASE)  # a statement among the labels, not `c` or `d`
_CONTINUES = frozenset("123456789")
_SIZE_LIMIT = 1_000_000
_HEADER = re.compile(
    r"(?:(?:pure|impure|elemental|recursive|module|non_recursive|integer|real|logical|complex|character|type|class"
    r"|double\s*precision)\b\s*(?:\*\s*\d+|\((?:[^()]|\([^()]*\))*\))?\s*)*"
    r"(?P<kind>subroutine|function)\s*(?P<name>\w+)",
    re.IGNORECASE,
)
_MODULE = re.compile(
    r"(?P<kind>module|program|submodule|block\s*data)\b\s*(?:\([\w:]+\)\s*)?(?P<name>\w*)$", re.IGNORECASE
)
_END = re.compile(
    r"end\s*(?:(?:subroutine|function|module|program|submodule|procedure|block\s*data)\b.*)?$", re.IGNORECASE
)
_AFTER_IF = re.compile(rf"[\s\d]*if\s*{PARENTHESES}\s*", re.IGNORECASE)
_PAUSE = re.compile(rf"({_AFTER_IF.pattern}|[\s\d]*)pause\b(?!\s*[=(])", re.IGNORECASE)  # which newer Fortran lacks
_PARSE_LINE = re.compile(r"at line (\d+)")


@dataclass(frozen=True)
class Settings:
    """How files are read: macros, folders of other files, and the kind of reals that state none."""

    defines: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    real_kind: int = 4


@dataclass(frozen=True)
class File:
    """A source file, whose lines tell columns."""

    name: str
    lines: Sequence[str]  # as they are read
    places: Sequence[Line] = ()  # where they stand
    settings: Settings = Settings()

    @property
    def is_fixed(self) -> bool:
        """Whether it is in fixed form."""
        return PurePath(self.name).suffix.lower() in _FIXED

    def location(self, line: int, text: str = "", *, is_after_if: bool = False) -> Location:
        """Give a place: where a line has a text, or else where its first statement begins, or that after `if (..)`."""
        content = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        word = re.match(r"\s*(\w+)", text)
        found = re.search(rf"\b{re.escape(word[1])}\b", content, re.IGNORECASE) if word else None
        start = re.search(r"[^\s\d]", content)
        after_if = _AFTER_IF.match(content) if is_after_if else None
        column = found.start() if found else after_if.end() if after_if else start.start() if start else 0
        if 0 < line <= len(self.places):
            return Location(self.places[line - 1].file, self.places[line - 1].number, column + 1)
        return Location(self.name, line, column + 1)

    def line_in_file(self, line: int) -> int:
        """Give the line of the file itself that a line is read from."""
        return self.places[line - 1].number if 0 < line <= len(self.places) else line


@dataclass(frozen=True)
class Unit:
    """A program unit: its tree, and the line before its first one in the file.

    ``errors`` tell of procedures that do not parse, with their lines; the tree is without them, or there is none.
    """

    name: str
    line: int
    tree: Any
    file: File
    errors: dict[str, tuple[int, LiftError]]


def parse_units(text: str, filename: str, settings: Settings = Settings()) -> tuple[File, list[Unit]]:
    """Parse a file unit by unit; raises ``LiftError`` for what concerns all of it."""
    if len(text) > _SIZE_LIMIT:
        raise refusal("too-large", Location(filename, 1, 1), f"the file has more than {_SIZE_LIMIT} characters")
    places = preprocessed(text, filename, settings.defines, settings.folders)
    file = File(filename, [one.text for one in places], places, settings)
    fixed = file.is_fixed
    lines = [_in_columns(line) for line in file.lines] if fixed else [*file.lines]
    for number, line in enumerate(lines if fixed else (), 1):
        if _OF_FREE_FORM.match(line):
            raise refusal("free-form", file.location(number))
    try:
        units = [_parsed(file, lines, s, fixed=fixed) for s in _spans(_logical("\n".join(lines), fixed=fixed))]
    except ImportError:
        raise refusal("parser", Location(filename, 1, 1)) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the parser does not expect
        raise _not_valid(file, 0, error) from None
    if not units:
        raise refusal("no-function", Location(filename, 1, 1), "the file defines no procedure")
    return file, units


def _in_columns(line: str) -> str:
    """Give a line of fixed form as compilers read it: a tab leads to the statement, and ends after column 72."""
    before, tab, rest = line.partition("\t")
    if tab and len(before) <= _LABEL and not before.strip().startswith("!"):
        line = before.ljust(_LABEL) + ("" if rest[:1] in _CONTINUES else " ") + rest
    return _PAUSE.sub(r"\1STOP", line[:LAST_COLUMN])


@dataclass
class _Span:
    """The lines of a unit."""

    kind: str
    name: str
    first: int
    last: int
    names: list[tuple[str, int]]  # of the procedures inside, itself if it is one, with their lines
    inside: list[_Span] = field(default_factory=list)  # the procedures that it contains itself


def _logical(text: str, *, fixed: bool) -> Iterator[tuple[str, int, int]]:
    """Yield statements with their first and last lines."""
    from fparser.common.readfortran import Line  # noqa: PLC0415 - an extra, that only Fortran needs

    for item in _reader(text, fixed=fixed):
        if isinstance(item, Line):
            yield item.line.strip(), item.span[0], item.span[1]


def _reader(text: str, *, fixed: bool) -> Any:
    from fparser.common.readfortran import FortranStringReader  # noqa: PLC0415 - as above
    from fparser.common.sourceinfo import FortranFormat  # noqa: PLC0415 - as above

    reader = FortranStringReader(text, ignore_comments=True, include_dirs=[])
    reader.set_format(FortranFormat(is_free=not fixed, is_strict=False))
    return reader


def _header(line: str) -> re.Match[str] | None:
    """Match the first statement of a unit."""
    is_list = re.match(r"module\s+procedure\b", line, re.IGNORECASE)
    return _HEADER.match(line) or (None if is_list else _MODULE.match(line))


def _spans(statements: Iterator[tuple[str, int, int]]) -> list[_Span]:
    """Find the outermost units: each ends where as many have ended as have begun."""
    found: list[_Span] = []
    depth = 0
    interfaces = 0
    for line, first, last in statements:
        header, around = _header(line), depth
        if header is None and depth == 0:
            found.append(_Span("program", "", first, last, []))  # a main program without a first statement
            depth += 1
        interfaces += _interfaces(line)
        if _END.fullmatch(line):
            depth -= 1
        elif header is not None:
            _begin(found, header, (first, last), depth, is_own=not interfaces)
            depth += 1
        for span in (found[-1], *(found[-1].inside[-1:] if around > 1 else ())):
            span.last = last
        depth = max(depth, 0)
    return found


def _interfaces(line: str) -> int:
    """Count the interfaces that a statement begins, less those that it ends."""
    if re.match(r"(abstract\s+)?interface\b", line, re.IGNORECASE):
        return 1
    return -1 if re.match(r"end\s*interface\b", line, re.IGNORECASE) else 0


def _begin(found: list[_Span], header: re.Match[str], lines: tuple[int, int], depth: int, *, is_own: bool) -> None:
    """Note what a first statement begins: a unit, or a procedure inside of one, but for those of interfaces."""
    made = _Span(header["kind"].lower(), header["name"].lower(), *lines, [])
    if depth == 0:
        found.append(made)
    if header.re is _HEADER and is_own:
        if depth == 1:
            found[-1].inside.append(made)
        for span in (found[-1], *(found[-1].inside[-1:] if depth else ())):
            span.names.append((made.name, lines[0]))


def _parsed(file: File, lines: Sequence[str], span: _Span, *, fixed: bool) -> Unit:
    """Parse a unit, without the procedures in it that do not parse, if that makes it parse."""
    first = span.first - 1
    tree = _tree(file, lines, span, fixed=fixed)
    if not isinstance(tree, LiftError):
        return Unit(span.name, first, tree, file, {})
    errors: dict[str, tuple[int, LiftError]] = {}
    rest = [*lines]
    for inner in span.inside:
        error = _tree(file, lines, inner, fixed=fixed)
        if isinstance(error, LiftError):
            errors |= {name: (line, error) for name, line in inner.names}
            rest[inner.first - 1 : inner.last] = [""] * (inner.last - inner.first + 1)
    others = _tree(file, rest, span, fixed=fixed) if errors else tree
    if not isinstance(others, LiftError):
        return Unit(span.name, first, others, file, errors)
    named = span.names or [(span.name or "program", span.first)]
    return Unit(span.name, first, None, file, {name: (line, tree) for name, line in named})


def _tree(file: File, lines: Sequence[str], span: _Span, *, fixed: bool) -> Any:
    """Give the syntax tree of some lines, or the error that tells why there is none."""
    text = "\n".join(lines[span.first - 1 : span.last]) + "\n"
    try:
        tree = _parser()(_reader(text, fixed=fixed))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the parser ends the process where names do not match
        statements = (
            Statement(line, first + span.first - 1, *(header["kind"].lower(), header["name"].lower()) if header else ())
            for line, first, _ in _logical(text, fixed=fixed)
            for header in [_header(line)]
        )
        return _not_valid(file, span.first - 1, error, statements)
    return tree.children[0] if len(tree.children) == 1 else tree


def _not_valid(file: File, first: int, error: BaseException, statements: Iterable[Statement] = ()) -> LiftError:
    """Refuse what the parser does not take, at the line that it tells."""
    told = _PARSE_LINE.search(str(error))
    return parse_error(file, first + (int(told[1]) if told else 1), statements)


@cache
def _parser() -> Callable[[Any], Any]:
    from fparser.two.parser import ParserFactory  # noqa: PLC0415 - an extra

    return ParserFactory().create(std="f2008")  # type: ignore[no-any-return]  # published without types


def is_intrinsic(name: str) -> bool:
    """Whether a name is that of an intrinsic function."""
    from fparser.two.Fortran2003 import Intrinsic_Name  # noqa: PLC0415 - an extra

    return name.upper() in Intrinsic_Name.function_names


def kind_of(node: Any) -> str:
    """Name the class of a piece of syntax."""
    return type(node).__name__


def statement_line(node: Any) -> int:
    """Give the line of the statement that a piece of syntax belongs to, counted in its unit; 1 where none tells."""
    while node is not None:
        item = getattr(node, "item", None)
        if item is not None:
            return int(item.span[0])
        first = next((c for c in getattr(node, "children", ()) or () if getattr(c, "item", None) is not None), None)
        if first is not None:
            return int(first.item.span[0])
        node = getattr(node, "parent", None)
    return 1


def reparsed(kind: str, node: Any) -> Any:
    """Parse a piece of syntax anew, as another kind."""
    from fparser.two import Fortran2003  # noqa: PLC0415 - an extra

    found = getattr(Fortran2003, kind)(str(node))
    found.parent = node.parent
    return found


def label_of(node: Any) -> str:
    """Give the label of a statement, empty where it has none."""
    item = getattr(node, "item", None)
    if item is None:
        first = next(iter(getattr(node, "children", ()) or ()), None)
        item = getattr(first, "item", None) if kind_of(node).endswith("Construct") else None
    return str(item.label) if item is not None and item.label is not None else ""


def part(tree: Any, kind: str) -> Any:
    """Give a part of a unit, None where it has none."""
    return next((child for child in tree.children if kind_of(child) == kind), None)


def body(procedure: Procedure) -> list[Any]:
    """List the executable statements of a procedure."""
    return list(getattr(part(procedure.tree, "Execution_Part"), "children", ()) or ())


def nodes_in(trees: Iterable[Any]) -> Iterator[Any]:
    """Yield all pieces of syntax in trees, outer ones first."""
    work = list(trees)[::-1]
    while work:
        node = work.pop()
        if node is None or isinstance(node, str):
            continue
        if isinstance(node, tuple | list):
            work += [*node][::-1]
            continue
        yield node
        work += [*(getattr(node, "children", ()) or ())][::-1]
