"""Arguments drawn for the signature of a C function alone, and calls of it, read literally and compiled.

Nothing is known of sizes: arrays have more cells than small programs need, and integers are small.  Many inputs have no
meaning in C, which the interpreter of literal IR finds before the compiled function is called.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.ops.c_types import ArrayType, CType, FloatType, IntegerType, PointerType, VoidType, element_of

if TYPE_CHECKING:
    from random import Random

    from tensorlift.ir.literal_interpreter import LiteralInterpreter
    from tensorlift.readers.clang import LiteralFunction

    Values = list[Any]  # one for each parameter: a number, or an array of one dimension

_CELLS = 160
_INTEGERS = (0, 1, 2, 3, 4, 5, 6, 7, 9, 12, -1, -2, -5)
_EXTREMES = (-(1 << 31), (1 << 31) - 1, 255, 256, 1 << 16, -129)
_FLOATS = (0.0, -0.0, 0.5, 1.0, -1.5, 2.75, 3.0, -7.25, 1e-3, 100.5)
_SPECIAL = (float("inf"), float("-inf"), float("nan"), 1e300, 1e-310, 3e38)
_ONE_IN = 12  # numbers is an extreme one


def can_be_called(function: LiteralFunction) -> bool:
    """Whether arguments can be drawn, and the result be compared."""
    scalars = (IntegerType, FloatType)
    return isinstance(function.result, (*scalars, VoidType)) and all(
        isinstance(element_of(ctype), scalars) for _, ctype in function.parameters
    )


def calling_text(function: LiteralFunction, symbol: str) -> str:
    """Write ``void symbol(void **arguments, void *result)``, which calls the function."""
    arguments = [
        f"({ctype.spelling})tl_a[{k}]"
        if isinstance(ctype, PointerType)
        else f"tl_a[{k}]"
        if isinstance(ctype, ArrayType)
        else f"*({ctype.spelling} *)tl_a[{k}]"
        for k, (_, ctype) in enumerate(function.parameters)
    ]
    result = "" if isinstance(function.result, VoidType) else f"*({function.result.spelling} *)tl_r = "
    return f"void {symbol}(void **tl_a, void *tl_r) {{ {result}{function.name}({', '.join(arguments)}); }}\n"


def draw(function: LiteralFunction, rng: Random) -> Values:
    """Draw a value for each parameter."""
    found: Values = []
    for _, ctype in function.parameters:
        element = element_of(ctype)
        if isinstance(ctype, PointerType | ArrayType):
            found.append(np.array([_number(element, rng) for _ in range(_CELLS)], _dtype(element)))
        else:
            found.append(np.array(_number(element, rng), _dtype(element)))
    return found


def _number(ctype: CType, rng: Random) -> int | float:
    if isinstance(ctype, FloatType):
        return ctype.rounded(rng.choice(_SPECIAL if rng.randrange(_ONE_IN) == 0 else _FLOATS))
    assert isinstance(ctype, IntegerType)
    return ctype.wrap(rng.choice(_EXTREMES if rng.randrange(_ONE_IN) == 0 else _INTEGERS))


def _dtype(ctype: CType) -> np.dtype[Any]:
    if isinstance(ctype, FloatType):
        return np.dtype(f"f{ctype.width // 8}")
    assert isinstance(ctype, IntegerType)
    return np.dtype(f"{'i' if ctype.signed else 'u'}{ctype.width // 8}")


def _signless(value: np.ndarray[Any, Any]) -> Any:
    return (value.view(f"i{value.itemsize}") if value.dtype.kind == "u" else value).tolist()


def run_literally(
    function: LiteralFunction, interpreter: LiteralInterpreter, values: Values, most_branches: int
) -> Values:
    """Run the literal IR; gives the arrays afterwards, then what is returned."""
    passed: list[Any] = []
    for value in values:
        passed += [_signless(value), 0] if value.ndim else [_signless(value)]
    assert function.operation is not None
    passed += [0] * (len(function.operation.function_type.inputs) - len(passed))  # none of the pointers is null
    results = interpreter(function.name, passed, most_branches)
    after = [np.array(cells, np.dtype(_kept(values, k))) for k, cells in enumerate(c for c in passed if _is_memory(c))]
    if results:
        after.append(np.array(results[0], f"{_dtype(function.result).kind.replace('u', 'i')}{_size(function.result)}"))
    return after


def _kept(values: Values, number: int) -> str:
    dtype = [value.dtype for value in values if value.ndim][number]
    return f"{dtype.kind.replace('u', 'i')}{dtype.itemsize}"


def _size(ctype: CType) -> int:
    return _dtype(ctype).itemsize


def _is_memory(argument: Any) -> bool:
    return isinstance(argument, list)


def run_compiled(function: LiteralFunction, original: Any, values: Values) -> Values:
    """Call the compiled function on a copy of the values; gives the same as ``run_literally``."""
    kept = [value.copy() for value in values]
    pointers = (ctypes.c_void_p * max(len(kept), 1))(*(value.ctypes.data for value in kept))
    has_result = not isinstance(function.result, VoidType)
    returned = np.zeros((), _dtype(function.result) if has_result else np.dtype("u1"))
    original.restype = None
    original(pointers, ctypes.c_void_p(returned.ctypes.data))
    after = [value.view(_kept(values, k)) for k, value in enumerate(v for v in kept if v.ndim)]
    return [*after, returned] if has_result else after
