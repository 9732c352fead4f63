"""The engines by their names: each finds a program that computes a summary with the operations of a target."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorlift.synthesis.derive import derive

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.targets.target import Target

Search = Callable[["Summary", "Target"], "TensorProgram"]
_DEFAULT = "derive"
# ``module:function``, loaded when first asked for
_ENGINES = {"sketch": "tensorlift.synthesis.sketch:sketch"}


def engine_names() -> list[str]:
    """Return the names of all engines."""
    return [_DEFAULT, *_ENGINES]


def name_of(engine: str) -> str:
    """Return the name of the engine that a request is given to."""
    return _DEFAULT if engine == "auto" else engine


def search_by(engine: str) -> Search:
    """Return the search of an engine."""
    place = _ENGINES.get(name_of(engine))
    if place is None:
        return derived
    module, _, function = place.partition(":")
    found: Search = getattr(importlib.import_module(module), function)
    return found


def derived(summary: Summary, _: Target) -> TensorProgram:
    """Derive a program: every target can spell what derivation gives."""
    return derive(summary)
