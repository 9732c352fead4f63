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
        self._given = [_argument(self._arrays, f"{self._number}:", p) for p in self._facts["parameters"]]

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
                stored = _in_parts(value) if "parts" in parameter else value
                results[key] = _array(stored, self._arrays[key])
        items = self._returned if isinstance(self._returned, tuple) else (self._returned,)
        if facts.get("split"):
            ways = zip(facts["split"], items, strict=True)
            items = tuple(part for way, item in ways for part in _split(item, way))
        for name, value in zip(facts["returns"], items, strict=False):
            key = f"{number}:{name}"
            results[key] = _array(value, self._arrays[key]) if name else np.asarray(value, facts["result"])
        return results


def _array(value: Any, like: Array) -> Array:
    """Give a value as an array; lists without any number in them do not say what extents they have."""
    array = np.asarray(value, like.dtype)
    return array.reshape(like.shape) if isinstance(value, list) and array.size == like.size == 0 else array


def _split(item: Any, way: str) -> list[Any]:
    """Give what is returned in the way in which the lifted program gives it."""
    if way == "real":
        return [item]
    return [_in_parts(item)] if way == "pairs" else [np.real(item), np.imag(item)]


def _in_parts(value: Any) -> Array:
    """Give complex numbers as pairs."""
    return np.stack([np.real(value), np.imag(value)], axis=-1)


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


def _argument(arrays: dict[str, Array], start: str, parameter: Facts) -> Any:
    """Give an array as itself or as nested lists, a number as one of Python's; complex ones made of their parts."""
    if parameter.get("parts"):
        re, im = (arrays[f"{start}{name}"] for name in parameter["parts"])
        return complex(re, im) if re.dtype.itemsize > 4 else np.complex64(complex(re, im))  # noqa: PLR2004 - bytes
    stored = arrays[f"{start}{parameter['name']}"]
    if "parts" in parameter:
        return np.ascontiguousarray(stored).copy().view(f"c{2 * stored.dtype.itemsize}")[..., 0]
    if not parameter["array"]:
        return stored.item()
    return stored.tolist() if parameter["list"] else stored.copy()


def _plain_numba() -> types.ModuleType:
    module = types.ModuleType("numba")

    def compiled(*arguments: Any, **_options: Any) -> Any:
        return arguments[0] if arguments and callable(arguments[0]) else lambda function: function

    module.__dict__.update({"njit": compiled, "jit": compiled, "prange": range})
    return module
