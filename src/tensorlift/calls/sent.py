"""Lifted functions that are pickled: for other processes, and for those of joblib, Dask and multiprocessing.

A function that its module holds under its name is pickled by that name, as Python's functions are.  Any other is
pickled as the original, however that is, with the choices that it was lifted with; the texts of its files go with it,
for where these are not.  What a script or a notebook defines is found by its name in a copy of that process, and is
sent by value to any other, where ``cloudpickle`` is installed.
"""

from __future__ import annotations

import inspect
import linecache
import pickle
import sys
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Place = tuple[str, int, str, str]

_SCRIPT = "__main__"


def reduced(
    lifted: Any, make: Callable[..., Any], choices: Mapping[str, Any], places: Sequence[Place]
) -> str | tuple[Any, ...]:
    """Give what `pickle` takes for a lifted function; ``make`` makes one, with ``choices``.

    ``places`` are the names of the function and its helpers, each with its first line, its file, and the text of that.
    """
    module, name = getattr(lifted, "__module__", None), str(getattr(lifted, "__qualname__", ""))
    named = _named(module, name)
    parts = make, lifted.original, lifted.target, dict(choices)
    if named is lifted:
        if module != _SCRIPT or find_spec("cloudpickle") is None:
            return name
        by_value: bytes = import_module("cloudpickle").dumps((_rebuilt, (*parts, places)))
        return _found, (name, by_value)
    if named is lifted.original:
        return _rebuilt, (*parts, ())
    if getattr(named, "original", None) is lifted.original:  # lifted twice, to other targets perhaps
        return _rebuilt, (make, named, *parts[2:], ())
    return _rebuilt, (*parts, places)


def _named(module: str | None, name: str) -> Any:
    """Find what a module holds under a name."""
    found: Any = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _found(name: str, by_value: bytes) -> Any:
    """Give what the script of this process holds under a name, if that is the same; else what was sent."""
    rebuild, parts = pickle.loads(by_value)  # noqa: S301 - a part of what is being unpickled
    _, original, target, choices, _ = parts
    known = _named(_SCRIPT, name)
    is_same = getattr(getattr(known, "original", None), "__code__", known) == getattr(original, "__code__", None)
    if is_same and known.target == target and known._choices == choices:  # noqa: SLF001 - of our own
        return known
    return rebuild(*parts)


def _rebuilt(
    make: Callable[..., Any], function: Any, target: str, choices: Mapping[str, Any], places: Sequence[Place]
) -> Any:
    """Lift a function that was sent, with the texts that it was defined in where these cannot be read here."""
    for _, _, name, text in places:
        if not linecache.getlines(name):
            linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    _name_files(function, {(name, line): file for name, line, file, _ in places}, set())
    return make(getattr(function, "original", function), target, **choices)


def _name_files(function: Any, files: Mapping[tuple[str, int], str], known: set[int]) -> None:
    """Let a function and its helpers name their files, which ``cloudpickle`` forgets."""
    function = getattr(function, "original", function)
    if not isinstance(function, FunctionType) or id(function) in known:
        return
    known.add(id(function))
    code = function.__code__
    file = files.get((code.co_name, code.co_firstlineno), code.co_filename)
    if file != code.co_filename:
        function.__code__ = code.replace(co_filename=file)
    for value in inspect.getclosurevars(function)[:2]:
        for used in value.values():
            _name_files(used, files, known)
