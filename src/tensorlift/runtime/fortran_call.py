"""The Fortran that makes a procedure callable over flat memory: ``tl_call(void **arguments, void *result)``.

``tl.fortran`` of the loop IR (docs/loop-ir.md) says where the procedure stands and what it takes.  Each argument is
seen through a pointer to where it lies, of the extents that stand behind the arguments, in the order of Fortran.  Truth
values are of one byte outside, and copied to variables of the kind that the procedure takes.  Components and variables
outside are set before the call, and copied back after it: those of a module by procedures that stand in that module, so
that what is private can be reached; `tl_call` stands in the module of its procedure.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse
from tensorlift.ir.fortran_blas import procedures
from tensorlift.ir.function import fortran_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.ir.function import FunctionView, Parameter

_TYPES = {
    "f64": "real(c_double)", "f32": "real(c_float)", "bool": "logical(c_bool)",
    "i8": "integer(c_int8_t)", "i16": "integer(c_int16_t)", "i32": "integer(c_int32_t)", "i64": "integer(c_int64_t)",
}  # fmt: skip
_COMPLEX = {"f64": "complex(c_double_complex)", "f32": "complex(c_float_complex)"}
_ENOUGH = 64  # elements along a dimension of what is not used
_LONGEST = 100  # of a line; Fortran takes 132 columns
CLOCK = """module tl_clock
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


@dataclass(frozen=True)
class CallFiles:
    """The source, with what is put into its modules, and what stands outside of it."""

    source: str
    beside: str
    others: tuple[tuple[str, str], ...]  # files of other modules, with their texts


def fortran_call_files(view: FunctionView, text: str) -> CallFiles:
    """Write what calls a procedure; raises LiftError TL603 for one that only another one can call.

    Nothing is put into modules in fixed form; there variables must be public.
    """
    facts = fortran_of(view)
    fixed = facts["fixed"]
    if facts["is_inside"] or any(not home for home, _ in facts["uses"]):
        message = f"'{view.name}' stands or has a type inside of another procedure, so the original cannot be called"
        raise refuse("TL603", message, view.location, "move it into a module")
    inside: dict[str, list[str]] = {}
    for module in sorted({home for home, _ in facts["parts"].values() if home}):
        inside[module] = [*_transfer(view, module, "put", fixed=fixed), *_transfer(view, module, "get", fixed=fixed)]
    own = facts["module"] if not fixed else ""
    inside.setdefault(own, []).extend(_main(view, fixed=fixed))
    beside = inside.pop("", [])
    if fixed:
        beside = [line for lines in (*inside.values(), beside) for line in lines]
        inside = {}
    others = [(name, Path(name).read_bytes().decode("utf-8", "replace")) for name in facts["others"]]
    texts = {name: _placed(own, facts["modules"], inside, name) for name, own in [("", text), *others]}
    return CallFiles(texts.pop(""), "\n".join(beside) + "\n", tuple(texts.items()))


def stubs(names: Sequence[str]) -> str:
    """Write procedures that others call and that are not here: LSAME, those of BLAS, and what ends the program."""
    known = {f"{name}_": text for name, text in procedures().items()} | {"lsame_": _LSAME}
    wanted = [known[name] for name in names if name in known]
    called = [text for name, text in known.items() if name not in names and any(f"{name[:-1]}(" in w for w in wanted)]
    bodies = [
        known.get(name, f'subroutine tl_stub{k}() bind(c, name="{name}")\n  error stop\nend subroutine\n')
        for k, name in enumerate(names)
    ]
    return "".join((*bodies, *called))


def _placed(text: str, modules: Mapping[str, Sequence[Any]], inside: Mapping[str, Sequence[str]], file: str) -> str:
    """Put procedures into the modules of a file, before the lines that these end on."""
    lines = text.splitlines()
    own = [module for module in inside if modules[module][2] == file]
    for module in sorted(own, key=lambda name: modules[name][0], reverse=True):
        last, contains, _ = modules[module]
        lines[last - 1 : last - 1] = [*([] if contains else ["contains"]), *inside[module]]
    return "\n".join(lines) + "\n"


