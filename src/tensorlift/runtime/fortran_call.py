"""The Fortran file that makes a procedure callable over flat memory: ``tl_call(void **arguments, void *result)``.

``tl.fortran`` of the loop IR (docs/loop-ir.md) says where the procedure stands and what it takes.  Each argument is
seen through a pointer to where it lies, of the extents that stand behind the arguments, in the order of Fortran.  Truth
values are of one byte outside, and copied to variables of the kind that the procedure takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse
from tensorlift.ir.function import fortran_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.ir.function import FunctionView, Parameter

_TYPES = {
    "f64": "real(c_double)", "f32": "real(c_float)", "bool": "logical(c_bool)",
    "i8": "integer(c_int8_t)", "i16": "integer(c_int16_t)", "i32": "integer(c_int32_t)", "i64": "integer(c_int64_t)",
}  # fmt: skip
_LONGEST = 100  # of a line; Fortran takes 132 columns
_CLOCK = """module tl_clock
  use iso_c_binding, only: c_int64_t
  integer(c_int64_t), bind(c, name="tl_nanoseconds") :: tl_nanoseconds = 0
end module
"""
_LSAME = """logical function lsame(one, other)
  character :: one, other
  lsame = capital(one) == capital(other)
contains
  integer function capital(letter)
    character :: letter
    capital = iachar(letter)
    if (letter >= 'a' .and. letter <= 'z') capital = capital - 32
  end function
end function
"""


def fortran_call_file(view: FunctionView) -> str:
    """Write the file; raises LiftError TL603 for a procedure that only another one can call."""
    facts = fortran_of(view)
    if facts["is_inside"]:
        message = f"'{view.name}' stands inside of another procedure, so the original cannot be called"
        raise refuse("TL603", message, view.location, "move it into a module")
    lines = [
        'subroutine tl_call(tl_arguments, tl_result) bind(c, name="tl_call")',
        "use iso_c_binding",
        "use tl_clock",
        *([f"use {facts['module']}, only: {view.name}"] if facts["module"] else []),
        "implicit none",
        "type(c_ptr), intent(in) :: tl_arguments(*)",
        "type(c_ptr), value :: tl_result",
        "integer(c_int64_t) :: tx_from, tx_to, tx_rate",
        *_declared(view),
        *_pointed(view),
        "call system_clock(tx_from, tx_rate)",
        *_wrapped(_call(view)),
        "call system_clock(tx_to)",
        "tl_nanoseconds = (tx_to - tx_from) * (1000000000_c_int64_t / tx_rate)",
        *[f"ta_{p.name} = tb_{p.name}" for p in view.parameters if p.name in facts["logical"] and p.role == "array"],
        "end subroutine",
    ]
    return _CLOCK + "\n".join(lines) + "\n"


def stubs(names: Sequence[str]) -> str:
    """Write procedures that others in the file call and that are not here: LSAME, and what ends the program."""
    bodies = (
        _LSAME
        if name == "lsame_"
        else f'subroutine tl_stub{k}() bind(c, name="{name}")\n  error stop\nend subroutine\n'
        for k, name in enumerate(names)
    )
    return "".join(bodies)


def _declared(view: FunctionView) -> Iterator[str]:
    """Declare the procedure and a pointer for each argument."""
    facts = fortran_of(view)
    result = _TYPES.get(view.result_dtype or "", "")
    if facts["interface"]:
        yield from ("interface", *facts["interface"].splitlines(), "end interface")
    elif not facts["module"]:
        kind = f"logical({facts['logical'][facts['result']]})" if facts["result"] in facts["logical"] else result
        yield f"{kind}, external :: {view.name}" if kind else f"external :: {view.name}"
    for p in view.parameters:
        rank = _rank(view, p)
        colons = f"({', '.join(':' * rank)})" if rank else ""
        yield f"{_TYPES[p.dtype]}, pointer :: ta_{p.name}{colons}"
        if rank:
            yield f"integer(c_int64_t), pointer :: te_{p.name}(:)"
        if p.name in facts["logical"]:
            is_shaped = ", allocatable" if rank else ""
            yield f"logical({facts['logical'][p.name]}){is_shaped} :: tb_{p.name}{colons}"
    if result:
        yield f"{result}, pointer :: tx_value"


def _pointed(view: FunctionView) -> Iterator[str]:
    for k, p in enumerate(view.parameters, 1):
        rank = _rank(view, p)
        if rank:
            yield f"call c_f_pointer(tl_arguments({len(view.parameters) + k}), te_{p.name}, [{rank}])"
        yield f"call c_f_pointer(tl_arguments({k}), ta_{p.name}{f', te_{p.name}' if rank else ''})"
        if p.name in fortran_of(view)["logical"]:
            yield f"tb_{p.name} = ta_{p.name}"
    if view.result_dtype:
        yield "call c_f_pointer(tl_result, tx_value)"


def _call(view: FunctionView) -> str:
    facts = fortran_of(view)
    passed = ", ".join(_passed(facts, name) for name in facts["arguments"])
    if not facts["result"]:
        return f"call {view.name}({passed})"
    target = "tx_value" if view.result_dtype else f"ta_{facts['result']}"
    return f"{target} = {view.name}({passed})"


def _passed(facts: dict[str, Any], name: str) -> str:
    if name in facts["text"]:
        return f"transfer(ta_{name}, 'a')"
    return f"tb_{name}" if name in facts["logical"] else f"ta_{name}"


def _wrapped(line: str) -> Iterator[str]:
    """Spread a line over several, at its commas."""
    while len(line) > _LONGEST:
        cut = line.rindex(",", 0, _LONGEST) + 1
        yield f"{line[:cut]} &"
        line = line[cut:].lstrip()
    yield line


def _rank(view: FunctionView, parameter: Parameter) -> int:
    if parameter.role != "array":
        return 0
    return 1 if parameter.name in fortran_of(view)["flat"] else len(parameter.extents or ())
