"""Targets: the dialects that programs are lifted to, by name."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from tensorlift.targets.target import Target


def _numpy() -> Target:
    from tensorlift.targets.numpy import TARGET  # noqa: PLC0415 - a target is loaded when it is asked for

    return TARGET


def _jax() -> Target:
    from tensorlift.targets.jax import TARGET  # noqa: PLC0415 - as above

    return TARGET


def _torch() -> Target:
    from tensorlift.targets.torch import TARGET  # noqa: PLC0415 - as above

    return TARGET


def _stablehlo() -> Target:
    from tensorlift.targets.stablehlo import TARGET  # noqa: PLC0415 - as above

    return TARGET


def _c() -> Target:
    from tensorlift.targets.c import TARGET  # noqa: PLC0415 - as above

    return TARGET


def _linalg() -> Target:
    from tensorlift.targets.linalg import TARGET  # noqa: PLC0415 - as above

    return TARGET


_REGISTRY = {
    "numpy": _numpy,
    "jax": _jax,
    "torch": _torch,
    "stablehlo": _stablehlo,
    "linalg": _linalg,
    "c": _c,
}


def target_names() -> tuple[str, ...]:
    """Return the names of the targets, in the order in which to show them."""
    return tuple(_REGISTRY)


@cache
def get_target(name: str) -> Target:
    """Return a target.

    Raises:
        LiftError: TL502, where there is no such target.

    """
    load = _REGISTRY.get(name)
    if load is None:
        raise refuse("TL502", f"there is no target '{name}'", remedy=f"use one of: {', '.join(_REGISTRY)}")
    return load()


__all__ = ["get_target", "target_names"]
