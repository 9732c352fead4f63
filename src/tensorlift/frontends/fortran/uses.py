"""Which variables a procedure uses and writes, itself and by what it calls: numbers and arrays, or components of these.

What a procedure that is called does to a dummy argument it does to what is passed; names that `associate` gives stand
for what they are given for.  Who writes through a pointer may write what it is let point to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import arguments_of
from tensorlift.frontends.fortran.declarations import block_scope
from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.symbols import ASSUMED, PART, POLYMORPHIC
from tensorlift.frontends.fortran.syntax import body, kind_of, nodes_in
from tensorlift.ops.c_types import CHAR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tensorlift.frontends.fortran.symbols import Procedure, Scope, Symbol

_CALLS = {"Part_Ref", "Function_Reference", "Structure_Constructor"}
_REFERENCES = {"Name", "Data_Ref", "Data_Pointer_Object", "Proc_Component_Ref", "Procedure_Designator"}
_INQUIRIES = {"size", "lbound", "ubound", "shape", "present", "allocated", "associated"}
_NAMED = {"Cycle_Stmt", "Exit_Stmt", "Goto_Stmt"}  # whose names are no variables


@dataclass
class Uses:
    """The numbers and arrays that a procedure uses, in the order of their use, and those of them that it may write."""

    used: dict[Symbol, None] = field(default_factory=dict)
    written: set[Symbol] = field(default_factory=set)


def uses_of(procedure: Procedure) -> Uses:
    """Give what a procedure uses and writes; one that calls itself is refused where it is read."""
    if procedure.uses is None:
        procedure.uses = Uses()
        walk = _Walk(procedure.scope, procedure.uses)
        for symbol in procedure.scope.names.values():
            if symbol.home is procedure.scope:
                walk.visit([bound for pair in symbol.bounds for bound in pair if bound != ASSUMED])
                walk.visit(symbol.value)
        walk.visit(body(procedure))
        for name in procedure.dummies:
            dummy = procedure.scope.names.get(name)
            for leaf in dummy.leaves() if dummy is not None and dummy.intent == "out" else ():
                if leaf.begins:
                    walk.use(leaf, writes=True)
        for symbol in walk.asked:
            leaves = symbol.leaves()
            if leaves and not any(leaf in procedure.uses.used for leaf in leaves):
                walk.use(leaves[0])
    return procedure.uses


def written_in(procedure: Procedure) -> set[str]:
    """Name what a procedure may write, of what it sees; a component with the variable that it belongs to."""
    return {name for symbol in uses_of(procedure).written for name in (symbol.name, symbol.variable.name)}


def names_used(procedure: Procedure) -> set[str]:
    """Name the numbers and arrays that a procedure uses."""
    return {symbol.name for symbol in uses_of(procedure).used}


def path_of(node: Any) -> str:
    """Name what a reference is to, without subscripts: `state%u`."""
    kind = kind_of(node)
    if kind in {"Data_Ref", "Data_Pointer_Object", "Proc_Component_Ref", "Procedure_Designator"}:
        return PART.join(path_of(child) for child in node.children if not isinstance(child, str))
    if kind in {*_CALLS, "Array_Section", "Parenthesis", "Substring"}:
        inner = next((child for child in node.children if not isinstance(child, str)), "")
        return path_of(inner)
    return str(node).lower()


def base_of(node: Any) -> str:
    """Name the variable that a reference begins with."""
    return path_of(node).partition(PART)[0]


def bound_procedure(scope: Scope, node: Any, find: Callable[[str], Symbol | None] | None = None) -> Procedure | None:
    """Give the procedure that a reference `x%step` to a component calls, by the type that `x` is declared with."""
    variable, _, name = path_of(node).rpartition(PART)
    symbol = (find or scope.find)(variable) if variable else None
    if symbol is None or symbol.derived is None or name in symbol.derived.components:
        return None
    if POLYMORPHIC in symbol.attributes and name in symbol.derived.overridden:
        raise refusal("overridden", scope.location(node, variable), f"{variable}%{name}")
    home, own = symbol.derived.bindings.get(name, (scope, ""))
    return home.procedure(own)


@dataclass
class _Walk:
    """Collects the uses of one procedure."""

    scope: Scope
    found: Uses
    given: dict[str, Symbol | None] = field(default_factory=dict)  # names of `associate`
    asked: list[Symbol] = field(default_factory=list)  # arrays of structures, for what all components have

    def use(self, symbol: Symbol | None, *, writes: bool = False) -> None:
        """Note what a variable is made of."""
        for leaf in symbol.leaves() if symbol is not None else ():
            self.found.used.setdefault(leaf)
            if writes:
                self.found.written.add(leaf)

    def symbol(self, node: Any) -> Symbol | None:
        """Give the variable or component that a reference is to; None for any other expression."""
        if kind_of(node) not in {*_REFERENCES, *_CALLS}:
            return None
        found = self.named(path_of(node))
        is_call = kind_of(node) in _CALLS and (found is None or not found.bounds)
        return None if is_call else found

    def named(self, path: str) -> Symbol | None:
        """Give what a name stands for, or a component of that."""
        first, *rest = path.split(PART)
        found = self.given[first] if first in self.given else self.scope.find(first)
        for name in rest:
            found = found.part(name) if found is not None else None
        return found

    def visit(self, node: Any) -> None:
        """Note what a piece of syntax uses."""
        if node is None or isinstance(node, str | int):
            return
        if isinstance(node, tuple | list):
            for child in node:
                self.visit(child)
            return
        rule = getattr(self, f"_{kind_of(node).lower()}", None)
        if rule is not None:
            rule(node)
        elif kind_of(node) in {*_REFERENCES, *_CALLS}:
            self.reference(node)
        elif kind_of(node) not in _NAMED:
            self.visit(getattr(node, "children", ()) or ())

    def reference(self, node: Any, *, writes: bool = False) -> None:
        """Note a reference to a variable or a function, and what its subscripts use."""
        found = self.symbol(node)
        if found is not None:
            self.use(found, writes=writes)
            self.subscripts(node)
            return
        last = node.children[-1] if kind_of(node) == "Data_Ref" else node
        of = node.children[0] if kind_of(node) in _CALLS else node
        self.call(of, arguments_of(last) if kind_of(last) in _CALLS else [], unknown=False)

    def subscripts(self, node: Any) -> None:
        """Note what the subscripts of a reference use."""
        if kind_of(node) in _CALLS:
            self.visit(node.children[1])
        elif kind_of(node) != "Name":
            for child in node.children:
                if not isinstance(child, str):
                    self.subscripts(child)

    def call(self, of: Any, given: list[tuple[str, Any]], *, unknown: bool) -> None:
        """Note what a procedure does to what is passed to it; one that is ``unknown`` may write all of that."""
        is_bound = PART in path_of(of)
        one = bound_procedure(self.scope, of, self.named) if is_bound else self.scope.procedure(path_of(of))
        found = [one] if one is not None else self.scope.specifics(path_of(of))
        for procedure in found:
            self.called(procedure, of, given, is_bound=is_bound)
        if not found:
            for _, argument in given:
                self.passed(argument, unknown=unknown)

    def called(self, procedure: Procedure, of: Any, given: list[tuple[str, Any]], *, is_bound: bool) -> None:
        """Note what a procedure that is known does."""
        inside = uses_of(procedure)
        for symbol in inside.used:
            if not _belongs(symbol, procedure):
                self.found.used.setdefault(symbol)
        self.found.written |= {symbol for symbol in inside.written if not _belongs(symbol, procedure)}
        if is_bound:
            given = [("", _without_last(of)), *given]
        for position, (keyword, argument) in enumerate(given):
            dummy = keyword or (procedure.dummies[position] if position < len(procedure.dummies) else "")
            if isinstance(argument, str):
                self.bind(self.named(argument), procedure.scope.names.get(dummy), inside)
            elif self.symbol(argument) is not None:
                self.subscripts(argument)
                self.bind(self.symbol(argument), procedure.scope.names.get(dummy), inside)
            else:
                self.visit(argument)

    def bind(self, actual: Symbol | None, dummy: Symbol | None, inside: Uses) -> None:
        """Note what is done to a variable by what is done to a dummy argument."""
        if actual is None or dummy is None or dummy.derived is None:
            self.use(actual, writes=dummy in inside.written)
            return
        for leaf in dummy.leaves():
            found: Symbol | None = actual
            for name in leaf.name.split(PART)[1:]:
                found = found.part(name) if found is not None else None
            if leaf in inside.used:
                self.use(found, writes=leaf in inside.written)

    def passed(self, argument: Any, *, unknown: bool) -> None:
        """Note what is passed to a procedure that is not known; a flag keeps its value, or its reading is refused."""
        symbol = self.symbol(argument)
        if unknown and symbol is not None and symbol.ctype is not CHAR:
            self.reference(argument, writes=True)
        else:
            self.visit(argument)

    # -- statements

    def _assignment_stmt(self, node: Any) -> None:
        target, _, right = node.children
        self.reference(target, writes=True)
        self.visit(right)

    def _pointer_assignment_stmt(self, node: Any) -> None:
        self.reference(node.children[0], writes=True)
        self.passed(node.children[2], unknown=True)

    def _loop_control(self, node: Any) -> None:
        if node.children[1]:
            self.use(self.symbol(node.children[1][0]), writes=True)
        self.visit(node.children)

    def _call_stmt(self, node: Any) -> None:
        self.call(node.children[0], arguments_of(node), unknown=True)

    def _allocate_stmt(self, node: Any) -> None:
        for one in node.children[1].children:
            self.use(self.symbol(one.children[0] if kind_of(one) == "Allocation" else one), writes=True)
            self.visit(one.children[1:] if kind_of(one) == "Allocation" else ())
        self._options(node.children[2])

    def _deallocate_stmt(self, node: Any) -> None:
        for one in node.children[0].children:
            self.use(self.symbol(one), writes=True)
        self._options(node.children[1])

    def _options(self, options: Any) -> None:
        for one in getattr(options, "children", ()) or ():
            self.passed(one.children[1], unknown=str(one.children[0]).lower() != "source")

    def _read_stmt(self, node: Any) -> None:
        self._all_written(node)

    def _all_written(self, node: Any) -> None:
        for one in nodes_in([node]):
            if kind_of(one) in _REFERENCES:
                self.use(self.symbol(one), writes=True)

    def _intrinsic_function_reference(self, node: Any) -> None:
        """Note that an inquiry asks one component of structures, for what all of them have."""
        given = arguments_of(node)
        symbol = self.symbol(given[0][1]) if given else None
        if str(node.children[0]).lower() in _INQUIRIES and symbol is not None and symbol.derived is not None:
            self.asked.append(symbol)
            self.visit([one for _, one in given[1:]])
            return
        self.visit(node.children[1])

    def _actual_arg_spec(self, node: Any) -> None:
        self.visit(node.children[1])

    _component_spec = _actual_arg_spec

    def _block_construct(self, node: Any) -> None:
        outer, self.scope = self.scope, block_scope(self.scope, node)
        kept = self.given
        self.given = {name: one for name, one in kept.items() if name not in self.scope.names}
        self.visit([bound for s in self.scope.names.values() for pair in s.bounds for bound in pair])
        self.visit([child for child in node.children if kind_of(child) != "Specification_Part"])
        self.scope, self.given = outer, kept

    def _associate_construct(self, node: Any) -> None:
        pairs = [(str(one.children[0]).lower(), one.children[2]) for one in node.children[0].children[1].children]
        for _, selector in pairs:
            self.subscripts(selector) if self.symbol(selector) is not None else self.visit(selector)
        kept = self.given
        self.given = kept | {name: self.symbol(selector) for name, selector in pairs}
        for symbol in self.given.values():
            if symbol is not None and symbol.derived is None:
                self.use(symbol)
        self.visit(node.children[1:])
        self.given = kept


def _belongs(symbol: Symbol, procedure: Procedure) -> bool:
    """Whether a variable is one of a procedure's own, or of a block in it."""
    scope = symbol.home
    while scope is not None and scope.is_block:
        scope = scope.outer
    return scope is procedure.scope and not symbol.is_shared


def _without_last(node: Any) -> str:
    """Name the object of a call `x%step()`."""
    return path_of(node).rpartition(PART)[0]


def outside_of(procedure: Procedure) -> list[Symbol]:
    """List the variables of modules and common blocks that a procedure uses, in the order of their declarations."""
    found = {symbol.same: None for symbol in uses_of(procedure).used if symbol.is_outside}
    return sorted(found, key=_declared_at)


def _declared_at(symbol: Symbol) -> tuple[int, int, list[str]]:
    scope, variable = symbol.home, symbol.variable
    block = variable.common[1] if variable.common is not None else 0
    names: Iterable[str] = variable.home.names if variable.home is not None else ()
    place = list(names).index(variable.name) if variable.name in names else 0
    return (scope.first if scope is not None else 0), block or place, symbol.name.split(PART)
