"""Certificates: everything that is needed to decide again that a program is right, as data.

Summaries as JSON values and back.

Domains are isl text, affine expressions coefficients, terms one table of shared nodes.
Bound variables get new names when a summary is read, so that it never clashes with names made later.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.codec import Codec, Form, Via
from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import ArrayInfo, Carried, Definition, DerivedSize, KeptLoop, Summary
from tensorlift.comprehension.rewrite import bottom_up, walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Reducer, Scalar, Term
from tensorlift.contract.language import Condition
from tensorlift.contract.notation import FORMS, VIA
from tensorlift.diagnostics import Diagnostic
from tensorlift.ir.cut import Cut
from tensorlift.ops.dtypes import DType
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh, reserve
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


Json = Any  # what json.loads gives: checked by use, and whatever fails is a damaged certificate


def summary_to_json(summary: Summary) -> dict[str, Json]:
    """Give a summary as JSON values; the same summary gives the same values."""
    writer = _Writer(summary)
    return {**_SUMMARIES.write(summary, writer), "terms": writer.table}


def summary_from_json(data: dict[str, Json]) -> Summary:
    """Read a summary back.

    Raises:
        KeyError, TypeError, ValueError: where the values are not those of a summary.

    """
    reserve(data["sizes"])
    reserve(_loop_variables(data["items"]))
    summary: Summary = _SUMMARIES.read(Summary, data, _Reader(data["terms"]))
    return summary


def _loop_variables(items: list[Json]) -> Iterator[str]:
    for item in items:
        if "body" in item:
            yield item["variable"]
            yield from _loop_variables(item["body"])


def same_summary(left: Summary, right: Summary) -> bool:
    """Tell whether two summaries are the same up to the names of bound variables and the spelling of domains."""
    return _same(summary_to_json(left), summary_to_json(right))


def _same(left: Json, right: Json) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, str) and isinstance(right, str) and "{" in left and "{" in right:
        return left == right or Domain.read(left).is_equal(Domain.read(right))
    return bool(left == right)


class _Writer:
    """Writes terms into one table; bound variables are called by the order in which they appear."""

    def __init__(self, summary: Summary) -> None:
        self.table: list[Json] = []
        self._numbers: dict[Term, int] = {}
        nodes = (n for d in summary.definitions() for _, t in d.pieces for n in walk(t) if isinstance(n, Reduce))
        names = dict.fromkeys(name for node in nodes for name in node.bound)
        self._bound = {name: f"bound_{number}" for number, name in enumerate(names)}

    def names(self, bound: tuple[str, ...]) -> Json:
        return [self._bound[name] for name in bound]

    def affine(self, value: Affine) -> Json:
        return [value.constant, {self._bound.get(v, v): c for v, c in value.terms}]

    def domain(self, domain: Domain) -> str:
        return domain.rename(self._bound).text

    def terms(self, listed: tuple[Term, ...]) -> Json:
        return list(map(self.term, listed))

    def term(self, term: Term) -> int:
        for node in bottom_up(term, self._numbers):
            self.table.append(_SUMMARIES.write(node, self))
            self._numbers[node] = len(self.table) - 1
        return self._numbers[term]

    def pieces(self, pieces: tuple[tuple[Domain, Term], ...]) -> Json:
        return [[self.domain(domain), self.term(term)] for domain, term in pieces]


class _Reader:
    def __init__(self, table: list[Json]) -> None:
        self._domains: dict[str, Domain] = {}
        self._terms: list[Term] = []
        self._renamed: dict[str, str] = {}
        for node in table:
            if node[0] == "reduce":
                for name in node[3]:
                    self._renamed.setdefault(name, fresh("r"))
        for node in table:
            self._terms.append(_SUMMARIES.read(_Node, node, self))

    def names(self, bound: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._renamed[name] for name in bound)

    def affine(self, data: tuple[int, dict[str, int]]) -> Affine:
        constant, coefficients = data
        return Affine(constant, {self._renamed.get(v, v): c for v, c in coefficients.items()})

    def domain(self, text: str) -> Domain:
        found = self._domains.get(text)
        if found is None:
            found = self._domains[text] = Domain.read(text).rename(self._renamed)
        return found

    def terms(self, numbers: tuple[int, ...]) -> tuple[Term, ...]:
        return tuple(map(self.term, numbers))

    def term(self, number: int) -> Term:
        return self._terms[number]

    def pieces(self, pieces: tuple[tuple[Domain, int], ...]) -> tuple[tuple[Domain, Term], ...]:
        return tuple((domain, self._terms[number]) for domain, number in pieces)


def _applied(dtype: DType, op: str, args: tuple[Term, ...]) -> Term:
    return terms.apply(op, *args, dtype=dtype)


def _reduced(op: Reducer, bound: tuple[str, ...], domain: Domain, body: Term, **_: object) -> Term:
    return terms.reduce(op, bound, domain, body)


_Node = Constant | Scalar | Index | Read | Apply | Reduce | Piecewise
_KEPT = Diagnostic("TL200", "the loop is kept", remedy="none is needed: its body is lifted")
_PIECES = Via(_Writer.pieces, tuple[tuple[Domain, int], ...], _Reader.pieces)
_SUMMARIES: Codec = Codec(
    {
        Summary: Form("name sizes scalars arrays context assumed ranges derived items outputs result"),
        ArrayInfo: Form("name dtype shape is_parameter contents?", is_row=True),
        DerivedSize: Form("name numerator divisor", is_row=True),
        Definition: Form("name array dtype indices shape domain pieces"),
        KeptLoop: Form("variable lower upper step domain carried body goes_on?", make=partial(KeptLoop, reason=_KEPT)),
        Carried: Form("array before name after", is_row=True),
        Constant: Form("dtype value", "constant", is_row=True, make=terms.constant),
        Scalar: Form("dtype name", "scalar", is_row=True, make=terms.scalar),
        Index: Form("dtype affine", "index", is_row=True, make=lambda dtype, affine: terms.index(affine, dtype)),
        Read: Form("dtype array indices", "read", is_row=True, make=terms.read),
        Apply: Form("dtype op args", "apply", is_row=True, make=_applied),
        Reduce: Form("dtype op bound domain body", "reduce", is_row=True, make=_reduced),
        Piecewise: Form("dtype pieces", "piecewise", is_row=True, make=lambda pieces, **_: terms.piecewise(pieces)),
    },
    {
        Affine: Via(_Writer.affine, tuple[int, dict[str, int]], _Reader.affine),
        Domain: Via(_Writer.domain, str, _Reader.domain),
        Fraction: Via(lambda _, value: str(value), str, lambda _, text: Fraction(text)),
        (DerivedSize, "divisor"): Via(
            lambda writer, value: value.constant if value.is_constant else writer.affine(value),
            Any,
            lambda reader, data: Affine(data) if isinstance(data, int) else _SUMMARIES.read(Affine, data, reader),
        ),
        (Summary, "arrays"): Via(
            lambda writer, arrays: _SUMMARIES.write(list(arrays.values()), writer),
            tuple[ArrayInfo, ...],
            lambda _, infos: {info.name: info for info in infos},
        ),
        (Definition, "pieces"): _PIECES,
        (Piecewise, "pieces"): _PIECES,
        (Apply, "args"): Via(_Writer.terms, tuple[int, ...], _Reader.terms),
        (Reduce, "bound"): Via(_Writer.names, tuple[str, ...], _Reader.names),
        (Reduce, "body"): Via(_Writer.term, int, _Reader.term),
    },
    Term=Term,
    DType=DType,
    Constraint=Any,
    Diagnostic=Diagnostic,
    Location=Any,
)


CERTIFICATE_VERSION = 2
MEMREF = "memref"  # as target: operations on memory in the place of a loop nest, which a front end reads


@dataclass(frozen=True)
class Certificate:
    """A program, the summary that it was proved equal to, and on what terms.

    ``preconditions`` and ``source_digest`` are the pipeline's to fill in: they say what was assumed of the source and
    which source it was. ``guards`` are the conditions that the program checks of its arguments. ``obligations`` counts
    what was discharged, by kind; ``cases`` is the number of cases of the sizes.
    """

    summary: Summary
    program: str
    entry: str
    target: str
    cuts: tuple[Cut, ...] = ()
    obligations: Mapping[str, int] = field(default_factory=dict)
    cases: int = 1
    preconditions: tuple[str, ...] = ()
    source_digest: str = ""
    numerics: str = "real"
    level: str = "proved"
    guards: tuple[Condition, ...] = ()
    strides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of arrays in C's memory that are not dense
    places: Mapping[str, str] = field(default_factory=dict)  # how C reaches what a program in C takes
    structures: tuple[str, ...] = ()  # declarations in C of those through which it does

    def about(self, source_digest: str, preconditions: tuple[str, ...]) -> Certificate:
        """Return the certificate with the source that it is about and what is assumed of its use."""
        return replace(self, source_digest=source_digest, preconditions=preconditions)

    def as_json(self) -> dict[str, Any]:
        """Give the certificate as JSON values, in the order in which a reader wants them, under its seal."""
        content = {"certificate": CERTIFICATE_VERSION, **_CODEC.write(self)}
        return {**content, "seal": seal_of(content)}

    def to_json(self) -> str:
        """Give the certificate as JSON text."""
        return json.dumps(self.as_json(), indent=1, ensure_ascii=False) + "\n"


_CODEC = Codec(
    FORMS
    | {
        Certificate: Form(
            "function=summary.name source_sha256=source_digest target level numerics preconditions guards entry program"
            " cuts obligations cases summary strides? places? structures?"
        ),
        Cut: Form("line variable definition", is_row=True),
    },
    VIA | {Summary: Via(lambda _, summary: summary_to_json(summary), Any, lambda _, data: summary_from_json(data))},
    Condition=Condition,
)


def seal_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a certificate's fields but the seal itself, whatever their order."""
    content = {key: value for key, value in data.items() if key != "seal"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def certificate_from_json(data: Mapping[str, Any]) -> Certificate:
    """Read a certificate.

    Raises:
        CheckFailure: where it is damaged.

    """
    try:
        if data["certificate"] != CERTIFICATE_VERSION:
            raise CheckFailure(CERTIFICATE, f"certificates of version {data['certificate']} are not read here")
        read: Certificate = _CODEC.read(Certificate, data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RuntimeError) as error:
        raise CheckFailure(CERTIFICATE, f"the certificate is damaged: {error}") from None
    return read
