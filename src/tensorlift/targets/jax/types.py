"""Types of JAX's results: arrays count by type, Python numbers and what is computed of them alone only by kind.

The rules are those of JAX's type promotion lattice.  JAX calls a result weakly typed where it is one of the lattice's
kinds ``i*`` and ``f*``; such a result's type depends on JAX's settings, so that only numbers may be weakly typed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ops.dtypes import DType, is_float, is_integer, width
from tensorlift.targets.arrays.promotion import ArrayTypes, Operand, kind_of, operator_strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor

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
