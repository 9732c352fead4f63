"""Where the elements of an array lie in the C memory: extents and strides of a parameter at given sizes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from tensorlift.contract.notation import parse_sum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.ir.function import Parameter


@dataclass(frozen=True, slots=True)
class Layout:
    """Extents and strides of one array in elements, and whether C sees it as a table of row pointers."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    row_pointers: bool

    @property
    def span(self) -> int:
        """The number of elements from the first to behind the last."""
        if 0 in self.shape:
            return 0
        return 1 + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True))

    @property
    def is_injective(self) -> bool:
        """Whether distinct elements have distinct places: each stride passes all that lies inside of it."""
        inner = 1
        for stride, extent in sorted((s, n) for s, n in zip(self.strides, self.shape, strict=True) if n > 1):
            if stride < inner:
                return False
            inner = stride * (extent - 1) + inner
        return True


def layout_of(parameter: Parameter, sizes: Mapping[str, int]) -> Layout:
    """Lay an array parameter out; raises ValueError where its extents are not known or negative."""
    if parameter.extents is None:
        raise ValueError(f"the extents of {parameter.name} are not known")
    shape = tuple(extent.at(sizes) for extent in parameter.extents)
    if any(extent < 0 for extent in shape):
        raise ValueError(f"{parameter.name} has negative extents {shape}")
    if parameter.strides is None:
        strides = tuple(prod(shape[k + 1 :]) for k in range(len(shape)))
    else:
        strides = tuple(evaluate(stride, sizes) for stride in parameter.strides)
    return Layout(shape, strides, parameter.c_type.replace(" ", "").endswith("**"))


def evaluate(polynomial: str, sizes: Mapping[str, int]) -> int:
    """Evaluate a polynomial over parameter names and quotients, ``m*k + 1``; raises ValueError for anything else."""
    try:
        return parse_sum(polynomial).at(sizes, {})
    except (KeyError, ValueError) as error:
        raise ValueError(f"'{polynomial}' is no polynomial over the sizes {', '.join(sizes)}") from error
