"""Targets: the dialects that programs are lifted to, by name."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from tensorlift.targets.target import Target


_BUILT_IN = ("numpy", "jax", "torch", "stablehlo", "linalg", "c")  # packages here, each with its TARGET
_SUFFIX = ".target.json"


def target_names() -> tuple[str, ...]:
    """Return the names of the targets, in the order in which to show them."""
    return _BUILT_IN


def get_target(name: str) -> Target:
    """Return a target: a built-in one, or an imported one by its name or by its file.

    Raises:
        LiftError: TL502, where there is no such target; TL533, where a file holds none.

    """
    if name in _BUILT_IN:
        return _built_in(name)
    file = imported_file(name)
    if not file.is_file():
        remedy = f"use one of: {', '.join((*_BUILT_IN, *imported_names()))}"
        raise refuse("TL502", f"there is no target '{name}'", remedy=remedy)
    return _imported(name, str(file), file.read_text(encoding="utf-8"))


@cache
def _built_in(name: str) -> Target:
    target: Target = import_module(f"tensorlift.targets.{name}").TARGET  # loaded when it is asked for
    return target


@lru_cache(maxsize=8)
def _imported(name: str, file: str, text: str) -> Target:
    from tensorlift.targets.imported import target_of  # noqa: PLC0415 - loaded when asked for
    from tensorlift.targets.imported.record import dialect_from_json  # noqa: PLC0415 - as above

    return target_of(dialect_from_json(text, file), name)


def imported_file(name: str) -> Path:
    """Return the file of an imported target: that of the name itself where it ends as files of targets do."""
    return Path(name) if name.endswith(_SUFFIX) else imported_folder() / f"{name}{_SUFFIX}"


def imported_folder() -> Path:
    """Return the folder that targets are imported to."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "tensorlift" / "targets"


def imported_names() -> tuple[str, ...]:
    """Return the names of the targets that were imported, in order."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in imported_folder().glob(f"*{_SUFFIX}")))


__all__ = ["get_target", "imported_file", "imported_names", "target_names"]
