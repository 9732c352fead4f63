"""The worker that calls a Python original; it alone executes code under analysis.

Where Numba is not installed, its decorators are the identity and its ``prange`` is ``range``: so they are defined.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import types
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.runtime.compare import Array

    Facts = dict[str, Any]


class PythonCall:
    """One call of a Python function: its arguments made anew for each call.

    The arguments of the case lie under ``number:name``.
    """

    def __init__(self, facts: Facts, number: int, arrays: dict[str, Array]) -> None:
        """Run the source, which defines ``facts["function"]``."""
        self._facts, self._number = facts, number
        self._arrays = {key: value for key, value in arrays.items() if key.startswith(f"{number}:")}
        self._function = _loaded(facts)
        self._given: list[Any] = []
        self._returned: Any = None
        self.restore()

    def restore(self) -> None:
        """Make the arguments anew."""
        parameters = self._facts["parameters"]
        self._given = [_argument(self._arrays[f"{self._number}:{p['name']}"], p) for p in parameters]

    def __call__(self) -> float:
        """Call once; give the seconds that the function took."""
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            self._returned = self._function(*self._given)
        return time.perf_counter() - start

    def after(self) -> dict[str, Array]:
        """Give the arrays as they are now, with what was returned under the names of ``facts["returns"]``."""
        results, facts, number = dict(self._arrays), self._facts, self._number
        for parameter, value in zip(facts["parameters"], self._given, strict=True):
            key = f"{number}:{parameter['name']}"
            if parameter["array"]:
                results[key] = np.asarray(value, self._arrays[key].dtype)
        items = self._returned if isinstance(self._returned, tuple) else (self._returned,)
        for name, value in zip(facts["returns"], items, strict=False):
            dtype = self._arrays[f"{number}:{name}"].dtype if name else np.dtype(facts["result"])
            results[f"{number}:{name}"] = np.asarray(value, dtype)
        return results


def work(facts: Facts, arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Call the function for every case; the reply holds the arrays after the calls under the keys of the arguments.

    It says what was raised in the cases whose numbers have no result, as the root of one below zero.  What NumPy leaves
    unset in a new array is 0, as in lifted programs: any number would do.
    """
    vars(np).update(empty=np.zeros, empty_like=np.zeros_like)
    results: dict[str, Array] = {}
    raised: dict[str, str] = {}
    for number in range(facts["cases"]):
        call = PythonCall(facts, number, arrays)
        try:
            call()
        except (ArithmeticError, ValueError) as error:
            if not _is_arithmetic(error):
                raise
            raised[str(number)] = f"{type(error).__name__}: {error}"
        else:
            results |= call.after()
    return {"raised": raised}, results


def _is_arithmetic(error: Exception) -> bool:
    """Tell whether numbers had no result, and not whether arguments did not fit."""
    return isinstance(error, ArithmeticError) or str(error).startswith(("math domain error", "expected a "))


def _loaded(facts: Facts) -> Callable[..., Any]:
    if "numba" not in sys.modules and importlib.util.find_spec("numba") is None:
        sys.modules["numba"] = _plain_numba()
    namespace: dict[str, Any] = {"__name__": "original"}
    exec(compile(facts["source"], "<original>", "exec"), namespace)  # noqa: S102 - that is what this worker is for
    function: Callable[..., Any] = namespace[facts["function"]]
    return function


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
