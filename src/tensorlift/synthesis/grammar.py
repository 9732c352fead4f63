"""The grammar of a target: which kinds of operations it has, found out from nothing but their meanings.

Each row of the target's table is tried on symbolic operands.  The cell of the result tells what the operation is:
``a(i) + b(i)`` is elementwise, ``sum(k) a(i, k) * b(k, j)`` a contraction, ``max(k) a(k)`` a reduction.  A row with a
meaning that is none of these adds nothing.  The engines generate candidates from the grammar alone, so that a new
dialect needs no code here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.tensor import SymbolicTensor, array
from tensorlift.comprehension.terms import Apply, Piecewise, Read, Reduce
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.tensor import TypeRules
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.ops.dtypes import DType

_EXTENT = Affine.var("n")
_TYPES: tuple[DType, ...] = ("f64", "i32", "bool")
_RANKS = ((1, 1, 1), (2, 2, 2), (1, 0, 0))
_MOST_OPERANDS = 3
_WORD = re.compile(r"[A-Za-z]+(?:\.[A-Za-z]+)*")
_MOST_ATTRIBUTES = 256  # combinations that are tried for one row
# (a - rem(a, b)) // b divides as C does; to differ from truth, or from all ones, is to negate.
_COMPOSED = {
    "tdiv": ("floordiv", "rem"), "not": ("ne",), "bitnot": ("bitxor",),
}  # fmt: skip


class Row(Protocol):
    """What the grammar needs of an operation: its meaning, and its parameters by kind."""

    @property
    def meaning(self) -> Callable[..., Any]:
        """The function from obligations and operands to the result."""

    @property
    def parameters(self) -> Sequence[Any]:
        """The parameters, each with ``name``, ``kind``, ``is_optional`` and ``is_variadic``."""

    @property
    def samples(self) -> Sequence[Any]:
        """How the row is tried, each with its ``text``."""

    def probes(self, o: Any, dtype: DType) -> Iterator[dict[str, Any]] | None:
        """Yield arguments of a type to try the row on, None where its parameters are tensors and attributes."""


class Dialect(Protocol):
    """What the engines need of a target: its name, its rows, and how results are typed."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def rows(self) -> Mapping[str, Any]:
        """The operations by their spelling."""

    @property
    def types(self) -> TypeRules:
        """The type rules."""

    @property
    def instances(self) -> Sequence[Instance]:
        """What is known of the operations of an imported dialect."""


@dataclass(frozen=True)
class Grammar:
    """The kinds of operations of a target: scalar functions that it applies cell by cell, folds, sums of products."""

    elementwise: frozenset[str]
    reductions: frozenset[Reducer]
    has_contractions: bool

    def has(self, op: str) -> bool:
        """Tell whether a scalar function can be applied cell by cell."""
        return op in self.elementwise


def grammar_of(target: Dialect) -> Grammar:
    """Return the grammar of a target; it is found once.

    Raises:
        LiftError: TL310 where no operation computes anything.

    """
    found = _known.get(target.name)
    if found is None:
        found = _known[target.name] = _probed(target)
    if not found.elementwise:
        raise refuse("TL310", f"the target '{target.name}' has no operation that computes", remedy="use another target")
    return found


_known: dict[str, Grammar] = {}


def _of_instances(instances: Sequence[Instance]) -> Grammar:
    """Return what the operations of an imported dialect are made of; which of them compute it is found out later."""
    cells = [term for instance in instances for d in instance.definitions for _, term in d.pieces]
    nodes = [node for cell in cells for node in walk(cell)]
    folds = [node for node in nodes if isinstance(node, Reduce)]
    return Grammar(
        frozenset(node.op for node in nodes if isinstance(node, Apply)),
        frozenset(fold.op for fold in folds),
        any(fold.op == "sum" and _is_product(fold.body) for fold in folds),
    )


def _probed(target: Dialect) -> Grammar:
    if target.instances:
        return _of_instances(target.instances)
    elementwise: set[str] = set()
    reductions: set[Reducer] = set()
    contracts = False
    for row in target.rows.values():
        for cell in _cells(row, target.types):
            if isinstance(cell, Apply) and _is_plain(cell):
                elementwise.add(cell.op)
            fold = _fold_in(cell)
            if fold is not None and isinstance(fold.body, Read):
                reductions.add(fold.op)
            elif fold is not None and fold.op == "sum" and _is_product(fold.body):
                contracts = True
    composed = {op for op, parts in _COMPOSED.items() if elementwise.issuperset(parts)}
    return Grammar(frozenset(elementwise | composed), frozenset(reductions), contracts)


