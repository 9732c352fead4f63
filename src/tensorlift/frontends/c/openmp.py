"""OpenMP in a source: which pragmas leave a function the meaning that it has without them.

Loops are lifted by their sequential meaning.  A pragma that only says how a loop may run keeps it where threads' own
variables are written before they are read in each iteration and not read after the loop, and where reductions are
updates; ``atomic`` and ``critical`` keep it inside such a loop.  Any other pragma of OpenMP refuses the function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, StorageClass, TLSKind, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.outline.capture import Effect, Uses, first_effect, is_read_after, is_write, uses_of
from tensorlift.frontends.c.outline.syntax import ARRAYS, FOR_PARTS, Node, node_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Around = tuple[tuple[Node, int], ...]

_COMMENT = re.compile(
    rb"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(//(?:\\\r?\n|[^\n])*|/\*.*?\*/)", re.DOTALL
)  # texts and characters are found too, as they may hold what starts one
_PRAGMA = re.compile(
    rb"^[ \t]*(?P<mark>#|%:|\?\?=)[ \t]*pragma\b(?P<line>(?:\\\r?\n|[^\n])*)"
    rb"|\b_Pragma\s*\(\s*(?:L|u8|u|U)?\"(?P<text>(?:\\.|[^\"\\])*)\"\s*\)|\b_Pragma\b",
    re.MULTILINE,
)
_BETWEEN = re.compile(rb"(?:\s|^[ \t]*#(?:\\\r?\n|[^\n])*|\b_Pragma\s*\(\s*\"(?:\\.|[^\"\\])*\"\s*\))*", re.MULTILINE)
_OPENMP = re.compile(r"omp\b\s*(.*)", re.DOTALL)
_LOOP = re.compile(r"(parallel\s+for(?:\s+simd)?|simd)\b")
_WITHIN = re.compile(r"(?:atomic|critical|ordered|flush)\b")
_THREADPRIVATE = re.compile(r"threadprivate\s*\(([^)]*)\)")
_CLAUSE = re.compile(r"[\s,]*(\w+)\s*")
_ITEMS = re.compile(r",(?![^\[]*\])")
_HINTS = {
    "schedule", "num_threads", "collapse", "shared", "if", "proc_bind", "safelen", "simdlen", "aligned", "order",
    "nontemporal",
}  # fmt: skip
_OWN = {"private", "firstprivate", "lastprivate"}
GIVEN = {*_OWN, "reduction"}  # clauses that give threads variables of their own
_CALL = re.compile(r"\b(?!omp_get_)[A-Za-z_]\w*\s*\(")
_EFFECT = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")
_UPDATES = {  # by the operator of a reduction: those that update its variable
    "+": {"+", "-"}, "-": {"+", "-"}, "*": {"*"}, "&": {"&"}, "|": {"|"}, "^": {"^"}, "&&": {"&&"}, "||": {"||"}
}  # fmt: skip
_FINAL = {"&&": 0, "||": 1}  # what an update may set it to
_EXTREMES = {"min", "max"}
_ORDERS = {"<", "<=", ">", ">="}


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a pragma: what stands before a colon in its parentheses, and what is listed there."""

    name: str
    text: str

    @property
    def modifier(self) -> str:
        """What stands before the colon."""
        return self.text.partition(":")[0].strip() if self._has_modifier else ""

    @property
    def items(self) -> list[str]:
        """What is listed."""
        listed = self.text.partition(":")[2] if self._has_modifier else self.text
        return [item.strip() for item in _ITEMS.split(listed)]

    @property
    def _has_modifier(self) -> bool:
        return ":" in self.text and "[" not in self.text.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Pragma:
    """A pragma, from an offset of a text to another, and what it says."""

    start: int
    end: int
    text: str

    @property
    def openmp(self) -> str | None:
        """The directive of OpenMP with its clauses; None for another pragma."""
        found = _OPENMP.match(self.text)
        return found[1].strip() if found else None

    @property
    def is_openmp_loop(self) -> bool:
        """Whether it only says how the loop after it may run, in OpenMP, by clauses that are known."""
        return self.openmp is not None and _LOOP.match(self.openmp) is not None and self.clauses() is not None

    @property
    def is_within_loop(self) -> bool:
        """Whether it says of statements in a loop of OpenMP how threads come to do what one would."""
        return _WITHIN.match(self.openmp or "") is not None

    def clauses(self) -> list[Clause] | None:
        """List the clauses of a loop's pragma; None where they cannot be told apart."""
        found, rest = list[Clause](), _LOOP.sub("", self.openmp or "", count=1).strip()
        while rest:
            match = _CLAUSE.match(rest)
            if match is None:
                return None
            rest = rest[match.end() :]
            end = _closing(rest) if rest.startswith("(") else 0
            if end is None:
                return None
            found.append(Clause(match[1], rest[1 : end - 1] if end else ""))
            rest = rest[end:].strip()
        return found


