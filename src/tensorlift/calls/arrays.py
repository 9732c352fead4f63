"""Arrays of JAX and tensors of PyTorch that calls pass: their types, and what is known of their values and memory.

Under ``jax.jit`` and the like an array is *traced*: its type and shape are known, its values are not.  A library is
asked for nothing unless the caller has imported it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    Array = np.ndarray[Any, np.dtype[Any]]


class ArrayLibrary(Protocol):
    """What calls ask about the arrays of a library; ``target`` is its name among targets."""

    target: str
    title: str

    def element(self, array: Any) -> str:
        """Name the element type as NumPy does, where that has it."""

    def is_weak(self, array: Any) -> bool:
        """Tell whether the array is a number whose type counts as little as that of a Python number."""

    def is_traced(self, array: Any) -> bool:
        """Tell whether the values are not known, but only what is computed of them."""

    def values(self, array: Any) -> Array:
        """Give the values of an array that is not traced."""

    def give(self, value: Any, like: Any) -> Any:
        """Make an array of a NumPy array or scalar, where another one lies."""


class _Jax:
    target, title = "jax", "JAX array"

    def element(self, array: Any) -> str:
        return str(array.dtype)

    def is_weak(self, array: Any) -> bool:
        return array.ndim == 0 and bool(array.weak_type)

    def is_traced(self, array: Any) -> bool:
        return isinstance(array, sys.modules["jax"].core.Tracer)

    def values(self, array: Any) -> Array:
        return np.asarray(array)

    def give(self, value: Any, like: Any) -> Any:  # noqa: ARG002 - JAX moves arrays that are bound to no device
        return sys.modules["jax"].numpy.asarray(value)

    def has_64_bits(self) -> bool:
        """Tell whether JAX has 64-bit types here."""
        return bool(sys.modules["jax"].config.jax_enable_x64)


class _Torch:
    target, title = "torch", "tensor"

    def element(self, array: Any) -> str:
        layout = str(array.layout).removeprefix("torch.")
        name = str(array.dtype).removeprefix("torch.")
        return name if layout == "strided" and not array.is_conj() and not array.is_neg() else f"{layout} {name}"

    def is_weak(self, array: Any) -> bool:  # noqa: ARG002 - every tensor has a type
        return False

    def is_traced(self, array: Any) -> bool:
        torch = sys.modules["torch"]
        is_plain = type(array) in (torch.Tensor, torch.nn.Parameter)
        return not is_plain or torch._C._functorch.is_functorch_wrapped_tensor(array)  # noqa: SLF001 - PyTorch has no public name for it

    def values(self, array: Any) -> Array:
        values: Array = array.detach().cpu().numpy()
        return values

    def give(self, value: Any, like: Any) -> Any:
        return sys.modules["torch"].as_tensor(np.asarray(value, order="C"), device=like.device)

    def memory(self, array: Any) -> Array:
        """Give a NumPy array that lies where a tensor lies, on whatever device: nothing may read it."""
        dtype = np.dtype(self.element(array))
        if array.numel() == 0:
            return np.empty(tuple(array.shape), dtype)
        strides = tuple(stride * dtype.itemsize for stride in array.stride())
        return np.asarray(_Place(array.data_ptr(), tuple(array.shape), strides, dtype.str))

    def kept(self, values: list[Any]) -> list[Any]:
        """Copy tensors of which a gradient may be computed later, when some of them have been written."""
        torch = sys.modules["torch"]
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        if not torch.is_grad_enabled() or not any(tensor.requires_grad for tensor in tensors):
            return values
        return [value.clone() if isinstance(value, torch.Tensor) else value for value in values]

    def is_fixed(self, array: Any) -> bool:
        """Tell whether automatic differentiation lets nobody write the tensor."""
        whole = array if array._base is None else array._base  # noqa: SLF001 - as PyTorch itself asks
        return bool(whole.is_leaf and whole.requires_grad and sys.modules["torch"].is_grad_enabled())


class _Place:
    """Memory, for NumPy to describe."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], kind: str) -> None:
        data = (address, False)
        self.__array_interface__ = {"data": data, "shape": shape, "strides": strides, "typestr": kind, "version": 3}


JAX, TORCH = _Jax(), _Torch()


def library_of(value: Any) -> ArrayLibrary | None:
    """Give the library whose array a value is; None for NumPy's and for all else."""
    jax, torch = sys.modules.get("jax"), sys.modules.get("torch")
    if jax is not None and isinstance(value, getattr(jax, "Array", ())):
        return JAX
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return TORCH
    return None


def first_of(values: Iterable[Any]) -> tuple[ArrayLibrary, Any] | None:
    """Give the first array of another library than NumPy, with its library."""
    return next(((library, value) for value in values if (library := library_of(value)) is not None), None)


def on_library(library: ArrayLibrary, like: Any, values: Iterable[Any], *, writes: bool) -> list[Any]:
    """Give the arguments of a program as arrays of a library; numbers of Python stay as they are.

    ``writes`` where some of them will be written afterwards.
    """
    given = [library.give(v, like) if isinstance(v, np.ndarray | np.generic) else v for v in values]
    return TORCH.kept(given) if writes and library is TORCH else given


def is_traced(value: Any) -> bool:
    """Tell whether a value is an array that is traced."""
    library = library_of(value)
    return library is not None and library.is_traced(value)
