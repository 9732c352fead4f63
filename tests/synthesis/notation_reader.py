"""Reads summaries from short texts, so that tests of synthesis need neither a front end nor the summariser.

A definition is one line of Python syntax: ``C_1[i, j] = C[i, j] + sum(A[i, k] * B[k, j] for k in range(nk))``.
A definition is one line of Python syntax: ``C_1[i, j] = C[i, j] + sum(A[i, k] * B[k, j] for k in range(n))``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import ArrayInfo, Carried, Definition, KeptLoop, Summary
from tensorlift.comprehension.rewrite import substitute
from tensorlift.diagnostics import Diagnostic, Location
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import strided
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Item
    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType

_OPS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Gt: "gt", ast.Lt: "lt", ast.GtE: "ge",
    ast.LtE: "le", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_REDUCERS = ("sum", "prod", "max", "min")


@dataclass
class Loop:
    """A kept loop of the text: its range, the carried versions ``before -> name -> after``, and its body."""

    variable: str
    lower: str
    upper: str
    carried: dict[str, tuple[str, str, str]]
    body: list[str | Loop] = field(default_factory=list)


def summary(  # noqa: PLR0913 - the parts of a summary
    name: str, parameters: str, lines: list[str | Loop], outputs: str = "", *, result: str | None = None, least: int = 1
) -> Summary:
    """Read a summary.

    ``parameters`` is ``n, alpha: f64, A: f64[m, n]``, sizes without a type; locals begin with an underscore in front of
    the name (``_t: f64[n]``).  Sizes are at least ``least``.
    """
    SESSION.restart()
    return _Reader(name, parameters, least).read(lines, outputs.split(), result)


class _Reader:
    def __init__(self, name: str, parameters: str, least: int) -> None:
        self.name = name
        self.scalars: dict[str, DType] = {}
        self.arrays: dict[str, ArrayInfo] = {}
        self.sizes: list[str] = []
        self.order: list[str] = []
        tree = ast.parse(f"def f({parameters}): ...").body[0]
        assert isinstance(tree, ast.FunctionDef)
        for argument in tree.args.args:
            self._parameter(argument)
        self.context = Domain.of(*(at_least(size, least) for size in self.sizes))

    def _parameter(self, argument: ast.arg) -> None:
        name, kind = argument.arg.lstrip("_"), argument.annotation
        if kind is None:
            self.sizes.append(name)
        elif isinstance(kind, ast.Name):
            self.scalars[name] = kind.id  # type: ignore[assignment]  # the text names a type
        else:
            assert isinstance(kind, ast.Subscript)
            assert isinstance(kind.value, ast.Name)
            extents = kind.slice.elts if isinstance(kind.slice, ast.Tuple) else [kind.slice]
            shape = tuple(self._affine(e) for e in extents)
            local = argument.arg.startswith("_")
            place = None if local else Location(f"{self.name}.c", 1, 1)
            self.arrays[name] = ArrayInfo(name, kind.value.id, shape, not local, place)  # type: ignore[arg-type]  # a dtype or a kind
            if local:
                return
        self.order.append(name)

    def read(self, lines: list[str | Loop], outputs: list[str], result: str | None) -> Summary:
        self.versions: dict[str, str] = {name: name for name in self.arrays}
        items = tuple(self._item(line, self.context) for line in lines)
        pairs = tuple((self._array_of(version), version) for version in outputs)
        return Summary(
            self.name, tuple(self.sizes), self.scalars, self.arrays, self.context, items, pairs, result,
            parameters=tuple(self.order),
        )  # fmt: skip

    def _array_of(self, version: str) -> str:
        return version if version in self.arrays else version.rsplit("_", 1)[0]

    def _item(self, line: str | Loop, context: Domain) -> Item:
        if isinstance(line, str):
            return self._definition(line, context)
        lower, upper = (self._affine(ast.parse(t, mode="eval").body) for t in (line.lower, line.upper))
        inside = context & Domain.of(at_least(line.variable, lower), less(line.variable, upper))
        carried = tuple(Carried(array, *versions) for array, versions in line.carried.items())
        body = tuple(self._item(inner, inside) for inner in line.body)
        return KeptLoop(line.variable, lower, upper, 1, inside, carried, body, Diagnostic("TL201", "kept"))

    def _definition(self, line: str, context: Domain) -> Definition:
        statement = ast.parse(line).body[0]
        assert isinstance(statement, ast.Assign)
        target = statement.targets[0]
        array = target.value.id if isinstance(target, ast.Subscript) else target.id  # type: ignore[attr-defined]  # the notation has a name here
        info = self.arrays[self._array_of(array)]
        indices = tuple(f"{info.name}_x{k}" for k in range(len(info.shape)))
        written = [] if isinstance(target, ast.Name) else _elements(target.slice)  # type: ignore[attr-defined]  # the notation has a name here
        renamed = {e.id: Affine.var(i) for e, i in zip(written, indices, strict=True)}  # type: ignore[attr-defined]  # the notation has a name here
        domain = context & Domain.box(indices, info.shape)
        term = substitute(self._term(statement.value, info.dtype), renamed)
        pieces = term.pieces if isinstance(term, terms.Piecewise) else ((domain, term),)
        pieces = tuple((domain & d, t) for d, t in pieces)
        return Definition(array, info.name, info.dtype, indices, info.shape, domain, pieces, info.location)

    # -- terms

    def _term(self, node: ast.expr, dtype: DType) -> Term:
        if isinstance(node, ast.Constant):
            return terms.constant(node.value, dtype)  # type: ignore[arg-type]  # numbers only
        if isinstance(node, ast.Subscript) or (isinstance(node, ast.Name) and self._is_array(node.id)):
            return self._read(node)
        if isinstance(node, ast.Name):
            known = self.scalars.get(node.id)
            return terms.scalar(node.id, known) if known else terms.index(Affine.var(node.id), dtype)
        if isinstance(node, ast.BinOp):
            return terms.apply(_OPS[type(node.op)], self._term(node.left, dtype), self._term(node.right, dtype))
        if isinstance(node, ast.UnaryOp):
            return terms.apply("neg", self._term(node.operand, dtype))
        if isinstance(node, ast.Compare):
            left, right = node.left, node.comparators[0]
            return terms.apply(_OPS[type(node.ops[0])], self._term(left, dtype), self._term(right, dtype))
        if isinstance(node, ast.IfExp):
            inside = self._condition(node.test)
            first, second = self._term(node.body, dtype), self._term(node.orelse, dtype)
            rest = [(UNIVERSE, second)] if not isinstance(second, terms.Piecewise) else list(second.pieces)
            return terms.piecewise([(inside, first), *((d - inside, t) for d, t in rest)])
        assert isinstance(node, ast.Call)
        return self._call(node, dtype)

    def _is_array(self, name: str) -> bool:
        return name in self.arrays or name.rsplit("_", 1)[0] in self.arrays

    def _read(self, node: ast.Subscript | ast.Name) -> Term:
        name = node.value.id if isinstance(node, ast.Subscript) else node.id  # type: ignore[attr-defined]  # the notation has a name here
        info = self.arrays[self._array_of(name)]
        indices = [] if isinstance(node, ast.Name) else [self._affine(e) for e in _elements(node.slice)]
        return terms.read(name, tuple(indices), info.dtype)

    def _call(self, node: ast.Call, dtype: DType) -> Term:
        assert isinstance(node.func, ast.Name)
        first = node.args[0]
        if isinstance(first, ast.GeneratorExp):
            bound, domain = {}, UNIVERSE
            for clause in first.generators:
                assert isinstance(clause.target, ast.Name)
                bound[clause.target.id] = fresh("k")
                domain = domain & self._range(clause)
            values = {name: Affine.var(new) for name, new in bound.items()}
            body = substitute(self._term(first.elt, dtype), values)
            return terms.reduce(node.func.id, tuple(bound.values()), domain.rename(bound), body)  # type: ignore[arg-type]  # a dtype or a kind
        if node.func.id == "where":
            return terms.apply("select", *(self._term(a, dtype) for a in node.args))
        if node.func.id == "value":
            return terms.index(self._affine(first), dtype)
        if node.func.id in ("f32", "f64", "i32", "i64"):
            inner = node.args[1].id if len(node.args) > 1 else dtype  # type: ignore[attr-defined]  # the notation has a name here
            return terms.cast(self._term(first, inner), node.func.id)  # type: ignore[arg-type]  # a dtype or a kind
        return terms.apply(node.func.id, *(self._term(a, dtype) for a in node.args))

    def _range(self, clause: ast.comprehension) -> Domain:
        assert isinstance(clause.iter, ast.Call)
        assert isinstance(clause.target, ast.Name)
        ends = [self._affine(a) for a in clause.iter.args]
        lower, upper = ends if len(ends) > 1 else (Affine(0), ends[0])
        inside = Domain.of(at_least(clause.target.id, lower), less(clause.target.id, upper))
        for test in clause.ifs:
            inside = inside & self._condition(test)
        return inside

    def _condition(self, node: ast.expr) -> Domain:
        if isinstance(node, ast.BoolOp):
            parts = [self._condition(v) for v in node.values]
            result = parts[0]
            for part in parts[1:]:
                result = result & part if isinstance(node.op, ast.And) else result | part
            return result
        assert isinstance(node, ast.Compare)
        if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mod):  # ``i % 2 == 1``
            variable, step = self._affine(node.left.left), self._affine(node.left.right)
            return strided(str(variable), self._affine(node.comparators[0]), step.constant)
        ends = [self._affine(e) for e in (node.left, *node.comparators)]
        constraints = [_constraint(op, a, b) for op, a, b in zip(node.ops, ends, ends[1:], strict=False)]
        return Domain.of(*constraints)

    def _affine(self, node: ast.expr) -> Affine:
        if isinstance(node, ast.Constant):
            return Affine(int(node.value))  # type: ignore[arg-type]  # numbers only
        if isinstance(node, ast.Name):
            return Affine.var(node.id)
        if isinstance(node, ast.UnaryOp):
            return -self._affine(node.operand)
        assert isinstance(node, ast.BinOp)
        left, right = self._affine(node.left), self._affine(node.right)
        if isinstance(node.op, ast.Mult):
            return right * left.constant if left.is_constant else left * right.constant
        return left + right if isinstance(node.op, ast.Add) else left - right


def _constraint(op: ast.cmpop, a: Affine, b: Affine) -> Constraint:
    if isinstance(op, ast.Eq):
        return equal(a, b)
    if isinstance(op, ast.Lt):
        return less(a, b)
    if isinstance(op, ast.Gt):
        return less(b, a)
    return at_least(a, b) if isinstance(op, ast.GtE) else at_least(b, a)


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


_ = (replace, _REDUCERS)
