"""Arrays of libraries that a program is not written for: taken as NumPy's, and given back as what they are.

What has ``__dlpack__`` or ``__array__`` is taken, without a copy where its memory can be seen; so are JAX's arrays by
programs for PyTorch, tensors by programs for JAX, and both by programs for NumPy.  Results are made arrays of the
library of the first such argument, where that can be done: of JAX, PyTorch, or the array API standard.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.calls.errors import wrong_type, wrong_value
from tensorlift.calls.kinds import JAX, TORCH, library_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.calls.kinds import Array

_WIDE = {"float64", "int64", "uint64"}
_X64 = 'call `jax.config.update("jax_enable_x64", True)` first'


def is_foreign(value: Any, target: str) -> bool:
    """Tell whether a value is an array of another library than NumPy and that of the target."""
    if isinstance(value, np.ndarray | np.generic):
        return False
    library = library_of(value)
    if library is not None:
        return library.target != target
    return hasattr(type(value), "__dlpack__") or hasattr(type(value), "__array__")


def as_numpy(value: Any, name: str, target: str) -> Any:
    """Give an array of another library as NumPy's, one without axes as a number.

    Raises ArgumentTypeError where its values are not known here, or a gradient would be lost.
    """
    library = library_of(value)
    if library is not None:
        what = "is traced" if library.is_traced(value) else "requires a gradient" if _needs_gradient(value) else ""
        if what:
            message = f"`{name}` is a {library.title} that {what}, which a program for {target} does not take"
            raise wrong_type(message, f'lift with `to="{library.target}"`, or pass an array of NumPy')
    try:
        found = _converted(value)
    except Exception as error:  # noqa: BLE001 - the object is the caller's, and may fail in any way
        message = f"`{name}` cannot be taken as an array of NumPy: {type(error).__name__}: {error}"
        raise wrong_type(message, "pass an array of NumPy") from None
    if found.ndim:
        return found
    return found.item() if library is JAX and JAX.is_weak(value) else found[()]


def _needs_gradient(value: Any) -> bool:
    return library_of(value) is TORCH and bool(value.requires_grad) and sys.modules["torch"].is_grad_enabled()


def _converted(value: Any) -> Array:
    if library_of(value) is TORCH:
        return TORCH.values(value)
    if library_of(value) is None and hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError):  # read-only, on another device, of another type
            if not hasattr(value, "__array__"):
                raise
    return np.asarray(value)


def given_back(value: Any, like: Any) -> Any:
    """Make what a program computed an array of the library of ``like``; one of NumPy where none can be made.

    Arrays and numbers of NumPy are; all else is given back as it is.
    """
    if not isinstance(value, np.ndarray | np.generic):
        return value
    library = library_of(like)
    if library is not None:
        return library.give(value, like)
    namespace = getattr(like, "__array_namespace__", None)
    return value if namespace is None else namespace().asarray(value, device=like.device)


def check_results(dtypes: Iterable[str], like: Any) -> None:
    """Refuse results that the library of ``like`` has no types for; raises ArgumentTypeError."""
    if library_of(like) is JAX and not JAX.has_64_bits() and not _WIDE.isdisjoint(dtypes):
        raise wrong_type("the program gives numbers of 64 bits, which JAX has switched off", _X64)


def check_written(value: Any, name: str) -> None:
    """Refuse to write an array whose memory cannot be; raises ArgumentValueError.

    New arrays of JAX are given back, and tensors can be stored into on all devices.
    """
    if library_of(value) is not None:
        return
    held = _converted(value)
    if not (held.flags.writeable and np.may_share_memory(held, _converted(value))):
        raise wrong_value(f"the function writes `{name}`, of which only a copy can be taken", "pass an array of NumPy")


def seen(value: Any) -> Any:
    """Give an array of NumPy that lies where one of another library does; a tensor as it is."""
    return value if library_of(value) is TORCH else _converted(value)
