"""Reading TDS as the paper on Multi-Level Tactics writes it: records of TableGen.

    def TTGT : Tactic<"C(a, b, c) += A(a, c, d) * B(d, b)", [
      transposeBuilder<Inputs<["C"]>, Outputs<["t1"]>, StrExpr<"{0, 2, 1}">>,
      reshapeBuilder<Inputs<["t1"]>, Outputs<["D"]>, StrExpr<"{{0, 1}, 2}">>,
      matmulBuilder<StrExpr<"N">, StrExpr<"N">, M<1>, N<1>, K<1>, Constant<"1">, Constant<"1">,
                    Inputs<["E", "B"]>, Outputs<["D"]>>,
      ...
      eraseOpBuilder
    ]>;

A builder is positional: it says nothing of indices.  Read, it becomes a statement over the axes that arrays have by
then; what it computes is decided against the pattern like that of any tactic.  `statementBuilder`, which the paper does
not have, holds a statement of the language, for all that is no builder of its own.  What a text declares for TableGen
itself (``class``, ``include``, records of these classes) says nothing of tactics, and is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.syntax import Definition, Spelling, Statement, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.diagnostics import Location

Axes = tuple[tuple[str, ...], ...]  # the indices of each axis, several for a joint one

_SPACE = r"(?:\s|//[^\n]*|#[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)"
_START = re.compile(rf"{_SPACE}*(?:def|class|include)\b")
_TOKEN = re.compile(rf'(?P<space>{_SPACE}+)|(?P<string>"[^"]*")|(?P<word>[\w.]+)|(?P<sign>[<>\[\]{{}},:;])')
_SAME = {"In": "Inputs", "Out": "Outputs", "Expr": "StrExpr", "AffineExpr": "StrExpr", "AffineExpression": "StrExpr"}
_SAME |= {"Trans": "StrExpr", "Const": "Constant", "Dims": "M"}
_TACTICS = ("Tactic", "Tactics")
_PERMUTES = ("transposeBuilder", "permutationBuilder")
_PRODUCTS = ("matmulBuilder", "matvecBuilder", "dotBuilder", "outerBuilder", "convBuilder")
_KNOWN = (*_PERMUTES, "reshapeBuilder", *_PRODUCTS, "statementBuilder", "eraseOpBuilder")
_HELP = 'write `def NAME : Tactic<"C(i, j) += A(i, k) * B(k, j)", [matmulBuilder<...>]>;`; see docs/tactics.md'
_PAIR = 2


def is_tablegen(text: str) -> bool:
    """Tell whether a text is in the form of the paper."""
    return _START.match(text) is not None


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


@dataclass
class _Builder:
    """A builder with its arguments, in their order by kind."""

    name: str
    place: Location
    given: dict[str, list[list[str]]] = field(default_factory=dict)

    def values(self, kind: str) -> list[list[str]]:
        return self.given.get(kind, [])

    def only(self, kind: str) -> list[str]:
        listed = self.values(kind)
        if len(listed) != 1:
            raise _fault(f"`{self.name}` has {len(listed)} arguments `{kind}`, not one", self.place)
        return listed[0]

    def one(self, kind: str) -> str:
        """Give the only value of the only argument of a kind."""
        listed = self.only(kind)
        if len(listed) != 1:
            raise _fault(f"`{kind}` of `{self.name}` holds {len(listed)} values, not one", self.place)
        return listed[0]

    def first(self, kind: str, otherwise: str) -> list[str]:
        """List the first values of the arguments of a kind, and what stands for those that are left out."""
        return [value[0] if value else otherwise for value in self.values(kind)] or [otherwise]

    def count(self, kind: str) -> int:
        """Give how many axes are one together."""
        (number, *_) = self.first(kind, "1")
        if not re.fullmatch("[0-9]+", number):
            raise _fault(f"`{kind}<{number}>` of `{self.name}` is no number of axes", self.place)
        return int(number)


def _fault(message: str, place: Location) -> LiftError:
    return refuse("TL321", f"not a tactic: {message}", place, _HELP)


# -- reading


def definitions_in(text: str, file: str) -> list[Definition]:
    """Read the tactics of a text.

    Raises:
        LiftError: TL321, TL322 or TL326, where it is not in the form, or a builder does not fit its arrays.

    """
    return list(_Records(text, file).definitions())


class _Records:
    def __init__(self, text: str, file: str) -> None:
        self.places = Reader("", file)
        self.places.text = text
        self.file = file
        self.tokens = list(self._tokens(text))
        self.position = 0
        self.classes: set[str] = set()

    def _tokens(self, text: str) -> Iterator[_Token]:
        start = 0
        while start < len(text):
            match = _TOKEN.match(text, start)
            if match is None:
                match = re.compile(r"[-+*/=().]|\S").match(text, start)
                assert match is not None
                yield _Token("other", match[0], start)
            elif match.lastgroup != "space":
                yield _Token(str(match.lastgroup), match[0], start)
            start = match.end()
        yield _Token("end", "", len(text))

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    @property
    def here(self) -> Location:
        return self.places.place(self.token.start)

    def take(self, *texts: str) -> str:
        token = self.token
        if token.kind == "end" or (texts and token.text not in texts):
            wanted = " or ".join(f"`{text}`" for text in texts) or "more"
            raise _fault(f"expected {wanted}, found {f'`{token.text}`' if token.text else 'the end'}", self.here)
        self.position += 1
        return token.text

    def word(self, what: str) -> str:
        if self.token.kind != "word":
            raise _fault(
                f"expected {what}, found {f'`{self.token.text}`' if self.token.text else 'the end'}", self.here
            )
        return self.take()

    def definitions(self) -> Iterator[Definition]:
        while self.token.kind != "end":
            if self._declares():
                continue
            self.take("def")
            place, name = self.here, self.word("the name of the tactic")
            self.take(":")
            self.take(*_TACTICS)
            self.take("<")
            self.levels: tuple[Spelling, ...] = ()
            pattern = self._pattern()
            self.take(",")
            self.take("[")
            listed: list[_Builder] = []
            while self.token.text != "]":
                listed.append(self._builder())
                if self.token.text != "]":
                    self.take(",")
            self.take("]")
            self.take(">")
            if self.token.text == ";":
                self.take()
            built = tuple(_Translation(pattern, self.file).statements(listed))
            yield Definition(name, pattern, built, place, self.levels)

    def _declares(self) -> bool:
        """Pass over an inclusion, a class, or a record of a class that the text declares, which is no tactic."""
        if self.token.text == "include":
            self.position += 2
            return True
        near = [token.text for token in self.tokens[self.position : self.position + 4]]
        kind, name, _, base = near + [""] * (4 - len(near))
        if kind == "class":
            self.classes.add(name)
        elif kind != "def" or base not in self.classes or base in _TACTICS:
            return False
        depth, start = 0, self.here
        while depth or self.token.text not in (";", "}"):
            if self.token.kind == "end":
                raise _fault(f"`{name}` is not closed", start)
            depth += {"{": 1, "}": -1}.get(self.token.text, 0)
            self.position += 1
            if not depth and self.tokens[self.position - 1].text == "}":
                return True
        self.position += 1
        return True

    def _pattern(self) -> tuple[Statement, ...]:
        """Read the pattern: a text in quotes or none, or a list of these."""
        if self.token.text == "[":
            self.take()
            found = [*self._quoted()]
            while self.token.text == ",":
                self.take()
                found += self._quoted()
            self.take("]")
            return tuple(found)
        if self.token.kind == "string":
            return self._quoted()
        start, depth = self.token.start, 0
        while self.token.kind != "end" and (depth or self.token.text != ","):
            depth += {"(": 1, ")": -1}.get(self.token.text, 0)
            self.position += 1
        return self._statements(start, self.token.start)

    def _quoted(self) -> tuple[Statement, ...]:
        if self.token.kind != "string":
            raise _fault(f"expected a statement in quotes, found `{self.token.text}`", self.here)
        start = self.token.start
        return self._statements(start + 1, start + len(self.take()) - 1)

    def _statements(self, start: int, end: int) -> tuple[Statement, ...]:
        """Read statements between two places of the text."""
        blank = re.sub(r"[^\n]", " ", self.places.text[:start])
        reader = Reader(blank + self.places.text[start:end], self.file)
        found = reader.statements()
        self.levels += reader.levels()
        if reader.word.kind != "end":
            raise reader.fault(f"`{reader.word.text}` is no statement")
        return found

    def _builder(self) -> _Builder:
        place, name = self.here, self.word("a builder")
        found = _Builder(name, place)
        if name not in _KNOWN:
            near = get_close_matches(name, _KNOWN, 1)
            message = f"there is no builder `{name}`"
            raise refuse(
                "TL326",
                message,
                place,
                f"write `{(near or _KNOWN)[0]}`" if near else f"use one of: {', '.join(_KNOWN)}",
            )
        if self.token.text != "<":
            return found
        self.take()
        while self.token.text != ">":
            kind = self.word('an argument such as `Inputs<["A"]>`')
            self.take("<")
            found.given.setdefault(_SAME.get(kind, kind), []).append(self._value())
            self.take(">")
            if self.token.text != ">":
                self.take(",")
        self.take(">")
        return found

    def _value(self) -> list[str]:
        """Read a value: a list of words or texts, or one of these, or what stands in braces."""
        found: list[str] = []
        depth = 0
        while depth or self.token.text != ">":
            text = self.take()
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(text, 0)
            if text not in ("[", "]", ","):
                found.append(text.strip('"'))
        braced = any("{" in one for one in found)
        return [" ".join(found)] if braced else found


@dataclass
class _Translation:
    """Builders as statements, over the axes that each array has by then."""

    pattern: tuple[Statement, ...]
    file: str
    axes: dict[str, Axes] = field(default_factory=dict)
    fused: dict[tuple[str, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for statement in self.pattern:
            for cell in (*cells_of(statement.value), statement.target):
                self.axes[cell.array] = tuple((str(s),) for s in cell.subscripts)
        self.given = set(self.axes)

    def statements(self, builders: Sequence[_Builder]) -> Iterator[Statement]:
        for builder in builders:
            texts = self._texts(builder)
            for text in texts:
                try:
                    statement, *more = Reader(text, self.file).statements()
                except LiftError as error:
                    raise LiftError(*(replace(d, location=builder.place) for d in error.diagnostics)) from None
                if more:
                    raise _fault(f"`{builder.name}` holds {1 + len(more)} statements, not one", builder.place)
                self.axes.setdefault(statement.target.array, tuple((str(s),) for s in statement.target.subscripts))
                yield replace(statement, target=replace(statement.target, place=builder.place))

    def _texts(self, builder: _Builder) -> list[str]:
        if builder.name == "eraseOpBuilder":
            return []
        if builder.name == "statementBuilder":
            return builder.only("StrExpr")
        inputs, output = builder.only("Inputs"), builder.one("Outputs")
        for name in inputs:
            if name not in self.axes:
                message = f"`{name}` is not bound by the pattern or a builder before"
                raise refuse("TL322", message, builder.place, "make it by a builder before")
        if builder.name in _PRODUCTS:
            return self._product(builder, inputs, output)
        name = builder.one("Inputs")
        self.axes[output] = self._rearranged(builder, self.axes[name])
        return [self._spelled(f"{self._cell(output)} = {self._cell(name)}")]

    # -- rearrangements

    def _rearranged(self, builder: _Builder, axes: Axes) -> Axes:
        groups = _groups(builder)
        flat = [position for group in groups for position in group]
        if sorted(flat) != list(range(len(flat))):
            raise _fault("an expression lists the axes from 0 on, each once, as in `{{0, 1}, 2}`", builder.place)
        if builder.name in _PERMUTES:
            if len(groups) != len(axes) or len(flat) != len(axes):
                raise _fault(f"the permutation has {len(flat)} axes, the array {len(axes)}", builder.place)
            return tuple(axes[position] for position in flat)
        if len(flat) == len(axes):
            return tuple(tuple(i for position in group for i in axes[position]) for group in groups)
        if len(groups) == len(axes) and [len(g) for g in groups] == [len(a) for a in axes] and flat == sorted(flat):
            return tuple((index,) for axis in axes for index in axis)
        raise _fault(f"the reshape has {len(flat)} axes, the array {len(axes)}", builder.place)

    # -- products

    def _product(self, builder: _Builder, inputs: Sequence[str], output: str) -> list[str]:
        if len(inputs) != _PAIR:
            raise _fault(f"`{builder.name}` takes two inputs", builder.place)
        left, right = inputs
        if builder.name == "matmulBuilder":
            cells = self._matmul(builder, left, right, output)
        elif builder.name == "matvecBuilder":
            cells = self._matvec(builder, left, right, output)
        else:
            if output not in self.axes:
                raise _fault(f"`{builder.name}` adds to an array of the pattern", builder.place)
            cells = [self._cell(output), *map(self._cell, inputs)]
        alpha, beta = (*builder.first("Constant", "1"), "1")[:_PAIR]
        factor = "" if alpha == "1" else f"{alpha} * "
        texts = [self._spelled(f"{cells[0]} += {factor}{cells[1]} * {cells[2]}")]
        if beta != "1" and output in self.given:
            texts.insert(0, self._spelled(f"{cells[0]} = {beta} * {cells[0]}"))
        return texts

    def _matmul(self, builder: _Builder, left: str, right: str, output: str) -> list[str]:
        """Name the axes of a product of matrices by their places, those of several axes each as one."""
        sides = [flag == "T" for flag in builder.first("StrExpr", "N")]
        rows, columns, summed = map(builder.count, ("M", "N", "K"))
        parts = [self._split(builder, left, rows, summed, turned=sides[0])]
        parts.append(self._split(builder, right, summed, columns, turned=sides[-1]))
        (i, k), (_, j) = parts
        if output in self.axes:
            i, j = self._split(builder, output, rows, columns, turned=False)
        self.axes.setdefault(output, (*i, *j))
        listed = [(i, j), (k, i) if sides[0] else (i, k), (j, k) if sides[-1] else (k, j)]
        several = {i: rows > 1, j: columns > 1, k: summed > 1}
        named = {group: self._joint(group) if several[group] else [*map(self._index, group)] for group in (i, j, k)}
        return [
            f"{name}({', '.join([*named[first], *named[second]])})"
            for name, (first, second) in zip((output, left, right), listed, strict=True)
        ]

    def _joint(self, group: Axes) -> list[str]:
        return [self._index(tuple(index for axis in group for index in axis))]

    def _split(self, builder: _Builder, name: str, first: int, second: int, *, turned: bool) -> tuple[Axes, Axes]:
        """Return the two groups of axes of a matrix, exchanged where it is transposed."""
        axes = self.axes[name]
        if len(axes) != first + second:
            message = f"`{name}` has {len(axes)} axes, and `{builder.name}` takes {first + second}"
            raise _fault(message, builder.place)
        if turned:
            return axes[second:], axes[:second]
        return axes[:first], axes[first:]

    def _matvec(self, builder: _Builder, left: str, right: str, output: str) -> list[str]:
        turned = builder.first("StrExpr", "N")[0] == "T"
        i, k = self._split(builder, left, 1, 1, turned=turned)
        if output in self.axes:
            (i,) = (self.axes[output],)
        self.axes.setdefault(output, i)
        order = (k, i) if turned else (i, k)
        listed = ((output, (i,)), (left, order), (right, (k,)))
        return [f"{name}({', '.join(self._index(axis) for group in pair for axis in group)})" for name, pair in listed]

    # -- text

    def _cell(self, name: str) -> str:
        return f"{name}({', '.join(map(self._index, self.axes[name]))})"

    def _index(self, axis: tuple[str, ...]) -> str:
        if len(axis) == 1:
            return axis[0]
        return self.fused.setdefault(axis, "_".join(axis))

    def _spelled(self, text: str) -> str:
        used = [(name, parts) for parts, name in self.fused.items() if re.search(rf"\b{name}\b", text)]
        where = ", ".join(f"{name} = {' * '.join(parts)}" for name, parts in used)
        return f"{text} where {where}" if where else text


def _groups(builder: _Builder) -> list[list[int]]:
    """Read ``{{0, 1}, 2}``."""
    text = builder.one("StrExpr")
    if not re.fullmatch(r"\s*\{[\d\s,{}]*\}\s*", text) or text.count("{") != text.count("}"):
        raise _fault("an expression lists the axes from 0 on, each once, as in `{{0, 1}, 2}`", builder.place)
    inner = text.strip()[1:-1]
    found = re.findall(r"\{([^{}]*)\}|(\d+)", inner)
    return [[int(number) for number in re.findall(r"\d+", group or single)] for group, single in found]
