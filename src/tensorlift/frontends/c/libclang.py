"""The boundary to libclang: parsing an in-memory file, and the functions that the Python binding does not wrap.

The binding of libclang 18 has no operator kinds, but the library exports them; they are called through ctypes.
What it gives is typed ``Any``.

Where the compiler that is here searches for headers, asked of it once in a process.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from clang import cindex

from tensorlift.frontends.c.bounded import check_reading, has_directives, in_time

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


INCLUDE = Path(__file__).parent / "include"
_SHORT = 1 << 16  # a text of C without directives that is parsed at once: a thread to stop it takes as long
_GO_ON = 0x200  # CXTranslationUnit_KeepGoing: errors behind a header that is missing are found too
LIBRARY: Any = cindex.conf.lib
# What stands around an expression: parentheses and conversions that nobody wrote, and those that are written too.
WRAPPERS = frozenset({cindex.CursorKind.PAREN_EXPR, cindex.CursorKind.UNEXPOSED_EXPR})
ARRAYS = {cindex.TypeKind.CONSTANTARRAY, cindex.TypeKind.VARIABLEARRAY, cindex.TypeKind.INCOMPLETEARRAY}
CONVERSIONS = WRAPPERS | {cindex.CursorKind.CSTYLE_CAST_EXPR}


def _kind_of_type(number: int) -> Any:
    """Give a kind of type by its number in the library, which the binding may not have."""
    try:
        return cindex.TypeKind.from_id(number)
    except ValueError:
        return cindex.TypeKind(number)


FLOAT16 = _kind_of_type(32)
_BINARY_SPELLINGS = "? .* ->* * / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>= &= ^= |= ,"
_UNARY_SPELLINGS = "? post++ post-- pre++ pre-- & * + - ~ ! real imag extension co_await"
BINARY_OPERATORS = _BINARY_SPELLINGS.split()
UNARY_OPERATORS = _UNARY_SPELLINGS.split()

_INTEGER_RESULT, _FLOAT_RESULT = 1, 2
_NAME = cindex.CursorKind.DECL_REF_EXPR.value


class _Type(ctypes.Structure):
    """A ``CXType``, laid out so that its identity is read without a Python object in between."""

    _fields_: ClassVar = [("kind", ctypes.c_int), ("data", ctypes.c_void_p), ("unit", ctypes.c_void_p)]


def _declare(name: str, arguments: Sequence[Any], result: Any) -> Any:
    """Give a function of the library its signature, apart from the binding's own, which checks every result."""
    function = LIBRARY[name]
    function.argtypes, function.restype = list(arguments), result
    return function


_binary_kind = _declare("clang_getCursorBinaryOperatorKind", [cindex.Cursor], ctypes.c_int)
_unary_kind = _declare("clang_getCursorUnaryOperatorKind", [cindex.Cursor], ctypes.c_int)
_evaluate = _declare("clang_Cursor_Evaluate", [cindex.Cursor], ctypes.c_void_p)
_result_kind = _declare("clang_EvalResult_getKind", [ctypes.c_void_p], ctypes.c_int)
_result_signed = _declare("clang_EvalResult_getAsLongLong", [ctypes.c_void_p], ctypes.c_longlong)
_result_float = _declare("clang_EvalResult_getAsDouble", [ctypes.c_void_p], ctypes.c_double)
_result_dispose = _declare("clang_EvalResult_dispose", [ctypes.c_void_p], None)
_type = _declare("clang_getCursorType", [cindex.Cursor], _Type)
_referenced = _declare("clang_getCursorReferenced", [cindex.Cursor], cindex.Cursor)
_is_definition = _declare("clang_isCursorDefinition", [cindex.Cursor], ctypes.c_uint)
_is_inlined = _declare("clang_Cursor_isFunctionInlined", [cindex.Cursor], ctypes.c_uint)
_takes = _declare("clang_Cursor_isMacroFunctionLike", [cindex.Cursor], ctypes.c_uint)
_visibility = _declare("clang_getCursorVisibility", [cindex.Cursor], ctypes.c_int)
_HIDDEN = 1
_policy = _declare("clang_getCursorPrintingPolicy", [cindex.Cursor], ctypes.c_void_p)
_set_policy = _declare("clang_PrintingPolicy_setProperty", [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint], None)
_STRING: Any = cindex._CXString  # noqa: SLF001 - the binding has no other name for its strings
_printed = _declare("clang_getCursorPrettyPrinted", [cindex.Cursor, ctypes.c_void_p], _STRING)
_end_of_policy = _declare("clang_PrintingPolicy_dispose", [ctypes.c_void_p], None)
_WITHOUT_BODY = 20  # CXPrintingPolicy_TerseOutput
_ATTRIBUTE = re.compile(r"__attribute__\(\((\w+)|\[\[(?:\w+::)?(\w+)")
_cursor_location = LIBRARY.clang_getCursorLocation
_expansion = LIBRARY.clang_getInstantiationLocation