def _closing(text: str) -> int | None:
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place + 1
    return None


@lru_cache(maxsize=16)
def without_comments(text: bytes) -> bytes:
    """Give a text of C with blanks for its comments, as long as it was."""
    return _COMMENT.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]) if m[1] else m[0], text)


def pragmas_in(text: bytes, start: int = 0, end: int | None = None) -> list[Pragma]:
    """List the pragmas of a text from an offset to another."""
    clean = without_comments(text)
    line = clean.rfind(b"\n", 0, start) + 1
    found = _PRAGMA.finditer(clean, line, len(clean) if end is None else end)
    pragmas = [Pragma(m.start("mark") if m["mark"] else m.start(), m.end(), _said(m)) for m in found]
    return [pragma for pragma in pragmas if pragma.start >= start]


def _said(match: re.Match[bytes]) -> str:
    if match["line"] is None:
        said = b"_Pragma" if match["text"] is None else re.sub(rb"\\(.)", rb"\1", match["text"])
    else:
        said = match["line"]
    return " ".join(re.sub(rb"\\\r?\n", b" ", said).decode(errors="replace").split())


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop behind a pragma, with what it stands in."""

    pragma: Pragma
    node: Node
    around: Around

    @property
    def clauses(self) -> list[Clause]:
        return self.pragma.clauses() or []

    @property
    def has_threads(self) -> bool:
        return (self.pragma.openmp or "").startswith("parallel")

    def holds(self, start: int) -> bool:
        return self.node.start <= start < self.node.end


def uses_openmp(unit: Any) -> bool:
    """Tell whether a file has pragmas of OpenMP, those of macros and headers included."""
    return any(item.option == libclang.OPENMP for item in libclang.diagnostics(unit))


def not_sequential(function: Any, text: bytes) -> str:
    """Give the pragma of a function by which it may do something else than without; nothing where there is none."""
    extent = function.extent
    said = [p for p in pragmas_in(text, extent.start.offset, extent.end.offset) if p.openmp is not None]
    if not said:
        return ""
    body = node_of(libclang.children(function)[-1])
    checked = _Checked(uses_of(function, body), text, _threadprivate(text))
    loops, rest = list[_Loop](), list[Pragma]()
    fors = {n.start: (n, around) for n, around in _with_around(body, ()) if n.kind is CursorKind.FOR_STMT}
    for pragma in said:
        between = _BETWEEN.match(without_comments(text), pragma.end)
        found = fors.get(between.end() if between else pragma.end)
        if pragma.is_openmp_loop and found is not None:
            loops.append(_Loop(pragma, *found))
        else:
            rest.append(pragma)
    for pragma in rest:
        is_within = any(loop.has_threads and loop.holds(pragma.start) for loop in loops)
        if not (is_within and pragma.is_within_loop):
            return pragma.text
    wrong = next((loop for loop in loops if not checked.keeps(loop)), None)
    return "" if wrong is None else wrong.pragma.text


def _threadprivate(text: bytes) -> frozenset[str]:
    lists = [match[1] for p in pragmas_in(text) for match in [_THREADPRIVATE.match(p.openmp or "")] if match]
    return frozenset(name.strip() for listed in lists for name in listed.split(","))


def _with_around(node: Node, around: Around) -> Iterator[tuple[Node, Around]]:
    yield node, around
    for position, part in enumerate(node.parts):
        yield from _with_around(part, ((node, position + 1), *around))


@dataclass(frozen=True, slots=True)
class _Checked:
    """A function whose loops have pragmas of OpenMP."""

    uses: Uses
    text: bytes
    threadprivate: frozenset[str]

    def keeps(self, loop: _Loop) -> bool:
        """Tell whether a loop does the same with and without its pragma."""
        counters = self._counters(loop)
        named = [self._variables(loop, clause) for clause in loop.clauses]
        if counters is None or any(one is None for one in named):
            return False
        if loop.has_threads and any(map(self._is_of_thread, _names(loop.node))):
            return False
        if loop.has_threads and not all(self._is_gone(v, loop) for v in counters):
            return False
        pairs = zip(loop.clauses, named, strict=True)
        return all(self._clause(clause, [v for v in found or () if v not in counters], loop) for clause, found in pairs)

    def _clause(self, clause: Clause, variables: Sequence[int], loop: _Loop) -> bool:
        name = clause.name
        if name in _HINTS:
            return not _EFFECT.search(clause.text) and not _CALL.search(clause.text)
        if name == "default":
            return clause.text.strip() in {"none", "shared"}
        if name == "ordered":
            return not clause.text
        if name == "reduction":
            is_known = clause.modifier in {*_UPDATES, *_EXTREMES}
            return is_known and all(self._is_updated(v, clause.modifier, loop) for v in variables)
        if name not in _OWN or clause.modifier not in {"", "conditional"}:
            return False
        return all(self._is_own(v, name, loop) for v in variables)

    def _is_own(self, variable: int, clause: str, loop: _Loop) -> bool:
        """Tell whether iterations and what follows may as well share a variable that threads have of their own."""
        places = [(node, above) for node, above in self.uses.places[variable] if loop.holds(node.start)]
        if _is_array(places[0][0]):
            return (
                clause == "private" and len(places) == len(self.uses.places[variable]) and self._is_local(places[0][0])
            )
        if clause == "firstprivate" and not any(is_write(node, above) for node, above in places):
            return not self.uses.is_addressed(variable)
        if first_effect(loop.node.parts[-1:], variable) is Effect.READ:
            return False
        return clause == "lastprivate" or self._is_gone(variable, loop)

    def _is_gone(self, variable: int, loop: _Loop) -> bool:
        """Tell whether no one reads after a loop what a variable holds then."""
        places = self.uses.places[variable]
        if not self._is_local(places[0][0]) or self.uses.is_addressed(variable):
            return False
        elsewhere = any(not loop.holds(node.start) for node, _ in places)
        return not (self.uses.has_labels and elsewhere) and not is_read_after(loop.around, variable)

    def _is_updated(self, variable: int, operator: str, loop: _Loop) -> bool:
        """Tell whether a loop does nothing with a variable but what its reduction says; of arrays it is believed."""
        places = [(node, above) for node, above in self.uses.places[variable] if loop.holds(node.start)]
        if any(node.cursor.type.get_canonical().kind in {*ARRAYS, TypeKind.POINTER} for node, _ in places):
            return True
        return all(_is_update(node, above, variable, operator) for node, above in places)

    def _is_of_thread(self, node: Node) -> bool:
        return (
            node.cursor.spelling in self.threadprivate or libclang.referenced(node.cursor).tls_kind is not TLSKind.NONE
        )

    def _is_local(self, node: Node) -> bool:
        declared = libclang.referenced(node.cursor)
        is_inside = declared.semantic_parent.kind is CursorKind.FUNCTION_DECL
        return is_inside and declared.storage_class not in {StorageClass.STATIC, StorageClass.EXTERN}

    def _variables(self, loop: _Loop, clause: Clause) -> list[int] | None:
        """List the variables of a clause that the loop names; None where they are not known."""
        if clause.name not in GIVEN:
            return []
        found = list[int]()
        for item in clause.items:
            name = item.partition("[")[0].strip()
            inside = {n.name for n in _names(loop.node) if n.cursor.spelling == name and not _declares(loop.node, n)}
            if len(inside) > 1 or (not inside and name not in self.uses.declared):
                return None
            found += inside
        return found

    def _counters(self, loop: _Loop) -> list[int] | None:
        """List the variables from outside that count in the loops of a pragma; None where they are not known."""
        depth = next((c.text.strip() for c in loop.clauses if c.name == "collapse"), "1")
        if not depth.isdecimal():
            return None
        found = list[int]()
        nest: tuple[Node, ...] = (loop.node,)
        for _ in range(int(depth)):
            if not nest or nest[0].kind is not CursorKind.FOR_STMT or len(nest[0].parts) != FOR_PARTS:
                return None
            start, *_, body = nest[0].parts
            nest = _only(body)
            if start.kind is CursorKind.DECL_STMT:
                continue
            if start.operator != "=" or not start.parts[0].name:
                return None
            found.append(start.parts[0].name)
        return found


def _only(node: Node) -> tuple[Node, ...]:
    """Give the one statement that a body is."""
    while node.kind is CursorKind.COMPOUND_STMT:
        if len(node.parts) != 1:
            return ()
        (node,) = node.parts
    return (node,)


def _names(node: Node) -> Iterator[Node]:
    return (inner for inner in node.walk() if inner.name and inner.cursor.kind is CursorKind.DECL_REF_EXPR)


def _declares(loop: Node, name: Node) -> bool:
    start, extent = libclang.referenced(name.cursor).extent.start, loop.cursor.extent
    return bool(extent.start.offset <= start.offset < extent.end.offset)


def _is_array(node: Node) -> bool:
    return libclang.referenced(node.cursor).type.get_canonical().kind in ARRAYS


def _is_update(node: Node, above: Sequence[Node], variable: int, operator: str) -> bool:
    """Tell whether a name stands where its variable is updated as the operator of a reduction says."""
    below = node
    for parent in above:
        if parent.kind is CursorKind.UNARY_OPERATOR:
            return operator in "+-" and parent.operator[-2:] in {"++", "--"} and parent.parts[0] is node
        if parent.kind is CursorKind.CALL_EXPR and not parent.cursor.spelling.startswith(f"f{operator}"):
            return False
        if parent.operator in _ORDERS:
            is_less = (parent.operator[0] == "<") == (parent.parts[0] is below)
            return _inner(below).name == variable and _chooses(parent, above, variable, operator, is_less=is_less)
        if parent.operator.endswith("=") and parent.parts[0].name == variable:
            return _combines(parent, variable, operator)
        below = parent
    return False


def _chooses(test: Node, above: Sequence[Node], variable: int, operator: str, *, is_less: bool) -> bool:
    """Tell whether a test, for a variable that is less or not, decides whether an extreme becomes another one."""
    parent = next((n for n in above if n.kind in {CursorKind.IF_STMT, CursorKind.CONDITIONAL_OPERATOR}), None)
    if parent is None or not _conjuncts(parent.parts[0], test):
        return False
    stays = parent.kind is CursorKind.CONDITIONAL_OPERATOR and _inner(parent.parts[1]).name == variable
    is_last = parent.kind is CursorKind.CONDITIONAL_OPERATOR or len(parent.parts) == len(("test", "then"))
    return is_last and operator == ("max" if is_less is not stays else "min")


def _conjuncts(condition: Node, test: Node) -> bool:
    """Tell whether a test is one of those that a condition joins by ``&&``."""
    condition = _inner(condition)
    return condition is test or (condition.operator == "&&" and any(_conjuncts(p, test) for p in condition.parts))


def _combines(assignment: Node, variable: int, operator: str) -> bool:
    """Tell whether an assignment to the variable of a reduction is one of its updates."""
    value, own = _inner(assignment.parts[1]), assignment.operator[:-1]
    if operator in _EXTREMES:
        is_choice = value.kind in {CursorKind.CONDITIONAL_OPERATOR, CursorKind.CALL_EXPR}
        return not own and (variable not in value.names or is_choice)
    joins = _UPDATES[operator]
    if own:
        return own in joins and variable not in value.names
    if operator in _FINAL and libclang.evaluate(value.cursor) == _FINAL[operator]:
        return True
    terms = list(_terms(value, joins, negative=False))
    mine = [(term, negative) for term, negative in terms if variable in term.names]
    return len(terms) > 1 and len(mine) == 1 and mine[0][0].name == variable and not mine[0][1]


def _terms(node: Node, operators: set[str], *, negative: bool) -> Iterator[tuple[Node, bool]]:
    """Yield the operands of a chain of some operators, each with whether it is subtracted."""
    node = _inner(node)
    if node.kind is CursorKind.BINARY_OPERATOR and node.operator in operators:
        left, right = node.parts
        yield from _terms(left, operators, negative=negative)
        yield from _terms(right, operators, negative=negative ^ (node.operator == "-"))
        return
    yield node, negative


def _inner(node: Node) -> Node:
    while node.kind in libclang.WRAPPERS and len(node.parts) == 1:
        (node,) = node.parts
    return node
