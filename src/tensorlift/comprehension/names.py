"""Fresh variable names: bound indices never clash, and the same input always gets the same names."""

from __future__ import annotations

import itertools

_counter = itertools.count()


def fresh(prefix: str) -> str:
    """Return a variable name that no other call since the last `reset_names` has returned."""
    return f"{prefix}_{next(_counter)}"


def reset_names() -> None:
    """Start counting again; the pipeline does so for each function, so that its output is deterministic."""
    global _counter  # noqa: PLW0603 - one supply for the process, restarted between functions
    _counter = itertools.count()