def _main(view: FunctionView, *, fixed: bool) -> Iterator[str]:
    facts = fortran_of(view)
    modules = sorted({home for home, _ in facts["parts"].values() if home})
    own = [p for p in view.parameters if not facts["parts"].get(p.name, [""])[0]]
    parts = {p.name: facts["parts"][p.name][1] for p in own if p.name in facts["parts"]}
    yield from (
        'subroutine tl_call(tl_arguments, tl_result) bind(c, name="tl_call")',
        "use iso_c_binding",
        "use tl_clock",
        *([f"use {facts['module']}, only: {view.name}"] if facts["module"] and fixed else []),
        *(f"use {home}, only: {name}" for home, name in facts["uses"] if home != facts["module"] or fixed),
        "implicit none",
        "type(c_ptr), intent(in) :: tl_arguments(*)",
        "type(c_ptr), value :: tl_result",
        "integer(c_int64_t) :: tx_from, tx_to, tx_rate",
    )
    for module in modules:
        yield from ("interface", *_header(module, "put"), "end subroutine", *_header(module, "get"))
        yield from ("end subroutine", "end interface")
    yield from (line for text in facts["commons"] for line in text.splitlines())
    for name, (kind, rank) in facts["made"].items():
        yield f"{kind}{', allocatable' if rank else ''} :: tm_{name}{_colons(rank)}"
    yield from _declared(view, own)
    yield from (f"character :: tc_{name}" for name in _kept_texts(view))
    yield from _pointed(view, own)
    filled = {path[0][0] for path in parts.values()}
    for name, (_, rank) in facts["made"].items():
        if rank and f"tm_{name}" not in filled:
            yield f"allocate(tm_{name}({', '.join([str(_ENOUGH)] * rank)}))"  # nothing of it is used
    yield from _copies(view, parts, "put")
    yield from (f"tc_{name} = transfer(ta_{name}, 'a')" for name in _kept_texts(view))
    yield from (f"call tl_put_{module}(tl_arguments)" for module in modules)
    yield from (
        "call system_clock(tx_from, tx_rate)",
        *_wrapped(_call(view)),
        "call system_clock(tx_to)",
        "tl_nanoseconds = (tx_to - tx_from) * (1000000000_c_int64_t / tx_rate)",
    )
    yield from (f"call tl_get_{module}(tl_arguments)" for module in modules)
    yield from _copies(view, parts, "get")
    yield from (f"ta_{p.name} = tb_{p.name}" for p in own if p.name in _truths(view) and p.role == "array")
    yield from (f"ta_{name} = transfer(tc_{name}, ta_{name})" for name in _kept_texts(view))
    yield "end subroutine"


def _header(module: str, kind: str) -> Iterator[str]:
    name = f"tl_{kind}_{module}"
    yield f'subroutine {name}(tl_arguments) bind(c, name="{name}")'
    yield from ("use iso_c_binding", "type(c_ptr), intent(in) :: tl_arguments(*)")


def _transfer(view: FunctionView, module: str, kind: str, *, fixed: bool) -> Iterator[str]:
    """Write the procedure that sets variables of a module, or copies them back."""
    facts = fortran_of(view)
    own = [p for p in view.parameters if facts["parts"].get(p.name, [""])[0] == module]
    first, *rest = _header(module, kind)
    yield from (first, *([f"use {module}"] if fixed else []), *rest)
    yield from _declared(view, own, is_main=False)
    yield from _pointed(view, own, is_main=False)
    yield from _copies(view, {p.name: facts["parts"][p.name][1] for p in own}, kind)
    yield "end subroutine"


def _copies(view: FunctionView, parts: Mapping[str, Sequence[Sequence[Any]]], kind: str) -> Iterator[str]:
    """Copy flat memory to where variables lie, which are allocated first, or back."""
    parameters = {p.name: p for p in view.parameters}
    allocated: set[str] = set()
    for name, path in parts.items():
        if kind == "put" or parameters[name].role == "array":
            yield from _copy(name, path, kind, allocated)


def _copy(name: str, path: Sequence[Sequence[Any]], kind: str, allocated: set[str]) -> Iterator[str]:
    """Copy one part, in loops over the structures of arrays on the way."""
    lead, opened, axis = "", 0, 0
    for position, (own, rank, mark, lower) in enumerate(path):
        lead = f"{lead}%{own}" if lead else own
        axes = range(axis + 1, axis + rank + 1)
        axis += rank
        is_last = position == len(path) - 1
        if mark and kind == "put" and lead not in allocated:
            allocated.add(lead)
            if mark == "allocatable":
                yield f"if (allocated({lead})) deallocate({lead})"
            shape = ", ".join(f"{low}:te_{name}({k}){low - 1:+d}" for low, k in zip(lower, axes, strict=True))
            yield f"allocate({lead}({shape}))" if rank else f"allocate({lead})"
        if rank and not is_last:
            yield from (f"do tx_{k} = 1, te_{name}({k})" for k in axes)
            opened += rank
            first = axis - rank
            lead += f"({', '.join(f'lbound({lead}, {k - first}) + tx_{k} - 1' for k in axes)})"
    chosen = [*(f"tx_{k}" for k in range(1, opened + 1)), *[":"] * (axis - opened)]
    flat = f"ta_{name}({', '.join(chosen)})" if opened else f"ta_{name}"
    yield f"{lead} = {flat}" if kind == "put" else f"{flat} = {lead}"
    yield from ["end do"] * opened