def binary_operator(cursor: Any) -> str:
    """Spell the operator of a binary or compound assignment expression."""
    return BINARY_OPERATORS[int(_binary_kind(cursor))]


def unary_operator(cursor: Any) -> str:
    """Spell the operator of a unary expression; increments are ``post++``, ``pre++`` and so on."""
    return UNARY_OPERATORS[int(_unary_kind(cursor))]


def inside(cursor: Any, wrappers: Collection[cindex.CursorKind]) -> Any:
    """Give what is inside of cursors of some kinds, each of which has one child."""
    while cursor.kind in wrappers:
        found = children(cursor)
        if len(found) != 1:
            return cursor
        (cursor,) = found
    return cursor


def evaluate(cursor: Any) -> int | float | None:
    """Evaluate a constant expression; integers come reduced to 64 bits with sign."""
    result = _evaluate(cursor)
    if not result:
        return None
    try:
        kind = _result_kind(result)
        if kind == _INTEGER_RESULT:
            return int(_result_signed(result))
        return float(_result_float(result)) if kind == _FLOAT_RESULT else None
    finally:
        _result_dispose(result)


def type_identity(cursor: Any) -> tuple[int, int | None]:
    """Tell the types of the cursors of one unit apart; ``identity_of`` gives the same for a type."""
    found = _type(cursor)
    return found.kind, found.data


def identity_of(clang_type: Any) -> tuple[int, int | None]:
    """Tell the types of one unit apart."""
    return clang_type._kind_id, clang_type.data[0]  # noqa: SLF001 - the binding offers no cheaper identity


def referenced_identity(cursor: Any) -> int | None:
    """Tell the declarations apart that the names of one unit refer to: the ``data[0]`` of their cursors."""
    found: int | None = _referenced(cursor).data[0]
    return found


# Attributes that a function under another name may keep, and that its program need not have.
_HARMLESS = frozenset(
    re.findall(
        r"\w+",
        "access aligned alloc_size always_inline artificial assume_aligned cold const deprecated flatten format hot "
        "leaf malloc maybe_unused no_instrument_function no_sanitize no_sanitize_address no_sanitize_undefined "
        "nodiscard noinline nonnull noreturn nothrow optimize optnone pure returns_nonnull target unused used "
        "warn_unused_result",
    )
)


def is_inline(function: Any) -> bool:
    """Whether a function is inline."""
    return bool(_is_inlined(function))


def is_variadic(function: Any) -> bool:
    """Whether a type is of functions that take any number of arguments; one declared as `f()` does not say so."""
    return bool(function.kind is cindex.TypeKind.FUNCTIONPROTO and function.is_function_variadic())


def has_parameters(macro: Any) -> bool:
    """Whether a macro is used with arguments."""
    return bool(_takes(macro))


def is_hidden(function: Any) -> bool:
    """Whether a library does not show a function, by its attributes or by ``-fvisibility``."""
    return bool(_visibility(function) == _HIDDEN)


