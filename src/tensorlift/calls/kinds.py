"""Kinds of arguments, spelled as annotations are: ``float64[:, :]``, ``list[list[float]]``, ``int``, ``float32``.

An argument fits a kind where the program computes with it what the original does: arrays and lists fit exactly, but
for integers in a list of ``float``; a number fits where Python would convert it without loss.  Arrays of JAX and
PyTorch are taken as NumPy's of the same type, those without axes as numbers.

Arrays of JAX and tensors of PyTorch that calls pass: their types, and what is known of their values and memory.

Under ``jax.jit`` and the like an array is *traced*: its type and shape are known, its values are not.  A library is
asked for nothing unless the caller has imported it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tensorlift.calls.errors import wrong_type, wrong_value
from tensorlift.runtime.libraries import from_tensor, to_tensor

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None  # the type bf16 has no arrays then

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


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

    def is_deleted(self, array: Any) -> bool:
        """Tell whether the values are no more, because the array was donated."""
        return not self.is_traced(array) and bool(array.is_deleted())

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
        is_known = is_plain and not array.is_meta
        return not is_known or torch._C._functorch.is_functorch_wrapped_tensor(array)  # noqa: SLF001 - PyTorch has no public name for it

    def is_plain(self, array: Any) -> bool:
        """Tell of a tensor of no other type whether its cells lie in memory as they are."""
        torch = sys.modules["torch"]
        is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor(array)  # noqa: SLF001 - PyTorch has no public name for it
        return (
            not (is_wrapped or array.is_meta)
            and array.layout is torch.strided
            and not array.is_neg()
            and not array.is_conj()
        )

    def values(self, array: Any) -> Array:
        values: Array = from_tensor(array)
        return values

    def give(self, value: Any, like: Any) -> Any:
        return to_tensor(np.require(value, requirements=["C", "W"])).to(like.device)

    def memory(self, array: Any) -> Array:
        """Give a NumPy array that lies where a tensor lies, on whatever device: nothing may read it."""
        dtype = np.dtype(str(array.dtype).removeprefix("torch."))
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


Array = np.ndarray[Any, np.dtype[Any]]

_PYTHON = {"bool": np.dtype(np.bool_), "int": np.dtype(np.int64), "float": np.dtype(np.float64)}
_DTYPES = {
    name: np.dtype(name.removesuffix("_"))
    for name in (
        *("float64", "float32", "float16", *(["bfloat16"] if ml_dtypes else []), "int64", "int32", "int16", "int8"),
        *("uint64", "uint32", "uint16", "uint8", "bool_"),
    )
}
HALVES = {"float16", "bfloat16"}
_FLOATS = ("float64", "float32")  # that stand for Python's
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_PYTHON_TYPES = (bool, int, float)
_SPELLED = re.compile(r"(?P<lists>(?:list\[)*)(?P<element>\w+)(?:\[(?P<axes>[:, ]*)\]|(?P<ends>\]*))")
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2}  # what a list holds may be taken for the next of these
EXACT = 1 << 53  # integers up to here are numbers of float64
_SUPPORTED = "pass numbers, lists, or arrays of float16, float32, float64, complex, bool or integers of up to 64 bits"


@dataclass(frozen=True, slots=True)
class Kind:
    """A number of rank 0, or an array; ``is_python`` for Python's own numbers and for lists."""

    text: str
    dtype: np.dtype[Any]
    rank: int
    is_list: bool
    is_python: bool

    @property
    def letter(self) -> str:
        """The letter of its kind in NumPy, which calls types of other packages void: ``f`` for all floats."""
        return self.dtype.kind.replace("V", "f")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument as the caller gave it, and the number or array that the program takes.

    ``is_foreign`` where the caller's is an array of a library that the program is not written for.
    """

    given: Any
    held: Any
    is_foreign: bool = False


def _plain_type(dtype: Any) -> Any:
    """Give a type of PyTorch as text that NumPy understands, any other as it is."""
    return str(dtype).removeprefix("torch.") if str(dtype).startswith("torch.") else dtype


def type_named(value: Any) -> str:
    """Name a type of numbers as an import of it is named, ``numpy.float32`` or ``.float``, or ``None``; else empty."""
    if value is None:
        return "None"
    if isinstance(value, type) and value in _PYTHON_TYPES:
        return f".{value.__name__}"
    is_type = isinstance(value, type | np.dtype) or type(value).__name__ == "dtype"
    if not is_type and not (isinstance(value, str) and value in _DTYPES):
        return ""
    try:
        dtype = np.dtype(_plain_type(value))
    except TypeError:
        return ""
    return f"numpy.{_NAMES.get(dtype, dtype.name)}"


def float_named(dtype: Any) -> str:
    """Name a type of floats as NumPy does, ``float64`` where none is given; raises LiftError for any other type."""
    try:
        name = "float64" if dtype is None else np.dtype(_plain_type(dtype)).name
    except TypeError:
        name = ""
    if name not in _FLOATS:
        message = f"'dtype' is {dtype!r}, which is no type of floats that functions are lifted for"
        raise wrong_type(message, f"give one of {', '.join(_FLOATS)}")
    return name


@cache
def parse_kind(text: str) -> Kind:
    """Read the spelling of a kind; raises ValueError for any other text."""
    match = _SPELLED.fullmatch(text)
    dtype = None if match is None else {**_DTYPES, **_PYTHON}.get(match["element"])
    if match is None or dtype is None:
        raise ValueError(f"'{text}' is no kind of argument")
    lists = match["lists"].count("[")
    return Kind(text, dtype, lists or (match["axes"] or "").count(":"), lists > 0, match["element"] in _PYTHON)


def kind_of(value: Any, name: str, element: str = "") -> str:
    """Spell the kind of an argument; ``element`` is the type of its elements where an annotation tells that alone.

    Raises ArgumentTypeError for one that no lifted function takes.
    """
    if element and (not _is_array(value) or not _array_kind(value, name).startswith(f"{element}[")):
        raise _other_kind(value, f"an array of {element}", name)
    if _is_array(value):
        return _array_kind(value, name)
    library = library_of(value)
    if library is not None:
        return _number_kind(value, name)
    if isinstance(value, list):
        items = _array_of(value, name)
        element = "float" if items.dtype.kind == "f" else "int"
        return "list[" * items.ndim + element + "]" * items.ndim
    if type(value) in _PYTHON_TYPES:
        return type(value).__name__
    if isinstance(value, np.generic) and value.dtype in _NAMES:
        return _NAMES[value.dtype]
    raise wrong_type(f"`{name}` is {_described(value)}, which no lifted function takes", _instead(value))


def refined(value: Any, kind: Kind) -> Kind:
    """Give the kind of a number that Python computes with otherwise than with the annotated one.

    ``float32`` times a ``float`` is a ``float32``, times NumPy's ``float64`` a ``float64``; integers of NumPy wrap, and
    truth values added to truth values may be one.  Python's ``int`` is taken for the ``float`` that is annotated.
    """
    if kind.rank:
        return kind
    own = kind.text
    if library_of(value) is not None:
        own = _number_kind(value, "") if not value.ndim and _dtype(value) in _NAMES else own
    elif isinstance(value, np.generic):
        own = _NAMES.get(value.dtype, own)
    elif type(value) in _PYTHON_TYPES:
        own = type(value).__name__
    found = parse_kind(own)
    if own == kind.text or (found.letter == "f" and kind.letter != "f"):
        return kind  # which may refuse it
    return kind if own == "int" and kind.letter == "f" else found


def fit(value: Any, kind: Kind, name: str) -> Argument:
    """Convert an argument to what the program takes.

    Raises ArgumentTypeError where it has another kind, ArgumentValueError where a number leaves its type.
    """
    if kind.rank == 0:
        return Argument(value, _number(value, kind, name))
    if kind.is_list:
        if not isinstance(value, list):
            raise _other_kind(value, kind.text, name)
        return Argument(value, _list(value, kind, name))
    if not _is_array(value) or _array_kind(value, name) != kind.text:
        raise _other_kind(value, kind.text, name)
    return Argument(value, value)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (library_of(value) is not None and value.ndim > 0)


def plain_number(value: Any) -> Any:
    """Give a number that stands for one of Python while PyTorch traces, which it then is for."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.SymInt | torch.SymFloat):
        return value
    return int(value) if isinstance(value, torch.SymInt) else float(value)


