"""Annotations of parameters: which type they tell, and how many dimensions.

    float64[:, ::1]   f8[:]   types.Array(float64, 2, "C")      as Numba spells types
    float64[N, M]                                               as DaCe does
    NDArray[np.float32]   np.ndarray[Any, np.dtype[np.float32]] of NumPy, for any number of dimensions
    np.ndarray[tuple[int, int], np.dtype[np.float32]]           for two
    Float32[Array, "n d"]   Int[np.ndarray, "*batch"]           of jaxtyping; ``Float`` is any type of floats
    list[list[float]]   int   float   bool                      of Python

All may stand in quotes.  A name of the file may stand for each, and Numba's decorators may tell all at once.
``Any`` and the like tell nothing.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.frontends.python.scalars import DTYPES
from tensorlift.frontends.python.syntax import arguments_of, indices_of, is_ellipsis, is_new_axis
from tensorlift.ops.c_types import BOOL, DOUBLE, LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.frontends.python.scalars import Number

_PYTHON_NUMBERS = {"int", "float", "bool"}
_ARRAYS = {"ndarray", "Array", "Tensor"}  # of NumPy, JAX and PyTorch, of any type and rank
_ANYTHING = {"Any", "object", "ArrayLike"}
_OF_NUMBA = {
    **{f"{kind[0]}{size}": f"{kind}{8 * size}" for kind in ("int", "uint") for size in (1, 2, 4, 8)},
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "float_": "float64",
    "c8": "complex64",
    "c16": "complex128",
    "b1": "bool_",
    "boolean": "bool_",
    "intc": "int32",
    "uintc": "uint32",
    "uintp": "uint64",
}
# What jaxtyping's names tell: a type, or, with the mark, one that is taken where nobody says more.
_OF_JAXTYPING = {
    **{name.capitalize(): name for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64")},
    **{f"UInt{width}": f"uint{width}" for width in (8, 16, 32, 64)},
    "BFloat16": "bfloat16",
    "Bool": "bool_",
    "Complex64": "complex64",
    "Complex128": "complex128",
    "Complex": "complex128",
    **dict.fromkeys(("Float", "Inexact", "Real", "Num", "Shaped"), "?float64"),
    "Int": "?int64",
    "Integer": "?int64",
    "UInt": "?uint64",
}
_COMPLEX = {"complex64", "complex128"}
_COMPILING = {"jit", "njit", "cfunc"}  # decorators of Numba that take signatures
_OF_ANY_RANK = ("*", "...")  # begins an axis of jaxtyping's that stands for several
_MODIFIERS = "#?_"  # of such axes


@dataclass(frozen=True, slots=True)
class ParameterKind:
    """What a parameter is: a scalar of rank 0, or an array; the rank is None where nothing tells it.

    A scalar is weak where it is one of Python's own numbers.  ``is_told`` where the source states the type.
    """

    dtype: Number
    rank: int | None = 0
    is_list: bool = False
    is_weak: bool = False
    is_told: bool = True

    def spelled(self) -> str:
        """Spell what it is, in words."""
        if not self.rank:
            return f"one {self._name}"
        return f"a {self._name} array of {self.rank} dimension{'s' * (self.rank > 1)}"

    def annotation(self) -> str:
        """Spell what it is as an annotation, such as ``float64[:, :]`` or ``list[float]``."""
        if self.is_list:
            inner = self._python_name or self._name
            return "list[" * (self.rank or 0) + inner + "]" * (self.rank or 0)
        if self.rank:
            return f"{self._name}[{', '.join(':' * self.rank)}]"
        return self._python_name if self.is_weak else self._name

    def element(self) -> str:
        """Name the element type."""
        return self._name

    @property
    def _name(self) -> str:
        return next(name for name, dtype in DTYPES.items() if dtype == self.dtype)

    @property
    def _python_name(self) -> str:
        return {DOUBLE: "float", LONG: "int", BOOL: "bool"}.get(self.dtype, "")


def annotated(annotation: ast.expr) -> ParameterKind | None:
    """Read an annotation; None where it is not understood."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        inner = _unquoted(annotation)
        return None if inner is None else annotated(inner)
    text = ast.unparse(annotation)
    last = _last(text)
    if last in _ARRAYS:
        return ParameterKind(DOUBLE, None, is_told=False)
    if isinstance(annotation, ast.Subscript):
        return _subscripted(annotation)
    if isinstance(annotation, ast.Call):
        return _called(annotation)
    return _number(last) if last in DTYPES else None


def quoted(text: str) -> ParameterKind | None:
    """Read an annotation that is given as text."""
    return annotated(ast.Constant(text))


def with_annotations(function: ast.FunctionDef, meaning: Callable[[ast.expr], ast.expr | None]) -> ast.FunctionDef:
    """Give the function with annotations that are understood by themselves, if they are at all.

    ``meaning`` gives what a name stands for, where that is known.
    """
    told = _told_by_decorators(function)
    arguments = arguments_of(function)
    if len(told) != len(arguments):
        told = [None] * len(arguments)
    found = {a: _plain(a.annotation or of_all, meaning) for a, of_all in zip(arguments, told, strict=True)}
    if all(a.annotation is annotation for a, annotation in found.items()):
        return function
    made, made.args = copy.copy(function), copy.copy(function.args)
    for name in ("posonlyargs", "args", "kwonlyargs"):
        setattr(made.args, name, [_replaced(a, found[a]) for a in getattr(function.args, name)])
    return made


def _replaced(argument: ast.arg, annotation: ast.expr | None) -> ast.arg:
    made = copy.copy(argument)
    made.annotation = annotation and ast.copy_location(annotation, argument.annotation or argument)
    return made