def binding_attribute(function: Any) -> str:
    """Name an attribute of a definition that says what its name stands for, as `weak` does; nothing without one."""
    found = [child for child in children(function) if child.kind.is_attribute()]
    if any(child.kind is cindex.CursorKind.ASM_LABEL_ATTR for child in found):
        return "asm"
    own, first = attributes(function), function.canonical
    is_shown = all(child.spelling == "default" for child in found if child.kind is cindex.CursorKind.VISIBILITY_ATTR)
    earlier = [n for n in attributes(first) if not (n == "visibility" and is_shown)] if first != function else []
    return next((name for name in (*own, *earlier) if name.strip("_") not in _HARMLESS), "")


def is_weak(function: Any) -> bool:
    """Whether a linker may take another definition of a function instead."""
    said = {name.strip("_") for one in (function, function.canonical) for name in attributes(one)}
    return "weak" in said


def attributes(function: Any) -> tuple[str, ...]:
    """Name the attributes of a declaration of a function itself, not those of others of it."""
    if not any(child.kind.is_attribute() for child in children(function)):
        return ()
    policy = _policy(function)
    _set_policy(policy, _WITHOUT_BODY, 1)
    text: str = LIBRARY.clang_getCString(_printed(function, policy))
    _end_of_policy(policy)
    return tuple(one or other for one, other in _ATTRIBUTE.findall(text))


def is_name(cursor: Any) -> bool:
    """Whether an expression is the name of a declaration."""
    return bool(cursor._kind_id == _NAME)  # noqa: SLF001 - building a CursorKind costs more


def referenced(cursor: Any) -> Any:
    """Give the declaration that a name refers to; one of no valid kind where it refers to none."""
    found = _referenced(cursor)
    found._tu = cursor._tu  # noqa: SLF001 - as the binding itself does
    return found


def start(cursor: Any) -> Any:
    """Give the place where a cursor starts; ``int_data`` tells the places of one unit apart."""
    return _cursor_location(cursor)


class Positions:
    """Finds the positions of places; it holds the memory that libclang answers in, so one belongs to one reader.

    What stands nowhere, or in headers of the package, which stand for what is known without them, is in the main file.
    """

    def __init__(self, main: str) -> None:
        self._file, self._line, self._column = cindex.c_object_p(), ctypes.c_uint(), ctypes.c_uint()
        self._answer = ctypes.byref(self._file), ctypes.byref(self._line), ctypes.byref(self._column), None
        self._main, self._names = main, dict[int | None, str]({None: main})

    def of(self, place: Any) -> tuple[str, int, int]:
        """Give file, line and column of a place; code from a macro stands where the macro is used."""
        _expansion(place, *self._answer)
        file = ctypes.cast(self._file, ctypes.c_void_p).value
        if file not in self._names:
            name = LIBRARY.clang_getFileName(cindex.File(self._file))
            self._names[file] = self._main if Path(name).is_relative_to(INCLUDE) else name
        return self._names[file], self._line.value, self._column.value


def _visit(child: Any, parent: Any, found: list[Any]) -> int:
    """Collect one child and go on to the next."""
    del parent
    found.append(child)
    return 1


_VISITOR = cindex.callbacks["cursor_visit"](_visit)


def children(cursor: Any) -> list[Any]:
    """List the children of a cursor; raises ``RecursionError`` where the stack does not suffice."""
    found: list[Any] = []
    if LIBRARY.clang_visitChildren(cursor, _VISITOR, found):
        raise RecursionError
    for child in found:
        child._tu = cursor._tu  # noqa: SLF001 - as the binding itself does
    return found


def expressions(cursor: Any) -> list[Any]:
    """List the children that are expressions."""
    return [child for child in children(cursor) if child.kind.is_expression()]


def _visit_all(child: Any, parent: Any, found: list[Any]) -> int:
    """Collect one descendant and go on to those inside of it."""
    del parent
    found.append(child)
    return 2


_VISITOR_OF_ALL = cindex.callbacks["cursor_visit"](_visit_all)


