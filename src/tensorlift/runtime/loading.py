"""Emitted programs as functions, whatever they are written for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tensorlift.runtime.libraries import over_numpy
from tensorlift.runtime.program import load_program

if TYPE_CHECKING:
    from tensorlift.runtime.program import Program


def loaded_plain(text: str, entry: str, library: str, device: str) -> Program:
    """Load the text of a program for a library, as one on the library's arrays that lie on a device.

    In JAX this process then has 64-bit types where the program asks for them.
    """
    if library == "stablehlo":
        from tensorlift.runtime.xla import load_on_device  # noqa: PLC0415 - only where such a program runs

        return load_on_device(text, entry, device)
    if library == "jax":
        import_module("jax").config.update("jax_enable_x64", "jax_enable_x64" in text)
    return _on_its_arrays(text, entry, library)


def loaded(text: str, entry: str, library: str) -> Program:
    """Load the text of a program for a library, as one that takes and gives NumPy arrays and scalars."""
    if library == "stablehlo":
        from tensorlift.runtime.xla import load_stablehlo  # noqa: PLC0415 - only where such a program runs

        return load_stablehlo(text, entry)
    return over_numpy(_on_its_arrays(text, entry, library), library)


def _on_its_arrays(text: str, entry: str, library: str) -> Program:
    if library == "linalg":
        from tensorlift.runtime.mlir.program import load_linalg  # noqa: PLC0415 - as above

        return load_linalg(text, entry)
    return load_program(text, entry)
