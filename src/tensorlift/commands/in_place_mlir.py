"""``tensorlift lift --in-place`` for MLIR: functions over memory, and parts of them, become programs in Linalg.

A function that lifts keeps its text under another name; the program, and the function that calls one or the other,
stand before it.  In any other function the longest stretches of loops that lift become functions of their own, each
with its program, and are called in their place.  Everything else stays as it is, whatever its dialects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tensorlift.commands.mlir_entry import ORIGINAL, PROGRAM, entry_text
from tensorlift.commands.rewrite import Rewriting, check_for_programs, generated
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError, Location, located, refuse
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.ir.mixed import HEAD, Mixed, name_of, opaque_in, read_mixed
from tensorlift.ir.text import functions, parse_module
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.readers.mlir.outline.stretches import (
    Stretch,
    at_the_same_time,
    called_by,
    freed_elsewhere,
    has_loop,
    keeping,
    opaque_loops,
    stretches_of,
)
from tensorlift.readers.mlir.outline.text import Outlined, outlined
from tensorlift.record import FunctionRecord, LiftRecord, Region
from tensorlift.report.terminal import summary_lines
from tensorlift.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from xdsl.ir import Operation

    from tensorlift.interface import Lifting

    Edit = tuple[int, int, str]

_C_INTERFACE = "llvm.emit_c_interface"
_PLAIN = {"sym_name", "sym_visibility", "function_type", "arg_attrs"}
_MAIN = "main"  # calls functions, and is no one's callee
_COMMENT = re.compile(r"(?:^[ \t]*//[^\n]*\n)+\Z", re.MULTILINE)


def rewrite_mlir(source: Source, options: LiftOptions) -> tuple[LiftRecord, bytes]:
    """Replace what lifts in a module; return what became of each part, and the text.

    Raises LiftError for what concerns the whole module; TL580 where upstream MLIR, if asked, does not take the result.
    """
    return with_deep_stack(lambda: _Rewriting(source, replace(options, target="linalg", generalise=False)).run())


class _Rewriting(Rewriting):
    target = "linalg"

    def __init__(self, source: Source, options: LiftOptions) -> None:
        super().__init__(source, options, set(re.findall(r"@([\w$.-]+)", source.text)))
        self.mixed = read_mixed(source.text, source.name)
        self.functions = self.mixed.functions()
        if self.mixed.errors and not self.functions:
            raise self.mixed.reason(next(iter(self.mixed.errors)))
        self.shared = at_the_same_time(self.mixed)
        self.edits: list[Edit] = []

    def run(self) -> tuple[LiftRecord, bytes]:
        """Try functions as a whole, then parts of those that stay."""
        start = Location(self.source.name, 1, 1)
        for name in self.options.functions:
            self._check_known(name, start)
        check_for_programs(self.names, start)
        for name, op in self.functions.items():
            if name in self.options.functions or (not self.options.functions and _concerns(op, self.mixed)):
                self._function(name, op)
        if not self.options.functions:
            others = (op for op in self.mixed.module.ops if op not in self.functions.values())
            self.records += [record for op in others for record in self._unread(op, "module")]
        text = self.source.text
        for first, last, replacement in sorted(self.edits, reverse=True):
            text = text[:first] + replacement + text[last:]
        if self.options.test and self.edits:
            _check(text, self.source)
        return self.record(), self.source.encoded(text)

    def _check_known(self, name: str, start: Location) -> None:
        """Refuse a name that is of no function, or of one that cannot be read."""
        if name in self.functions:
            return
        for op in self.mixed.errors:
            if op.parent_op() is self.mixed.module and re.search(rf"@{re.escape(name)}(?![\w$.-])", self.mixed.of(op)):
                raise self.mixed.reason(op)
        detail = f"there is no function `{name}`; the module defines {', '.join(self.functions)}"
        raise refusal("unknown-function", start, detail)

    # -- whole functions

    def _function(self, name: str, op: Operation) -> None:
        stretches = stretches_of(op, self.mixed)
        unread = list(self._unread(op, name))
        try:
            self._check_threads(name, op)
        except LiftError as error:
            self.records.append(self.refused(name, self.mixed.location(op), error.diagnostics))
            return
        is_asked = name != _MAIN or name in self.options.functions
        whole = self._whole(name, op) if is_asked and not opaque_in(op) else None
        if whole is not None and (whole.lifted or not (stretches or unread)):
            self.records.append(whole)
            return
        self.note(whole.diagnostics if whole is not None else ())
        blocks = [block for stretch in stretches for block in self._stretch(stretch, name)]
        if blocks:
            self._insert(op, blocks)
        self.records += unread
        if not stretches and not unread:
            message = f"`{name}` has no loops that could be lifted by themselves"
            nothing = refuse("TL587", message, self.mixed.location(op), "choose a function with loops")
            first = [d for found in opaque_in(op)[:1] for d in self.mixed.reason(found).diagnostics]
            self.records.append(self.refused(name, self.mixed.location(op), (*nothing.diagnostics, *first)))

    def _check_threads(self, name: str, op: Operation) -> None:
        if name in self.shared:
            message = f"`{name}` is called in parallel, where its program would write whole arrays"
            raise refuse("TL586", message, self.mixed.location(op), "call it from loops that run in order")

    def _unread(self, op: Operation, holder: str) -> Iterator[FunctionRecord]:
        """Say of each operation of another dialect that has loops why they stay."""
        for found in opaque_loops(op, self.mixed):
            place = self.mixed.location(found)
            yield self.refused(f"{holder}_at_{place.line}", place, self.mixed.reason(found).diagnostics)

    def _whole(self, name: str, op: Operation) -> FunctionRecord:
        """Lift a function as a whole, and replace it if that works."""
        freed = keeping(op, self.functions)
        if freed is not None and freed.name == "memref.dealloc":
            place = self.mixed.location(freed)
            return self.refused(name, self.mixed.location(op), freed_elsewhere(place).diagnostics)
        text = self.mixed.only([op, *called_by(op, self.functions).values()])
        function, lifting = self._lifted(text, name)
        if lifting is None:
            return function
        try:
            self._rename(name, op, function, lifting)
        except LiftError as error:
            diagnostics = located(error.diagnostics, function.location)
            return replace(self.refused(name, function.location, diagnostics), seconds=function.seconds)
        return function

    def _lifted(self, text: str, name: str) -> tuple[FunctionRecord, Lifting | None]:
        """Lift one function of a text whose lines are those of the module."""
        source = Source(self.source.name, text, self.source.sha256)
        record, found = lift_to_run(source, replace(self.options, functions=(name,)))
        if not record.functions:
            return self.refused(name, None, record.diagnostics), None
        (function,) = record.functions
        return function, found.get(name)

    def _rename(self, name: str, op: Operation, function: FunctionRecord, lifting: Lifting) -> None:
        """Give the name of the original to a function, and put the program and its caller before it."""
        place, (start, end) = function.location, self.mixed.spans[op]
        head = HEAD.match(self.source.text, start, end)
        if head is None or not self.source.text.startswith(name, head.end()):
            message = f"`{name}` does not start in the text as `func.func @{name}(`"
            raise refuse("TL582", message, place, "print the module in MLIR's own syntax")
        taken = [one for one in generated(name)[1:] if one in self.names]
        if taken:
            raise refuse("TL582", f"the module has a function @{taken[0]}", place, "give the module as it was")
        marks = [key for key in (*op.properties, *op.attributes) if key not in _PLAIN]
        if set(marks) - {_C_INTERFACE} or not _is_plain(op.properties.get("arg_attrs")):
            message = f"`{name}` has attributes whose meaning for its caller is not known"
            raise refuse("TL582", message, place, "remove the attributes")
        attributes = f" attributes {{{_C_INTERFACE}}}" if marks else ""
        types: Any = op.properties["function_type"]
        if any(str(kind).startswith("memref<") for kind in types.outputs):
            message = f"`{name}` returns an array, and its program would return another one"
            raise refuse("TL582", message, place, "store into an argument, and return nothing")
        visibility = (head[1] or "").strip()
        entry = entry_text(
            lifting, list(types.inputs), list(types.outputs), f"{visibility} " * bool(visibility), attributes
        )
        self._insert(op, [self._block(op, function, lifting, entry)])
        self.edits.append((start, head.end() + len(name), f"func.func private @{name}{ORIGINAL}"))

    # -- parts of functions

    def _stretch(self, stretch: Stretch, function: str) -> list[str]:
        """Replace a stretch, or the longest parts of it that lift; return what stands before the function."""
        tried = self._tried(stretch, function)
        if isinstance(tried, _Part):
            return [self._replace(tried)]
        if stretch.is_single:
            self.records.append(tried)
            return [block for part in stretch.parts() for block in self._stretch(part, function)]
        return self._pieces(stretch, function)

    def _pieces(self, stretch: Stretch, function: str) -> list[str]:
        """Replace runs of the loops of a stretch that lift one by one, together where that lifts too."""
        blocks: list[str] = []
        run: list[_Part] = []
        for loop in stretch.parts():
            tried = self._tried(loop, function, {part.outlined.name for part in run})
            if isinstance(tried, _Part):
                run.append(tried)
                continue
            blocks += [self._replace(part) for part in self._joined(run, stretch, function)]
            self.records.append(tried)
            blocks += [block for part in loop.parts() for block in self._stretch(part, function)]
            run = []
        return [*blocks, *(self._replace(part) for part in self._joined(run, stretch, function))]

    def _joined(self, run: Sequence[_Part], stretch: Stretch, function: str) -> Sequence[_Part]:
        """Make one part of several, where that lifts, and they are not all of a stretch that was refused."""
        if len(run) < 2 or len(run) == len(stretch.parts()):  # noqa: PLR2004 - one by itself is not joined
            return run
        joined = self._tried(stretch.between(run[0].outlined.stretch, run[-1].outlined.stretch), function)
        return [joined] if isinstance(joined, _Part) else run

    def _tried(self, stretch: Stretch, function: str, beside: AbstractSet[str] = frozenset()) -> _Part | FunctionRecord:
        """Lift a stretch, under a name that is none ``beside``; give the record that refuses it where that fails."""
        place = self.mixed.place(stretch.start)
        name = self.free(f"{function}_at_{place.line}", beside)
        end = self.mixed.place(stretch.end)
        region = Region(function, replace(end, column=end.column - 1))
        try:
            part = outlined(stretch, name)
            text = part.alone()
            record, lifting = self._lifted(text, name)
            record = replace(record, location=place, region=region)
            if lifting is None:
                return record
            read = {name_of(f): f for f in functions(parse_module(text, self.source.name))}
            if not part.is_same(read[name]):
                raise refuse(
                    "TL580", f"the text of `{name}` means something else by itself", place, "report it as a defect"
                )
            return _Part(part, record, lifting, entry_text(lifting, part.types, part.results, "private ", ""))
        except LiftError as error:
            return replace(self.refused(name, place, located(error.diagnostics, place)), region=region)

    def _replace(self, part: _Part) -> str:
        """Call a part in its place; return what stands before the function that it is a part of."""
        stretch = part.outlined.stretch
        self.names.update(generated(part.outlined.name))
        self.records.append(part.record)
        self.edits.append((stretch.start, stretch.end, part.outlined.call()))
        original = part.outlined.definition(f"{part.outlined.name}{ORIGINAL}", self._indent(stretch.function))
        return self._block(stretch.function, part.record, part.lifting, part.entry) + original

    # -- text

    def _indent(self, op: Operation) -> str:
        start = self.mixed.spans[op][0]
        line = self.source.text[self.source.text.rfind("\n", 0, start) + 1 : start]
        return line if not line.strip() else ""

    def _block(self, op: Operation, function: FunctionRecord, lifting: Lifting, entry: str) -> str:
        """Write what is known of a program, the program, and the function that calls it."""
        private = f"func.func private @{function.name}{PROGRAM}("
        program = lifting.emitted.text.replace(f"func.func @{function.name}(", private, 1)
        known = "".join(f"// {line}\n" for line in summary_lines(function) if not line.startswith("  agrees"))
        lines = f"{known}{program}{entry}".splitlines()
        return "".join(f"{self._indent(op)}{line}".rstrip() + "\n" for line in lines)

    def _insert(self, op: Operation, blocks: Sequence[str]) -> None:
        """Put functions before another one and the comments that belong to it."""
        start = self.mixed.spans[op][0]
        line = self.source.text.rfind("\n", 0, start) + 1
        text = "".join(f"{block}\n" for block in blocks)
        if self.source.text[line:start].strip():
            self.edits.append((start, start, f"\n{text}"))
            return
        above = _COMMENT.search(self.source.text, 0, line)
        place = above.start() if above else line
        self.edits.append((place, place, text))


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch that lifts: its function, what became of it, and the function that calls the program."""

    outlined: Outlined
    record: FunctionRecord
    lifting: Lifting
    entry: str