def _kept_texts(view: FunctionView) -> list[str]:
    """Name the characters that the procedure sets, which are passed themselves."""
    return [p.name for p in view.parameters if p.role == "array" and p.name in fortran_of(view)["text"]]


def _truths(view: FunctionView) -> dict[str, int]:
    """Give the kinds of truth values that are passed themselves."""
    facts = fortran_of(view)
    return {name: kind for name, kind in facts["logical"].items() if name not in facts["made"]}


def _declared(view: FunctionView, parameters: Sequence[Parameter], *, is_main: bool = True) -> Iterator[str]:
    """Declare the procedure and a pointer for each argument."""
    facts, truths = fortran_of(view), _truths(view)
    result = _TYPES.get(view.result_dtype or "", "") if is_main else ""
    if is_main and facts["interface"]:
        yield from ("interface", *facts["interface"].splitlines(), "end interface")
    elif is_main and not facts["module"]:
        kind = _result_type(view) or result
        yield f"{kind}, external :: {view.name}" if kind else f"external :: {view.name}"
    for p in parameters:
        rank = _rank(view, p)
        kind = (_COMPLEX if p.name in facts["complex"] else _TYPES)[p.dtype]
        yield f"{kind}, pointer :: ta_{p.name}{_colons(rank)}"
        if rank:
            yield f"integer(c_int64_t), pointer :: te_{p.name}(:)"
        if p.name in truths:
            is_shaped = ", allocatable" if rank else ""
            yield f"logical({truths[p.name]}){is_shaped} :: tb_{p.name}{_colons(rank)}"
    deepest = max((_rank(view, p) for p in parameters), default=0)
    if deepest:
        yield f"integer(c_int64_t) :: {', '.join(f'tx_{k}' for k in range(1, deepest + 1))}"
    if result:
        yield f"{result}, pointer :: tx_value"


def _result_type(view: FunctionView) -> str:
    """Give the type of a result that is a truth value, or complex."""
    name, truths = fortran_of(view)["result"], _truths(view)
    if name in fortran_of(view)["complex"]:
        return _COMPLEX[next(p.dtype for p in view.parameters if p.name == name)]
    return f"logical({truths[name]})" if name in truths else ""


def _pointed(view: FunctionView, parameters: Sequence[Parameter], *, is_main: bool = True) -> Iterator[str]:
    for k, p in enumerate(view.parameters, 1):
        if p not in parameters:
            continue
        rank = _rank(view, p)
        if rank:
            yield f"call c_f_pointer(tl_arguments({len(view.parameters) + k}), te_{p.name}, [{rank}])"
        yield f"call c_f_pointer(tl_arguments({k}), ta_{p.name}{f', te_{p.name}' if rank else ''})"
        if p.name in _truths(view):
            yield f"tb_{p.name} = ta_{p.name}"
    if view.result_dtype and is_main:
        yield "call c_f_pointer(tl_result, tx_value)"


def _call(view: FunctionView) -> str:
    facts = fortran_of(view)
    kept = set(_kept_texts(view))
    passed = ", ".join(f"tc_{name}" if name in kept else _passed(facts, name) for name in facts["arguments"])
    if not facts["result"]:
        return f"call {view.name}({passed})"
    target = "tx_value" if view.result_dtype else f"ta_{facts['result']}"
    return f"{target} = {view.name}({passed})"


def _passed(facts: dict[str, Any], name: str) -> str:
    parts = facts["complex"].get(name)
    if parts:
        return f"cmplx(ta_{parts[0]}, ta_{parts[1]}, kind(ta_{parts[0]}))"
    if name in facts["text"]:
        return f"transfer(ta_{name}, 'a')"
    return f"{'tm' if name in facts['made'] else 'tb' if name in facts['logical'] else 'ta'}_{name}"


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
    facts = fortran_of(view)
    return 1 if parameter.name in facts["flat"] else len(parameter.extents or ()) - (parameter.name in facts["complex"])


def _colons(rank: int) -> str:
    return f"({', '.join(':' * rank)})" if rank else ""
