"""Rewriting the text of a C file: programs before the functions whose parts they replace, headers before all.

Nothing else changes: comments, macros and formatting stay byte for byte, and ``#line`` keeps the lines what they were.

Whether a rewritten C file means what it meant: its syntax trees, with the calls of parts expanded again.
"""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from tensorlift import __version__
from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity, refuse
from tensorlift.frontends.c.outline.macros import SPELLED
from tensorlift.frontends.c.outline.unit import Definition, Unit, trees_of
from tensorlift.ir.structures import GUARD
from tensorlift.record import FunctionRecord, LiftRecord, Verdict
from tensorlift.targets.c.scalars import C_FUNCTIONS
from tensorlift.targets.c.text import ORIGINAL, PROGRAM, SHARED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from tensorlift.frontends.c.outline.syntax import Tree
    from tensorlift.frontends.c.outline.text import Outlined
    from tensorlift.pipeline import LiftOptions
    from tensorlift.source import Source


Edit = tuple[int, int, str]  # what replaces the bytes from an offset to another

_HEADERS = (
    ("cblas.h", re.compile(r"\bcblas_\w+\(")),
    ("limits.h", re.compile(r"\bINT_MAX\b")),
    ("math.h", re.compile(rf"\b(?:INFINITY|NAN|(?:{'|'.join(sorted(C_FUNCTIONS))})\()")),
    ("stddef.h", re.compile(r"\b(?:ptrdiff_t|size_t|NULL)\b")),
    ("stdint.h", re.compile(r"\buintptr_t\b")),
    ("stdlib.h", re.compile(r"\b(?:calloc|free)\(")),
)
_THREADS = re.compile(r"^ *#pragma omp .*$", re.MULTILINE)
_SHARED = re.compile(rf"^#ifndef {GUARD}\w+\n(?:.*\n)*?#endif\n\n", re.MULTILINE)
_PROGRAM = re.compile(rf"([\w$.-]+){PROGRAM}\b")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_AT_THE_TOP = re.compile(  # what headers may stand behind: none of it changes what they hold
    rb"(?:[ \t]*(?://[^\n]*)?\n|[ \t]*/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n|#[ \t]*(?:define|undef)[ \t]+_\w[^\n\\]*\n"
    rb"|#[ \t]*include[ \t]*<[^\n]*\n)*"
)
_TOP_LINE = re.compile(rb"^#[^\n]*\n", re.MULTILINE)
_FEATURE = re.compile(  # what must be defined before any header is read
    rb"^[ \t]*#[ \t]*define[ \t]+_(\w+_SOURCE|_STDC_WANT\w*|FILE_OFFSET_BITS|USE_MATH_DEFINES|REENTRANT)\b",
    re.MULTILINE,
)
_ATTACHED = re.compile(
    rb"(?:^[ \t]*//[^\n]*\n|^[ \t]*/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n"
    rb"|^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+declare[ \t]+simd[^\n\\]*\n)+\Z",
    re.MULTILINE,
)


def body_of(program: str) -> str:
    """Give a program without headers and without what several share."""
    text = _SHARED.sub("", re.sub(r"^#include .*\n", "", program, flags=re.MULTILINE)).strip() + "\n"
    return _THREADS.sub(r"#ifdef _OPENMP\n\g<0>\n#endif", text)  # else compilers warn of it


def shared_of(programs: Sequence[str]) -> list[str]:
    """List the lines of the functions that programs share."""
    bodies = "\n".join(map(body_of, programs))
    return [line for name, block in SHARED.items() if f"{name}(" in bodies for line in (*block, "")]


def includes_of(programs: Sequence[str]) -> list[str]:
    """List the lines that include what programs need."""
    return _included("\n".join([*map(body_of, programs), *shared_of(programs)]))


