"""The JAX target: rows with the meanings of jax.numpy, and an emitter that is loaded when it is asked for.

Arrays do not change: ``x.at[...].set(...)`` gives a new one.  Without ``jax_enable_x64``, which is the user's to set,
JAX has no 64-bit types and silently computes in 32 bits: a function in which a value has one must raise then.  In a
function that does not check, no value may depend on that setting.

Products of single precision are of that precision on a CPU alone: GPUs and TPUs round the operands, to 10 bits and
fewer, unless they are told otherwise, which a decorator does for all that a function calls.

Types of JAX's results: arrays count by type, Python numbers and what is computed of them alone only by kind.

The rules are those of JAX's type promotion lattice.  JAX calls a result weakly typed where it is one of the lattice's
kinds ``i*`` and ``f*``; such a result's type depends on JAX's settings, so that only numbers may be weakly typed here.

Every JAX operation that an emitted program may use, one row each: most are NumPy's under another name.

Operations that JAX has beside NumPy's, or in which it differs from NumPy.

``x.at[...].set(value)`` and its kin give a new array; the old one stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, SymbolicTensor, scalar_value
from tensorlift.ir.cost import Costs
from tensorlift.ir.scalar_terms import choose
from tensorlift.ops.dtypes import DType, is_float, is_integer, width
from tensorlift.poly.domain import equal
from tensorlift.targets.arrays import arithmetic, compaction, creation, functions, index, reduction, scatter, spans
from tensorlift.targets.arrays.promotion import ArrayTypes, Operand, kind_of, operator_strength
from tensorlift.targets.jax import helpers
from tensorlift.targets.numpy import TARGET as NUMPY
from tensorlift.targets.target import (
    OpRow,
    Subscripts,
    Target,
    Tensor,
    Text,
    by_spelling,
    respelled,
    row,
    sample,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.comprehension.tensor import Obligations
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.targets.arrays.arithmetic import Binary
    from tensorlift.targets.target import Meaning, Sample


_TRI = respelled(creation.triangle_mask, "N M k * dtype!")  # of single precision without an element type
_SUM = respelled(reduction.reduction("sum"), "a axis dtype * keepdims where")  # the method ignores ``initial``


def _of_lax(name: str, op: Reducer) -> OpRow:
    texts = (f"lax.{name}(a)", f"lax.{name}(a, axis=1)")
    return row(
        f"lax.{name}", respelled(reduction.running(op, default_axis=0), "operand=a axis"), *texts, a="number[m, n]"
    )


def _running(op: Reducer, o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.dtype == "bool":
        o.refuse("running folds of truth values")
    return reduction.running(op, default_axis=0)(o, x)


def _latest(o: Obligations, x: Tensor, kept: Tensor) -> SymbolicTensor:
    if not x.is_strong or x.rank != 1 or kept.rank != 1 or kept.dtype != "bool":
        o.refuse("the latest of what is no row of cells with a row of truth values")
    o.require("each cell is kept or not", equal(x.shape[0], kept.shape[0]))
    places = SymbolicTensor(
        kept.shape, "i64", lambda at: choose(kept.at(at), terms.index(at[0], "i64"), terms.zero("i64"))
    )
    return index.subscript(o, x, (_running("max", o, places),))


def _of_floats(op: str, o: Obligations, x: Tensor) -> SymbolicTensor:
    if not is_float(x.dtype):
        o.refuse(f"lax.{op} of anything but floats")
    return functions.function_of_reals(op, o, x)


def _of_reals(op: str) -> OpRow:
    text = f"lax.{op}(a)"
    return row(f"lax.{op}", partial(_of_floats, op), sample(text, a="real[m, n]"), sample(text, a="real[]"))


def _ignoring_nan(name: str, op: Reducer) -> OpRow:
    infinite = "-jnp.inf" if op == "fmax" else "jnp.inf"
    samples = (
        sample(f"jnp.{name}(a)", 1, a="number[m, n]"),
        sample(f"jnp.{name}(a, axis=1)", 1, a="real[m, n]"),
        sample(f"jnp.{name}(a, axis=0, initial={infinite})", 0, a="real[m, n]"),
    )
    return row(f"jnp.{name}", reduction.reduction(op), *samples)


RUNNING: tuple[Reducer, ...] = ("sum", "max", "min")
_PRODUCTS = ("dot", "einsum", "inner", "matmul", "tensordot", "vdot")
IN_LAX = ("erf", "erfc")  # functions of reals that jax.numpy lacks, as NumPy does
_TRIANGLES = ("(n, dtype=bool)", "(m, n, dtype=jnp.int32)", "(m, n, 1, dtype=bool)", "(m, n, k=-1, dtype=jnp.float64)")
_SUMS = ("()", "(axis=0)", "(axis=(0, 1))", "(axis=-1, keepdims=True)", "(axis=0, dtype=jnp.int32)", "(where=a > 1)")

_OWN = [
    row("jnp.asarray", functions.new_array, "jnp.asarray(a)", a="arith[m]"),
    functions.conversion_row("jnp.bfloat16", "bf16"),
    row("jnp.tri", _TRI, *(f"jnp.tri{text}" for text in _TRIANGLES)),
    row(".sum()", _SUM, *(f"a.sum{text}" for text in _SUMS), name="method sum", a="arith[m, n]"),
    _of_lax("cummax", "max"),
    _of_lax("cummin", "min"),
    *(
        row(
            f"running_{op}",
            partial(_running, op),
            f"running_{op}(a)",
            sample(f"running_{op}(a)", a="real[m]"),
            a="number[m, n]",
        )
        for op in RUNNING
    ),
    row("latest", _latest, sample("latest(a, a > 0)", a="f64[n]"), sample("latest(a, b < 0)", a="i32[n]", b="f64[n]")),
    *map(_of_reals, IN_LAX),
    _ignoring_nan("nanmax", "fmax"),
    _ignoring_nan("nanmin", "fmin"),
]


_TEXTS = [
    "a.at[0].{}(1)",
    "a.at[-1].{}(b)",
    "a.at[:, 0].{}(2)",
    "a.at[0, n - 1].{}(b[0])",
    "a.at[:-1, 1:].{}(b[1:])",
    "a.at[:, ::-1].{}(b)",
    "a.at[...].{}(b)",
    "a.at[1:-1, 1:-1].{}(1)",
    "a.at[:, n:].{}(7)",
]


def _set(o: Obligations, x: Tensor, items: Subscripts, values: Tensor, *, mode: Text | None = None) -> SymbolicTensor:
    _require_fitting(o, x, values)
    if mode is not None:
        return compaction.dropped(o, x, items, values, mode)
    return index.store(o, x, items, values)


def _updated(name: str, o: Obligations, x: Tensor, items: Subscripts, values: Tensor) -> SymbolicTensor:
    _require_fitting(o, x, values)
    if x.dtype == "bool":
        o.refuse("arithmetic on cells that are truth values, which JAX does not update so")
    if name == "divide" and is_integer(x.dtype):
        o.refuse("JAX returns floats where cells that are integers are divided")
    if not index.is_basic(items):
        if name not in _FOLDS:
            o.refuse(f"an update {name} at index arrays")
        return scatter.folded(_FOLDS[name], o, x, items, values)
    combine = _BINARY[name]
    return index.store(o, x, items, combine(o, index.subscript(o, x, items), values))


def _require_fitting(o: Obligations, x: SymbolicTensor, values: SymbolicTensor) -> None:
    if o.types.result_type(o, (x, values)) != x.dtype:
        o.refuse(f"values are stored in the narrower type {x.dtype}")


_BINARY: dict[str, Binary] = {
    "add": partial(arithmetic.plain, "add", arithmetic.OPERATOR),
    "subtract": partial(arithmetic.plain, "sub", arithmetic.OPERATOR),
    "multiply": partial(arithmetic.plain, "mul", arithmetic.OPERATOR),
    "divide": partial(arithmetic.true_divide, arithmetic.OPERATOR),
    "max": partial(arithmetic.plain, "max", arithmetic.OPERATOR),
    "min": partial(arithmetic.plain, "min", arithmetic.OPERATOR),
}
_FOLDS: dict[str, Reducer] = {"add": "sum", "multiply": "prod", "max": "max", "min": "min"}
_AT_PLACES = (
    sample("a.at[(b > 0).astype(jnp.int64)].{}(b)", 1, a="f64[n + 1]", b="f64[n]"),
    sample("a.at[(b > 0).astype(jnp.int64)].{}(1)", 1, a="f64[n + 1]", b="f64[n]"),
    sample("a.at[(b > 0).astype(jnp.int32), (b < 0).astype(jnp.int32)].{}(b)", 1, a="f64[m + 1, n + 1]", b="f64[n]"),
    sample("a.at[:, (b > 0).astype(jnp.int64)].{}(b)", 1, a="f64[m + 1, n + 1]", b="f64[n]"),
)


def _row(name: str, meaning: Meaning, kind: str, *more: Sample) -> OpRow:
    samples = (
        *(sample(text.format(name), 1, a=f"{kind}[m, n]", b=f"{kind}[n]") for text in _TEXTS),
        sample(f"a.at[:, 1:].{name}(a[:, :-1])", 1, a=f"{kind}[m, n]"),
        *more,
    )
    return row(f".at[].{name}()", meaning, *samples, name=f"update {name}")


_DROPPED = (
    'a.at[jnp.where(b > 0, jnp.cumsum(b > 0) - (b > 0), n + 1)].set(b, mode="drop")',
    'a.at[jnp.where(b > 0, 1 + jnp.cumsum(b > 0) - (b > 0), n + 1)].set(b, mode="drop")',
)
_STRIDED = tuple(
    sample(text, 1, a="f64[m, n]", b="f64[n]") for text in ("a.at[::2].set(b[0])", "a.at[1::2, ::-2].set(1)")
)
_KEPT = tuple(sample(text, 1, a="f64[n + 1]", b="f64[n]") for text in _DROPPED)


def _at_places(name: str) -> list[Sample]:
    return [entry._replace(text=entry.text.format(name)) for entry in _AT_PLACES]


_UPDATES = [
    _row("set", _set, "number", *_STRIDED, *_KEPT),
    *(
        _row(name, partial(_updated, name), "positive_real", *_at_places(name) if name in _FOLDS else ())
        for name in _BINARY
    ),
]


_NUMPY = re.compile(r"(?<![\w.])np\.")
# Operations of NumPy that JAX does not have, or that fail on the values of a transformed function.
_ABSENT = {
    "np.add.at", "np.multiply.at", "np.maximum.at", "np.minimum.at", compaction.SPELLING,
    "x[] =", "np.empty", "np.empty_like", "int()", "float()", "np.bool", "sliding_window_view",
    "np.lib.stride_tricks.sliding_window_view", "np.fmax.reduce", "np.fmin.reduce", "np.fmax.accumulate",
    "np.fmin.accumulate", "np.divide.outer", "np.tri", ".sum()", "x if c else y", "not x",
    "np.logical_and.reduceat", "np.logical_or.reduceat", *spans.SPREADS.values(),
}  # fmt: skip


# Samples whose results would be weakly typed, or whose types have other names.
_UNTYPED = {
    "np.where(a > 0, 1, 2)", "np.full((m, n), 3)", "np.full((n,), -np.inf)", "np.full((), n)",
    "np.broadcast_to(2.5, (n,))", "a.astype(int)", "a.astype(float)", "(a > 0).astype(float)",
}  # fmt: skip


def _renamed(text: str) -> str:
    return _NUMPY.sub("jnp.", text)


def _renamed_sample(entry: Sample) -> Sample:
    return entry._replace(text=_renamed(entry.text))


def _as_jax(row: OpRow) -> OpRow:
    samples = tuple(_renamed_sample(entry) for entry in row.samples if entry.text not in _UNTYPED)
    return replace(row, spelling=_renamed(row.spelling), samples=samples)


ELEMENT_TYPES: dict[str, DType] = {
    _renamed(name): dtype for name, dtype in functions.ELEMENT_TYPES.items() if name.startswith("np.") or name == "bool"
} | {"jnp.bfloat16": "bf16"}


ROWS: dict[str, OpRow] = by_spelling(
    [
        *(_as_jax(row) for row in NUMPY.rows.values() if row.spelling not in _ABSENT),
        *_UPDATES,
        *_OWN,
        *spans.rows_of("jnp.arange"),
    ]
)


# What each node of the lattice is converted to next: a common type is the least node that all operands reach.
_NEXT: dict[str, tuple[str, ...]] = {
    "bool": ("i*",), "i*": ("u8", "i8"), "u8": ("i16", "u16"), "u16": ("i32", "u32"), "u32": ("i64", "u64"),
    "u64": ("f*",), "i8": ("i16",), "i16": ("i32",), "i32": ("i64",), "i64": ("f*",), "f*": ("f16", "bf16"),
    "f16": ("f32",), "bf16": ("f32",), "f32": ("f64",), "f64": (),
}  # fmt: skip
_WIDEST = 64


class JaxTypes(ArrayTypes):
    """Type rules of jax.numpy where 64-bit types are enabled."""

    of_negative_reals = "JAX gives zero for a negative real as an unsigned integer"

    def common(self, o: Obligations, operands: Sequence[Operand]) -> DType:
        """Return the common type of operands, as ``jnp.result_type`` does."""
        if not any(operand.is_strong for operand in operands):
            return kind_of(max((operand.dtype for operand in operands), key=_rank_of_kind))
        node = _least_common(_node(operand) for operand in operands)
        if node.endswith("*"):
            o.refuse("the result is only weakly typed; convert an operand first, as x.astype(jnp.float64) does")
        return node  # type: ignore[return-value]  # every other node is a type

    def float_type(self, o: Obligations, dtype: DType) -> DType:  # noqa: ARG002 - every type has one
        """Return the type in which a function of reals is computed: single precision for up to 32 bits."""
        if is_float(dtype):
            return dtype
        return "f64" if is_integer(dtype) and width(dtype) == _WIDEST else "f32"

    def function_strength(self, o: Obligations, tensors: Sequence[SymbolicTensor]) -> Strength:  # noqa: ARG002 - all combine
        """Return how much the result of a function counts: as that of an operator."""
        return operator_strength(tensors)

    def running_type(self, dtype: DType) -> DType:
        """Return the type of a running sum: that of the summands, but for truth values."""
        return "i64" if dtype == "bool" else dtype

    def segment_type(self, o: Obligations, dtype: DType, asked: DType | None) -> DType:
        """Return the type of sums or products of segments: that of the summands, whatever is asked for."""
        if asked is not None:
            o.refuse("JAX folds segments in the type of the array, and ignores `dtype`; convert the array first")
        return dtype

    def filled_type(self, o: Obligations, value: SymbolicTensor) -> DType:
        """Return the element type of an array that is filled with a value, which must have a type."""
        if not value.is_strong:
            o.refuse("an array of Python numbers is only weakly typed; name its dtype")
        return value.dtype

    def real_type(self, o: Obligations) -> DType:  # noqa: ARG002 - the setting gives one default
        """Return double precision."""
        return "f64"


def _rank_of_kind(dtype: DType) -> int:
    return 0 if dtype == "bool" else 1 if is_integer(dtype) else 2


def _node(operand: Operand) -> str:
    if operand.is_strong or operand.dtype == "bool":
        return operand.dtype
    return "i*" if is_integer(operand.dtype) else "f*"


def _reached(node: str) -> frozenset[str]:
    return frozenset({node}).union(*map(_reached, _NEXT[node]))


_REACHED = {node: _reached(node) for node in _NEXT}


def _least_common(nodes: Iterable[str]) -> str:
    common = frozenset.intersection(*(_REACHED[node] for node in nodes))
    return max(common, key=lambda node: len(_REACHED[node]))


X64 = """if not jax.config.jax_enable_x64:
    raise RuntimeError('needs 64 bits: jax.config.update("jax_enable_x64", True)')"""
PRECISE = '@jax.default_matmul_precision("highest")'

TARGET = Target(
    name="jax",
    takes_empty=True,
    short_windows=True,
    rows=ROWS,
    types=JaxTypes(),
    modules={
        "jax": "import jax",
        "jnp": "import jax.numpy as jnp",
        "lax": "from jax import lax",
    },
    element_types=ELEMENT_TYPES,
    constants={
        "jnp.inf": scalar_value(terms.apply("infinity"), Strength.WEAK),
        "jnp.nan": scalar_value(terms.apply("nan"), Strength.WEAK),
        "jnp.newaxis": None,
    },
    table="jnp.array",
    emitter="tensorlift.targets.jax.emit:emit",
    checks={X64: frozenset({"i64", "u64", "f64"})},
    products=frozenset({"@", ".dot()", *(f"jnp.{name}" for name in _PRODUCTS)}),
    precise=PRECISE,
    changes_arrays=False,
    library="jax",
    costs=Costs(operation=16000, view=50, cell=0.33, function=2, product=0.05, loose_product=0.16, in_place=0.33),
    forms=frozenset({"blocked"}),
    segmented=frozenset({"pairs"}),
    helpers=helpers.HELPERS,
)
