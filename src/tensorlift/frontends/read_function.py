"""What every front end gives for a function of its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Diagnostic, Location


@dataclass(frozen=True)
class ReadFunction:
    """One function of a file: its module in the loop IR, or the diagnostics that refuse it.

    With a module, the diagnostics are notes and warnings.
    """

    name: str
    location: Location
    module: ModuleOp | None
    diagnostics: tuple[Diagnostic, ...] = ()