def descendants(cursor: Any, kind: cindex.CursorKind) -> list[Any]:
    """List everything of a kind inside of a cursor, outer before inner."""
    found: list[Any] = []
    LIBRARY.clang_visitChildren(cursor, _VISITOR_OF_ALL, found)
    number = kind.value
    chosen = [child for child in found if child._kind_id == number]  # noqa: SLF001 - building a CursorKind costs more
    for child in chosen:
        child._tu = cursor._tu  # noqa: SLF001 - as the binding itself does
    return chosen


def definitions(unit: Any, kind: cindex.CursorKind) -> list[Any]:
    """List the definitions of a kind at the top of a unit, headers included."""
    number = kind.value
    return [c for c in children(unit.cursor) if c._kind_id == number and _is_definition(c)]  # noqa: SLF001 - as above


def diagnostics(unit: Any) -> list[Any]:
    """List what the parser found; the binding's own iterator is a new class for every unit."""
    count = LIBRARY.clang_getNumDiagnostics(unit)
    return [cindex.Diagnostic(LIBRARY.clang_getDiagnostic(unit, number)) for number in range(count)]


OPENMP = "-Wsource-uses-openmp"  # a warning of the first pragma of OpenMP, macros' included
# What C had before 1999, and what compilers have warned of since then: `f(x) { .. }` without a type, calls of functions
# that nothing declares, numbers for pointers, and functions of other parameters than those that are asked for.
_OLD_C = tuple(
    f"-Wno-error={one}"
    for one in (
        "implicit-int", "implicit-function-declaration", "int-conversion", "incompatible-function-pointer-types",
    )
)  # fmt: skip
MISSING = "file not found"  # how the parser's message of a missing header ends


@cache
def _index() -> Any:
    """Create the libclang index once; it is reused by every parse.

    For each parse libclang would start a thread, which takes as long as to read a short file, and whose stack is not as
    deep as the one that lifting has: long expressions would end the process.
    """
    os.environ.setdefault("LIBCLANG_NOTHREADS", "1")
    return cindex.Index.create()


def parse(
    text: str,
    filename: str,
    arguments: Sequence[str],
    before: Sequence[str] = ("-x", "c"),
    *,
    record_macros: bool = False,
) -> Any:
    """Parse source text, as C unless the arguments before all others say more; macros are recorded if asked.

    Headers are searched in the directories of the arguments, then among the bundled ones.  Where one is in neither, or
    a header of the compiler's holds an error for lack of its others, the text is parsed with the compiler's own headers
    instead, the bundled ones behind them; for C++, the compiler's come behind the bundled ones.  That is taken if the
    parser then finds fewer errors.

    Raises ``cindex.TranslationUnitLoadError`` where libclang gives up, ``LiftError`` where it would read too much.
    """
    check_reading(text, filename, arguments)
    nothing_of_gcc = f"--gcc-toolchain={INCLUDE}"  # else the driver searches the whole machine for a GCC, every time
    first = [*before, "-nostdinc", nothing_of_gcc, "-ferror-limit=0", OPENMP, *_OLD_C]
    files, options = [(filename, text)], _GO_ON | int(record_macros)
    is_plain = before[1] == "c" and len(text) <= _SHORT and "-include" not in arguments and not has_directives(text)

    def parsed(*flags: str) -> Any:
        def parse() -> Any:
            return _index().parse(filename, args=[*first, *flags], unsaved_files=files, options=options)

        return parse() if is_plain else in_time(parse, filename)

    arguments = [flag for flag in arguments if not _names_system(flag, before[1])]
    defined = f"-isystem{INCLUDE / 'defined'}"
    bundled = (*arguments, defined, f"-isystem{INCLUDE}")
    unit = parsed(*bundled)
    is_lacking = any(_is_for_others(item, filename) for item in diagnostics(unit))
    system = system_directories(before[1]) if is_lacking else ()
    if not system:
        return unit
    if before[1] == "c":
        wider = parsed(*arguments, defined, *(f"-isystem{folder}" for folder in system), f"-idirafter{INCLUDE}")
    else:
        wider = parsed(*bundled, *(f"-idirafter{folder}" for folder in system))
    return wider if _errors(wider) < _errors(unit) else unit


