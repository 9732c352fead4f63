"""The syntax of the notation: from text to a tree, in which literals have no types yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar, get_args

from tensorlift.comprehension.notation.printer import FOLD, PRECEDENCE
from tensorlift.comprehension.terms import Reducer
from tensorlift.ops.dtypes import DType
from tensorlift.ops.scalar_ops import SCALAR_OPS

if TYPE_CHECKING:
    from collections.abc import Callable

Item = TypeVar("Item")
DTYPES: frozenset[str] = frozenset(get_args(DType))
REDUCERS: frozenset[str] = frozenset(get_args(Reducer))
INFIX = {SCALAR_OPS[op].infix: op for op in PRECEDENCE}
TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<|>>|<=|>=|==|!=|//|[-+*/%&|^<>()\[\]{},;:.=]))"
)


class SyntaxFault(ValueError):  # noqa: N818 - the name says what it is
    """Raised where text is not in the notation; says where and what was expected."""


@dataclass(frozen=True)
class Literal:
    """A number, an index expression, infinity or NaN; ``dtype`` where it is annotated."""

    kind: str
    text: str
    dtype: str | None


@dataclass(frozen=True)
class Name:
    """A scalar or an abbreviation."""

    name: str


@dataclass(frozen=True)
class Cell:
    """A read."""

    array: str
    indices: tuple[str, ...]


@dataclass(frozen=True)
class Call:
    """A scalar function, or a conversion where ``op`` is ``cast``; ``dtype`` where the result type is given."""

    op: str
    args: tuple[Node, ...]
    dtype: str | None = None


@dataclass(frozen=True)
class Fold:
    """A fold with the text of its domain."""

    op: str
    bound: tuple[str, ...]
    domain: str
    body: Node


@dataclass(frozen=True)
class Cases:
    """Terms with the texts of their domains."""

    pieces: tuple[tuple[str, Node], ...]


Node = Literal | Name | Cell | Call | Fold | Cases


class Token(NamedTuple):
    """A word of the notation and where it stands."""

    kind: str
    text: str
    start: int
    end: int


class Reader:
    """Recursive descent with operator precedence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.token = self._next()

    # -- words

    def _next(self) -> Token:
        found = TOKEN.match(self.text, self.position)
        if found is None or found.lastgroup is None:
            if self.text[self.position :].strip():
                raise self.fault("a word of the notation")
            return Token("end", "", len(self.text), len(self.text))
        return Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup), found.end())

    def fault(self, wanted: str) -> SyntaxFault:
        """Return the exception that says what was expected here."""
        rest = self.text[self.position :].strip()[:20]
        return SyntaxFault(f"expected {wanted} at {rest!r}")

    def take(self, text: str | None = None) -> str:
        """Return the present word, which must be the given one if any, and go on."""
        if text is not None and self.token.text != text:
            self.position = self.token.start
            raise self.fault(repr(text))
        taken = self.token
        self.position = taken.end
        self.token = self._next()
        return taken.text

    def at(self, *texts: str) -> bool:
        """Tell whether the present word is one of those."""
        return self.token.kind != "end" and self.token.text in texts

    def raw(self, closing: str) -> str:
        """Return the text up to a sign outside all parentheses, and go on after it."""
        start = end = self.token.start
        depth = 0
        while end < len(self.text) and (depth or self.text[end] not in closing):
            depth += (self.text[end] in "([") - (self.text[end] in ")]")
            end += 1
        self.position = end
        self.token = self._next()
        return self.text[start:end].strip()

    # -- expressions

    def expression(self, precedence: int = 0) -> Node:
        """Read an expression of operators of at least the given precedence."""
        left = self._prefix()
        while self.token.text in INFIX and self.token.kind != "end":
            op = INFIX[self.token.text]
            own = PRECEDENCE[op]
            if own < precedence:
                break
            self.take()
            left = Call(op, (left, self.expression(own + 1)))
        return left

    def _prefix(self) -> Node:
        kind, text = self.token.kind, self.token.text
        if text == "(":
            self.take()
            inside = self.expression()
            self.take(")")
            return inside
        if text == "-":
            self.take()
            return self._literal("number", "-" + self._number())
        if text == "[":
            self.take()
            index = self.raw("]")
            self.take("]")
            return self._literal("index", index)
        if text == "{":
            return self._cases()
        if kind == "number":
            return self._literal("number", self._number())
        if kind == "name":
            return self._named(self.take())
        self.position = self.token.start
        raise self.fault("a term")

    def _number(self) -> str:
        if self.token.kind != "number" and not self.at("ratio", "inf"):
            self.take("a number")
        return self.take()

    def _literal(self, kind: str, text: str) -> Literal:
        dtype = None
        if self.at(":"):
            self.take()
            dtype = self._dtype()
        return Literal(kind, text, dtype)

    def _dtype(self) -> str:
        if self.token.text not in DTYPES:
            self.take("an element type")
        return self.take()

    def _cases(self) -> Cases:
        self.take("{")
        pieces = []
        while True:
            term = self.expression()
            self.take("if")
            pieces.append((self.raw(";}"), term))
            if self.take() == "}":
                return Cases(tuple(pieces))

    def _named(self, name: str) -> Node:
        if name in ("true", "false", "inf", "nan"):
            return self._literal(name, name)
        if name == "ratio":
            return self._literal("ratio", self._ratio())
        if name in DTYPES:
            return Call("cast", self._arguments(), name)
        if name in SCALAR_OPS and self.at("."):
            self.take()
            dtype = self._dtype()
            return Call(name, self._arguments(), dtype)
        if not self.at("("):
            return Name(name)
        if name in REDUCERS and (fold := self._fold(name)) is not None:
            return fold
        if name in SCALAR_OPS:
            return Call(name, self._arguments())
        return Cell(name, self._listed(lambda: self.raw(",)")))

    def _ratio(self) -> str:
        self.take("(")
        parts = self.raw(")")
        self.take(")")
        return parts

    def _arguments(self) -> tuple[Node, ...]:
        return self._listed(self.expression)

    def _listed(self, item: Callable[[], Item]) -> tuple[Item, ...]:
        self.take("(")
        found: list[Item] = []
        while not self.at(")"):
            found.append(item())
            if not self.at(","):
                break
            self.take()
        self.take(")")
        return tuple(found)

    def _fold(self, op: str) -> Fold | None:
        """Read a fold, where names and a colon follow the parenthesis."""
        found = re.match(r"\(\s*(\w+(?:\s*,\s*\w+)*)\s*:", self.text[self.token.start :])
        if found is None or found[1][0].isdigit():
            return None
        self.position = self.token.start + found.end()
        self.token = self._next()
        domain = self.raw(")")
        self.take(")")
        bound = tuple(name.strip() for name in found[1].split(","))
        return Fold(op, bound, domain, self.expression(FOLD))
