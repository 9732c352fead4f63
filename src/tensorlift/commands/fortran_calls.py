"""What a procedure of Fortran gets so that it tries its program: an interface, a call, and a function in C.

The function takes what the program takes, as C has it: numbers by value, arrays as memory.  It runs the program where
all that the proof assumes holds, and says whether it did.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tensorlift.commands.rewrite import body_of, includes_of, shared_of
from tensorlift.diagnostics import refuse
from tensorlift.frontends.fortran.directives import directives_in
from tensorlift.frontends.fortran.items import deferred_lower, items_of
from tensorlift.frontends.fortran.syntax import body, kind_of, nodes_in, part
from tensorlift.ir.function import fortran_of
from tensorlift.ir.linear import Linear
from tensorlift.ops.c_types import CHAR
from tensorlift.report.terminal import summary_lines
from tensorlift.targets.c.text import ORIGINAL, PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.fortran.items import Item
    from tensorlift.frontends.fortran.procedures import ParsedFortran
    from tensorlift.frontends.fortran.symbols import Procedure, Symbol
    from tensorlift.ir.function import FunctionView, Parameter
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

TRIED = "_tried"  # behind the name of a procedure: the function that runs its program or says that it does not
MARK = "lifted by tensorlift"
IN_C = "programs of tensorlift for its procedures, which call the functions that end in"
_KINDS = {
    "f64": "real(c_double)", "f32": "real(c_float)", "bool": "logical(c_bool)",
    "i8": "integer(c_int8_t)", "i16": "integer(c_int16_t)", "i32": "integer(c_int32_t)", "i64": "integer(c_int64_t)",
}  # fmt: skip
_COMPLEX = {"f64": "complex(c_double_complex)", "f32": "complex(c_float_complex)"}
_INT, _LONG = "selected_int_kind(9)", "selected_int_kind(18)"
_INTRINSICS = {
    "real",
    "aimag",
    "size",
    "is_contiguous",
    "allocated",
    "logical",
    "selected_int_kind",
    "transfer",
    "int",
    "len",
    "lbound",
    "present",
    "associated",
}
_UNKNOWN_TO_C = {"volatile", "asynchronous", "class"}
_WHETHER_THERE = {"allocatable": "allocated", "pointer": "associated"}
_LAST = 2  # in the order of tests: whether something is there comes before
_LAST_COLUMN = 72
_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST = 100
_MARKED = re.compile(rf"^[!c*\s]*\S+ is {MARK}", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entered:
    """A procedure whose program is tried first: what the file gets, and where, and the function in C."""

    record: FunctionRecord
    procedure: Procedure
    entry: str  # the function in C
    declared: tuple[str, ...]  # lines of Fortran behind the declarations
    called: tuple[str, ...]  # those before the first statement
    c: str

    @property
    def name(self) -> str:
        """The name of the procedure."""
        return self.record.name


def entered(procedure: Procedure, function: FunctionRecord, view: FunctionView, c_file: str) -> Entered:
    """Write what a procedure gets; raises LiftError TL579 where Fortran cannot call its program."""
    scope = procedure.scope
    shadowed = sorted(name for name in _INTRINSICS if scope.find(name) is not None or scope.procedure(name) is not None)
    if shadowed:
        raise _uncallable(function, f"the name `{shadowed[0]}` is its own", "give that another name")
    _check_place(procedure, function)
    outer = scope.outer
    module = outer.module if outer is not None else ""
    entry = f"{module}_{function.name}{TRIED}" if module else f"{function.name}{TRIED}"
    taken = {name for name in _all_names(procedure) if name}
    tried, done, value = (_free(f"{function.name}{end}", taken) for end in (TRIED, "_done", "_value"))
    items = {item.name: item for item in items_of(procedure)}
    tests, passed = list[tuple[int, str]](), list[str]()
    for parameter in view.parameters:
        passed.append(_actual(procedure, function, parameter, items, view))
    for item in (items[p.name] for p in view.parameters if p.name in items):
        tests += _tests(procedure, item)
    tests += ((_LAST, test) for test in _equal_extents(procedure, view, items))
    result = scope.names[procedure.result] if procedure.result and view.result_dtype else None
    dummies = [p.name for p in view.parameters]
    own, answer = _free("tried", set(dummies)), _free("value", {*dummies, "tried"})
    listed = [*dummies, *([answer] if result is not None else []), own]
    pure = "pure " if _is_pure(procedure) else ""
    inside = [
        *(_declaration(p, view) for p in view.parameters),
        *([f"{_result_kind(view)}, intent(inout) :: {answer}"] if result is not None else []),
        f"integer(c_int), intent(out) :: {own}",
    ]
    kinds = sorted({kind for line in inside for kind in re.findall(r"\((c_\w+)\)", line)})
    declared = [
        f"! {function.name} is {MARK}: {entry} of {c_file} runs where what its proof assumes holds",
        "interface",
        f'  {pure}subroutine {tried}({", ".join(listed)}) bind(c, name="{entry}")',
        f"    use, intrinsic :: iso_c_binding, only: {', '.join(kinds)}",
        "    implicit none",
        *(f"    {line}" for line in inside),
        "  end subroutine",
        "end interface",
        f"integer({_INT}) :: {done}",
    ]
    given, after = [*passed], []
    if result is not None and view.result_c_type == "_Bool":
        declared.append(f"logical(1) :: {value}")
        given.append(value)
        after.append(f"if ({done} /= 0) {result.name} = {value}")
    elif result is not None:
        given.append(result.name)
    called = [f"call {tried}({', '.join([*given, done])})", *after, f"if ({done} /= 0) return"]
    for place in sorted({place for place, _ in tests}, reverse=True):  # what is asked later may not be there before
        asked = dict.fromkeys(test for at, test in tests if at == place)
        called = [f"if ({' .and. '.join(asked)}) then", *(f"  {line}" for line in called), "end if"]
    return Entered(function, procedure, entry, tuple(declared), tuple(called), _function_in_c(function, entry))


def _uncallable(function: FunctionRecord, why: str, remedy: str = "nothing: it stays as it was") -> LiftError:
    message = f"the program of `{function.name}` is not called: {why}"
    return refuse("TL579", message, function.location, remedy)


def _all_names(procedure: Procedure) -> set[str]:
    scope: Any = procedure.scope
    found = {str(node).lower() for node in nodes_in([procedure.tree]) if kind_of(node) == "Name"}
    while scope is not None:
        found |= {*scope.names, *scope.procedures}
        scope = scope.outer
    return found


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}{number}"
    taken.add(name)
    return name


def _is_pure(procedure: Procedure) -> bool:
    prefix = procedure.tree.children[0].children[0]
    return any(str(word).lower() == "pure" for word in getattr(prefix, "children", ()) or ())


def _check_place(procedure: Procedure, function: FunctionRecord) -> None:
    """Refuse a procedure in which no call may stand before the first statement."""
    prefix = procedure.tree.children[0].children[0]
    if any(str(word).lower() == "elemental" for word in getattr(prefix, "children", ()) or ()):
        raise _uncallable(function, "it is elemental")
    first, last = _specified(procedure), _before_statements(procedure)
    file = procedure.scope.file
    lines = file.lines
    begins = [procedure.scope.first + _span(node)[0] for node in body(procedure)]
    if first in begins or last in begins[len(formulas(procedure)) :]:
        raise _uncallable(function, "statements stand behind a declaration on one line", "give each its own line")
    head = procedure.scope.first + _span(procedure.tree.children[0])[0]
    end = procedure.scope.first + _span(procedure.tree)[1]
    if any(one.text != one.own or one.file != file.name for one in file.places[head - 1 : end]):
        raise _uncallable(function, "the preprocessor or an `include` makes lines of it", "write what they make")
    for one in directives_in(lines, head, end):
        if one.kind == "acc":
            raise _uncallable(function, f"`{one.said}` may keep its arrays on a device", "remove the directive")
        if one.first <= first or one.declares:
            raise _uncallable(function, f"`{one.said}` is for the procedure as it is", "remove the directive")


def _span(tree: Any) -> tuple[int, int]:
    """Give the first and the last line of a piece of syntax, counted in its unit."""
    spans = [node.item.span for node in nodes_in([tree]) if getattr(node, "item", None) is not None]
    return min(first for first, _ in spans), max(last for _, last in spans)


def _specified(procedure: Procedure) -> int:
    """Give the last line of the file that declares something."""
    specification = part(procedure.tree, "Specification_Part")
    declares = specification is not None and any(getattr(n, "item", None) for n in nodes_in([specification]))
    return procedure.scope.first + _span(specification if declares else procedure.tree.children[0])[1]


def formulas(procedure: Procedure) -> list[Any]:
    """List the statement functions, which the parser takes for the first assignments."""
    return list(takewhile(partial(_is_formula, procedure), body(procedure)))


def _before_statements(procedure: Procedure) -> int:
    """Give the line of the file behind which a call may stand."""
    found = formulas(procedure)
    return procedure.scope.first + _span(found)[1] if found else _specified(procedure)


def _is_formula(procedure: Procedure, node: Any) -> bool:
    if kind_of(node) != "Assignment_Stmt" or kind_of(node.children[0]) != "Part_Ref":
        return False
    symbol = procedure.scope.find(str(node.children[0].children[0]).lower())
    return symbol is None or not symbol.bounds


def _spelled(procedure: Procedure, symbol: Symbol) -> str:
    """Spell a variable, or a component of one, as the procedure has it."""
    if symbol.above is not None:
        own = symbol.name.rpartition("%")[2]
        return f"{_spelled(procedure, symbol.above)}%{own}"
    scope: Any = procedure.scope
    while scope is not None:
        for name, known in scope.names.items():
            if known is symbol or known.same is symbol:
                return str(name)
        scope = scope.outer
    return symbol.name


def _actual(
    procedure: Procedure, function: FunctionRecord, parameter: Parameter, items: dict[str, Item], view: FunctionView
) -> str:
    """Spell what is passed for a parameter of the program."""
    item = items.get(parameter.name)
    if item is None:
        return _told(procedure, function, parameter, items, view)
    symbol = item.symbol
    above: Symbol | None = symbol
    while above is not None:
        marks = above.attributes & (_UNKNOWN_TO_C | (_WHETHER_THERE.keys() if above is not symbol else set()))
        if marks:
            raise _uncallable(function, f"`{above.name}` is {min(marks)}")
        if above is not symbol and above.bounds:
            raise _uncallable(function, f"`{symbol.name}` does not lie in one piece")
        above = above.above
    spelled = _spelled(procedure, symbol)
    if parameter.name in fortran_of(view)["text"]:
        if parameter.role == "array":
            raise _uncallable(function, f"`{symbol.name}` is a character that it sets")
        return f"transfer({spelled}, int(0, 1))"
    if parameter.dtype != "bool":
        return spelled
    if parameter.role != "array":
        return f"logical({spelled}, 1)"
    if _kind(view, parameter.name) != 1:
        raise _uncallable(function, f"`{symbol.name}` has truth values of another kind than C", "declare it logical(1)")
    return spelled


def _told(
    procedure: Procedure, function: FunctionRecord, parameter: Parameter, items: dict[str, Item], view: FunctionView
) -> str:
    """Spell a part of a complex number, or an extent of an array."""
    whole = next((one for one in items.values() if parameter.name in one.parts), None)
    if whole is not None:
        part = "real" if parameter.name == whole.parts[0] else "aimag"
        return f"{part}({_spelled(procedure, whole.symbol)})"
    array, axis = _extent_of(view, parameter.name, items)
    if array is None:
        raise _uncallable(function, f"nothing tells `{parameter.name}`")
    symbol = items[array].symbol
    return f"size({_spelled(procedure, symbol)}, {len(symbol.bounds) - axis}, {_LONG})"


def _kind(view: FunctionView, name: str) -> int:
    return int(fortran_of(view)["logical"].get(name, 0))


def _extent_of(view: FunctionView, size: str, items: dict[str, Item]) -> tuple[str | None, int]:
    """Find an array of which a size is an extent that Fortran knows."""
    for parameter in view.parameters:
        symbol = items[parameter.name].symbol if parameter.name in items else None
        if parameter.role != "array" or symbol is None or _rank(view, parameter) != len(symbol.bounds):
            continue
        for axis, extent in enumerate((parameter.extents or ())[: _rank(view, parameter)]):
            _, upper = symbol.bounds[len(symbol.bounds) - 1 - axis]
            if upper is None and extent == Linear.size(size):
                return parameter.name, axis
    return None, 0


def _tests(procedure: Procedure, item: Item) -> Iterator[tuple[int, str]]:
    """Yield what must hold of an argument so that it can be handed over as it lies in memory, and in which order."""
    symbol = item.symbol
    spelled = _spelled(procedure, symbol)
    if "optional" in symbol.attributes:
        yield 0, f"present({_spelled(procedure, symbol.variable)})"
    marks = symbol.attributes & _WHETHER_THERE.keys()
    yield from ((1, f"{_WHETHER_THERE[mark]}({spelled})") for mark in marks)
    if symbol.ctype is CHAR:
        yield _LAST, f"len({spelled}) == 1"
    if not symbol.bounds:
        return
    if marks:
        yield from ((_LAST, f"lbound({spelled}, {axis + 1}) == {low}") for axis, low in deferred_lower(symbol).items())
    is_open = "pointer" in marks or (not marks and any(upper is None for _, upper in symbol.bounds))
    if is_open and "contiguous" not in symbol.attributes:
        yield _LAST, f"is_contiguous({spelled})"


def _equal_extents(procedure: Procedure, view: FunctionView, items: dict[str, Item]) -> Iterator[str]:
    """Yield that extents are equal which the source takes for one."""
    first: dict[Linear, str] = {}
    for parameter in view.parameters:
        symbol = items[parameter.name].symbol if parameter.name in items else None
        if parameter.role != "array" or symbol is None or _rank(view, parameter) != len(symbol.bounds):
            continue
        for axis, extent in enumerate((parameter.extents or ())[: _rank(view, parameter)]):
            number = len(symbol.bounds) - axis
            if symbol.bounds[number - 1][1] is not None:
                continue
            spelled = f"size({_spelled(procedure, symbol)}, {number})"
            known = first.setdefault(extent, spelled)
            if known != spelled:
                yield f"{known} == {spelled}"


def _result_kind(view: FunctionView) -> str:
    return _KINDS["bool" if view.result_c_type == "_Bool" else view.result_dtype or ""]


def _declaration(parameter: Parameter, view: FunctionView) -> str:
    if parameter.role != "array":
        kind = "integer(c_long)" if parameter.c_type == "long" else _KINDS[parameter.dtype]
        return f"{kind}, value :: {parameter.name}"
    intent = "inout" if parameter.name in view.written else "in"
    kinds = _COMPLEX if parameter.name in fortran_of(view)["complex"] else _KINDS
    return f"{kinds[parameter.dtype]}, intent({intent}) :: {parameter.name}{'(*)' if _rank(view, parameter) else ''}"


def _rank(view: FunctionView, parameter: Parameter) -> int:
    """Count the dimensions of an array, without that of the parts of its elements."""
    return len(parameter.extents or ()) - (parameter.name in fortran_of(view)["complex"])


def with_calls(source: Source, parsed: ParsedFortran, chosen: Sequence[Entered]) -> str:
    """Give the text of the file with what procedures get; every line that was there stays."""
    newline = "\r\n" if "\r\n" in source.text else "\n"
    lines = _LINE_END.split(source.text)
    added: dict[int, list[str]] = {}
    for one in chosen:
        for line, statements in (
            (_specified(one.procedure), one.declared),
            (_before_statements(one.procedure), one.called),
        ):
            added.setdefault(parsed.file.line_in_file(line), []).extend(statements)
    for line in sorted(added, reverse=True):
        indent = _indent(lines, line)
        lines[line:line] = [spelled for one in added[line] for spelled in _as_lines(one, indent, parsed.file.is_fixed)]
    return newline.join(lines)


def _indent(lines: Sequence[str], line: int) -> str:
    content = lines[line - 1]
    return content[: len(content) - len(content.lstrip(" "))]


def _as_lines(statement: str, indent: str, fixed: bool) -> Iterator[str]:  # noqa: FBT001 - the form of the file
    """Spell a statement in the form of the file."""
    if statement.startswith("!"):
        yield f"{'' if fixed else indent}{statement}"
        return
    lead = statement[: len(statement) - len(statement.lstrip())]
    first, next_, most = (" " * 6, "     & ", _LAST_COLUMN - 8) if fixed else (indent, f"{indent}{lead}  ", _LONGEST)
    rest = statement
    while len(rest) > most:
        cut = max(rest.rfind(", ", 0, most) + 2, rest.rfind(" .and. ", 0, most) + 1)
        cut = cut if cut > 1 else rest.find(" ", most) + 1
        if not cut:
            break
        yield f"{first}{rest[:cut].rstrip()}{'' if fixed else ' &'}"
        first, rest = next_, rest[cut:]
    yield f"{first}{rest}"


def in_c(source: Source, chosen: Sequence[Entered]) -> str:
    """Write the file in C: what several programs share, and for each procedure the function that Fortran calls."""
    if not chosen:
        return ""
    programs = [one.record.program for one in chosen]
    parts = [
        f"// {PurePath(source.name).name}: {IN_C} {TRIED}.",
        *includes_of(programs),
        "",
        *shared_of(programs),
        "static _Thread_local int declined; // whether the last program was not run, as what it needs does not hold",
        "",
        *(one.c for one in chosen),
    ]
    return "\n".join(parts)


_DECLARED = re.compile(r"^(?P<result>[\w ]+?) (?P<name>\w+)\((?P<parameters>.*)\);$", re.MULTILINE)


def _function_in_c(function: FunctionRecord, entry: str) -> str:
    """Write a program, and the function that Fortran calls."""
    name = function.name
    declared = next(m for m in _DECLARED.finditer(function.program) if m["name"] == f"{name}{ORIGINAL}")
    result, parameters = declared["result"], declared["parameters"]
    listed = [] if parameters == "void" else [part.strip() for part in parameters.split(",")]
    names = [re.findall(r"\w+", part)[-1] for part in listed]
    taken = {*names, f"{name}{PROGRAM}"}
    own, answer, found = (_free(wanted, taken) for wanted in ("tried", "value", "found"))
    gives = result != "void"
    call = f"{name}({', '.join(names)});"
    head = ", ".join([*listed, *([f"{result} *{answer}"] if gives else []), f"int *{own}"])
    declines = ["{", "  declined = 1;", *(["  return 0;"] if gives else []), "}"]
    lines = [
        *(f"// {line}" for line in summary_lines(function) if not line.startswith("  agrees")),
        f"static {result} {name}{ORIGINAL}({parameters})",
        *declines,
        "",
        f"static {result} {name}({parameters});",
        "",
        body_of(function.program).rstrip("\n"),
        "",
        f"void {entry}({head})",
        "{",
        "  declined = 0;",
        *([f"  {result} {found} = {call}"] if gives else [f"  {call}"]),
        *(["  if (!declined)", f"    *{answer} = {found};"] if gives else []),
        f"  *{own} = !declined;",
        "}",
        "",
    ]
    return "\n".join(lines)
