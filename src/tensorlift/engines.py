"""The engines by their names: each finds a program that computes a summary with the operations of a target."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from tensorlift.source import read_source
from tensorlift.synthesis.derive import derive

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.targets.target import Target

Search = Callable[["Summary", "Target"], "TensorProgram"]
_DEFAULT, _TACTICS = "derive", "tactics"
# ``module:function``, loaded when first asked for
_ENGINES = {
    "sketch": "tensorlift.synthesis.sketch:sketch",
    "enumerate": "tensorlift.synthesis.enumerate:enumerated",
}


def engine_names() -> list[str]:
    """Return the names of all engines."""
    return [_DEFAULT, _TACTICS, *_ENGINES]


def name_of(engine: str) -> str:
    """Return the name of the engine that a request is given to."""
    return _DEFAULT if engine == "auto" else engine


def search_by(engine: str, tactics: tuple[str, ...] = ()) -> Search:
    """Return the search of an engine; ``tactics`` are files whose tactics go before those of the library.

    Raises:
        LiftError: TL321 to TL325, where a file holds no tactics or one that contradicts itself; TL501 without the file.

    """
    if name_of(engine) == _TACTICS:
        return _by_tactics(tuple((source.name, source.text) for source in map(read_source, tactics)))
    place = _ENGINES.get(name_of(engine))
    if place is None:
        return derived
    module, _, function = place.partition(":")
    found: Search = getattr(importlib.import_module(module), function)
    return found


def derived(summary: Summary, _: Target) -> TensorProgram:
    """Derive a program: every target can spell what derivation gives."""
    return derive(summary)


@lru_cache(maxsize=8)
def _by_tactics(files: tuple[tuple[str, str], ...]) -> Search:
    from tensorlift.synthesis.tactics import Engine, load_tactics, shipped_tactics  # noqa: PLC0415 - loads the library

    engine = Engine(shipped_tactics(), [tactic for name, text in files for tactic in load_tactics(text, name)])
    return lambda summary, _: engine.program(summary)


def show_tactics(files: tuple[str, ...]) -> str:
    """Return the tactics of files, or of the library, as the steps that they stand for.

    Raises:
        LiftError: as `search_by`.

    """
    from tensorlift.synthesis.tactics import load_tactics, shipped_tactics  # noqa: PLC0415 - loads the library

    sources = [read_source(file) for file in files]
    found = [tactic for source in sources for tactic in load_tactics(source.text, source.name)]
    return "\n".join(str(tactic.program) for tactic in (found if files else shipped_tactics()))
