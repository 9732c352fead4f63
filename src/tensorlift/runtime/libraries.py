"""Array libraries that programs run on: how arguments get there, and how results come back as NumPy arrays.

A library is imported when a program that is written for it runs, and only then.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

_INSTALLATIONS = {"jax": "pip install 'tensorlift[jax]'", "torch": "pip install 'tensorlift[torch]'"}


@dataclass(frozen=True, slots=True)
class Library:
    """Conversions from a NumPy array or scalar, and from a result back to NumPy."""

    give: Callable[[Any], Any]
    take: Callable[[Any], Any]


def require_library(name: str) -> None:
    """Refuse to run a program whose library is not installed; nothing is imported here.

    A target that is none of the optional libraries needs nothing.
    """
    if name in _INSTALLATIONS and find_spec(name) is None:
        remedy = f"install it: {_INSTALLATIONS[name]}"
        raise refuse("TL607", f"running the lifted program needs {name}, which is not installed", remedy=remedy)


def load_library(name: str) -> Library:
    """Import a library; without a name it is NumPy."""
    return _LOADERS[name]()


def _numpy() -> Library:
    return Library(_itself, _itself)


def _jax() -> Library:
    return Library(import_module("jax.numpy").array, np.array)


def _torch() -> Library:
    torch = import_module("torch")
    return Library(lambda value: torch.from_numpy(np.asarray(value)), lambda value: _from_torch(torch, value))


def _from_torch(torch: Any, value: Any) -> Any:
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value


def _itself(value: Any) -> Any:
    return value


_LOADERS: dict[str, Callable[[], Library]] = {"": _numpy, "jax": _jax, "torch": _torch}