def _concerns(op: Operation, mixed: Mixed) -> bool:
    return has_loop(op) or bool(opaque_loops(op, mixed))


def _check(text: str, source: Source) -> None:
    """Let upstream's verifier read the module; raises LiftError TL580 where it does not take it."""
    from tensorlift.runtime.libraries import require_library
    from tensorlift.runtime.mlir.tools import LoweringError, checked, find_tools

    require_library("linalg")
    tools = find_tools()
    assert tools is not None
    failed = ""
    for flags in ((), ("--allow-unregistered-dialect",)):
        try:
            checked(source.text, tools, *flags)
        except LoweringError as error:
            failed = str(error)
            continue
        try:
            checked(text, tools, *flags)
        except LoweringError as error:
            remedy = "report it as a defect of tensorlift"
            message = f"upstream MLIR does not take '{source.name}' rewritten: {error}"
            raise refuse("TL580", message, None, remedy) from None
        return
    message = f"upstream MLIR does not take '{source.name}' as it is: {failed}"
    raise refuse("TL580", message, None, "give a module that mlir-opt accepts, or leave --test out")


def _is_plain(rows: Any) -> bool:
    """Tell whether the arguments have no attributes but ours."""
    return rows is None or all(key.startswith("tl.") for row in rows for key in row.data)
