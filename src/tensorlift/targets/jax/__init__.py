"""The JAX target: rows with the meanings of jax.numpy, and an emitter that is loaded when it is asked for.

Arrays do not change: ``x.at[...].set(...)`` gives a new one.  Without ``jax_enable_x64``, which is the user's to set,
JAX has no 64-bit types and silently computes in 32 bits: a function in which a value has one must raise then.  In a
function that does not check, no value may depend on that setting.

Types of JAX's results: arrays count by type, Python numbers and what is computed of them alone only by kind.

The rules are those of JAX's type promotion lattice.  JAX calls a result weakly typed where it is one of the lattice's
kinds ``i*`` and ``f*``; such a result's type depends on JAX's settings, so that only numbers may be weakly typed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, scalar_value
from tensorlift.ir.cost import Costs
from tensorlift.ops.dtypes import DType, is_float, is_integer, width
from tensorlift.targets.arrays.promotion import ArrayTypes, Operand, kind_of, operator_strength
from tensorlift.targets.jax.rows import ELEMENT_TYPES, ROWS
from tensorlift.targets.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor


# What each node of the lattice is converted to next: a common type is the least node that all operands reach.
_NEXT: dict[str, tuple[str, ...]] = {
    "bool": ("i*",), "i*": ("u8", "i8"), "u8": ("i16", "u16"), "u16": ("i32", "u32"), "u32": ("i64", "u64"),
    "u64": ("f*",), "i8": ("i16",), "i16": ("i32",), "i32": ("i64",), "i64": ("f*",), "f*": ("f32",), "f32": ("f64",),
    "f64": (),
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
    emitter="tensorlift.targets.jax.emit:emit",
    checks={X64: frozenset({"i64", "u64", "f64"})},
    changes_arrays=False,
    library="jax",
    costs=Costs(operation=16000, view=50, cell=0.33, function=2, product=0.05, loose_product=0.16, in_place=0.33),
    forms=frozenset({"blocked"}),
)