def _included(text: str) -> list[str]:
    return [f"#include <{header}>" for header, name in _HEADERS if name.search(text)]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A program for a whole function, or for an outlined part of it, with the lines that say what is known of it."""

    program: str
    known: Sequence[str]
    definition: Definition
    part: Outlined | None = None
    macros: Mapping[str, str] = field(default_factory=dict)  # what is stated of macros, by name
    silenced: tuple[str, ...] = ()  # warnings that compilers give only with programs

    @property
    def name(self) -> str:
        """The name of the function that the program stands for."""
        return self.definition.name if self.part is None else self.part.name

    @property
    def body(self) -> str:
        """The program without headers and without what several share, or the file has."""
        return body_of(self.program)

    def declared(self) -> str:
        """Find the declaration of the original in the program."""
        return next(
            line
            for line in self.program.splitlines()
            if line.endswith(");") and not line.startswith(" ") and f" {self.name}{ORIGINAL}(" in line.replace("*", " ")
        )

    def text(self, lines: Lines) -> str:
        """Write all that stands before the function."""
        declared = f"static {self.declared()}"
        parts = ["".join(f"// {line}\n" for line in self.known)]
        parts += [f"{lines}\n" for lines in self.macros.values()]
        entry = declared.replace(self.name + ORIGINAL, self.name, 1)
        if self.part is None:
            parts += [declared, *([f"\n{entry}"] if self.definition.is_static else []), "\n"]
        else:
            original = self.part.definition(declared[:-1], lines.of_source(self.part.line), lines.of_program())
            parts += [original, "\n", entry, "\n"]
        return "".join([*parts, "\n", self.body, "\n"])


@dataclass(frozen=True, slots=True)
class Lines:
    """How the lines of a rewritten text are numbered: those of the source, and others; or not at all."""

    source: str = ""
    output: str = ""

    def of_source(self, line: int) -> str:
        """Say that the next line is one of the source."""
        return f"#line {line} {json.dumps(self.source)}\n" if self.source else ""

    def of_program(self) -> str:
        """Say that the next line is one of the output; `numbered` fills in which."""
        return f"#line 0 {json.dumps(self.output)}\n" if self.source else ""

    def numbered(self, text: bytes) -> bytes:
        """Fill in the numbers of the lines of the output."""
        wanted = self.of_program().rstrip().encode()
        return b"\n".join(
            line.replace(b"#line 0 ", b"#line %d " % (k + 2)) if wanted and line.rstrip(b"\r") == wanted else line
            for k, line in enumerate(text.split(b"\n"))
        )


class Rewriting:
    """The rewriting of a file: its source, how it is lifted, the names in it, and what became of its parts so far."""

    target: ClassVar[str]

    def __init__(self, source: Source, options: LiftOptions, names: set[str]) -> None:
        self.source, self.options, self.names = source, replace(options, replaces=True), names
        self.records: list[FunctionRecord] = []
        self.notes: list[Diagnostic] = []

    def note(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Say something of the file that refuses nothing."""
        self.notes += [replace(d, severity=Severity.NOTE) for d in diagnostics]

    def free(self, wanted: str, beside: Collection[str] = ()) -> str:
        """Return a name that neither the file has, nor a name that programs make of it, and that is none ``beside``."""
        name, number = wanted, 1
        while name in beside or not self.names.isdisjoint(generated(name)):
            number += 1
            name = f"{wanted}_{number}"
        return name

    def refused(self, name: str, place: Location | None, diagnostics: Iterable[Diagnostic]) -> FunctionRecord:
        """Return the record of what is not replaced."""
        errors = tuple(replace(d, severity=Severity.ERROR) for d in diagnostics)
        return FunctionRecord(name, Verdict.REFUSED, place, target=self.target, diagnostics=errors)

    def record(self) -> LiftRecord:
        """Return what became of all parts, in the order of the file."""
        listed = sorted(self.records, key=lambda record: record.location or Location("", 0, 0))
        name, digest = self.source.name, self.source.sha256
        return LiftRecord(__version__, name, digest, self.target, tuple(listed), tuple(self.notes))


def generated(name: str) -> tuple[str, str, str]:
    """List the names that the program for a function takes."""
    return name, f"{name}{PROGRAM}", f"{name}{ORIGINAL}"


def is_rewritten(source: Source) -> bool:
    """Tell whether a file is one that was written here: a program in it has its original, and says what is known."""
    text = source.text
    named = (name for name in set(_PROGRAM.findall(text)) if f"{name}{ORIGINAL}" in text)
    return any(re.search(rf"^// {re.escape(name)}: ", text, re.MULTILINE) for name in named)


def check_for_programs(names: set[str], start: Location) -> None:
    """Refuse a file among whose names are those of a program and its original; ``start`` is its first place."""
    if any(f"{name.removesuffix(ORIGINAL)}{PROGRAM}" in names for name in names if name.endswith(ORIGINAL)):
        raise refuse("TL578", "the file has programs in it already", start, "give the file as it was")


def difference(name: str, before: bytes, after: bytes) -> bytes:
    """Give what changes in a file as a unified diff."""
    old, new = (_LINE.findall(text) for text in (before, after))
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, name.encode(), name.encode())
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def has_room(text: bytes) -> bool:
    """Tell whether headers can be included before anything in a file changes what they hold."""
    return _FEATURE.search(text, _top(text)) is None