def _is_plain(cell: Apply) -> bool:
    """Tell whether a cell is a function of the operands' own cells, conversions aside."""
    return all(isinstance(a, Read) or (isinstance(a, Apply) and a.op == "cast") for a in cell.args)


def _fold_in(cell: Term) -> Reduce | None:
    """Return the fold that a cell is, if only with an initial value."""
    parts = cell.args if isinstance(cell, Apply) and any(isinstance(a, Read) for a in cell.args) else (cell,)
    return next((part for part in parts if isinstance(part, Reduce)), None)


def _is_product(body: Term) -> bool:
    return isinstance(body, Apply) and body.op == "mul" and len({n for n in walk(body) if isinstance(n, Read)}) > 1


def _cells(row: Row, types: TypeRules) -> Iterator[Term]:
    """Yield the cell of the result for whatever the row has a meaning on."""
    o = _Permissive(types)
    for dtype in _TYPES:
        own = row.probes(o, dtype)
        for operands, named in _arguments(row, dtype) if own is None else (((), given) for given in own):
            yield from _result(row, o, operands, named)


def _arguments(row: Row, dtype: DType) -> Iterator[tuple[Sequence[SymbolicTensor], dict[str, Any]]]:
    """Yield operands of one type and of some ranks, with attributes."""
    needed = [p for p in row.parameters if not p.is_optional and not p.is_variadic]
    operands = [p for p in needed if p.kind == "Tensor"]
    attributes = [p for p in needed if p.kind != "Tensor"]
    if not 0 < len(operands) <= _MOST_OPERANDS:
        return
    values = product(*(_attribute_values(p.kind, row) for p in attributes))
    for given in islice(values, _MOST_ATTRIBUTES):
        named = dict(zip((p.name for p in attributes), given, strict=True))
        for ranks in _RANKS:
            yield _operands(dtype, ranks[: len(operands)]), named


def _attribute_values(kind: str, row: Row) -> list[Any]:
    """Return values to try for an attribute: lists of axes, and the words that the row's samples have."""
    if kind == "Ints":
        return [(), (0,), (1,)]
    if kind == "Text":
        return sorted({word for sample in row.samples for word in _WORD.findall(sample.text)})
    return []


def _operands(dtype: DType, ranks: tuple[int, ...]) -> list[SymbolicTensor]:
    operands = [array(f"operand{k}", (_EXTENT,) * rank, dtype) for k, rank in enumerate(ranks)]
    if len(operands) == _MOST_OPERANDS:  # a selection
        operands[0] = array("operand0", (_EXTENT,) * ranks[0], "bool")
    return operands


def _result(row: Row, o: _Permissive, operands: Sequence[SymbolicTensor], named: Mapping[str, Any]) -> Iterator[Term]:
    """Yield the cell of the result, that of each piece where it has several."""
    try:
        result = row.meaning(o, *operands, **named)
        if isinstance(result, SymbolicTensor):
            cell = result.at(tuple(Affine.var(f"i{axis}") for axis in range(result.rank)))
            yield from (term for _, term in cell.pieces) if isinstance(cell, Piecewise) else (cell,)
    except (_MeaninglessError, LiftError, TypeError, ValueError, IndexError):
        return


class _MeaninglessError(Exception):
    """Raised where a row has no meaning for what it is tried on."""


class _Permissive:
    """Obligations that hold, and refuse only where an operation has no meaning."""

    def __init__(self, types: TypeRules) -> None:
        self.types = types
        self.context = UNIVERSE

    def require(self, *_: object, **__: object) -> None:
        """Grant the demand."""

    fits = require_always = nonzero = read = require

    def holds(self, *constraints: Constraint) -> bool:
        """Tell whether constraints hold for all sizes."""
        return all(c.affine.is_constant and c.affine.constant >= 0 for c in constraints)

    def decide(self, constraint: Constraint) -> bool:
        """Tell whether a constraint holds for all sizes."""
        return self.holds(constraint)

    def quotient(self, numerator: Affine, divisor: int) -> Affine:
        """Give up: probes divide no sizes."""
        return self.refuse(f"{numerator} / {divisor}")

    def known_quotient(self, numerator: Affine, divisor: Affine) -> Affine | None:  # noqa: ARG002 - none is
        """Know no quotient of sizes."""
        return None

    def refuse(self, why: str) -> NoReturn:
        """Give up on the probe."""
        raise _MeaninglessError(why)
