"""isl, as far as domains need it: its own functions, called in the library that islpy brings.

The classes of islpy call the same functions, but lose 32 bytes for each operand that isl takes, some 30 KB in a lift,
and importing them takes longer than lifting two files.

Here a set is the address of an ``isl_set``, and so with isl's other types.  As isl's manual says of each function, it
*takes* an operand, which is gone afterwards, or *keeps* it; `set_copy` gives a reference that can be taken.  An address
that is returned is the caller's.  It is None where isl failed, and None as an operand gives None again, so that only
the last one of a chain has to be `checked`.

Each question has an allowance, in operations that isl counts, so that giving up depends on no machine.  So have all
questions `together` that are asked to find a program, or to decide what a source means.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from importlib.machinery import PathFinder
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import Diagnostic, LiftError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PARAM, SET, _DIV = 1, 3, 4  # members of isl_dim_type
_CONTINUE, _QUOTA = 1, 6  # of ISL_ON_ERROR, and of isl_error

_BETWEEN = 40_000_000  # operations between two questions, some 10 s: no one step takes longer
_OPERATIONS = 100_000  # for one question, some 25 ms; the reference kernels need less than half of them
_TOGETHER = 7_500_000  # for all questions of one search, for each loop, or of one decision, some 2 s
_MARK = (1 << 48) + 1  # a number that no other word of isl's context is
_WORDS = 100  # of isl's context, or more
_LONG = 1 << 63  # isl takes larger integers as text alone
_CHUNK = 4  # bytes

Terms = tuple[tuple[int, int], ...]  # positions of parameters, and their coefficients
Linear = tuple[int, dict[str, int]]  # a constant, and the coefficients of parameters


class IslError(Exception):
    """Raised where isl fails, as on a text that it cannot read."""


class TooManyPartsError(LiftError):
    """Raised where a question about sets takes more operations than it is given."""

    def __init__(self) -> None:
        """Say what can be done about it."""
        message = "the sets of points of this function have too many parts to be compared"
        super().__init__(Diagnostic("TL291", message, remedy="split the function, or the conditions and strides in it"))


def _failure() -> Exception:
    return TooManyPartsError() if _last_error(_CONTEXT) == _QUOTA else IslError(_last_message(_CONTEXT).decode())


def checked(address: int | None) -> int:
    """Return an address that isl gave.

    Raises:
        TooManyPartsError: where the allowance is spent.
        IslError: where isl failed for another reason.

    """
    if address is None:
        raise _failure()
    return address


def _counted(answer: int) -> int:
    if answer < 0:
        raise _failure()
    return answer


def _decided(answer: int) -> bool:
    return _counted(answer) > 0


# -- the library


def _library() -> ctypes.PyDLL:
    """Load what islpy is compiled from, without importing it."""
    package = find_spec("islpy")
    extension = package and PathFinder.find_spec("islpy._isl", package.submodule_search_locations)
    if extension is None or extension.origin is None:
        raise ModuleNotFoundError("No module named 'islpy'", name="islpy")
    return ctypes.PyDLL(extension.origin)


_LIBRARY = _library()
_AT, _INT, _TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
_DIMS = (_INT, _INT, _INT)  # the type, the first and the number of dimensions
_VISIT = ctypes.PYFUNCTYPE(_INT, _AT, _AT)
_VISIT_PIECE = ctypes.PYFUNCTYPE(_INT, _AT, _AT, _AT)


def _declare(name: str, result: Any, *operands: Any) -> Any:
    function = _LIBRARY[f"isl_{name}"]
    function.restype, function.argtypes = result, operands
    return function


_free_text = ctypes.PyDLL(None).free
_free_text.restype, _free_text.argtypes = None, (_AT,)

_last_error = _declare("ctx_last_error", _INT, _AT)
_last_message = _declare("ctx_last_error_msg", _TEXT, _AT)
_reset_operations = _declare("ctx_reset_operations", None, _AT)
_set_max_operations = _declare("ctx_set_max_operations", None, _AT, ctypes.c_ulong)

# These take sets.
set_free = _declare("set_free", _AT, _AT)
set_union = _declare("set_union", _AT, _AT, _AT)
set_intersect = _declare("set_intersect", _AT, _AT, _AT)
set_subtract = _declare("set_subtract", _AT, _AT, _AT)
set_gist = _declare("set_gist", _AT, _AT, _AT)
set_coalesce = _declare("set_coalesce", _AT, _AT)
set_make_disjoint = _declare("set_make_disjoint", _AT, _AT)
set_remove_divs = _declare("set_remove_divs", _AT, _AT)
set_remove_redundancies = _declare("set_remove_redundancies", _AT, _AT)
set_affine_hull = _declare("set_affine_hull", _AT, _AT)  # gives a basic set
set_from_basic_set = _declare("set_from_basic_set", _AT, _AT)
set_from_params = _declare("set_from_params", _AT, _AT)
set_params = _declare("set_params", _AT, _AT)
set_project_out = _declare("set_project_out", _AT, _AT, *_DIMS)
set_drop_constraints = _declare("set_drop_constraints_involving_dims", _AT, _AT, *_DIMS)
set_move_dims = _declare("set_move_dims", _AT, _AT, _INT, _INT, *_DIMS)
set_dim_max = _declare("set_dim_max", _AT, _AT, _INT)
set_dim_min = _declare("set_dim_min", _AT, _AT, _INT)
_set_align = _declare("set_align_params", _AT, _AT, _AT)
_set_rename = _declare("set_set_dim_name", _AT, _AT, _INT, _INT, _TEXT)
_set_fix = _declare("set_fix_val", _AT, _AT, _INT, _INT, _AT)

# These keep them.
set_copy = _declare("set_copy", _AT, _AT)
set_is_empty = _declare("set_is_empty", _decided, _AT)
set_is_equal = _declare("set_is_equal", _decided, _AT, _AT)
set_is_subset = _declare("set_is_subset", _decided, _AT, _AT)
set_is_disjoint = _declare("set_is_disjoint", _decided, _AT, _AT)
set_involves = _declare("set_involves_dims", _decided, _AT, *_DIMS)
set_dim = _declare("set_dim", _counted, _AT, _INT)
set_size = _declare("set_n_basic_set", _counted, _AT)
_set_find = _declare("set_find_dim_by_name", _INT, _AT, _INT, _TEXT)
_set_name = _declare("set_get_dim_name", _TEXT, _AT, _INT, _INT)
_set_stride = _declare("set_get_stride_info", _AT, _AT, _INT)
_set_each = _declare("set_foreach_basic_set", _counted, _AT, _VISIT, _AT)
_set_read = _declare("set_read_from_str", _AT, _AT, _TEXT)
_set_text = _declare("set_to_str", _AT, _AT)

_basic_set_free = _declare("basic_set_free", _AT, _AT)
_basic_set_dim = _declare("basic_set_dim", _counted, _AT, _INT)
basic_set_remove_divs = _declare("basic_set_remove_divs", _AT, _AT)
_basic_set_universe = _declare("basic_set_universe", _AT, _AT)
_basic_set_add = _declare("basic_set_add_constraint", _AT, _AT, _AT)
_basic_set_each = _declare("basic_set_foreach_constraint", _counted, _AT, _VISIT, _AT)

_constraint_free = _declare("constraint_free", _AT, _AT)
_constraint_dim = _declare("constraint_dim", _counted, _AT, _INT)
_constraint_aff = _declare("constraint_get_aff", _AT, _AT)
_is_equality = _declare("constraint_is_equality", _decided, _AT)
_equality = _declare("equality_from_aff", _AT, _AT)
_inequality = _declare("inequality_from_aff", _AT, _AT)

pw_aff_coalesce = _declare("pw_aff_coalesce", _AT, _AT)
_pw_aff_free = _declare("pw_aff_free", _AT, _AT)
_pw_aff_each = _declare("pw_aff_foreach_piece", _counted, _AT, _VISIT_PIECE, _AT)

_aff_zero = _declare("aff_zero_on_domain_space", _AT, _AT)
_aff_copy = _declare("aff_copy", _AT, _AT)
_aff_free = _declare("aff_free", _AT, _AT)
_aff_dim = _declare("aff_dim", _counted, _AT, _INT)
_aff_name = _declare("aff_get_dim_name", _TEXT, _AT, _INT, _INT)
_aff_constant = _declare("aff_get_constant_val", _AT, _AT)
_aff_coefficient = _declare("aff_get_coefficient_val", _AT, _AT, _INT, _INT)
_aff_set_constant = _declare("aff_set_constant_val", _AT, _AT, _AT)
_aff_set_coefficient = _declare("aff_set_coefficient_val", _AT, _AT, _INT, _INT, _AT)

_space_params = _declare("space_params_alloc", _AT, _AT, _INT)
_space_copy = _declare("space_copy", _AT, _AT)
_space_rename = _declare("space_set_dim_name", _AT, _AT, _INT, _INT, _TEXT)

_stride_free = _declare("stride_info_free", _AT, _AT)
_stride_step = _declare("stride_info_get_stride", _AT, _AT)
_stride_offset = _declare("stride_info_get_offset", _AT, _AT)

_val_of_long = _declare("val_int_from_si", _AT, _AT, ctypes.c_long)
_val_of_text = _declare("val_read_from_str", _AT, _AT, _TEXT)
_val_free = _declare("val_free", _AT, _AT)
_val_is_int = _declare("val_is_int", _decided, _AT)
_val_chunks = _declare("val_n_abs_num_chunks", _counted, _AT, ctypes.c_size_t)
_val_long = _declare("val_get_num_si", ctypes.c_long, _AT)
_val_text = _declare("val_to_str", _AT, _AT)

_CONTEXT = _declare("ctx_alloc", _AT)()
_declare("options_set_on_error", _INT, _AT, _INT)(_CONTEXT, _CONTINUE)


# -- allowances


def within_allowance(question: Callable[..., int | None], *operands: int, operations: int | None = None) -> int:
    """Ask isl a question; what takes long beforehand, and what the answer is used for, counts for nothing.

    Raises:
        TooManyPartsError: where the allowance is spent.

    """
    _begin(operations or _OPERATIONS)
    try:
        return checked(question(*operands))
    finally:
        _begin(_BETWEEN)


class Allowance:
    """What is left for all questions; where it is spent, each further one fails."""

    def __init__(self) -> None:
        self.left = _MARK
        self._count = _counter()

    def begin(self, operations: int) -> None:
        """Charge what was done since the last time, and allow so much from now on, if it is left."""
        self.left -= self._count.value
        _reset_operations(_CONTEXT)
        _set_max_operations(_CONTEXT, max(1, min(operations, self.left)))

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        return self.left <= self._count.value


def _counter() -> ctypes.c_ulong:
    """Return what isl counts, which no function of isl gives: the word of its context before the most that is allowed.

    Where it is not found, all questions together have no allowance, and each one still has its own.
    """
    _set_max_operations(_CONTEXT, _MARK)
    words = [ctypes.c_ulong.from_address(_CONTEXT + ctypes.sizeof(ctypes.c_ulong) * at) for at in range(_WORDS)]
    return next((one for one, after in pairwise(words) if after.value == _MARK), ctypes.c_ulong(0))


_ALLOWANCE = Allowance()
_begin = _ALLOWANCE.begin
_begin(_BETWEEN)


@contextmanager
def together(operations: int | None = None, times: int = 1) -> Iterator[Allowance]:
    """Give all questions together an allowance, or several, as far as there is one already."""
    allowance = _ALLOWANCE
    _begin(_BETWEEN)
    before = allowance.left
    allowance.left = given = min(before, (operations or _TOGETHER) * times)
    _begin(_BETWEEN)
    try:
        yield allowance
    finally:
        _begin(_BETWEEN)
        allowance.left += before - given
        _begin(_BETWEEN)


# -- texts, names and numbers


def read_set(text: str) -> int:
    """Read a set as isl writes it."""
    return checked(_set_read(_CONTEXT, text.encode()))


def set_text(address: int) -> str:
    """Write a set, which is kept."""
    return _text(_set_text(address))


def _text(address: int | None) -> str:
    try:
        return ctypes.string_at(checked(address)).decode()
    finally:
        _free_text(address)


def set_find(address: int, name: str) -> int:
    """Return the position of a parameter, a negative number where there is none; the set is kept."""
    return int(_set_find(address, PARAM, name.encode()))


def set_name(address: int, position: int) -> str:
    """Return the name of a parameter; the set is kept."""
    return str(_set_name(address, PARAM, position).decode())


def set_rename(address: int, position: int, name: str) -> int:
    """Give a parameter another name; the set is taken."""
    return checked(_set_rename(address, PARAM, position, name.encode()))


def set_fix(address: int, position: int, value: int) -> int:
    """Give a parameter a value; the set is taken."""
    return checked(_set_fix(address, PARAM, position, _val(value)))


def set_align(address: int, names: Sequence[str]) -> int:
    """Put the parameters of a set, which is taken, in an order in which all of them stand."""
    return checked(_set_align(address, _space(names)))


def _space(names: Sequence[str]) -> int:
    space = _space_params(_CONTEXT, len(names))
    for position, name in enumerate(names):
        space = _space_rename(space, PARAM, position, name.encode())
    return checked(space)


def _val(number: int) -> int:
    if -_LONG <= number < _LONG:
        return checked(_val_of_long(_CONTEXT, number))
    return checked(_val_of_text(_CONTEXT, str(number).encode()))


def _integer(val: int) -> int | None:
    """Read a number, which is taken; None where it is a fraction."""
    try:
        if not _val_is_int(val):
            return None
        is_small = _val_chunks(val, _CHUNK) <= 1  # a number that does not fit would be cut off
        return int(_val_long(val) if is_small else _text(_val_text(val)))
    finally:
        _val_free(val)


# -- constraints


def set_of(names: Sequence[str], constraints: Iterable[tuple[bool, int, Terms]]) -> int:
    """Build a set of equalities and inequalities, one by one: parsing their text takes isl several times as long."""
    space = _space(names)
    zero, result = _aff_zero(_space_copy(space)), _basic_set_universe(space)
    for is_equality, constant, terms in constraints:
        aff = _aff_copy(zero)
        if constant:
            aff = _aff_set_constant(aff, _val(constant))
        for position, coefficient in terms:
            aff = _aff_set_coefficient(aff, PARAM, position, _val(coefficient))
        result = _basic_set_add(result, _equality(aff) if is_equality else _inequality(aff))
    _aff_free(zero)
    return checked(set_from_basic_set(result))


def basic_sets(address: int) -> list[int]:
    """Return the convex parts of a set, which is kept."""
    return _each(_set_each, address)


def _each(visit: Callable[..., int], address: int) -> list[int]:
    found: list[int] = []

    def keep(item: int, _user: int | None) -> int:
        found.append(item)
        return 0

    visit(address, _VISIT(keep), None)
    return found


def set_has_divisions(address: int) -> bool:
    """Tell whether a convex part of a set, which is kept, needs integer divisions."""
    parts = basic_sets(address)
    divisions = [_basic_set_dim(part, _DIV) for part in parts]
    for part in parts:
        _basic_set_free(part)
    return any(divisions)


def constraints_of(basic_set: int) -> list[tuple[bool, Linear | None]]:
    """Return the constraints of a basic set, which is taken: whether each is an equality, and of what."""
    constraints = _each(_basic_set_each, basic_set)
    _basic_set_free(basic_set)
    return [*map(_row, constraints)]


def _row(constraint: int) -> tuple[bool, Linear | None]:
    try:
        is_linear = _constraint_dim(constraint, _DIV) == 0
        return _is_equality(constraint), linear(_constraint_aff(constraint)) if is_linear else None
    finally:
        _constraint_free(constraint)


def linear(aff: int) -> Linear | None:
    """Read an expression, which is taken; None where it has fractions or integer divisions."""
    try:
        if _aff_dim(aff, _DIV):
            return None
        constant, terms = _integer(_aff_constant(aff)), {}
        for position in range(_aff_dim(aff, PARAM)):
            coefficient = _integer(_aff_coefficient(aff, PARAM, position))
            if coefficient is None:
                return None
            if coefficient:
                terms[_aff_name(aff, PARAM, position).decode()] = coefficient
        return None if constant is None else (constant, terms)
    finally:
        _aff_free(aff)


def set_stride(address: int) -> tuple[int | None, Linear | None]:
    """Return step and offset of the only dimension of a set, which is taken."""
    info = _set_stride(address, 0)
    found = _integer(_stride_step(info)), linear(_stride_offset(info))
    _stride_free(info)
    set_free(address)
    return found


def pieces(pw_aff: int) -> list[tuple[int, Linear | None]]:
    """Return the sets on which a piecewise expression, which is taken, is linear."""
    found: list[tuple[int, int]] = []

    def keep(where: int, aff: int, _user: int | None) -> int:
        found.append((where, aff))
        return 0

    _pw_aff_each(pw_aff, _VISIT_PIECE(keep), None)
    _pw_aff_free(pw_aff)
    return [(where, linear(aff)) for where, aff in found]