def check_weak(values: Mapping[str, Any]) -> None:
    """Refuse floats of Python as arrays of JAX beside arrays of 16 bits: they have a type, and count less than it."""
    of_jax = {name: value for name, value in values.items() if library_of(value) is JAX}
    if any(JAX.element(value) in HALVES for value in of_jax.values()):
        for name, value in of_jax.items():
            if JAX.is_weak(value) and JAX.element(value) == "float32":
                message = f"`{name}` is a float of Python as an array of JAX, beside arrays of 16 bits"
                raise wrong_type(message, f"pass `jnp.asarray({name}, ...)` with a type, or make it a static argument")


def check_alive(value: Any, name: str) -> None:
    """Refuse an array whose values are no more; raises ArgumentValueError."""
    if library_of(value) is JAX and JAX.is_deleted(value):
        message = f"`{name}` is a JAX array that was donated to another call, and has no values any more"
        raise wrong_value(message, "pass an array that is not donated, or what that call returned")


def _dtype(value: Any) -> np.dtype[Any] | None:
    """Give the element type of an array of any library; None where NumPy has none of its name."""
    library = library_of(value)
    try:
        return np.dtype(value.dtype if library is None else library.element(value))
    except TypeError:
        return None


def _number_kind(value: Any, name: str) -> str:
    """Spell the kind of an array without axes of another library than NumPy."""
    library, dtype = library_of(value), _dtype(value)
    if dtype is None or dtype not in _NAMES:
        raise wrong_type(f"`{name}` is {_described(value)}, which no lifted function takes", _instead(value))
    if library is not None and library.is_weak(value) and (dtype.kind == "i" or dtype == np.float64):
        return "float" if dtype.kind == "f" else "int"
    return _NAMES[dtype]  # float32 where JAX's 64-bit types are switched off, weak or not


