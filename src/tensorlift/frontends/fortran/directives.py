"""OpenMP in Fortran: which directives leave a procedure the meaning that it has without them.

Loops are read by their sequential meaning.  ``parallel do`` and ``simd`` keep it where variables that threads have of
their own are written before they are read in each iteration, and are not read after the loop, and where reductions are
updates; ``atomic`` and ``critical`` keep it inside such a loop.  Any other directive refuses the procedure, and so does
a line that only OpenMP compiles.  Directives of OpenACC, and hints to compilers, are comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tensorlift.frontends.fortran.syntax import body, kind_of, nodes_in, part, statement_line
from tensorlift.frontends.fortran.uses import base_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.frontends.fortran.symbols import Procedure

Effect = Literal["read", "written"] | None
Around = tuple[tuple[Any, int], ...]

_SENTINEL = re.compile(r"(?:\s*!|[cC*])\$(?:(?P<kind>omp|acc)(?P<text>.*)|(?=[\s\d&]).*)", re.IGNORECASE)
_LOOP = re.compile(r"(parallel\s*do(?:\s*simd)?|simd)\b\s*", re.IGNORECASE)
_WITHIN = re.compile(r"(?:atomic|critical|ordered|flush)\b", re.IGNORECASE)
_REGION, _WORKSHARE = re.compile(r"parallel\b\s*", re.IGNORECASE), re.compile(r"do(\s+simd)?\b\s*", re.IGNORECASE)
_END = re.compile(r"end\s*(?P<of>parallel\s*$|\w.*)", re.IGNORECASE)
_THREADPRIVATE = re.compile(r"threadprivate\s*\(([^)]*)\)", re.IGNORECASE)
_DECLARES = re.compile(r"(?:threadprivate|declare|requires)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"(\w+)\s*(?:\(((?:[^()]|\([^()]*\))*)\))?[\s,]*")
_HINTS = {
    "schedule", "num_threads", "collapse", "shared", "if", "proc_bind", "safelen", "simdlen", "aligned", "order",
    "nontemporal", "nowait",
}  # fmt: skip
_OWN = {"private", "firstprivate", "lastprivate"}
_JOINS = {"+": {"+", "-"}, "-": {"+", "-"}, "*": {"*"}, ".and.": {".and."}, ".or.": {".or."}}
_FUNCTIONS = {"min", "max", "iand", "ior", "ieor"}
_DO = ("Block_Nonlabel_Do_Construct", "Block_Label_Do_Construct", "Action_Term_Do_Construct")
_ORDERS = {">": "max", ".gt.": "max", ">=": "max", ".ge.": "max", "<": "min", ".lt.": "min", "<=": "min", ".le.": "min"}
_PARTS_OF_IF = {"If_Then_Stmt", "Else_If_Stmt", "Else_Stmt", "End_If_Stmt"}
_PARTS_OF_SELECT = {"Select_Case_Stmt", "Case_Stmt", "End_Select_Stmt"}


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive from a line of the file to another; its kind is empty for a line that only OpenMP compiles."""

    first: int
    last: int
    kind: str
    text: str

    @property
    def said(self) -> str:
        """How it is told."""
        return f"!${self.kind} {self.text}".strip()

    @property
    def declares(self) -> bool:
        """Whether it belongs to declarations."""
        return _DECLARES.match(self.text) is not None


def directives_in(lines: Sequence[str], first: int, last: int) -> list[Directive]:
    """List the directives from a line of a file to another."""
    found: list[Directive] = []
    open_until = 0
    for number in range(max(first, 1), min(last, len(lines)) + 1):
        match = _SENTINEL.match(lines[number - 1])
        if match is None:
            continue
        kind, raw = (match["kind"] or "").lower(), match["text"] or lines[number - 1].strip()[2:]
        marked = bool(kind) and raw[:1] not in {"", " ", "\t"}  # as fixed form continues lines
        text = raw[marked:].strip().strip("&").partition("!")[0].strip()
        if found and kind and (marked or open_until == number):
            before = found.pop()
            found.append(Directive(before.first, number, kind, f"{before.text} {text}"))
        else:
            found.append(Directive(number, number, kind, text))
        open_until = number + 1 if raw.rstrip().endswith("&") else 0
    return found


def not_sequential(procedure: Procedure) -> tuple[int, str] | None:
    """Give the line and the text of a directive by which a procedure may do something else than without."""
    file, first = procedure.scope.file, procedure.scope.first
    statements = body(procedure)
    if not statements:
        return None
    specification = part(procedure.tree, "Specification_Part")
    start = first + max(_lines_of(specification if specification is not None else procedure.tree.children[0]))
    said = [d for d in directives_in(file.lines, start, first + _lines_of(statements)[1]) if d.kind != "acc"]
    if not said:
        return None
    return _Checked(procedure, statements, _threadprivate(procedure)).wrong(said)


