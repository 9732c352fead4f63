"""Emitting NumPy: the spelling of what other libraries with NumPy's interface do not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tensorlift.comprehension.dtypes import is_integer
from tensorlift.ir.tensor_program import Literal
from tensorlift.targets.python_text.array_speller import ArraySpeller, element_types_of, functions_of
from tensorlift.targets.python_text.contractions import einsum_text
from tensorlift.targets.python_text.emission import Emission
from tensorlift.targets.python_text.text import Text, call

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Contraction, Elementwise, Expression, TensorProgram, Windows
    from tensorlift.targets.emitted import Emitted


def emit(program: TensorProgram) -> Emitted:
    """Return the program as Python source over NumPy.

    Raises:
        LiftError: TL305 where NumPy has no such function, TL306 where the program returns nothing.

    """
    return _NumpyEmission(program).emit()


class _NumpySpeller(ArraySpeller):
    name = "np"
    title = "NumPy"
    functions = functions_of("np")
    dtypes = element_types_of("np")
    accumulations: ClassVar = {
        "sum": "np.cumsum", "prod": "np.cumprod", "max": "np.maximum.accumulate", "min": "np.minimum.accumulate",
        "fmax": "np.fmax.accumulate", "fmin": "np.fmin.accumulate", "any": "np.logical_or.accumulate",
        "all": "np.logical_and.accumulate",
    }  # fmt: skip

    def function(self, node: Elementwise) -> Text:
        """Spell a scalar function; by a positive number, an array is divided several times faster than by ``tdiv``."""
        dividend, *divisors = node.arguments
        if node.op != "tdiv" or not dividend.shape or not all(map(_is_positive, divisors)):
            return super().function(node)
        self.used["tdiv_positive"] = None
        left, right = self.operands(node)
        divisor = right if node.dtype == "i64" else self.converted(right, node.dtype)  # a truth value times b is a b
        return call("tdiv_positive", left.source, divisor.source)

    def contraction(self, node: Contraction) -> Text:
        """Spell a sum of products; that of integers is several times slower with ``@``, which has no BLAS for it."""
        return einsum_text(node, self) if is_integer(node.dtype) else super().contraction(node)

    def windows(self, node: Windows) -> Text:
        """Spell windows along axes."""
        self.used["sliding_window_view"] = None
        extents = self.shape(node.extents)
        whole = node.axes == tuple(range(node.argument.rank))
        axis = "" if whole else str(node.axes[0] if len(node.axes) == 1 else node.axes)
        return call("sliding_window_view", self(node.argument).source, extents, axis=axis)


def _is_positive(node: Expression) -> bool:
    return isinstance(node, Literal) and not isinstance(node.value, str) and node.value > 0


class _NumpyEmission(Emission):
    speller = _NumpySpeller
    reserved = frozenset({"np", "sliding_window_view", "isinstance", "int", "ValueError"})

    def imports(self) -> list[str]:
        """Import NumPy, and its windows where they are used."""
        lines = ["import numpy as np"]
        if "sliding_window_view" in self.spell.used:
            lines.append("from numpy.lib.stride_tricks import sliding_window_view")
        return lines
