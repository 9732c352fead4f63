"""Changing the text of a program in small ways: ``mutant`` for the programs of all targets.

A change has a kind, such as "operator" or "line left out".  Kinds are equally likely, then their changes, so that what
is everywhere in a text, such as names, does not crowd out what is rare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.mutation.python_text import python_changes
from bench.mutation.tokens import c_changes, mlir_changes

if TYPE_CHECKING:
    from random import Random

    from tensorlift.targets.target import Target

_CHANGES = {"python": python_changes, "mlir": mlir_changes, "c": c_changes}
_TWO = 0.2  # the share of mutants with a second change
_TRIES = 20  # changes that may give the same text, or none


def mutant(text: str, target: Target, rng: Random) -> str:
    """Return a text that differs from the program of a target in one place, or in two where that can be."""
    changed = _changed(text, target, rng)
    if changed is None:
        raise ValueError("nothing in the text can be changed")
    return (_changed(changed, target, rng) or changed) if rng.random() < _TWO else changed


def _changed(text: str, target: Target, rng: Random) -> str | None:
    kinds = _CHANGES[target.language](text, target, rng)
    for _ in range(_TRIES):
        changed = rng.choice(kinds[rng.choice(sorted(kinds))])()
        if changed is not None and changed != text:
            return changed
    return None
