"""Array libraries that programs run on: how arguments get there, and how results come back as NumPy arrays.

A library is imported when a program that is written for it runs, and only then.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    Program = Callable[..., Any]

_INSTALLATIONS = {"jax": "pip install 'tensorlift[jax]'", "torch": "pip install 'tensorlift[torch]'"}


@dataclass(frozen=True, slots=True)
class _Library:
    """Conversions of a NumPy array or scalar to the library's, and of a result back, in memory of its own."""

    give: Callable[[Any], Any]
    take: Callable[[Any], Any]


def installation(name: str) -> str:
    """Return how to install the library of a target, nothing where it is installed or needed by none; imports none."""
    return _INSTALLATIONS[name] if name in _INSTALLATIONS and find_spec(name) is None else ""


def require_library(name: str) -> None:
    """Refuse to run a program whose library is not installed; nothing is imported here.

    A target that is none of the optional libraries needs nothing.
    """
    missing = installation(name)
    if missing:
        message = f"running the lifted program needs {name}, which is not installed"
        raise refuse("TL607", message, remedy=f"install it: {missing}")


def over_numpy(program: Program, name: str) -> Program:
    """Let a program for a library take and give NumPy arrays and scalars; one for NumPy is given back as it is."""
    load = _LOADERS.get(name)
    if load is None:
        return program
    library = load()

    @functools.wraps(program)
    def converted(*arguments: Any, **named: Any) -> Any:
        returned = program(
            *(_given(library, value) for value in arguments),
            **{key: _given(library, value) for key, value in named.items()},
        )
        return tuple(map(library.take, returned)) if isinstance(returned, tuple) else library.take(returned)

    return converted


def _given(library: _Library, value: Any) -> Any:
    """Give a size, which is a Python integer, as it is."""
    return value if isinstance(value, int) else library.give(value)


def _jax() -> _Library:
    return _Library(import_module("jax.numpy").array, import_module("numpy").array)


def _torch() -> _Library:
    torch, numpy = import_module("torch"), import_module("numpy")

    def take(value: Any) -> Any:
        return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value

    return _Library(lambda value: torch.from_numpy(numpy.asarray(value, order="C")), take)


_LOADERS: dict[str, Callable[[], _Library]] = {"jax": _jax, "torch": _torch}
