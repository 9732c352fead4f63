"""The worker that runs an emitted program on every case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.runtime.loading import loaded
from tensorlift.runtime.program import ContractError, call_program

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[Any]]
    Facts = dict[str, Any]


def work(facts: Facts, arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Run ``facts["program"]``, which is written for ``facts["library"]``, for each case.

    The arguments of a case lie under ``number:name``, its results under ``number:position``.  The reply's ``broken``
    says for each case that broke the contract how.
    """
    program = loaded(facts["program"], facts["entry"], facts["library"])
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