def rewritten(text: bytes, replaced: Sequence[Replaced], lines: Lines) -> bytes:
    """Return the text with programs in the place of functions and parts, and with the numbers of its lines."""
    if not replaced:
        return text
    edits = [_headers(text, replaced, lines)]
    for definition in {one.definition.start: one.definition for one in replaced}.values():
        mine = [one for one in replaced if one.definition.start == definition.start]
        anchor = anchor_of(text, definition)
        programs = "".join(one.text(lines) for one in mine)
        if mine[0].silenced:
            names = ("pragmas", "unknown-warning-option", *mine[0].silenced)  # no compiler knows those of all others
            ignored = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in names)
            programs = f"#pragma GCC diagnostic push\n{ignored}{programs}"
            edits.append(_after(text, definition.end, "#pragma GCC diagnostic pop", lines))
        edits.append(_inserted(text, anchor, programs, lines))
        edits += [_renamed(one) if one.part is None else _called(text, one.part, lines) for one in mine]
    return lines.numbered(applied(text, edits))


def applied(text: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply edits that do not overlap; of several at one place the first comes first."""
    newline = "\r\n" if b"\r\n" in text else "\n"
    parts, place = [], 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[place:start], replacement.replace("\r\n", "\n").replace("\n", newline).encode()]
        place = end
    return b"".join([*parts, text[place:]])


def anchor_of(text: bytes, definition: Definition) -> int:
    """Find where a function starts with the comments that belong to it."""
    start = definition.lead
    line = text.rfind(b"\n", 0, start) + 1
    if text[line:start].strip():
        return start
    attached = _ATTACHED.search(text, 0, line)
    return attached.start() if attached else line


def _line_of(text: bytes, offset: int) -> int:
    return text.count(b"\n", 0, offset) + 1


def _inserted(text: bytes, offset: int, block: str, lines: Lines) -> Edit:
    """Insert lines before an offset; what stands there keeps its line and its column."""
    column = offset - (text.rfind(b"\n", 0, offset) + 1)
    start = "\n" if column else ""
    return offset, offset, f"{start}{lines.of_program()}{block}{lines.of_source(_line_of(text, offset))}{' ' * column}"


def _after(text: bytes, offset: int, line: str, lines: Lines) -> Edit:
    """Insert a line after an offset; what stands there keeps its line and its column."""
    behind = text.find(b"\n", offset)
    if text[offset : len(text) if behind < 0 else behind].strip():
        _, _, block = _inserted(text, offset, f"{line}\n", lines)
        return offset, offset, block
    numbered = lines.of_source(_line_of(text, offset) + 1)
    return offset, offset, f"\n{line}\n{numbered}".rstrip()


def _renamed(one: Replaced) -> Edit:
    definition = one.definition
    return definition.place, definition.place + len(one.name.encode()), f"{one.name}{ORIGINAL}"


def _called(text: bytes, part: Outlined, lines: Lines) -> Edit:
    """Put the call in the place of the statements; the lines behind them keep their numbers."""
    start, end = part.stretch.start, part.stretch.end
    call = part.call(start - (text.rfind(b"\n", 0, start) + 1))
    if text.count(b"\n", start, end) == call.count("\n") or not lines.source:
        return start, end, call
    behind = text.find(b"\n", end)
    rest = text[end : len(text) if behind < 0 else behind]
    if not rest.strip():
        return start, end + len(rest.rstrip(b"\r")), f"{call}\n{lines.of_source(_line_of(text, end) + 1)}".rstrip()
    return start, end, f"{call}\n{lines.of_source(_line_of(text, end))}"


def _top(text: bytes) -> int:
    """Find where headers are included: behind the last of those at the top, else before all."""
    start = _AT_THE_TOP.match(text)
    lines = list(_TOP_LINE.finditer(text, 0, start.end() if start else 0))
    return lines[-1].end() if lines else 0


def _headers(text: bytes, replaced: Sequence[Replaced], lines: Lines) -> Edit:
    bodies, above = "\n".join(one.body for one in replaced), text[: _top(text)].decode(errors="replace")
    shared = ["", *shared_of([one.program for one in replaced])]
    shared = shared if len(shared) > 1 else []
    needed = "\n".join([bodies, *shared])
    spelled = ["", *SPELLED] if any(one.macros for one in replaced) else []
    missing = [line for line in _included(needed) if line not in above]
    return _inserted(text, _top(text), "".join(f"{line}\n" for line in [*missing, *spelled, *shared]), lines)


_CALL, _NAME = "CALL_EXPR", "DECL_REF_EXPR"


def differing(before: Unit, text: str, filename: str, arguments: Sequence[str], replaced: Sequence[Replaced]) -> str:
    """Say what is not the same in a rewritten text; nothing where all is."""
    try:
        after = Unit(text, filename, arguments)
        known = [error.message for error in before.errors]
        new = next((error.message for error in after.errors if error.message not in known), "")
        alone = {name: tree for one in replaced for name, tree in _made(one)}
        return new or _parts(after, replaced) or _rest(before, after, replaced, alone) or _programs(after, alone)
    except LiftError as refusal:
        return refusal.diagnostics[0].message


def _parts(after: Unit, replaced: Sequence[Replaced]) -> str:
    """Compare the statements of each part with those in the function that it became."""
    for one in replaced:
        if one.part is None:
            continue
        read = after.statements(f"{one.name}{ORIGINAL}")
        if read[len(one.part.before) : len(read) - len(one.part.after)] != trees_of(one.part.stretch):
            return f"the statements of {one.name}"
    return ""


def _rest(before: Unit, after: Unit, replaced: Sequence[Replaced], alone: Collection[str]) -> str:
    """Compare all that was in the file before; ``alone`` are the functions of the programs."""
    made = {f"{one.name}{ORIGINAL}" for one in replaced} | SHARED.keys() | set(alone)
    parts = {one.name: trees_of(one.part.stretch) for one in replaced if one.part is not None}
    renamed = {f"{one.name}{ORIGINAL}": one.name for one in replaced if one.part is None}
    old = [tree for name, tree in before.trees if _defines(tree)]
    new = [
        _expanded(_under_own_name(tree, renamed), parts)
        for name, tree in after.trees
        if _defines(tree) and (name not in made or name in renamed)
    ]
    for one, other in zip(old, new, strict=False):
        if _without_attributes(one, renamed.values()) != _without_attributes(other, renamed.values()):
            return f"the declaration of {one[1]}"
    return "" if len(old) == len(new) else "another number of declarations"


def _programs(after: Unit, alone: Mapping[str, Tree]) -> str:
    """Compare each function of programs with what it is on its own."""
    found = dict(_functions(after))
    return next((f"the program {name}" for name, tree in alone.items() if found.get(name) != tree), "")


def _made(one: Replaced) -> Iterator[tuple[str, Tree]]:
    """Yield the functions of a program, and those that it shares with others if it calls them."""
    for name, tree in _functions(Unit(one.program, "program.c", ())):
        if name not in SHARED or f"{name}(" in one.body:
            yield name, tree


def _functions(unit: Unit) -> Iterator[tuple[str, Tree]]:
    """Yield the functions that a file defines, by their names."""
    for name, tree in unit.trees:
        if tree[0] == "FUNCTION_DECL" and _defines(tree):
            yield name, _without_attributes(tree, {name})


def _defines(tree: Tree) -> bool:
    """Tell whether a declaration makes anything: it is no assertion, and no function without a body."""
    if tree[0] == "STATIC_ASSERT":
        return False
    return tree[0] != "FUNCTION_DECL" or any(isinstance(part, tuple) and part[0] == "COMPOUND_STMT" for part in tree)


def _under_own_name(tree: Tree, names: Mapping[str, str]) -> Tree:
    if tree[0] == "FUNCTION_DECL" and tree[1] in names:
        return (tree[0], names[str(tree[1])], *tree[2:])
    return tree


def _without_attributes(tree: Tree, names: Collection[str]) -> Tree:
    """Leave out the attributes of a function: those of an earlier declaration stay with its name."""
    if tree[0] != "FUNCTION_DECL" or tree[1] not in names:
        return tree
    return tuple(part for part in tree if not (isinstance(part, tuple) and str(part[0]).endswith("_ATTR")))


def _expanded(tree: Tree, parts: Mapping[str, tuple[Tree, ...]]) -> Tree:
    """Put statements in the place of the calls of the functions that they became."""
    found: list[object] = []
    for part in tree:
        called = _callee(part) if isinstance(part, tuple) else ""
        if called in parts:
            found += parts[called]
        else:
            found.append(_expanded(part, parts) if isinstance(part, tuple) else part)
    return tuple(found)


def _callee(tree: Tree) -> str:
    """Name the function that an expression calls; nothing for any other expression."""
    if tree[0] != _CALL:
        return ""
    while tree[0] != _NAME:
        inner = [part for part in tree if isinstance(part, tuple)]
        if not inner:
            return ""
        tree = inner[0]
    return str(tree[1])
