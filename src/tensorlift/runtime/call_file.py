"""The C file that makes a function callable over flat memory: ``tl_call(void **arguments, void *result)``.

Scalars are read through pointers of their own type, and an array is passed as ``void *``, which C converts to any
pointer type, those to variable-length arrays included.  What is no parameter of C is put where C reaches it
(``tl.access``, docs/loop-ir.md) and, where the function may change it in place, read back after the call:

    m.rows  m->rows         a structure among the locals of ``tl_call`` holds the members
    x[].re                  so does an array of structures; its length stands behind the arguments
    total  table[]  s.sum   globals of the file, which is included, so that even static ones are seen

A trailing ``[]`` marks what lies inside of the structure or global itself, and is not pointed to.  The time of the call
alone, without what stands before and after it, is left in ``tl_nanoseconds``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.ir.function import FunctionView, Parameter

# What is asked for by name stays where a compiler takes a file for the whole program and leaves out what is not used.
VISIBLE = "__attribute__((externally_visible))"
# The clock is declared under another name, whatever the source includes or defines; its number 1 is the monotonic one.
CLOCK = f"""int tl_gettime(int, long *) __asm__("clock_gettime");
static long long tl_clock(void) {{ long tl_at[2]; tl_gettime(1, tl_at); return tl_at[0] * 1000000000LL + tl_at[1]; }}
{VISIBLE} long long tl_nanoseconds;"""  # of the last call


def timed(call: str) -> str:
    """Let a call leave its own time in ``tl_nanoseconds``; past the system's clock nothing is moved."""
    return f"tl_nanoseconds = -tl_clock(); {call}; tl_nanoseconds += tl_clock()"


def call_file(included: str, view: FunctionView) -> str:
    """Write the file; raises LiftError TL603 for a parameter that is not C's own."""
    own = tuple((p.name, "") for p in view.parameters if not p.access)
    declared = view.c_parameters or own
    structures = {name: _unqualified(ctype) for name, ctype in declared if ctype}
    before = [_declaration(name, ctype, view) for name, ctype in structures.items()]
    before += [line for position in range(len(view.parameters)) for line in _fill(view, position, structures)]
    after = [line for position in range(len(view.parameters)) for line in _fetch(view, position, structures)]
    arguments = ", ".join(_argument(name, structures, view) for name, _ in declared)
    result = f"*({c_scalar(view.result_dtype)} *)tl_result = " if view.result_dtype else ""
    call = timed(f"{result}{view.name}({arguments})")
    lines = "".join(f"  {line}\n" for line in [*before, f"{call};", *after])
    head = f"{VISIBLE} void tl_call(void **tl_arguments, void *tl_result)"
    return f'#include "{included}"\n{CLOCK}\n{head} {{\n{lines}}}\n'


def c_scalar(dtype: str) -> str:
    """Name the C type of a scalar without any header."""
    if dtype[0] == "f" or dtype == "bool":
        return {"f32": "float", "f64": "double", "bool": "_Bool"}[dtype]
    return ("__INT" if dtype[0] == "i" else "__UINT") + f"{dtype[1:]}_TYPE__"


def _unqualified(ctype: str) -> str:
    return re.sub(r"\b(const|restrict|volatile|register)\b", "", ctype).strip()


def _declaration(name: str, ctype: str, view: FunctionView) -> str:
    """Declare the structure, or the array of structures, that a parameter of C is or points to, all zeros."""
    record = ctype.removesuffix("*").strip()
    columns = [k for k, p in enumerate(view.parameters) if p.is_column and p.member[0] == name]
    if not columns:
        return f"{record} tl_{name}; __builtin_memset(&tl_{name}, 0, sizeof tl_{name});"
    lengths = [f"*(long *)tl_arguments[{len(view.parameters) + k}]" for k in columns]
    most = f"long tl_{name}_length = 1;" + "".join(
        f" if ({length} > tl_{name}_length) tl_{name}_length = {length};" for length in lengths
    )
    return f"{most} {record} tl_{name}[tl_{name}_length]; __builtin_memset(tl_{name}, 0, sizeof tl_{name});"


def _fill(view: FunctionView, position: int, structures: Mapping[str, str]) -> Iterator[str]:
    """Put an argument where C reaches it, if it is no parameter of C."""
    parameter = view.parameters[position]
    if not parameter.access:
        return
    place, argument = _place(parameter, structures), f"tl_arguments[{position}]"
    if parameter.is_column:
        yield _each(view, position, f"__builtin_memcpy(&{place}, {_cell(place, argument)}, sizeof {place});")
    elif parameter.lies_inside:
        yield f"__builtin_memcpy(&{place}, {argument}, sizeof {place});"
    elif parameter.role == "array":
        yield f"{place} = {argument};"
    else:
        yield f"{place} = *({c_scalar(parameter.dtype)} *){argument};"


def _fetch(view: FunctionView, position: int, structures: Mapping[str, str]) -> Iterator[str]:
    """Read back what the function may have changed in place."""
    parameter = view.parameters[position]
    if not parameter.access or parameter.name not in view.written:
        return
    place, argument = _place(parameter, structures), f"tl_arguments[{position}]"
    if parameter.is_column:
        yield _each(view, position, f"__builtin_memcpy({_cell(place, argument)}, &{place}, sizeof {place});")
    elif parameter.lies_inside:
        yield f"__builtin_memcpy({argument}, &{place}, sizeof {place});"


def _each(view: FunctionView, position: int, statement: str) -> str:
    length = f"*(long *)tl_arguments[{len(view.parameters) + position}]"
    return f"for (long tl_i = 0; tl_i < {length}; tl_i++) {statement}"


def _cell(place: str, argument: str) -> str:
    return f"(char *){argument} + tl_i * sizeof {place}"


def _place(parameter: Parameter, structures: Mapping[str, str]) -> str:
    """Spell the lvalue in ``tl_call`` that a parameter stands for."""
    root, link, path = parameter.member
    if root not in structures:
        return f"{root}{link}{path}"
    return f"tl_{root}[tl_i].{path}" if parameter.is_column else f"tl_{root}.{path}"


def _argument(name: str, structures: Mapping[str, str], view: FunctionView) -> str:
    """Spell what is passed for a parameter of C."""
    if name in structures:
        columns = any(p.is_column and p.member[0] == name for p in view.parameters)
        return f"&tl_{name}" if structures[name].endswith("*") and not columns else f"tl_{name}"
    position = next((k for k, p in enumerate(view.parameters) if p.name == name and not p.access), -1)
    parameter = view.parameters[position]
    if position < 0 or not parameter.name.isidentifier() or not parameter.c_type:
        message = f"'{name}' is no parameter of the C function, so the original cannot be called"
        raise refuse("TL603", message, view.location, "pass it as a parameter")
    if parameter.role == "array":
        return f"tl_arguments[{position}]"
    return f"*({c_scalar(parameter.dtype)} *)tl_arguments[{position}]"