def _plain(annotation: ast.expr | None, meaning: Callable[[ast.expr], ast.expr | None]) -> ast.expr | None:
    """Give an annotation as it is read here and where numbers are complex; None where it tells nothing."""
    if annotation is None:
        return None
    inner = _unquoted(annotation) or annotation
    last = _last(ast.unparse(inner))
    if last in _ANYTHING:
        return None
    is_known = last in {*_ARRAYS, *DTYPES, *_OF_NUMBA} or last.startswith("complex")
    if isinstance(inner, ast.Name | ast.Attribute) and not is_known:
        known = meaning(inner)
        return annotation if known is None else _plain(known, lambda _: None)
    match inner:
        case ast.Subscript(value=value, slice=slices) if _OF_JAXTYPING.get(_last(ast.unparse(value)), "") in _COMPLEX:
            rank, dtype = _rank_of_jaxtyping(slices), _OF_JAXTYPING[_last(ast.unparse(value))]
            text = f"NDArray[np.{dtype}]" if rank is None else f"{dtype}[{', '.join(':' * rank)}]" if rank else dtype
            return ast.Constant(text)
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=slices) if name in _OF_NUMBA:
            return ast.Subscript(ast.Name(_OF_NUMBA[name], ast.Load()), slices, ast.Load())
    return ast.Name(_OF_NUMBA[last], ast.Load()) if last in _OF_NUMBA else annotation


def _told_by_decorators(function: ast.FunctionDef) -> Sequence[ast.expr | None]:
    """List the types that a decorator of Numba gives all parameters, as in ``@njit("f8(f8[:], i8)")``."""
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[stated, *_]) if name in _COMPILING:
                only = stated.elts[0] if isinstance(stated, ast.List) and len(stated.elts) == 1 else stated
                match _unquoted(only) or only:
                    case ast.Call(args=types) | ast.Tuple(elts=types):
                        return types
    return []


def _unquoted(node: ast.expr) -> ast.expr | None:
    """Read what stands in quotes; None where that is no expression, or nothing stands in quotes."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    try:
        inner = ast.parse(node.value.strip(), mode="eval").body
    except SyntaxError:
        return None
    return None if isinstance(inner, ast.Constant) else inner


def _last(text: str) -> str:
    return text.rsplit(".", 1)[-1]


def _number(name: str) -> ParameterKind:
    return ParameterKind(DTYPES[name], is_weak=name in _PYTHON_NUMBERS)


def _subscripted(annotation: ast.Subscript) -> ParameterKind | None:
    """Read ``list[list[float]]``, ``NDArray[np.float32]``, ``Float[Array, "n d"]``, ``float64[:, ::1]``."""
    head = _last(ast.unparse(annotation.value))
    if head in {"list", "List", "Sequence"}:
        inner = annotated(annotation.slice)
        if inner is None or inner.rank is None:
            return None
        return ParameterKind(inner.dtype, inner.rank + 1, is_list=True)
    if head == "NDArray":
        return _of_numpy(annotation.slice, None)
    if head == "ndarray":
        match annotation.slice:
            case ast.Tuple(elts=[shape, ast.Subscript(value=holder, slice=element)]):
                return _of_numpy(element, _axes(shape)) if _last(ast.unparse(holder)) == "dtype" else None
        return None
    if head in _OF_JAXTYPING:
        return _of_jaxtyping(_OF_JAXTYPING[head], _rank_of_jaxtyping(annotation.slice))
    if head not in DTYPES:
        return None
    parts = indices_of(annotation)
    return ParameterKind(DTYPES[head], None if any(map(is_new_or_rest, parts)) else len(parts))


def _of_numpy(element: ast.expr, rank: int | None) -> ParameterKind | None:
    if _last(ast.unparse(element)) in _ANYTHING:
        return ParameterKind(DOUBLE, rank, is_told=False)
    inner = annotated(element)
    return ParameterKind(inner.dtype, rank) if inner is not None and inner.rank == 0 else None


def _axes(shape: ast.expr) -> int | None:
    """Count the axes of ``tuple[int, int]``; None for any other type of shapes."""
    match shape:
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=parts)):
            return None if any(map(is_ellipsis, parts)) else len(parts)
        case ast.Subscript(value=ast.Name(id="tuple")):
            return 1
    return None


def _of_jaxtyping(name: str, rank: int | None) -> ParameterKind | None:
    dtype = DTYPES.get(name.removeprefix("?"))
    return None if dtype is None else ParameterKind(dtype, rank, is_told=not name.startswith("?"))


def _rank_of_jaxtyping(slices: ast.expr) -> int | None:
    """Count the axes of ``Array, "n d"``."""
    match slices:
        case ast.Tuple(elts=[_, ast.Constant(value=str() as shape)]):
            axes = [axis.lstrip(_MODIFIERS) or axis for axis in shape.split()]
            return None if any(axis.startswith(_OF_ANY_RANK) for axis in axes) else len(axes)
    return None


def _called(annotation: ast.Call) -> ParameterKind | None:
    """Read ``types.Array(float64, 2, "C")``, as Numba also prints types of arrays."""
    match annotation.args:
        case [element, ast.Constant(value=int() as rank), *_] if _last(ast.unparse(annotation.func)) == "Array":
            inner = annotated(element)
            return None if inner is None or inner.rank else ParameterKind(inner.dtype, rank)
    return None


def is_new_or_rest(part: ast.expr) -> bool:
    """Tell whether a part of an index takes no axis that it names: a new one, or any number of them."""
    return is_new_axis(part) or is_ellipsis(part)
