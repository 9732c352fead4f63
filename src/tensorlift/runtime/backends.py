"""Backends: what lifted programs can be run on, one row each.

A backend names the target that a function is lifted to for it, the library that the program needs, and whether the
program is compiled as a whole.  Nothing is imported before a program runs.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.runtime.libraries import installation, require_library

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CPU, GPU = "cpu", "gpu"
DEVICES = (CPU, GPU)


@dataclass(frozen=True, slots=True)
class Backend:
    """One row: ``module`` is the library that its programs are for, empty where they need none.

    ``compiled`` names how a program is compiled as a whole, empty where it runs operation by operation; with
    ``unrolls`` that would unroll a kept loop, so that a program that has one runs operation by operation.  With
    ``in_memory`` it is C, compiled and called as the original is, over the caller's memory.
    """

    name: str
    target: str
    module: str = ""
    compiled: str = ""
    unrolls: bool = False
    devices: tuple[str, ...] = (CPU,)
    description: str = ""
    in_memory: bool = False


BACKENDS = (
    Backend("numpy", "numpy", "numpy", description="NumPy"),
    Backend("jax", "jax", "jax", "jit", unrolls=True, devices=DEVICES, description="JAX, under jax.jit"),
    Backend("xla", "stablehlo", "stablehlo", devices=DEVICES, description="XLA, from StableHLO of these sizes"),
    Backend("torch", "torch", "torch", devices=DEVICES, description="PyTorch, operation by operation"),
    Backend("torch-compile", "torch", "torch", "compile", devices=DEVICES, description="PyTorch, under torch.compile"),
    Backend("mlir", "linalg", "linalg", description="upstream MLIR, compiled by LLVM in memory"),
    Backend("c", "c", description="C with calls of BLAS, at -O3 -march=native", in_memory=True),
)


def backend_names() -> tuple[str, ...]:
    """Return the names of the backends, in the order in which to show them."""
    return tuple(backend.name for backend in BACKENDS)


def get_backend(name: str, device: str = CPU) -> Backend:
    """Return a backend; raises LiftError TL630 where there is none of that name, TL635 where it has no such device."""
    found = next((backend for backend in BACKENDS if backend.name == name), None)
    if found is None:
        raise refuse("TL630", f"there is no backend '{name}'", remedy=instead(name, backend_names()))
    if device not in found.devices:
        able = [backend.name for backend in BACKENDS if device in backend.devices]
        message = f"the backend '{name}' does not run on a {device.upper()}"
        raise refuse("TL635", message, remedy=f"use one of: {', '.join(able)}" if able else "leave --device out")
    return found


def require_backend(backend: Backend) -> None:
    """Refuse a backend whose library is not installed with LiftError TL607; nothing is imported here."""
    require_library(backend.module)


def missing(backend: Backend) -> str:
    """Say how to install what a backend needs, nothing where it is here; nothing is imported."""
    return installation(backend.module)


def chosen_backends(names: Sequence[str], device: str = CPU) -> tuple[Backend, ...]:
    """Return the backends that are asked for; of none, all that have the device.

    Raises LiftError TL630, TL635, and TL607 where one that is asked for is not installed.
    """
    if not names:
        return tuple(backend for backend in BACKENDS if device in backend.devices)
    found = tuple(get_backend(name, device) for name in dict.fromkeys(names))
    for backend in found:
        require_backend(backend)
    return found


def instead(wrong: str, accepted: Iterable[str]) -> str:
    """Suggest the accepted name that is like a wrong one, else all of them."""
    names = list(accepted)
    near = difflib.get_close_matches(wrong, names, 1)
    return f"did you mean '{near[0]}'?" if near else f"accepted: {', '.join(names) or 'none'}"
