"""A mesh of devices that JAX spreads one program over: every array is cut along its first axis that the devices divide.

What an operation needs of the others' parts, XLA lets the devices exchange: the program is the same.  On a CPU the
devices are made: JAX takes the one machine for several.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_AXIS = "devices"
_MADE = "--xla_force_host_platform_device_count"


def make_host_devices(count: int) -> None:
    """Let JAX see one CPU as several devices; to be called before it is imported."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_MADE}={count}".strip()


def cut_axis(shape: Sequence[int], count: int) -> int | None:
    """Choose the axis along which devices share an array: the first that they divide; None without one."""
    return next((axis for axis, extent in enumerate(shape) if extent and extent % count == 0), None)


def spread_over(devices: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what places an array on all of some devices, in parts where it can be cut and whole on each otherwise."""
    sharding, array = import_module("jax.sharding"), import_module("jax.numpy").array
    shape = import_module("numpy").shape
    mesh = sharding.Mesh(import_module("numpy").array(devices), (_AXIS,))

    def give(value: Any) -> Any:
        axis = cut_axis(shape(value), len(devices))
        cut = sharding.PartitionSpec(*([None] * axis + [_AXIS])) if axis is not None else sharding.PartitionSpec()
        return array(value, device=sharding.NamedSharding(mesh, cut))

    return give


def parts(value: Any) -> int:
    """Count the devices that hold different parts of an array of JAX's; 1 where each holds all of it."""
    return len({str(shard.index) for shard in value.addressable_shards})
