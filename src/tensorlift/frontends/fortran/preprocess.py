"""Lines of the preprocessor, macros and `include` of Fortran, by the rules of cpp; each line keeps its place.

What `#if` leaves out becomes empty lines.  Macros are replaced outside of comments and text.
"""

from __future__ import annotations

import ast
import operator
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import Location
from tensorlift.frontends.fortran.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LINE_END = re.compile(r"\r\n|\r|\n")
_INCLUDE = re.compile(r"\s*include\s*(?P<quote>['\"])(?P<file>[^'\"]+)(?P=quote)\s*(?:!.*)?$", re.IGNORECASE)
_DIRECTIVE = re.compile(r"\s*#\s*(?P<name>\w*)\s*(?P<rest>.*)$")
_DEFINE = re.compile(r"(?P<name>\w+)(?P<parameters>\([\w\s,]*\))?\s*(?P<body>.*)$")
_WORD = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|!.*|[A-Za-z_]\w*|\d[\w.]*")
_DEEPEST = 20
_MOST_LINES = 200_000
_MOST_ROUNDS = 40
_COMPARISONS = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
               ast.Div: operator.floordiv, ast.BitAnd: operator.and_, ast.BitOr: operator.or_}  # fmt: skip


@dataclass(frozen=True)
class Macro:
    """What a name is replaced by; ``parameters`` is None for one without brackets."""

    parameters: tuple[str, ...] | None
    body: str


@dataclass(frozen=True)
class Line:
    """A line as it is read, with the file and the line that it stands on."""

    text: str
    file: str
    number: int
    own: str  # as the file has it


@dataclass
class _Preprocessor:
    folders: Sequence[Path]
    macros: dict[str, Macro] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)

    def read(self, text: str, filename: str, depth: int = 0) -> None:
        """Read a file, and what it includes."""
        open_if: list[list[bool]] = []  # whether lines are read, and whether a branch was taken
        whole = ""  # of a directive that goes on
        for number, own in enumerate(_LINE_END.split(text), 1):
            place = Location(filename, number, 1)
            if len(self.lines) > _MOST_LINES:
                raise refusal("too-large", place, f"the file has more than {_MOST_LINES} lines")
            is_read = all(one[0] for one in open_if)
            told = _DIRECTIVE.match(whole + own) if whole or own.lstrip().startswith("#") else None
            if told is not None:
                whole = whole + own[:-1] if own.endswith("\\") else ""
                self.lines.append(Line("", filename, number, own))
                if not whole:
                    self._directive(told["name"], told["rest"], open_if, place, depth)
                continue
            included = _INCLUDE.match(own) if is_read else None
            if included is not None:
                self._include(included["file"], place, depth)
            else:
                self.lines.append(Line(self.replaced(own, place) if is_read else "", filename, number, own))
        if open_if:
            raise refusal("preprocess", Location(filename, number, 1), "an `#if` has no `#endif`")

    def _directive(self, name: str, rest: str, open_if: list[list[bool]], place: Location, depth: int) -> None:
        is_read = all(one[0] for one in open_if)
        if name in {"if", "ifdef", "ifndef"}:
            holds = is_read and self._holds(name, rest, place)
            open_if.append([holds, holds])
        elif name in {"elif", "else", "endif"} and not open_if:
            raise refusal("preprocess", place, f"`#{name}` has no `#if`")
        elif name == "endif":
            open_if.pop()
        elif name in {"elif", "else"}:
            branch = open_if[-1]
            around = all(one[0] for one in open_if[:-1])
            branch[0] = around and not branch[1] and (name == "else" or self._holds("if", rest, place))
            branch[1] = branch[1] or branch[0]
        elif is_read:
            self._plain(name, rest, place, depth)

    def _plain(self, name: str, rest: str, place: Location, depth: int) -> None:
        if name == "define":
            self.define(rest, place)
        elif name == "undef":
            self.macros.pop(rest.strip(), None)
        elif name == "include":
            self._include(rest.strip().strip('"<>'), place, depth)
        elif name == "error":
            raise refusal("preprocess", place, f"`#error {rest.strip()}`")
        elif name not in {"", "line", "warning", "pragma", "ident"} and not name.isdigit():
            raise refusal("preprocess", place, f"`#{name}`")

    def define(self, told: str, place: Location) -> None:
        """Define a macro."""
        found = _DEFINE.match(told)
        if found is None or "##" in found["body"]:
            raise refusal("preprocess", place, f"`#define {told}`")
        parameters = found["parameters"]
        names = None if parameters is None else tuple(p.strip() for p in parameters[1:-1].split(",") if p.strip())
        self.macros[found["name"]] = Macro(names, found["body"].strip())

    def _include(self, name: str, place: Location, depth: int) -> None:
        path = next((folder / name for folder in self.folders if (folder / name).is_file()), None)
        if path is None or depth > _DEEPEST:
            raise refusal("include", place, name)
        self.read(path.read_bytes().decode("utf-8", "replace"), str(path), depth + 1)

    def _holds(self, kind: str, told: str, place: Location) -> bool:
        """Decide a condition."""
        if kind != "if":
            return (told.strip() in self.macros) == (kind == "ifdef")
        text = re.sub(r"/\*.*?\*/", " ", told)
        text = re.sub(r"\bdefined\s*\(?\s*(\w+)\s*\)?", lambda m: str(int(m[1] in self.macros)), text)
        text = re.sub(r"\b[A-Za-z_]\w*", "0", self.replaced(text, place, comments=False))
        text = text.replace("&&", " and ").replace("||", " or ")
        try:
            return bool(_evaluated(ast.parse(re.sub(r"!(?!=)", " not ", text).strip(), mode="eval").body))
        except (SyntaxError, ValueError, ZeroDivisionError):
            raise refusal("preprocess", place, f"`#if {told.strip()}`") from None

    def replaced(self, text: str, place: Location, *, comments: bool = True) -> str:
        """Replace macros in a line, and what they are replaced by, until none is left."""
        if not self.macros:
            return text
        for _ in range(_MOST_ROUNDS):
            found = "".join(self._pieces(text, place, comments=comments))
            if found == text:
                return text
            text = found
        raise refusal("preprocess", place, "a macro that stands for itself")

    def _pieces(self, text: str, place: Location, *, comments: bool) -> Iterator[str]:
        at = 0
        while (word := _WORD.search(text, at)) is not None:
            yield text[at : word.start()]
            macro = self.macros.get(word[0])
            at = word.end()
            if not comments and word[0].startswith("!"):
                at = word.start() + 1
                yield "!"
            elif macro is None or macro.body == word[0]:
                yield word[0]
            elif macro.parameters is None:
                yield macro.body
            elif text[at:].lstrip().startswith("("):
                given, at = _arguments(text, text.index("(", at), place)
                if len(given) != len(macro.parameters):
                    raise refusal("preprocess", place, f"`{word[0]}` has another number of arguments")
                values = dict(zip(macro.parameters, given, strict=True))
                yield _WORD.sub(lambda m: values.get(m[0], m[0]), macro.body)  # noqa: B023 - called at once
            else:
                yield word[0]
        yield text[at:]


