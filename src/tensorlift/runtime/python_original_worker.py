"""The worker that calls a Python original; it alone executes code under analysis.

Where Numba is not installed, its decorators are the identity and its ``prange`` is ``range``: so they are defined.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, np.dtype[Any]]
    Facts = dict[str, Any]


def work(facts: Facts, arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Call ``facts["function"]`` of the source for every case.

    The arguments of a case lie under ``number:name``; the reply holds the arrays after the call under the same keys,
    with what the function returned under the names of ``facts["returns"]``.
    """
    if "numba" not in sys.modules and importlib.util.find_spec("numba") is None:
        sys.modules["numba"] = _plain_numba()
    namespace: dict[str, Any] = {"__name__": "original"}
    exec(compile(facts["source"], "<original>", "exec"), namespace)  # noqa: S102 - that is what this worker is for
    function = namespace[facts["function"]]
    results: dict[str, Array] = {}
    for number in range(facts["cases"]):
        mine = {key: value for key, value in arrays.items() if key.startswith(f"{number}:")}
        with np.errstate(all="ignore"):
            results |= _call(function, facts, number, mine)
    return {}, results


def _call(function: Callable[..., Any], facts: Facts, number: int, arrays: dict[str, Array]) -> dict[str, Array]:
    results = dict(arrays)
    given: list[Any] = []
    for parameter in facts["parameters"]:
        stored = arrays[f"{number}:{parameter['name']}"]
        given.append(_argument(stored, parameter))
    returned = function(*given)
    for parameter, value in zip(facts["parameters"], given, strict=True):
        key = f"{number}:{parameter['name']}"
        if parameter["array"]:
            results[key] = np.asarray(value, arrays[key].dtype)
    items = returned if isinstance(returned, tuple) else (returned,)
    for name, value in zip(facts["returns"], items, strict=False):
        dtype = arrays[f"{number}:{name}"].dtype if name else np.dtype(facts["result"])
        results[f"{number}:{name}"] = np.asarray(value, dtype)
    return results


def _argument(stored: Array, parameter: Facts) -> Any:
    """Give an array as itself or as nested lists, a number as one of Python's."""
    if not parameter["array"]:
        return stored.item()
    return stored.tolist() if parameter["list"] else stored.copy()


def _plain_numba() -> types.ModuleType:
    module = types.ModuleType("numba")

    def compiled(*arguments: Any, **_options: Any) -> Any:
        return arguments[0] if arguments and callable(arguments[0]) else lambda function: function

    module.__dict__.update({"njit": compiled, "jit": compiled, "prange": range})
    return module
