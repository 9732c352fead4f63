"""The checks of ``--mesh`` that commands share: only JAX has several devices, and these must share something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.diagnostics import Location
    from tensorlift.runtime.backends import Backend
    from tensorlift.runtime.measure import Measured


def check_mesh(backends: Iterable[Backend]) -> None:
    """Refuse backends that run on one device, with TL642."""
    for backend in backends:
        if backend.name != "jax":
            message = f"the backend '{backend.name}' runs on one device"
            raise refuse("TL642", message, remedy="use --backend jax, or leave --mesh out")


def check_spread(measured: Measured, mesh: int, place: Location | None) -> None:
    """Refuse sizes at which no array is spread over several devices, with TL643."""
    if mesh > 1 and max(measured.parts.values(), default=1) == 1:
        message = f"no array has an extent that {mesh} devices divide"
        raise refuse("TL643", message, place, f"give sizes that are multiples of {mesh}")
