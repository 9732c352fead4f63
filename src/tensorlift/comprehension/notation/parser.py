"""Reading the notation: from text to terms and definitions.

Names that are applied are arrays, other names are scalars; their types are given.  Literals take theirs by the rules of
`types`, which are those that the printer used to leave them out.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING
from typing import cast as typed

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.notation.syntax import Call, Cases, Cell, Fold, Literal, Name, Node, Reader, SyntaxFault
from tensorlift.comprehension.notation.types import Known, first, operand_types, result_type
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import parse_domain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.ops.dtypes import DType

_AFFINE_TERM = re.compile(r"\s*([+-])?\s*(?:(\d+)\s*\*?\s*)?([A-Za-z_]\w*)?")
_DECLARATION = re.compile(r"array (\w+): (\w+)(?:\[(.*?)\])? of (\w+) where (.*)\n(\w+)\((.*?)\) = (.*)", re.DOTALL)


def parse_term(text: str, dtypes: Mapping[str, DType], expected: Known = None) -> Term:
    """Read a term; ``dtypes`` has the types of arrays and scalars, ``expected`` that of a literal at the root.

    Raises:
        SyntaxFault: where the text is not in the notation, or a name or the type of a literal is not known.

    """
    reader = Reader(text)
    builder = Builder(dtypes)
    if reader.at("let"):
        builder.abbreviate(reader)
    node = reader.expression()
    if reader.token.kind != "end":
        raise reader.fault("the end")
    return builder.build(node, expected)


def parse_definition(text: str, dtypes: Mapping[str, DType]) -> Definition:
    """Read a definition as `show_definition` prints it.

    Raises:
        SyntaxFault: where the text is none.

    """
    found = _DECLARATION.fullmatch(text.strip())
    if found is None:
        raise SyntaxFault(f"expected a definition at {text[:20]!r}")
    name, dtype, shape, array, where, _, indices, right = found.groups()
    domain, element = parse_domain(where), typed("DType", dtype)
    term = parse_term(right, dtypes, element)
    pieces = term.pieces if isinstance(term, terms.Piecewise) else ((domain, term),)
    return Definition(
        name, array, element, tuple(_names(indices)), tuple(map(parse_affine, _names(shape or ""))), domain, pieces
    )


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def parse_affine(text: str) -> Affine:
    """Read an affine expression.

    Raises:
        SyntaxFault: where the text is none.

    """
    result, position = Affine(0), 0
    while position < len(text.rstrip()):
        found = _AFFINE_TERM.match(text, position)
        if found is None or not (found[2] or found[3]) or (position and not found[1]):
            raise SyntaxFault(f"expected an affine expression at {text[position:]!r}")
        factor = int(found[2] or 1) * (-1 if found[1] == "-" else 1)
        result = result + (Affine.var(found[3], factor) if found[3] else factor)
        position = found.end()
    return result


class Builder:
    """Terms from trees."""

    def __init__(self, dtypes: Mapping[str, DType]) -> None:
        self.dtypes = dtypes
        self.abbreviations: dict[str, Term] = {}
        self.types: dict[int, Known] = {}

    def abbreviate(self, reader: Reader) -> None:
        """Read the abbreviations of a `let`."""
        reader.take("let")
        while True:
            name = reader.take()
            reader.take("=")
            self.abbreviations[name] = self.build(reader.expression(), None)
            if reader.at("in"):
                reader.take()
                return
            reader.take(";")

    def build(self, node: Node, expected: Known) -> Term:
        """Return the term; a literal has the expected type unless it is annotated."""
        if isinstance(node, Literal):
            return self._literal(node, expected)
        if isinstance(node, Name):
            if node.name in self.abbreviations:
                return self.abbreviations[node.name]
            return terms.scalar(node.name, self._declared(node.name))
        if isinstance(node, Cell):
            return terms.read(node.array, tuple(map(parse_affine, node.indices)), self._declared(node.array))
        if isinstance(node, Fold):
            body = self.build(node.body, expected)
            return terms.reduce(typed("Reducer", node.op), node.bound, parse_domain(node.domain), body)
        if isinstance(node, Cases):
            common = first([self.known(t) for _, t in node.pieces], expected)
            return terms.piecewise((parse_domain(domain), self.build(t, common)) for domain, t in node.pieces)
        return self._call(node, expected)

    def _call(self, node: Call, expected: Known) -> Term:
        given = typed("Known", node.dtype)
        types = operand_types(node.op, [self.known(a) for a in node.args], given or expected)
        args = [self.build(a, t) for a, t in zip(node.args, types, strict=True)]
        return terms.apply(node.op, *args, dtype=given)

    def known(self, node: Node) -> Known:
        """Return the type of a tree as far as it does not depend on literals."""
        if isinstance(node, Literal):
            return None
        if id(node) not in self.types:  # trees live as long as the builder is used
            self.types[id(node)] = self._known(node)
        return self.types[id(node)]

    def _known(self, node: Node) -> Known:
        if isinstance(node, Name):
            known = self.abbreviations.get(node.name)
            return known.dtype if known is not None else self._declared(node.name)
        if isinstance(node, Cell):
            return self._declared(node.array)
        if isinstance(node, Fold):
            return self.known(node.body)
        if isinstance(node, Cases):
            return first([self.known(t) for _, t in node.pieces])
        if isinstance(node, Call) and node.dtype is None:
            return result_type(node.op, [self.known(a) for a in node.args])
        return typed("Known", node.dtype) if isinstance(node, Call) else None

    def _declared(self, name: str) -> DType:
        dtype = self.dtypes.get(name)
        if dtype is None:
            raise SyntaxFault(f"the type of {name} is not declared")
        return dtype

    def _literal(self, node: Literal, expected: Known) -> Term:
        dtype = typed("Known", node.dtype) or expected
        if dtype is None:
            raise SyntaxFault(f"the type of {node.text} is not known; annotate it, {node.text}:f64")
        if node.kind == "index":
            return terms.index(parse_affine(node.text), dtype)
        if node.kind in ("inf", "nan"):
            return terms.apply("infinity" if node.kind == "inf" else "nan", dtype=dtype)
        return terms.constant(_value(node), dtype)


def _value(node: Literal) -> Fraction:
    if node.kind == "ratio":
        numerator, denominator = map(int, _names(node.text))
        return Fraction(numerator, denominator)
    if node.kind in ("true", "false"):
        return Fraction(node.kind == "true")
    is_integer = re.fullmatch(r"-?\d+", node.text) is not None
    return Fraction(int(node.text)) if is_integer else Fraction(float(node.text))
