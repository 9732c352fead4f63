"""Array libraries that programs run on: how arguments get there, and how results come back as NumPy arrays.

A library is imported when a program that is written for it runs, and only then.

A mesh of devices that JAX spreads one program over: every array is cut along its first axis that the devices divide.

What an operation needs of the others' parts, XLA lets the devices exchange: the program is the same.  On a CPU the
devices are made: JAX takes the one machine for several.
"""

from __future__ import annotations

import functools
import os
import platform
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Program = Callable[..., Any]


_AXIS = "devices"
_MADE = "--xla_force_host_platform_device_count"


def make_host_devices(count: int) -> None:
    """Let JAX see one CPU as several devices; to be called before its first use."""
    _tell_xla(f"{_MADE}={count}")


def round_each_product() -> None:
    """Let XLA round products before it adds to them; to be called before its first use.

    A fused multiply-add of one that XLA computes twice differs from it: ``t - max(t)`` exceeds 0.
    """
    if platform.machine() in {"x86_64", "AMD64"}:
        _tell_xla("--xla_cpu_max_isa=AVX")  # which has no such instruction


def _tell_xla(flag: str) -> None:
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()


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


# Per library that programs are written for, the package that runs them; it is an extra of ours by its name.
PACKAGES = {"jax": "jax", "torch": "torch", "stablehlo": "jax"}
_MLIR = "apt install mlir-22-tools"


@dataclass(frozen=True, slots=True)
class Library:
    """What running a program takes of a library.

    ``give`` makes its array of a NumPy array or scalar, ``take`` a NumPy array of a result, in memory of its own.
    ``wait`` returns when its arguments are computed; ``compiled`` gives a program that is compiled as a whole, of which
    the parameters that are named are constants.  Calls between NumPy arrays are made while ``computing``.
    """

    give: Callable[[Any], Any]
    take: Callable[[Any], Any]
    wait: Callable[[Any], Any] = type  # everything is computed already
    compiled: Callable[[Program, Sequence[str]], Program] | None = None
    computing: Callable[[], AbstractContextManager[object]] = nullcontext


class NoDeviceError(Exception):
    """Raised where a library finds no such device; the text says which."""


def package_of(name: str) -> str:
    """Return the package that programs for a library run on, which mostly is the library."""
    return "mlir-opt" if name == "linalg" else PACKAGES.get(name, name)


def installation(name: str) -> str:
    """Return how to install the library of a target, nothing where it is installed or needed by none; imports none."""
    if name == "linalg":
        from tensorlift.runtime.mlir.tools import find_tools  # noqa: PLC0415 - a program of its own is started

        return "" if find_tools() is not None else _MLIR
    package = PACKAGES.get(name)
    return f"pip install 'tensorlift[{package}]'" if package is not None and find_spec(package) is None else ""


def require_library(name: str) -> None:
    """Refuse to run a program whose library is not installed; nothing is imported here.

    A target that is none of the optional libraries needs nothing; programs in imported dialects are not run here.
    """
    if name == "imported":
        message = "nothing is known that runs programs in an imported dialect"
        raise refuse("TL615", message, remedy="lower them with the passes of the dialect")
    missing = installation(name)
    if missing:
        message = f"running the lifted program needs {package_of(name)}, which is not installed"
        raise refuse("TL607", message, remedy=f"install it: {missing}")


def over_numpy(program: Program, name: str) -> Program:
    """Let a program for a library take and give NumPy arrays and scalars; one for NumPy is given back as it is."""
    if name not in _LOADERS:
        return program
    library = load_library(name)

    @functools.wraps(program)
    def converted(*arguments: Any, **named: Any) -> Any:
        with library.computing():
            returned = program(
                *(_given(library, value) for value in arguments),
                **{key: _given(library, value) for key, value in named.items()},
            )
            return tuple(map(library.take, returned)) if isinstance(returned, tuple) else library.take(returned)

    return converted


