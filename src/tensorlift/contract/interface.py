"""The interface of an emitted function: its parameters, and what callers must guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tensorlift.contract.language import Condition, InWords

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.diagnostics import Location


class Role(StrEnum):
    """What a parameter of the emitted function is."""

    SIZE = "size"
    SCALAR = "scalar"
    ARRAY = "array"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the emitted function.

    ``dtype`` is a NumPy name (``float64``).  ``shape`` and ``strides`` are expressions over sizes, one for each
    dimension; the strides are those of the array in the C memory, in elements, and may differ from the dense ones.
    """

    name: str
    role: Role
    dtype: str
    shape: tuple[str, ...] = ()
    strides: tuple[str, ...] = ()

    @property
    def layout(self) -> Mapping[str, tuple[str, ...]] | None:
        """How an array lies in memory."""
        return {"strides": self.strides} if self.role is Role.ARRAY else None


@dataclass(frozen=True, slots=True)
class Precondition:
    """A condition that the proof needs and the source does not state: callers must guarantee it.

    ``text`` is the spelling of ``condition``; ``kind`` says what it is about, ``size``, ``stride``, ``overflow``,
    ``range``, ``argument``, ``no-overlap``, ``distinct-rows``, ``not-null``, ``distinct``, ``extent``, ``integers``,
    ``case`` or ``type``.
    """

    text: str
    reason: str
    location: Location | None = None
    kind: str = ""
    condition: Condition | None = None

    @property
    def stated(self) -> Condition:
        """The condition, in words where there is none."""
        return self.condition or InWords(self.text)
