"""``tensorlift lift --in-place`` for MLIR: functions over memory are replaced by programs in Linalg on tensors.

A function keeps its text under another name; the program, and the function that calls one or the other, stand before
it.  Everything else in the module stays as it is, whatever its dialects.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift import __version__
from tensorlift.commands.mlir_entry import ORIGINAL, PROGRAM, entry_text
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.frontends.mlir.reader import without_foreign_attributes
from tensorlift.ir.text import functions, parse_module
from tensorlift.pipeline import lift_to_run
from tensorlift.record import FunctionRecord, LiftRecord, Verdict
from tensorlift.report.terminal import summary_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.interface import Lifting
    from tensorlift.pipeline import LiftOptions
    from tensorlift.source import Source

    Edits = Sequence[tuple[int, int, str]]

_C_INTERFACE = "llvm.emit_c_interface"
_PLAIN = {"sym_name", "sym_visibility", "function_type", "arg_attrs"}
_MAIN = "main"  # calls functions, and is no one's callee
_LOOPS = {"affine.for", "affine.parallel", "scf.for", "scf.parallel", "scf.while"}
_COMMENT = re.compile(r"(?:^[ \t]*//[^\n]*\n)+\Z", re.MULTILINE)


def rewrite_mlir(source: Source, options: LiftOptions) -> tuple[LiftRecord, bytes]:
    """Replace the functions of a module that lift; return what became of each, and the text.

    Raises LiftError for what concerns the whole module; TL580 where upstream MLIR, if asked, does not take the result.
    """
    operations = {_name(op): op for op in functions(_parsed(source.text, source.name))}
    wanted = options.functions or tuple(n for n, op in operations.items() if n != _MAIN and _has_loop(op))
    edits: list[tuple[int, int, str]] = []
    records: list[FunctionRecord] = []
    for name in wanted:
        function, own = _lifted(source, replace(options, functions=(name,)), operations)
        records.append(function)
        edits += own
    text = source.text
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    if options.test:
        _check(text, source.name)
    record = LiftRecord(__version__, source.name, source.sha256, "linalg", tuple(records))
    return record, source.encoded(text)


def _lifted(source: Source, options: LiftOptions, operations: Mapping[str, Any]) -> tuple[FunctionRecord, Edits]:
    """Lift one function, and give what replaces it."""
    record, found = lift_to_run(source, replace(options, target="linalg", generalise=False))
    if record.diagnostics and not record.functions:
        raise LiftError(*record.diagnostics)
    (function,) = record.functions
    if function.name not in found:
        return function, ()
    try:
        return function, _edits(source.text, function, found[function.name], operations[function.name])
    except LiftError as refusal:
        return _refused(function, refusal), ()


def _check(text: str, name: str) -> None:
    """Let upstream's verifier read the module; raises LiftError TL580 where it does not take it."""
    from tensorlift.runtime.libraries import require_library
    from tensorlift.runtime.mlir.tools import LoweringError, checked, find_tools

    require_library("linalg")
    tools = find_tools()
    assert tools is not None
    try:
        checked(text, tools)
    except LoweringError as error:
        remedy = "report it as a defect of tensorlift"
        raise refuse("TL580", f"upstream MLIR does not take '{name}' rewritten: {error}", None, remedy) from None


def _parsed(text: str, name: str) -> Any:
    return with_deep_stack(lambda: parse_module(without_foreign_attributes(text), name))


def _name(op: Any) -> str:
    return str(op.properties["sym_name"].data)


def _has_loop(op: Any) -> bool:
    return any(inner.name in _LOOPS for inner in op.walk())


def _refused(function: FunctionRecord, refusal: LiftError) -> FunctionRecord:
    diagnostics = tuple(replace(d, location=d.location or function.location) for d in refusal.diagnostics)
    kept = FunctionRecord(function.name, Verdict.REFUSED, function.location, target=function.target)
    return replace(kept, seconds=function.seconds, diagnostics=diagnostics)


def _edits(text: str, function: FunctionRecord, lifting: Lifting, op: Any) -> Edits:
    """Give the name of the original to a function, and put the program and its caller before it."""
    name, place = re.escape(function.name), function.location
    heads = list(
        re.finditer(rf"^([ \t]*)func\.func[ \t]+((?:public|private)[ \t]+)?@{name}(?=[ \t]*\()", text, re.MULTILINE)
    )
    if len(heads) != 1:
        message = f"`{function.name}` does not stand once in the text as `func.func @{function.name}(`"
        raise refuse("TL582", message, place, "print the module in MLIR's own syntax, a function on lines of its own")
    taken = re.search(rf"@{name}({ORIGINAL}|{PROGRAM})\b", text)
    if taken is not None:
        raise refuse("TL582", f"the module has a function {taken[0]}", place, "give the module as it was")
    marks = [key for key in (*op.properties, *op.attributes) if key not in _PLAIN]
    if set(marks) - {_C_INTERFACE} or not _is_plain(op.properties.get("arg_attrs")):
        message = f"`{function.name}` has attributes whose meaning for its caller is not known"
        raise refuse("TL582", message, place, "remove the attributes")
    (head,) = heads
    attributes = f" attributes {{{_C_INTERFACE}}}" if marks else ""
    types = op.properties["function_type"]
    visibility = (head[2] or "").strip()
    entry = entry_text(
        lifting, list(types.inputs), list(types.outputs), f"{visibility} " * bool(visibility), attributes
    )
    program = lifting.emitted.text.replace(
        f"func.func @{function.name}(", f"func.func private @{function.name}{PROGRAM}(", 1
    )
    known = "".join(f"// {line}\n" for line in summary_lines(function) if not line.startswith("  agrees"))
    block = "".join(f"{head[1]}{line}".rstrip() + "\n" for line in f"{known}{program}{entry}".splitlines())
    above = _COMMENT.search(text, 0, head.start())
    start = above.start() if above else head.start()
    renamed = f"{head[1]}func.func private @{function.name}{ORIGINAL}"
    return [(start, start, f"{block}\n"), (head.start(), head.end(), renamed)]


def _is_plain(rows: Any) -> bool:
    """Tell whether the arguments have no attributes but ours."""
    return rows is None or all(key.startswith("tl.") for row in rows for key in row.data)
