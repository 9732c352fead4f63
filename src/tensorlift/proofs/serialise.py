"""Summaries as JSON values and back.

Domains are isl text, affine expressions coefficients, terms one table of shared nodes.
Bound variables get new names when a summary is read, so that it never clashes with names made later.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import islpy as isl

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.definition import ArrayInfo, Carried, Definition, DerivedSize, KeptLoop, Summary
from tensorlift.comprehension.domain import Domain
from tensorlift.comprehension.names import fresh, reserve
from tensorlift.comprehension.rewrite import bottom_up, walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.comprehension.definition import Item

Json = Any  # what json.loads gives: checked by use, and whatever fails is a damaged certificate


def summary_to_json(summary: Summary) -> dict[str, Json]:
    """Give a summary as JSON values; the same summary gives the same values."""
    return _Writer().summary(summary)


def summary_from_json(data: dict[str, Json]) -> Summary:
    """Read a summary back.

    Raises:
        KeyError, TypeError, ValueError: where the values are not those of a summary.

    """
    reserve(data["sizes"])
    reserve(_loop_variables(data["items"]))
    return _Reader(data["terms"]).summary(data)


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
        return left == right or bool(isl.Set(left).is_equal(isl.Set(right)))
    return bool(left == right)


class _Writer:
    """Writes terms into one table; bound variables are called by the order in which they appear."""

    def __init__(self) -> None:
        self._numbers: dict[Term, int] = {}
        self._table: list[Json] = []
        self._bound: dict[str, str] = {}

    def summary(self, summary: Summary) -> dict[str, Json]:
        for definition in summary.definitions():
            for _, term in definition.pieces:
                self._name_bound(term)
        items = [self._item(item) for item in summary.items]
        return {
            "name": summary.name,
            "sizes": list(summary.sizes),
            "scalars": dict(summary.scalars),
            "arrays": [self._array(info) for info in summary.arrays.values()],
            "context": self._domain(summary.context),
            "assumed": self._domain(summary.assumed),
            "ranges": self._domain(summary.ranges),
            "derived": [[d.name, self._affine(d.numerator), d.divisor] for d in summary.derived],
            "items": items,
            "outputs": [list(pair) for pair in summary.outputs],
            "result": summary.result,
            "terms": self._table,
        }

    def _name_bound(self, term: Term) -> None:
        for node in walk(term):
            if isinstance(node, Reduce):
                for name in node.bound:
                    self._bound.setdefault(name, f"bound_{len(self._bound)}")

    def _affine(self, value: Affine) -> Json:
        return [value.constant, {self._bound.get(v, v): c for v, c in value.terms}]

    def _domain(self, domain: Domain) -> str:
        return domain.rename(self._bound).isl.to_str()

    def _array(self, info: ArrayInfo) -> Json:
        return [info.name, info.dtype, list(map(self._affine, info.shape)), info.is_parameter]

    def _item(self, item: Item) -> Json:
        if isinstance(item, Definition):
            return {
                "name": item.name,
                "array": item.array,
                "dtype": item.dtype,
                "indices": list(item.indices),
                "shape": list(map(self._affine, item.shape)),
                "domain": self._domain(item.domain),
                "pieces": [[self._domain(d), self._term(t)] for d, t in item.pieces],
            }
        return {
            "variable": item.variable,
            "lower": self._affine(item.lower),
            "upper": self._affine(item.upper),
            "step": item.step,
            "domain": self._domain(item.domain),
            "carried": [[c.array, c.before, c.name, c.after] for c in item.carried],
            "body": [self._item(inner) for inner in item.body],
        }

    def _term(self, term: Term) -> int:
        for node in bottom_up(term, self._numbers):
            self._table.append(self._node(node))
            self._numbers[node] = len(self._table) - 1
        return self._numbers[term]

    def _node(self, node: Term) -> Json:
        number = self._numbers
        if isinstance(node, Constant):
            return ["constant", node.dtype, str(node.value)]
        if isinstance(node, Scalar):
            return ["scalar", node.dtype, node.name]
        if isinstance(node, Index):
            return ["index", node.dtype, self._affine(node.affine)]
        if isinstance(node, Read):
            return ["read", node.dtype, node.array, list(map(self._affine, node.indices))]
        if isinstance(node, Apply):
            return ["apply", node.dtype, node.op, [number[a] for a in node.args]]
        if isinstance(node, Reduce):
            return [
                "reduce",
                node.dtype,
                node.op,
                [self._bound[n] for n in node.bound],
                self._domain(node.domain),
                number[node.body],
            ]
        assert isinstance(node, Piecewise)
        return ["piecewise", node.dtype, [[self._domain(d), number[t]] for d, t in node.pieces]]


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
            self._terms.append(self._node(node))

    def summary(self, data: dict[str, Json]) -> Summary:
        return Summary(
            name=data["name"],
            sizes=tuple(data["sizes"]),
            scalars=dict(data["scalars"]),
            arrays={name: self._array(name, *rest) for name, *rest in data["arrays"]},
            context=self._domain(data["context"]),
            assumed=self._domain(data["assumed"]),
            ranges=self._domain(data["ranges"]),
            derived=tuple(DerivedSize(n, self._affine(a), d) for n, a, d in data["derived"]),
            items=self._items(data["items"]),
            outputs=tuple((name, version) for name, version in data["outputs"]),
            result=data["result"],
        )

    def _array(self, name: str, dtype: Any, shape: Json, is_parameter: Json) -> ArrayInfo:
        return ArrayInfo(name, dtype, self._affines(shape), bool(is_parameter))

    def _items(self, items: Iterable[Json]) -> tuple[Item, ...]:
        return tuple(self._loop(i) if "body" in i else self._definition(i) for i in items)

    def _definition(self, item: Json) -> Definition:
        return Definition(
            item["name"],
            item["array"],
            item["dtype"],
            tuple(item["indices"]),
            self._affines(item["shape"]),
            self._domain(item["domain"]),
            tuple((self._domain(d), self._terms[t]) for d, t in item["pieces"]),
        )

    def _loop(self, item: Json) -> KeptLoop:
        return KeptLoop(
            item["variable"],
            self._affine(item["lower"]),
            self._affine(item["upper"]),
            int(item["step"]),
            self._domain(item["domain"]),
            tuple(Carried(*names) for names in item["carried"]),
            self._items(item["body"]),
            Diagnostic("TL200", "the loop is kept", remedy="none is needed: its body is lifted"),
        )

    def _node(self, node: Json) -> Term:
        kind, dtype, *rest = node
        if kind == "constant":
            return terms.constant(Fraction(rest[0]), dtype)
        if kind == "scalar":
            return terms.scalar(rest[0], dtype)
        if kind == "index":
            return terms.index(self._affine(rest[0]), dtype)
        if kind == "read":
            return terms.read(rest[0], self._affines(rest[1]), dtype)
        if kind == "apply":
            return terms.apply(rest[0], *(self._terms[a] for a in rest[1]), dtype=dtype)
        if kind == "reduce":
            bound = tuple(self._renamed[name] for name in rest[1])
            return terms.reduce(rest[0], bound, self._domain(rest[2]), self._terms[rest[3]])
        if kind == "piecewise":
            return terms.piecewise((self._domain(d), self._terms[t]) for d, t in rest[0])
        raise ValueError(f"no term is called {kind}")

    def _affine(self, data: Json) -> Affine:
        constant, coefficients = data
        return Affine(int(constant), {self._renamed.get(v, v): int(c) for v, c in coefficients.items()})

    def _affines(self, data: Iterable[Json]) -> tuple[Affine, ...]:
        return tuple(map(self._affine, data))

    def _domain(self, text: str) -> Domain:
        found = self._domains.get(text)
        if found is None:
            found = self._domains[text] = Domain(isl.Set(text)).rename(self._renamed)
        return found