def _threadprivate(procedure: Procedure) -> frozenset[str]:
    """Name the variables that each thread has of its own, those of common blocks too."""
    lines, scope = procedure.scope.file.lines, procedure.scope
    lists = (match[1] for d in directives_in(lines, 1, len(lines)) if (match := _THREADPRIVATE.match(d.text)))
    named = {name.strip().lower() for listed in lists for name in listed.split(",")}
    members = (symbol.name for name in named for symbol in scope.commons.get(name.strip("/ "), ()))
    return frozenset({*named, *members})


def _lines_of(tree: Any) -> tuple[int, int]:
    spans = [node.item.span for node in nodes_in([tree]) if getattr(node, "item", None) is not None]
    return (min(first for first, _ in spans), max(last for _, last in spans)) if spans else (0, 0)


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop behind a directive, its clauses, and what it stands in."""

    directive: Directive
    clauses: Sequence[tuple[str, str]]
    node: Any
    around: Around
    has_threads: bool
    last: int  # line of the file


@dataclass(frozen=True, slots=True)
class _Checked:
    """A procedure with directives of OpenMP."""

    procedure: Procedure
    statements: Sequence[Any]
    threadprivate: frozenset[str]

    def wrong(self, said: Sequence[Directive]) -> tuple[int, str] | None:
        """Give the first directive that does not keep the sequential meaning."""
        loops: list[_Loop] = []
        rest: list[Directive] = []
        waiting = list(said)
        while waiting:
            directive = waiting.pop(0)
            loop = self._loop(directive, waiting)
            if loop is not None:
                loops.append(loop)
            else:
                rest.append(directive)
        for one in rest:
            is_end = one.kind and _END.match(one.text) is not None
            is_within = any(loop.has_threads and loop.directive.last < one.first < loop.last for loop in loops)
            says_nothing = is_end or _THREADPRIVATE.match(one.text) is not None  # its variables are looked at in loops
            if not says_nothing and not (is_within and one.kind and _WITHIN.match(one.text)):
                return one.first, one.said
        bad = next((loop.directive for loop in loops if not self._keeps(loop)), None)
        return None if bad is None else (bad.first, bad.said)

    def _loop(self, directive: Directive, waiting: list[Directive]) -> _Loop | None:
        """Give the loop that a directive is about; takes a `do` from those that wait, where it is all of a region."""
        head = _LOOP.match(directive.text)
        last = directive.last
        text = directive.text[head.end() :] if head else ""
        inner = waiting[0] if waiting else directive
        is_region = head is None and _REGION.match(directive.text) is not None and _WORKSHARE.match(inner.text)
        if not directive.kind or (head is None and not is_region):
            return None
        if is_region:
            last = inner.last
            text = f"{_REGION.sub('', directive.text, count=1)} {_WORKSHARE.sub('', inner.text, count=1)}"
        found = self._next(last)
        clauses = _clauses(text)
        if found is None or clauses is None or not kind_of(found[0]).endswith("Do_Construct"):
            return None
        node, around = found
        end = self.procedure.scope.first + _lines_of(node)[1]
        if is_region:
            if self._next(directive.last) != found or not self._ends_after(end, waiting[1:]):
                return None
            waiting.pop(0)
        has_threads = head is None or not head[1].lower().startswith("simd")
        return _Loop(directive, clauses, node, around, has_threads, end)

    def _ends_after(self, line: int, waiting: Sequence[Directive]) -> bool:
        """Tell whether a region ends behind a loop, before any other statement."""
        behind = self._next(line)
        until = self.procedure.scope.first + _lines_of(behind[0])[0] if behind else None
        ends = (d for d in waiting if d.first > line and (until is None or d.first < until))
        return any((found := _END.match(d.text)) and found["of"].strip().lower() == "parallel" for d in ends)

    def _next(self, line: int) -> tuple[Any, Around] | None:
        """Find the first statement behind a line of the file, with what it stands in."""
        wanted = line - self.procedure.scope.first
        behind = ((n, a) for n, a in _with_around(self.statements, ()) if _first_line(n) > wanted)
        return min(behind, key=lambda one: _first_line(one[0]), default=None)

    def _keeps(self, loop: _Loop) -> bool:
        """Tell whether a loop does the same with and without its directive."""
        inside = list(nodes_in([loop.node]))
        names = _names(loop.node)
        if names & self.threadprivate or any(kind_of(n) in {"Goto_Stmt", "Arithmetic_If_Stmt"} for n in inside):
            return False
        counters = {str(n.children[1][0]).lower() for n in inside if kind_of(n) == "Loop_Control" and n.children[1]}
        if loop.has_threads and not all(self._is_gone(name, loop) for name in counters):
            return False
        return all(self._clause(name, text, counters, loop) for name, text in loop.clauses)

    def _clause(self, name: str, text: str, counters: set[str], loop: _Loop) -> bool:
        if name in _HINTS:
            return "(" not in text
        if name == "default":
            return text.strip().lower() in {"none", "shared"}
        if name == "ordered":
            return not text
        operator, _, listed = text.rpartition(":")
        variables = [item.strip().lower() for item in listed.split(",")]
        if name == "reduction":
            return all(self._is_updated(v, operator.strip().lower(), loop) for v in variables)
        if name not in _OWN or operator:
            return False
        return all(self._is_own(v, name, loop) for v in variables if v not in counters)

    def _is_own(self, name: str, clause: str, loop: _Loop) -> bool:
        """Tell whether iterations and what follows may as well share a variable that threads have of their own."""
        symbol = self.procedure.scope.find(name)
        if symbol is None:
            return False
        if symbol.bounds:
            used = sum(str(n).lower() == name for n in nodes_in(self.statements) if kind_of(n) == "Name")
            inside = sum(str(n).lower() == name for n in nodes_in([loop.node]) if kind_of(n) == "Name")
            return clause == "private" and used == inside and self._is_gone(name, loop)
        if clause == "firstprivate" and name not in _written(loop.node):
            return True
        if _effect(loop.node.children, name) == "read":
            return False
        return clause == "lastprivate" or self._is_gone(name, loop)

    def _is_gone(self, name: str, loop: _Loop) -> bool:
        """Tell whether no one reads after a loop what a variable holds then."""
        symbol = self.procedure.scope.names.get(name)
        if symbol is None or symbol.is_dummy or symbol.is_result or symbol.is_shared or "save" in symbol.attributes:
            return False
        if name in _names(part(self.procedure.tree, "Internal_Subprogram_Part")):
            return False
        if any(kind_of(n) in {"Goto_Stmt", "Arithmetic_If_Stmt"} for n in nodes_in(self.statements)):
            return False
        for parent, position in loop.around:
            siblings = parent if isinstance(parent, list) else parent.children
            effect = (
                _effect(siblings[position + 1 :], name) if not _is_branching(parent) else _later(parent, position, name)
            )
            if effect is None and kind_of(parent) in _DO:
                effect = "read" if _effect(siblings[1:], name) == "read" else None
            if effect is not None:
                return effect == "written"
        return True

    def _is_updated(self, name: str, operator: str, loop: _Loop) -> bool:
        """Tell whether a loop does nothing with a variable but what its reduction says; of arrays it is believed."""
        symbol = self.procedure.scope.find(name)
        if symbol is None or (operator not in _JOINS and operator not in _FUNCTIONS):
            return False
        return bool(symbol.bounds) or _only_updates(loop.node, name, operator)


def _clauses(text: str) -> list[tuple[str, str]] | None:
    """List the clauses of a directive; None where they cannot be told apart."""
    found, rest = [], text.strip().lstrip(",").strip()
    while rest:
        match = _CLAUSE.match(rest)
        if match is None:
            return None
        found.append((match[1].lower(), match[2] or ""))
        rest = rest[match.end() :]
    return found


def _with_around(nodes: Sequence[Any], around: Around) -> Iterator[tuple[Any, Around]]:
    """Yield statements and constructs, each with the lists that it stands in, the innermost first."""
    holder = around[0][0] if around else list(nodes)
    for position, node in enumerate(nodes):
        inside = ((holder, position), *(around[1:] if around else ()))
        yield node, inside
        if kind_of(node).endswith("Construct"):
            yield from _with_around(node.children, ((node, 0), *inside))


def _first_line(node: Any) -> int:
    return statement_line(node) if getattr(node, "item", None) is not None else _lines_of(node)[0]


def _names(tree: Any) -> set[str]:
    return {str(node).lower() for node in nodes_in([tree]) if kind_of(node) == "Name"}


def _written(tree: Any) -> set[str]:
    targets = {base_of(n.children[0]) for n in nodes_in([tree]) if kind_of(n) == "Assignment_Stmt"}
    calls = (n for n in nodes_in([tree]) if kind_of(n) in {"Call_Stmt", "Function_Reference", "Part_Ref"})
    return targets.union(*(_names(call) for call in calls))


def _is_branching(node: Any) -> bool:
    return kind_of(node) in {"If_Construct", "Case_Construct"}


def _later(construct: Any, position: int, name: str) -> Effect:
    """Say what becomes of a variable in the rest of the branch that a statement stands in."""
    behind = construct.children[position + 1 :]
    ends = (k for k, node in enumerate(behind) if kind_of(node) in _PARTS_OF_IF | _PARTS_OF_SELECT)
    return _effect(behind[: next(ends, len(behind))], name)


def _effect(nodes: Sequence[Any], name: str) -> Effect:
    """Say what becomes of a variable first; None where that is nothing, or depends on what only a run tells."""
    for node in nodes:
        found = _effect_of(node, name)
        if found is not None:
            return found
    return None


def _effect_of(node: Any, name: str) -> Effect:
    if name not in _names(node):
        return None
    kind = kind_of(node)
    if kind == "Assignment_Stmt":
        target, _, value = node.children
        if name in _names(value) or (kind_of(target) != "Name" and name in _names(target) - {base_of(target)}):
            return "read"
        return "written" if kind_of(target) == "Name" else None
    if kind in _DO:
        head, *rest = node.children
        effect = _effect_of(head, name)
        return effect or ("read" if _effect(rest, name) == "read" else None)
    if kind.endswith("Do_Stmt"):
        control = next((child for child in node.children if kind_of(child) == "Loop_Control"), None)
        counted = control.children[1] if control is not None else None
        if counted and str(counted[0]).lower() == name and name not in _names(list(counted[1])):
            return "written"
        return "read" if control is not None and name in _names(control) else None
    if kind == "If_Stmt":
        condition, action = node.children
        return "read" if name in _names(condition) or _effect_of(action, name) == "read" else None
    if kind == "If_Construct":
        return _effect_of_branches(node, name)
    return "read"


def _effect_of_branches(node: Any, name: str) -> Effect:
    branches: list[list[Any]] = []
    for child in node.children:
        if kind_of(child) in _PARTS_OF_IF:
            if name in _names(child):
                return "read"
            branches.append([])
        else:
            branches[-1].append(child)
    effects = [_effect(branch, name) for branch in branches[:-1]]
    if "read" in effects:
        return "read"
    has_else = any(kind_of(child) == "Else_Stmt" for child in node.children)
    return "written" if has_else and all(effect == "written" for effect in effects) else None


def _only_updates(node: Any, name: str, operator: str) -> bool:
    """Tell whether all that has a name in it are updates of it."""
    if name not in _names(node):
        return True
    kind = kind_of(node)
    if kind == "Assignment_Stmt":
        return _is_update(node, name, operator)
    if kind == "If_Stmt":
        condition, action = node.children
        if name in _names(condition):
            return _chooses(condition, action, name, operator)
        return _only_updates(action, name, operator)
    if kind == "If_Construct" and len(node.children) == len(("if", "action", "end if")):
        head, action, _ = node.children
        if name in _names(head):
            return _chooses(head.children[0], action, name, operator)
    if kind.endswith("Construct"):
        return all(_only_updates(child, name, operator) for child in node.children)
    return False


def _is_update(node: Any, name: str, operator: str) -> bool:
    target, _, value = node.children
    if kind_of(target) != "Name" or str(target).lower() != name:
        return False
    if operator in _FUNCTIONS:
        function = str(value.children[0]).lower() if kind_of(value) == "Intrinsic_Function_Reference" else ""
        operands = list(value.children[1].children) if function == operator else []
        return _joined([(operand, False) for operand in operands], name)
    return _joined(list(_terms(value, _JOINS[operator], negative=False)), name)


def _joined(terms: Sequence[tuple[Any, bool]], name: str) -> bool:
    """Tell whether one term is the variable itself, and no other has it in it."""
    mine = [(term, negative) for term, negative in terms if name in _names(term)]
    return len(terms) > 1 and len(mine) == 1 and str(mine[0][0]).lower() == name and not mine[0][1]


def _terms(node: Any, operators: set[str], *, negative: bool) -> Iterator[tuple[Any, bool]]:
    """Yield the operands of a chain of some operators, each with whether it is subtracted."""
    while kind_of(node) == "Parenthesis":
        node = node.children[1]
    children: Sequence[Any] = getattr(node, "children", ()) or ()
    if len(children) == len(("left", "operator", "right")) and str(children[1]).lower() in operators:
        yield from _terms(children[0], operators, negative=negative)
        yield from _terms(children[2], operators, negative=negative ^ (str(children[1]) == "-"))
        return
    yield node, negative


def _chooses(condition: Any, action: Any, name: str, operator: str) -> bool:
    """Tell whether a test decides whether an extreme becomes another value."""
    while kind_of(condition) == "Parenthesis":
        condition = condition.children[1]
    sides: Sequence[Any] = getattr(condition, "children", ()) or ()
    if kind_of(action) != "Assignment_Stmt" or len(sides) != len(("left", "order", "right")):
        return False
    left, order, right = sides
    known: Mapping[str, str] = _ORDERS
    found = known.get(str(order).lower())
    if str(left).lower() == name:
        found = {"max": "min", "min": "max"}.get(found or "")
        right = left if name not in _names(right) else None
    if found != operator or str(right).lower() != name:
        return False
    target, _, value = action.children
    return kind_of(target) == "Name" and str(target).lower() == name and name not in _names(value)
