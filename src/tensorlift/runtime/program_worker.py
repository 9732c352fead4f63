"""The worker that runs an emitted program on every case.

Emitted programs as functions, whatever they are written for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.runtime.libraries import over_numpy, round_each_product
from tensorlift.runtime.program import ContractError, call_program, load_program

if TYPE_CHECKING:
    from tensorlift.runtime.compare import Array
    from tensorlift.runtime.program import Program

    Facts = dict[str, Any]


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


def work(facts: Facts, arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Run ``facts["program"]``, which is written for ``facts["library"]``, for each case.

    The arguments of a case lie under ``number:name``, its results under ``number:position``.  The reply's ``broken``
    says for each case that broke the contract how.
    """
    text, library = facts["program"], facts["library"]
    if library == "stablehlo":
        round_each_product()
    program = loaded(text, facts["entry"], library)
    broken: dict[str, str] = {}
    results: dict[str, Array] = {}
    for number in range(facts["cases"]):
        arguments = {name: _argument(arrays[f"{number}:{name}"], role) for name, role in facts["roles"].items()}
        try:
            values = call_program(program, arguments, facts["outputs"])
        except ContractError as error:
            broken[str(number)] = str(error)
        else:
            results |= {f"{number}:{position}": np.asarray(value) for position, value in enumerate(values)}
    return {"broken": broken}, results


def _argument(stored: Array, role: str) -> Any:
    """Give a size as a Python integer, a scalar as a NumPy scalar, an array as itself."""
    return int(stored) if role == "size" else stored[()] if role == "scalar" else stored