def _arguments(text: str, begin: int, place: Location) -> tuple[list[str], int]:
    """Split the arguments of a macro; gives where they end too."""
    depth, start, found = 0, begin + 1, []
    for at in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0 or (depth == 1 and text[at] == ","):
            found.append(text[start:at].strip())
            start = at + 1
        if depth == 0:
            return found, at + 1
    raise refusal("preprocess", place, "the arguments of a macro do not end on its line")


def _evaluated(node: ast.expr) -> int:
    """Evaluate a condition on integers."""
    match node:
        case ast.Constant(value=int(number)):
            return int(number)
        case ast.BoolOp(op=ast.And(), values=values):
            return int(all(_evaluated(value) for value in values))
        case ast.BoolOp(op=ast.Or(), values=values):
            return int(any(_evaluated(value) for value in values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return int(not _evaluated(operand))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluated(operand)
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            compare: Callable[[Any, Any], bool] = _COMPARISONS[type(comparison)]
            return int(compare(_evaluated(left), _evaluated(right)))
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATIONS:
            apply: Callable[[int, int], int] = _OPERATIONS[type(operation)]
            return apply(_evaluated(left), _evaluated(right))
    raise ValueError


def preprocessed(text: str, filename: str, defines: Sequence[str], folders: Sequence[str]) -> list[Line]:
    """Give the lines of a file as they are read; raises ``LiftError`` where that cannot be.

    ``folders`` are those in which included files are looked for, after that of the file.
    """
    reader = _Preprocessor([Path(filename).parent, *map(Path, folders)])
    place = Location(filename, 1, 1)
    is_asked = Path(filename).suffix.startswith(".F")  # as compilers have it
    if is_asked or any(line.lstrip().startswith("#") for line in _LINE_END.split(text)):
        reader.define("__GFORTRAN__ 1", place)
        for told in defines:
            name, _, body = told.partition("=")
            reader.define(f"{name} {body or 1}", place)
    reader.read(text, filename)
    return reader.lines
