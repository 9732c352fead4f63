"""Emitted programs as functions on NumPy arrays, whatever they are written for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.runtime.libraries import over_numpy
from tensorlift.runtime.program import load_program

if TYPE_CHECKING:
    from tensorlift.runtime.program import Program


def loaded_plain(text: str, entry: str, library: str, device: str) -> Program:
    """Load the text of a program for a library, as one on the library's arrays that lie on a device."""
    if library == "stablehlo":
        from tensorlift.runtime.xla import load_on_device  # noqa: PLC0415 - only where such a program runs

        return load_on_device(text, entry, device)
    return load_program(text, entry)


def loaded(text: str, entry: str, library: str) -> Program:
    """Load the text of a program for a library, as one that takes and gives NumPy arrays and scalars."""
    if library == "stablehlo":
        from tensorlift.runtime.xla import load_stablehlo  # noqa: PLC0415 - only where such a program runs

        return load_stablehlo(text, entry)
    if library == "linalg":
        from tensorlift.runtime.mlir.program import load_linalg  # noqa: PLC0415 - as above

        return load_linalg(text, entry)
    return over_numpy(load_program(text, entry), library)
