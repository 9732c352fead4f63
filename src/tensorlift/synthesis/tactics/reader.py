"""Reading TDL: recursive descent over words, every refusal at its line and column."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.synthesis.tactics.syntax import (
    ASSIGNMENTS,
    GROUP,
    INFIX,
    RELATIONS,
    Call,
    Cell,
    Condition,
    Definition,
    Expression,
    Fusion,
    Name,
    Number,
    Spelling,
    Statement,
    Subscript,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_WORD = re.compile(
    r"(?P<space>(?:\s|#[^\n]*)+)|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"|(?P<assignment>(?:max|min)=(?!=))|(?P<operation>@[A-Za-z_][\w.$]*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\.\.\.|[-+]=|<=|>=|==|[-+*/(){}\[\],<>=])"
)
Item = TypeVar("Item")
_KEYWORDS = frozenset({"def", "pattern", "builder", "where", "as", "from", "tactic", "build"})
_STEPS = "write `tactic NAME { pattern C(i, j) += A(i, k) * B(k, j) build ... }`; see docs/tactics.md"
_HELP = "write `def NAME { pattern C(i, j) += A(i, k) * B(k, j) builder ... }`; see docs/tactics.md"


class Word(NamedTuple):
    """A word and where it stands."""

    kind: str
    text: str
    start: int


class Reader:
    """Reads one text; ``file`` is its name in diagnostics."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.words = list(self._words())
        self.position = 0

    # -- words

    def _words(self) -> list[Word]:
        found: list[Word] = []
        start = 0
        while start < len(self.text):
            match = _WORD.match(self.text, start)
            if match is None:
                raise self.fault(f"`{self.text[start]}` is no word of the language", start)
            if match.lastgroup != "space":
                found.append(Word(str(match.lastgroup), match[0], start))
            start = match.end()
        return [*found, Word("end", "", len(self.text))]

    def place(self, start: int) -> Location:
        """Return the line and column of a position of the text."""
        line_start = self.text.rfind("\n", 0, start) + 1
        return Location(self.file, self.text.count("\n", 0, start) + 1, start - line_start + 1)

    def fault(self, message: str, start: int | None = None) -> LiftError:
        """Return the refusal of the text at a position, by default that of the present word."""
        where = self.place(self.word.start if start is None else start)
        return refuse("TL321", f"not a tactic: {message}", where, _STEPS if self.file.endswith(".tds") else _HELP)

    @property
    def word(self) -> Word:
        """The present word."""
        return self.words[self.position]

    @property
    def here(self) -> Location:
        """The place of the present word."""
        return self.place(self.word.start)

    def at(self, *texts: str) -> bool:
        """Tell whether the present word is one of those."""
        return self.word.text in texts and self.word.kind != "end"

    def take(self, *texts: str) -> str:
        """Return the present word, which must be one of the given ones if any, and go on."""
        word = self.word
        if texts and not self.at(*texts):
            wanted = " or ".join(f"`{t}`" for t in texts)
            raise self.fault(f"expected {wanted}, found {self._found()}")
        self.position += 1
        return word.text

    def name(self, what: str) -> str:
        """Return a name, which must stand here, and go on."""
        if self.word.kind != "name" or self.word.text in _KEYWORDS:
            raise self.fault(f"expected {what}, found {self._found()}")
        return self.take()

    def listed(self, item: Callable[[], Item], closing: str) -> list[Item]:
        """Read items with commas between them, none or more, and the sign that closes the list."""
        found = [item()] if not self.at(closing) else []
        while self.at(","):
            self.take()
            found.append(item())
        self.take(closing)
        return found

    # -- tactics

    def definitions(self) -> list[Definition]:
        """Read the whole text."""
        found = []
        while self.word.kind != "end":
            found.append(self._definition())
        return found

    def _definition(self) -> Definition:
        self.take("def")
        place = self.here
        name = self.name("the name of the tactic")
        self.take("{")
        self.take("pattern")
        builder: tuple[Statement, ...] = ()
        if self.at("="):
            self.take("=")
            self.take("builder")
            pattern, levels = self.statements(), self.levels()
        else:
            pattern, levels = self.statements(), self.levels()
            self.take("builder")
            builder = self.statements()
        self.take("}")
        return Definition(name, pattern, builder, place, levels)

    def levels(self) -> tuple[Spelling, ...]:
        """Read the clause that names the operations of a module that a pattern is for, none where there is none."""
        found: list[Spelling] = []
        while self.at("from" if not found else ","):
            self.take()
            place = self.here
            if self.word.kind != "operation":
                raise self.fault(f"expected an operation such as `linalg.matmul`, found {self._found()}")
            found.append(Spelling(self.take(), (), place))
        return tuple(found)

    def _found(self) -> str:
        return f"`{self.word.text}`" if self.word.text else "the end"

    def statements(self) -> tuple[Statement, ...]:
        """Read statements up to a keyword or a brace; there is at least one."""
        found = [self.statement()]
        while self.word.kind == "name" and self.word.text not in _KEYWORDS:
            found.append(self.statement())
        return tuple(found)

    def statement(self) -> Statement:
        """Read one statement."""
        place = self.here
        target = self._cell(self.name("an array to assign to"), place)
        op = self.take(*ASSIGNMENTS)
        value = self.expression()
        conditions: list[Condition] = []
        fusions: list[Fusion] = []
        if self.at("where"):
            self.take()
            self._clause(conditions, fusions)
            while self.at(","):
                self.take()
                self._clause(conditions, fusions)
        return Statement(target, op, value, tuple(conditions), tuple(fusions), self.spelling())

    def spelling(self) -> Spelling | None:
        """Read the clause that names the operation, None where there is none."""
        if not self.at("as"):
            return None
        self.take()
        place = self.here
        if self.word.kind != "operation":
            raise self.fault(f"expected an operation such as `linalg.matvec` or `@function`, found {self._found()}")
        operation, operands = self.take(), []
        if self.at("("):
            self.take()
            operands = self.listed(lambda: self.name("an operand"), ")")
        return Spelling(operation, tuple(operands), place)

    def _clause(self, conditions: list[Condition], fusions: list[Fusion]) -> None:
        left = self.subscript()
        relation = self.take("=", *RELATIONS)
        if relation != "=":
            conditions.append(Condition(left, relation, self.subscript()))
            return
        if left.only is None:
            raise self.fault("`=` after `where` names an index that stands for several, as in `f = a * c`")
        parts = [self._index()]
        while self.at("*"):
            self.take()
            parts.append(self._index())
        fusions.append(Fusion(left.only, tuple(parts)))

    # -- expressions

    def expression(self, precedence: int = 1) -> Expression:
        """Read an expression of operators of at least the given precedence."""
        left = self._prefix()
        while self.at(*INFIX):
            own = 1 if self.at("+", "-") else 2
            if own < precedence:
                break
            op = INFIX[self.take()]
            left = Call(op, (left, self.expression(own + 1)))
        return left

    def _prefix(self) -> Expression:
        place = self.here
        if self.at("("):
            self.take()
            inside = self.expression()
            self.take(")")
            return inside
        if self.at("-"):
            self.take()
            return _negated(self._prefix())
        if self.word.kind == "number":
            return Number(Fraction(self.take()))
        name = self.name("a term")
        if not self.at("("):
            return Name(name, place)
        return self._call(name) if name in SCALAR_OPS else self._cell(name, place)

    def _call(self, op: str) -> Call:
        start = self.word.start
        self.take("(")
        args = self.listed(self.expression, ")")
        if len(args) != SCALAR_OPS[op].arity or op == "cast":
            raise self.fault(
                f"`{op}` takes {SCALAR_OPS[op].arity} operands" if op != "cast" else "types do not matter", start
            )
        return Call(op, tuple(args))

    def _cell(self, array: str, place: Location) -> Cell:
        self.take("(")
        return Cell(array, tuple(self.listed(self.subscript, ")")), place)

    # -- subscripts

    def subscript(self) -> Subscript:
        """Read a sum of indices with factors."""
        factors: dict[str, int | str] = {}
        constant, sign = 0, 1
        while True:
            if self.at("-"):
                self.take()
                sign = -sign
            if self.word.kind == "number" and self.words[self.position + 1].text != "*":
                constant += sign * self._integer()
            else:
                factor, index = self._product()
                if index in factors or (isinstance(factor, str) and sign < 0):
                    raise self.fault(f"`{index}` stands twice in a subscript, or with a negative placeholder")
                factors[index] = sign * factor if isinstance(factor, int) else factor
            if not self.at("+", "-"):
                break
            sign = 1 if self.take() == "+" else -1
        if not factors:
            raise self.fault("a subscript is a sum of indices: constants have no place in a pattern")
        group = next((name for name in factors if name.endswith(GROUP)), None)
        if group is not None and (constant or list(factors.values()) != [1]):
            raise self.fault(f"the group `{group}` stands by itself, without factors")
        return Subscript(tuple((f, n) for n, f in factors.items() if f != 0), constant)

    def _integer(self) -> int:
        if not self.word.text.isdigit():
            raise self.fault("a subscript has whole numbers")
        return int(self.take())

    def _product(self) -> tuple[int | str, str]:
        if self.word.kind == "number":
            factor: int | str = self._integer()
            self.take("*")
            return factor, self._index()
        first = self._index()
        if not self.at("*"):
            return 1, first
        self.take()
        return first, self._index()

    def _index(self) -> str:
        name = self.name("an index")
        if self.at("("):
            raise self.fault(f"`{name}(` is no index: what stands in front is no function of the notation")
        if self.at(GROUP):
            self.take()
            return name + GROUP
        return name


def _negated(item: Expression) -> Expression:
    return Number(-item.value) if isinstance(item, Number) else Call("neg", (item,))