def _array_kind(value: Any, name: str) -> str:
    if isinstance(value, np.ndarray) and type(value) not in (np.ndarray, np.memmap):
        raise wrong_type(f"`{name}` is {_described(value)}, a subclass of ndarray", "pass `np.asarray(...)` of it")
    dtype = _dtype(value)
    element = None if dtype is None else _NAMES.get(dtype)
    if element is None or value.ndim == 0:
        raise wrong_type(f"`{name}` is {_described(value)}, which no lifted function takes", _instead(value))
    return f"{element}[{', '.join(':' * value.ndim)}]"


def _array_of(value: list[Any], name: str) -> Array:
    """Copy nested lists of numbers; raises where their rows differ in length or they hold anything else."""
    types = set(map(type, _numbers(value)))
    dtype = next((of for of in (float, int, bool) if of in types), float)
    try:
        items: Array = np.array(value, dtype)
    except OverflowError:
        raise _too_wide(name, "64-bit integers", "from -2**63 to 2**63 - 1") from None
    except (ValueError, TypeError):
        types.add(list)
    if not types <= set(_PYTHON_TYPES):
        remedy = "pass lists of numbers, all rows of one length"
        raise wrong_type(f"`{name}` is a list that is no rectangle of numbers", remedy)
    if dtype is float and int in types and any(type(x) is int and abs(x) > EXACT for x in _numbers(value)):
        raise _too_wide(name, "numbers of float64", "up to 2**53")
    return items


def _numbers(value: list[Any]) -> Iterator[Any]:
    """List what nested lists hold."""
    for item in value:
        if isinstance(item, list):
            yield from _numbers(item)
        else:
            yield item


def _list(value: list[Any], kind: Kind, name: str) -> Array:
    items = _array_of(value, name)
    if items.ndim != kind.rank or (items.size and _RANKS[items.dtype.kind] > _RANKS[kind.letter]):
        raise _other_kind(value, kind.text, name)
    if items.dtype.kind == "i" and kind.letter == "f" and max(map(abs, _numbers(value)), default=0) > EXACT:
        raise _too_wide(name, "numbers of float64", "up to 2**53")
    return items.astype(kind.dtype, copy=False)


def _too_wide(name: str, wanted: str, limits: str) -> Exception:
    return wrong_value(f"`{name}` holds integers that are no {wanted}", f"pass numbers {limits}")


def _number(value: Any, kind: Kind, name: str) -> Any:
    library = library_of(value)
    if library is not None:
        if value.ndim or parse_kind(_number_kind(value, name)).dtype != kind.dtype:
            raise _other_kind(value, kind.text, name)
        if kind.letter == "f" or library.is_traced(value):
            return value
        value = library.values(value)[()]
    if not isinstance(value, int | float | np.integer | np.floating | np.bool_):
        raise _other_kind(value, kind.text, name)
    whole = isinstance(value, int | np.integer | np.bool_)
    if kind.letter == "b":
        if not isinstance(value, bool | np.bool_):
            raise _other_kind(value, kind.text, name)
        return bool(value) if kind.is_python else np.bool_(value)
    if kind.letter != "f":
        if not whole:
            raise _other_kind(value, kind.text, name)
        return _integer(int(value), kind, name)
    if whole and abs(int(value)) > EXACT:
        raise wrong_value(f"`{name}` is {value}, which is no number of float64", "pass numbers up to 2**53")
    return float(value) if kind.is_python else kind.dtype.type(value)


def _integer(value: int, kind: Kind, name: str) -> Any:
    limits = np.iinfo(kind.dtype)
    if not limits.min <= value <= limits.max:
        message = f"`{name}` is {value}, which is no {kind.dtype.name}"
        raise wrong_value(message, f"pass a number from {limits.min} to {limits.max}")
    return value if kind.is_python else kind.dtype.type(value)


def _instead(value: Any) -> str:
    """Say what to pass in place of a value."""
    is_brain = str(getattr(value, "dtype", "")).rpartition(".")[2] == "bfloat16"
    return "install the package `ml_dtypes`" if is_brain and not ml_dtypes else _SUPPORTED


def _other_kind(value: Any, wanted: str, name: str) -> Exception:
    remedy = f"pass {wanted}, or leave the annotation out to lift for what a call passes"
    if library_of(value) is JAX and "64" in wanted and not JAX.has_64_bits():
        remedy = f'call `jax.config.update("jax_enable_x64", True)` first, without which JAX has no {wanted}'
    return wrong_type(f"`{name}` is {_described(value)}, but the function is lifted for {wanted}", remedy)


def _described(value: Any) -> str:
    """Say in words what an argument is."""
    if isinstance(value, np.ndarray):
        name = "array" if type(value) is np.ndarray else type(value).__name__
        return f"a {value.dtype} {name} of {value.ndim} dimension{'s' * (value.ndim != 1)}"
    if isinstance(value, list):
        return "a list"
    library = library_of(value)
    if library is not None:
        return f"a {library.element(value)} {library.title} of {value.ndim} dimension{'s' * (value.ndim != 1)}"
    return f"one {value.dtype}" if isinstance(value, np.generic) else f"an object of type {type(value).__name__}"