def compilable(function: Program, is_plain: Callable[[], bool]) -> Program:
    """Let ``torch.compile``, where there is one, take a function as a part of its graph where that ``is_plain``.

    Else it calls the function as it is, and traces what stands around the call.
    """
    if installation("torch"):
        return function
    compiler = import_module("torch").compiler
    apart, inside = compiler.disable(function), import_module("torch._dynamo").nonstrict_trace(function)

    def called(*arguments: Any, **named: Any) -> Any:
        if compiler.is_dynamo_compiling():
            return (inside if is_plain() else apart)(*arguments, **named)
        return function(*arguments, **named)

    return called


def load_library(name: str, device: str = "cpu", mesh: int = 0) -> Library:
    """Import a library, to run programs on a ``cpu`` or a ``gpu``; NumPy for the names of all that take its arrays.

    With a ``mesh``, JAX spreads arrays over so many devices.
    Raises NoDeviceError where there is no such device, or fewer.
    """
    if mesh:
        return _jax(device, mesh)
    return _LOADERS.get(name, _numpy)(device)


def _given(library: Library, value: Any) -> Any:
    """Give a size, which is a Python integer, as it is."""
    return value if isinstance(value, int) else library.give(value)


def _numpy(_device: str) -> Library:
    return Library(lambda value: value, import_module("numpy").array)


def _jax(device: str, mesh: int = 0) -> Library:
    if mesh and device == "cpu":
        make_host_devices(mesh)
    jax, array, take = import_module("jax"), import_module("jax.numpy").array, import_module("numpy").array

    def compiled(program: Program, constants: Sequence[str]) -> Program:
        under_jit: Program = jax.jit(program, static_argnames=tuple(constants))
        return under_jit

    try:
        places = jax.devices(device)
    except RuntimeError as error:
        raise NoDeviceError(str(error).splitlines()[0]) from None
    if len(places) < mesh:
        raise NoDeviceError(f"JAX finds {len(places)} of {mesh} devices")
    give = spread_over(places[:mesh]) if mesh else lambda value: array(value, device=places[0])

    @contextmanager
    def computing() -> Iterator[None]:
        """Have 64-bit types whatever the settings are, and compute at once where a caller is being traced."""
        with jax.ensure_compile_time_eval(), jax.enable_x64(new_val=True):
            yield

    return Library(give, take, jax.block_until_ready, compiled, computing)


def to_tensor(array: Any) -> Any:
    """Give an array of NumPy as a tensor; PyTorch knows none of the type ``bfloat16``."""
    torch = import_module("torch")
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view("i2")).view(torch.bfloat16)
    return torch.from_numpy(array)


def from_tensor(tensor: Any) -> Any:
    """Give a tensor as an array of NumPy."""
    torch, held = import_module("torch"), tensor.detach().cpu()
    if held.dtype is torch.bfloat16:
        return held.contiguous().view(torch.int16).numpy().view(import_module("ml_dtypes").bfloat16)
    return held.numpy()


def _torch(device: str) -> Library:
    torch, numpy = import_module("torch"), import_module("numpy")
    if device == "gpu" and not torch.cuda.is_available():
        raise NoDeviceError("PyTorch finds no GPU")
    place = "cuda" if device == "gpu" else device

    def give(value: Any) -> Any:
        return to_tensor(numpy.require(value, requirements=["C", "W"])).to(place)

    def take(value: Any) -> Any:
        return from_tensor(value) if isinstance(value, torch.Tensor) else value

    def wait(_results: Any) -> None:
        if device == "gpu":
            torch.cuda.synchronize()

    def compiled(program: Program, _constants: Sequence[str]) -> Program:
        whole: Program = torch.compile(program)
        return whole

    return Library(give, take, wait, compiled)


def _xla(device: str) -> Library:
    """Give JAX's arrays, 64-bit types among them whatever the settings."""
    jax, library = import_module("jax"), _jax(device)

    def give(value: Any) -> Any:
        with jax.enable_x64(new_val=True):
            return library.give(value)

    return Library(give, library.take, library.wait)


_LOADERS: dict[str, Callable[[str], Library]] = {"jax": _jax, "torch": _torch, "stablehlo": _xla}