def _names_system(argument: str, language: str) -> bool:
    """Whether an argument adds a directory of the system, which then keeps its place, as with compilers."""
    folder = Path(argument[2:]) if argument.startswith("-I") else None
    is_likely = folder is not None and any((folder / name).is_file() for name in ("stdlib.h", "sys/types.h"))
    return is_likely and os.path.realpath(argument[2:]) in system_directories(language)


def _is_for_others(error: Any, filename: str) -> bool:
    """Whether an error may be gone with other headers."""
    if error.severity < cindex.Diagnostic.Error:
        return False
    file = error.location.file
    return error.spelling.endswith(MISSING) or (file is not None and file.name != filename and is_system(file.name))


def _errors(unit: Any) -> int:
    """Count the errors of a unit but those of functions that headers of the system define."""
    found = [item.location for item in diagnostics(unit) if item.severity >= cindex.Diagnostic.Error]
    places = [(place.file.name if place.file else "", place.line) for place in found]
    inside = in_system_functions(unit, places)
    return sum(place not in inside for place in places)


def in_system_functions(unit: Any, places: Collection[tuple[str, int]]) -> set[tuple[str, int]]:
    """Select the lines of files that stand in functions which headers of the system define."""
    files = {name for name in {name for name, _ in places} - {"", unit.spelling} if is_system(name)}
    found: set[tuple[str, int]] = set()
    for cursor in definitions(unit, cindex.CursorKind.FUNCTION_DECL) if files else ():
        if (name := str(cursor.location.file)) in files:
            found.update((name, line) for line in range(cursor.extent.start.line, cursor.extent.end.line + 1))
    return found.intersection(places)


_COMPILERS = {"c": ("cc", "gcc", "clang"), "c++": ("c++", "g++", "clang++")}
_SEARCHED = re.compile(r"^#include <\.\.\.> search starts here:\n(.*?)^End of search list", re.MULTILINE | re.DOTALL)
_OF_CLANG, _OF_COMPILERS = "__stddef_max_align_t.h", "stddef.h"  # builtin headers: of clang alone, of every compiler
_SECONDS = 10


@cache
def system_directories(language: str) -> tuple[str, ...]:
    """List the directories for ``c`` or ``c++``, in the compiler's order; none where there is no compiler.

    Where clang is installed, its builtin headers for C stand for those of the compiler, which libclang can read only in
    part.
    """
    found = _directories(next(filter(None, map(shutil.which, _COMPILERS[language])), None), language)
    clang = shutil.which("clang") if language == "c" else None
    if clang is None:
        return found
    builtin = [d for d in _directories(clang, language) if (Path(d) / _OF_CLANG).is_file()]
    return (*builtin, *(d for d in found if not (Path(d) / _OF_COMPILERS).is_file())) if builtin else found


@cache
def is_bundled(name: str) -> bool:
    """Whether a file is a header that this package brings."""
    return Path(name).is_relative_to(INCLUDE)


@cache
def is_system(name: str) -> bool:
    """Whether a file is a header of the compiler or the system."""
    path = Path(os.path.realpath(name))
    return any(path.is_relative_to(directory) for directory in system_directories("c"))


def _directories(compiler: str | None, language: str) -> tuple[str, ...]:
    import subprocess  # noqa: PLC0415 - takes milliseconds, and most sources find all headers

    if compiler is None:
        return ()
    command = [compiler, "-E", "-v", "-x", language, os.devnull]
    try:
        told = subprocess.run(  # noqa: S603 - the command is a list made here, no shell reads it
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = _SEARCHED.search(told.stderr)
    lines = found[1].splitlines() if found else ()
    return tuple(os.path.realpath(line.strip().removesuffix(" (framework directory)")) for line in lines)
