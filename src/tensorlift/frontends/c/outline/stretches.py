"""Stretches: statements of a function that follow each other, and that may become a function of their own.

A stretch is as long as it can be: it ends at declarations, at jumps that lead out of it, and at calls of functions
whose effects are not known.  Where a stretch is refused, its loops are tried one by one, and then what is inside them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c.math_functions import is_math_function
from tensorlift.frontends.c.openmp import GIVEN, Pragma, pragmas_in
from tensorlift.frontends.c.outline.capture import Capture, Passed, Uses
from tensorlift.frontends.c.outline.syntax import ARRAYS, LOOPS, Node
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.diagnostics import LiftError, Location

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*((?!pragma\b)\w+[^\n]*)", re.MULTILINE)
_MARKERS = re.compile(r"(end)?scop\b")  # say where loops are, and ask for nothing
_LOOP_PRAGMAS = re.compile(r"GCC ivdep|GCC unroll|clang loop|ivdep|unroll|(end)?scop\b")
# The last ones say how the loops behind them may run.
_WORD = re.compile(r"[A-Za-z_]\w*")
_SPACE = re.compile(rb"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_LEAVES = {
    CursorKind.RETURN_STMT: "return-in-loop",
    CursorKind.GOTO_STMT: "goto",
    CursorKind.INDIRECT_GOTO_STMT: "goto",
    CursorKind.LABEL_STMT: "goto",
    CursorKind.ASM_STMT: "asm",
    CursorKind.MS_ASM_STMT: "asm",
}
_OWN = {CursorKind.CASE_STMT: "switch", CursorKind.DEFAULT_STMT: "switch"}
_BREAKS = {CursorKind.BREAK_STMT: "break", CursorKind.CONTINUE_STMT: "continue"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The function that stretches belong to: the text of its file, what it does with its variables, places in it.

    ``callees`` tells where the functions of the file start and end that a piece of code calls, directly or not.
    """

    text: bytes
    uses: Uses
    locate: Callable[[Any], Location]
    callees: Callable[[Any], Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Statements that follow each other; ``around`` is what they stand in, innermost first."""

    statements: tuple[Node, ...]
    around: tuple[tuple[Node, int], ...]
    function: Surroundings

    @property
    def start(self) -> int:
        """The offset of the first byte, of a pragma of the first loop if it has one."""
        lead = self._lead
        return lead[0].start if lead else self.statements[0].start

    @property
    def _lead(self) -> list[Pragma]:
        """The pragmas of the first loop."""
        (holder, _), *_ = self.around
        return _before(holder, self.statements[0], self.function.text)

    @property
    def end(self) -> int:
        """The offset behind the last statement, with the semicolon that ends it."""
        end = self.statements[-1].end
        skipped = _SPACE.match(self.function.text, end)
        place = skipped.end() if skipped else end
        ends_itself = self.function.text[end - 1 : end] in {b"}", b";"}
        if ends_itself or self.function.text[place : place + 1] != b";" or self._empty_at(place):
            return end
        return place + 1

    def _empty_at(self, place: int) -> bool:
        """Tell whether a semicolon is a statement of its own."""
        holder, behind = self.around[0]
        return holder.kind is CursorKind.COMPOUND_STMT and any(n.start == place for n in holder.parts[behind:][:1])

    @property
    def location(self) -> Location:
        """Where the first loop stands, which a refusal is about."""
        loops = (node for statement in self.statements for node in statement.walk() if node.kind in LOOPS)
        return self.function.locate(next(loops).cursor)

    @property
    def is_single(self) -> bool:
        """Whether it is one statement."""
        return len(self.statements) == 1

    @property
    def is_loop(self) -> bool:
        """Whether it is one loop."""
        return self.is_single and self.statements[0].kind in LOOPS

    @property
    def is_repeated(self) -> bool:
        """Whether it stands inside of a loop of its function."""
        return any(node.kind in LOOPS for node, _ in self.around)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where the text of the stretch is, and that of the functions of the file that it calls."""
        called = (place for node in self.statements for place in self.function.callees(node.cursor))
        return [(self.start, self.end), *called]

    def passed(self) -> list[Passed]:
        """List what a function of these statements takes; raises LiftError where there can be none."""
        for statement in self.statements:
            escape = _escape(statement)
            if escape is not None:
                reason, node = escape
                raise refusal(reason, self.function.locate(node.cursor), node.cursor.spelling)
        for start, end in self.spans:
            asked = refused_inside(self.function.text[start:end], self.location)
            if asked is not None:
                raise asked
        return self._capture(self._named()).passed()

    def constants(self) -> dict[str, int]:
        """List the constants of enumerations inside of the function around that the statements name."""
        return self._capture(frozenset()).constants()

    def _capture(self, named: frozenset[str]) -> Capture:
        return Capture(self.statements, self.around, self.function.uses, self.function.locate, named)

    def _named(self) -> frozenset[str]:
        """List what pragmas name; raises LiftError where they give threads arrays, which would be pointers."""
        clauses = [
            (pragma, clause)
            for pragma in pragmas_in(self.function.text, self.start, self.end)
            for clause in (pragma.clauses() or () if pragma.is_openmp_loop else ())
        ]
        for pragma, clause in clauses:
            named = clause.items if clause.name in GIVEN else ()
            declared = [cursor for name in named for cursor in self.function.uses.declared.get(name, ())]
            if any(cursor.type.get_canonical().kind in ARRAYS for cursor in declared):
                raise refusal("outline-pragma", self.location, pragma.text)
        return frozenset(word for _, clause in clauses for word in _WORD.findall(clause.text))

    def parts(self) -> list[Stretch]:
        """List the smaller stretches inside: each loop, else what is inside of the only statement."""
        if self.is_single and any(pragma.openmp is not None for pragma in self._lead):
            return []  # what several threads run stays as it is
        if self.is_single:
            (statement,) = self.statements
            (holder, end), *outer = self.around
            return list(_inside(statement, ((holder, end), *outer), self.function))
        (holder, _), *outer = self.around
        return [
            Stretch((statement,), ((holder, holder.parts.index(statement) + 1), *outer), self.function)
            for statement in self.statements
            if statement.has_loop
        ]


def refused_inside(text: bytes, location: Location) -> LiftError | None:
    """Refuse a text for the preprocessor lines in it that say more than how a loop may run; None if there are none."""
    conditional = _DIRECTIVE.search(text)
    if conditional is not None:
        return refusal("outline-conditional", location, "#" + conditional[1].decode(errors="replace").strip())
    pragma = next((p for p in pragmas_in(text) if not (_is_of_loop(p) or p.is_within_loop)), None)
    return None if pragma is None else refusal("outline-pragma", location, pragma.text)


def is_left(body: Node, stretches: Sequence[Stretch]) -> bool:
    """Tell whether a loop of a function is in none of its stretches."""
    loops = [node for node in body.walk() if node.kind in LOOPS]
    return not all(any(s.start <= loop.start < s.end for s in stretches) for loop in loops)


def stretches_of(body: Node, function: Surroundings) -> list[Stretch]:
    """List the longest stretches with loops of a function."""
    return list(_in_compound(body, (), function))


def _in_compound(compound: Node, around: tuple[tuple[Node, int], ...], function: Surroundings) -> Iterator[Stretch]:
    """Yield the longest stretches of a compound statement, in order."""
    run: list[Node] = []
    for position, node in enumerate(compound.parts):
        asked = _is_asked(compound, node, function.text)
        if not asked and node.kind is not CursorKind.DECL_STMT and _stays(node) is None:
            run.append(node)
            continue
        yield from _run(run, compound, position, around, function)
        run = []
        if not asked and node.has_loop:
            yield Stretch((node,), ((compound, position + 1), *around), function)
    yield from _run(run, compound, len(compound.parts), around, function)


def _run(
    run: Sequence[Node], compound: Node, end: int, around: tuple[tuple[Node, int], ...], function: Surroundings
) -> Iterator[Stretch]:
    if any(node.has_loop for node in run):
        yield Stretch(tuple(run), ((compound, end), *around), function)


def _inside(statement: Node, around: tuple[tuple[Node, int], ...], function: Surroundings) -> Iterator[Stretch]:
    """Yield the stretches inside of a statement."""
    if statement.kind is CursorKind.COMPOUND_STMT:
        yield from _in_compound(statement, around, function)
        return
    if statement.kind is CursorKind.IF_STMT:
        bodies = statement.parts[1:]
    elif statement.kind in LOOPS:
        bodies = statement.parts[:1] if statement.kind is CursorKind.DO_STMT else statement.parts[-1:]
    else:
        return
    for body in bodies:
        within = ((statement, statement.parts.index(body) + 1), *around)
        if _is_asked(statement, body, function.text):
            continue
        if body.kind is CursorKind.COMPOUND_STMT:
            yield from _in_compound(body, within, function)
        elif body.has_loop:
            yield Stretch((body,), within, function)


def _stays(node: Node) -> Node | None:
    """Give what keeps a statement out of longer stretches: a jump, or a call of what is not known."""
    escape = _escape(node)
    if escape is not None:
        return escape[1]
    return next((inner for inner in node.walk() if inner.kind is CursorKind.CALL_EXPR and not _is_plain(inner)), None)


def _is_plain(call: Node) -> bool:
    """Tell whether a call is one of a mathematical function, or of one of the file without loops."""
    callee = call.cursor.referenced
    if callee is None or callee.kind is not CursorKind.FUNCTION_DECL:
        return False
    definition = callee.get_definition()
    if definition is None:
        return bool(is_math_function(callee.spelling))
    return not any(cursor.kind in LOOPS for cursor in definition.walk_preorder())


def _escape(node: Node, *, in_loop: bool = False, in_switch: bool = False) -> tuple[str, Node] | None:
    """Find what leaves a statement other than by its end, or enters it otherwise."""
    kind = node.kind
    if kind in _LEAVES:
        return _LEAVES[kind], node
    if kind in _OWN and not in_switch:
        return _OWN[kind], node
    is_caught = in_loop or (in_switch and kind is CursorKind.BREAK_STMT)
    if kind in _BREAKS and not is_caught:
        return _BREAKS[kind], node
    inner_loop, inner_switch = in_loop or kind in LOOPS, in_switch or kind is CursorKind.SWITCH_STMT
    found = (_escape(part, in_loop=inner_loop, in_switch=inner_switch) for part in node.parts)
    return next((escape for escape in found if escape is not None), None)


def _before(holder: Node, node: Node, text: bytes) -> list[Pragma]:
    """List the pragmas right before a part of something, but those that ask for nothing."""
    position = holder.parts.index(node)
    start = holder.parts[position - 1].end if position else holder.start
    return [pragma for pragma in pragmas_in(text, start, node.start) if not _MARKERS.match(pragma.text)]


def _is_asked(holder: Node, node: Node, text: bytes) -> bool:
    """Tell whether pragmas before a part of something ask for more than how a loop runs."""
    pragmas = _before(holder, node, text)
    if not pragmas:
        return False
    is_plain = node.kind in LOOPS and all(map(_is_of_loop, pragmas))
    return not is_plain or _DIRECTIVE.search(text, pragmas[0].start, node.start) is not None


def _is_of_loop(pragma: Pragma) -> bool:
    return pragma.is_openmp_loop or _LOOP_PRAGMAS.match(pragma.text) is not None
