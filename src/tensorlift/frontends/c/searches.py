"""Loops that end early, as loops that do not: what their first hit leaves is what the last one leaves, run backwards.

``for (i = 0; i < n; i++) if (p(i)) { k = i; break; }`` becomes ``for (i = n; i-- > 0;) if (p(i)) k = i;``, and the
``return`` of a search, be it in a nest of loops, an assignment to what is returned behind it.  That holds where
iterations know nothing of each other: all that they change is what a hit leaves and numbers that each writes before it
reads them.

Iterations behind the first hit are run too, so that arrays must have the elements that those read, and integers are not
divided.  What the counters are where there is no hit is said by the loops without their hits, where anything reads it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import INT, VOID, NumberType
from tensorlift.frontends.c.counted import Counted, begun, bound_and_others, counted, counter_of
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.mapped import changed, converted, is_name, names_in, nodes_of, with_expressions
from tensorlift.frontends.c.modified import assigned_in_statement
from tensorlift.frontends.c.purity import addressed_in, is_number, is_pure, is_quiet, may_fail, read_first
from tensorlift.frontends.c.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tensorlift.diagnostics import Diagnostic, Location

_Statements = tuple[nodes.Statement, ...]


def run_to_their_ends(body: nodes.Block, *, unless_loops: bool = False) -> None:
    """Replace, in place, the loops of a function that end early; ``unless_loops`` refuses those that stay loops."""
    if any(map(_ends_early, nodes.statements_of(body))):
        function = _Function(addressed_in(body), unless_loops)
        function.end_breaks(body, ())
        function.end_returns(body, ())


def _ends_early(statement: nodes.Statement) -> bool:
    """Whether a statement may be a jump out of a loop, or a loop that compares data in its condition."""
    match statement:
        case nodes.Unsupported(kind="break"):
            return True
        case nodes.Loop(condition=condition, body=body):
            reads = condition is not None and any(map(nodes.is_cell, walk(condition)))
            return reads or any(isinstance(inner, nodes.Return) for inner in nodes.statements_of(body))
    return False


class _Unsuitable(Exception):  # noqa: N818 - it is no error: the loop stays as it is
    """A loop cannot be run backwards."""


@dataclass(eq=False)
class _Search:
    """A loop in which nothing happens but hits, and what these are: ``ends`` says what stands for a jump out of it.

    What the hit stores into memory is held by numbers, and ``stored`` behind the loop.  Where there is such, and where
    it is ``told``, ``found`` tells whether there was a hit.
    """

    loop: nodes.Loop
    kind: type[nodes.Return | nodes.Unsupported]
    ends: Callable[[nodes.Return | nodes.Unsupported], Iterable[nodes.Statement]]
    told: bool = False
    found: nodes.Variable = field(init=False)
    held: list[nodes.Variable] = field(default_factory=list)
    stored: list[nodes.Evaluate] = field(default_factory=list)
    head: Counted = field(init=False)
    counters: set[nodes.Variable] = field(default_factory=set)
    prepared: set[nodes.Variable] = field(default_factory=set)
    left: list[set[nodes.Variable]] = field(default_factory=list)
    inner: dict[nodes.Variable, nodes.Loop] = field(default_factory=dict)
    jump: Diagnostic = field(init=False)
    result: nodes.Loop = field(init=False)

    def __post_init__(self) -> None:
        """Run the loop backwards; raises ``_Unsuitable``."""
        location = self.loop.location
        self.found = nodes.Variable("found", INT, location, initialiser=nodes.Integer(0, INT, location))
        self.loop, self.head = self._plain(self.loop)
        self.result = self._loop(self.loop, self.head)
        self._check()

    def _plain(self, loop: nodes.Loop) -> tuple[nodes.Loop, Counted]:
        """Return a loop whose condition is that of its counter alone, what else it has being a jump at the start."""
        split = bound_and_others(loop)
        if split is None:
            raise _Unsuitable
        loop, others = split
        if others and self.kind is nodes.Return:
            raise _Unsuitable
        jumps = [_jump_unless(condition, loop.location) for condition in others]
        loop = replace(loop, body=nodes.Block((*jumps, *_block(loop.body).statements), loop.location))
        head = counted(loop)
        if head is None:
            raise _Unsuitable
        return loop, head

    def _loop(self, loop: nodes.Loop, head: Counted) -> nodes.Loop:
        if head.counter in self.counters or not (head.fixed | {head.counter}).isdisjoint(
            assigned_in_statement(loop.body)
        ):
            raise _Unsuitable
        self.counters.add(head.counter)
        return head.backwards(nodes.Block(self._list([loop.body], in_arm=False), loop.location))

    def _list(self, statements: Sequence[nodes.Statement], *, in_arm: bool) -> _Statements:
        """Return what prepares the hits, then the hits, the last one first."""
        if len(statements) == 1 and isinstance(statements[0], nodes.Block):
            return self._list(statements[0].statements, in_arm=in_arm)
        first = next((p for p, s in enumerate(statements) if self._may_leave(s)), len(statements))
        before, hits = list(statements[:first]), list(statements[first:])
        end: _Statements = ()
        if hits and self._is_jump(hits[-1]):
            start = max(p + 1 for p, s in enumerate([None, *hits[:-1]]) if s is None or self._may_leave(s)) - 1
            leaves, hits = hits[start:], hits[:start]
            if not hits:
                leaves, before = [*before, *leaves], []
            end = self._end(leaves, in_arm=in_arm)
        if not all(map(self._may_leave, hits)) or any(map(self._is_jump, hits)):
            raise _Unsuitable
        self.prepared.update(*map(assigned_in_statement, before))
        return (*before, *end, *map(self._hit, reversed(hits)))

    def _end(self, statements: Sequence[nodes.Statement], *, in_arm: bool) -> _Statements:
        """Return what a hit leaves in place of a jump behind it."""
        *sets, jump = statements
        assert isinstance(jump, nodes.Return | nodes.Unsupported)
        reason = "return-in-loop" if isinstance(jump, nodes.Return) else jump.kind
        self.jump = refusal(reason, jump.location).diagnostics[0]
        if not in_arm:
            raise _Unsuitable
        left = set().union(*map(assigned_in_statement, sets))
        probes = [nodes.Evaluate(nodes.name_of(variable, jump.location), jump.location) for variable in left]
        if read_first([*sets, *probes], left):
            raise _Unsuitable
        self.left.append(left)
        kept = tuple(map(self._without_store, sets))
        if self.stored and any(map(nodes.is_cell, nodes_of(jump))):
            raise _Unsuitable
        noted = (_set(self.found, nodes.Integer(1, INT, jump.location)),) if self.told or self.stored else ()
        return (*kept, *self.ends(jump), *noted)

    def _without_store(self, statement: nodes.Statement) -> nodes.Statement:
        """Hold what a statement stores into memory, to store it behind the loop; what follows must not read memory."""
        reads = sum(map(nodes.is_cell, chain.from_iterable(map(nodes_of, nodes.statements_of(statement)))))
        match statement:
            case nodes.Evaluate(expression=nodes.Assign(target=target, value=value) as assign) if nodes.is_cell(target):
                if self.stored and reads > 1:  # one is the place itself
                    raise _Unsuitable
                zero = converted(nodes.Integer(0, INT, value.location), value.ctype)
                held = nodes.Variable("held", value.ctype, value.location, initialiser=zero)
                self.held.append(held)
                name = nodes.name_of(held, value.location)
                self.stored.append(replace(statement, expression=replace(assign, value=name)))
                return _set(held, value)
        if self.stored and reads:
            raise _Unsuitable
        return statement

    def _hit(self, statement: nodes.Statement) -> nodes.Statement:
        match statement:
            case nodes.If(then=then, otherwise=otherwise):
                arms = [
                    None if arm is None else nodes.Block(self._list([arm], in_arm=True), statement.location)
                    for arm in (then, otherwise)
                ]
                assert arms[0] is not None
                return replace(statement, then=arms[0], otherwise=arms[1])
            case nodes.Block(statements=inner):
                return nodes.Block(self._list(inner, in_arm=False), statement.location)
            case nodes.Loop() if self.kind is nodes.Return:
                plain, head = self._plain(statement)
                self.inner[head.counter] = self._loop(plain, head)
                return self.inner[head.counter]
        raise _Unsuitable

    def _is_jump(self, statement: nodes.Statement) -> bool:
        if isinstance(statement, nodes.Unsupported):
            return self.kind is nodes.Unsupported and statement.kind == "break"
        return self.kind is nodes.Return and isinstance(statement, nodes.Return)

    def _may_leave(self, statement: nodes.Statement) -> bool:
        """Whether a statement holds a jump out of the loop."""
        return any(map(self._is_jump, nodes.statements_of(statement)))

    def _check(self) -> None:
        """Raise ``_Unsuitable`` where an iteration may know of another one, or do anything but leave numbers."""
        body = self.result.body
        quiet = is_quiet(self.result) and not any(may_fail(n) for s in nodes.statements_of(body) for n in nodes_of(s))
        own = {s.variable for s in nodes.statements_of(body) if isinstance(s, nodes.Declare)}
        changes = assigned_in_statement(body) - own - self.counters
        left = [one - own for one in self.left]
        if not quiet or not left or read_first([body], changes) or _returns(self.result):
            raise _Unsuitable
        if any(_uses(body, counter) != _uses(loop, counter) for counter, loop in self.inner.items()):
            raise _Unsuitable
        self.prepared -= own | self.counters
        moved = changes | own | self.counters
        places = [assign.target for store in self.stored if isinstance(assign := store.expression, nodes.Assign)]
        if self.stored and (len(left) > 1 or any(not _is_fixed(place, moved) for place in places)):
            raise _Unsuitable
        kept = set().union(*left)
        if not self.prepared.isdisjoint(kept) or not self.counters.isdisjoint(kept | self.prepared):
            raise _Unsuitable

    @property
    def declared(self) -> _Statements:
        """What it takes that the loop goes on, and the declarations of what it leaves behind."""
        noted = [self.found] if self.told or self.stored else []
        arrays = sorted({v for v in self._names() if not is_number(v)}, key=lambda variable: variable.location)
        return (
            nodes.ReadOn(tuple(arrays), self.loop.location),
            *(nodes.Declare(variable, variable.location) for variable in (*noted, *self.held)),
        )

    def _names(self) -> Iterator[nodes.Variable]:
        for statement in nodes.statements_of(self.result):
            for node in nodes_of(statement):
                if isinstance(node, nodes.Name):
                    yield node.variable

    def behind(self, rest: _Statements = ()) -> _Statements:
        """Return what happens behind the loop if there was a hit."""
        if not self.stored and not rest:
            return ()
        location = self.loop.location
        return (
            nodes.If(nodes.name_of(self.found, location), nodes.Block((*self.stored, *rest), location), None, location),
        )

    def without_hits(self) -> nodes.Loop:
        """Return the loop as it counts where there is no hit."""
        return self._without_hits(self.loop)

    def _without_hits(self, loop: nodes.Loop) -> nodes.Loop:
        return replace(loop, body=nodes.Block(tuple(self._kept(loop.body)), loop.location))

    def _kept(self, statement: nodes.Statement) -> Iterator[nodes.Loop]:
        match statement:
            case nodes.Block(statements=statements):
                yield from chain.from_iterable(map(self._kept, statements))
            case nodes.Loop() if self._may_leave(statement):
                yield self._without_hits(statement)


@dataclass(frozen=True, slots=True)
class _Function:
    """The loops of one function; ``addressed`` are the variables whose addresses it takes."""

    addressed: set[nodes.Variable]
    unless_loops: bool

    def end_breaks(self, statement: nodes.Statement, following: _Statements) -> None:
        """Replace loops that ``break``, inner ones first; ``following`` is what may run behind a statement."""
        match statement:
            case nodes.If(then=then, otherwise=otherwise):
                statement.then = _block(then)
                self.end_breaks(statement.then, following)
                if otherwise is not None:
                    statement.otherwise = _block(otherwise)
                    self.end_breaks(statement.otherwise, following)
            case nodes.Loop(body=body):
                statement.body = _block(body)
                self.end_breaks(statement.body, (statement, *following))
            case nodes.Block():
                for position in reversed(range(len(statement.statements))):
                    child, after = statement.statements[position], statement.statements[position + 1 :]
                    self.end_breaks(child, (*after, *following))
                    if isinstance(child, nodes.Loop) and any(map(_ends_early, nodes.statements_of(child))):
                        with suppress(_Unsuitable):
                            ended = self._without_break(child, after, following)
                            statement.statements = (*statement.statements[:position], *ended)

    def end_returns(self, statement: nodes.Statement, following: _Statements) -> None:
        """Replace loops that ``return``, where what follows is the rest of the function."""
        match statement:
            case nodes.If(then=then, otherwise=otherwise):
                for arm in (then, otherwise):
                    if arm is not None:
                        self.end_returns(arm, following)
            case nodes.Block():
                for position in reversed(range(len(statement.statements))):
                    child, after = statement.statements[position], statement.statements[position + 1 :]
                    self.end_returns(child, (*after, *following))
                    if isinstance(child, nodes.Loop) and _returns(child):
                        with suppress(_Unsuitable):
                            ended = self._without_return(child, after, following)
                            statement.statements = (*statement.statements[:position], *ended)

    def _without_break(self, loop: nodes.Loop, after: _Statements, following: _Statements) -> _Statements:
        before, loop = _begun(loop)
        counter = counter_of(loop)
        assert counter is not None
        location = loop.location
        place = nodes.Variable(counter.name, counter.ctype, location, initialiser=nodes.name_of(counter, location))
        search = _Search(loop, nodes.Unsupported, lambda jump: (_set(place, nodes.name_of(counter, jump.location)),))
        if any(one != search.left[0] for one in search.left):
            raise _Unsuitable
        if not self._is_live(search, (*after, *following)):
            search = self._marked(_Search(loop, nodes.Unsupported, lambda _: ()))
            return (*before, *search.declared, search.result, *search.behind(), *after)
        renamed = _renamed(after, counter, place)
        if renamed is None or read_first(following, {counter}):
            raise _Unsuitable
        first = (search.without_hits(), nodes.Declare(place, location), *self._marked(search).declared)
        return (*before, *first, search.result, *search.behind(), *renamed)

    def _without_return(self, loop: nodes.Loop, after: _Statements, following: _Statements) -> _Statements:
        before, loop = _begun(loop)
        location, result = loop.location, _result_of(loop)
        last = after[0] if len(after) == 1 else None
        other = last.value if isinstance(last, nodes.Return) and result is not None else None
        alone = other is not None and result is not None and other.ctype == result.ctype and _is_known(other)

        def leave(jump: nodes.Return | nodes.Unsupported) -> Iterator[nodes.Statement]:
            if result is not None and isinstance(jump, nodes.Return) and jump.value is not None:
                yield _set(result, jump.value)

        search = self._marked(_Search(loop, nodes.Return, leave, told=not alone))
        again = (search.without_hits(),) if self._is_live(search, (*after, *following)) else ()
        returned = nodes.Return(None if result is None else nodes.name_of(result, location), location)
        declared = () if result is None else (nodes.Declare(result, location),)
        if alone and result is not None and not search.stored:
            result.initialiser = other
            return (*before, *again, *declared, *search.declared, search.result, returned)
        return (*before, *declared, *search.declared, search.result, *search.behind((returned,)), *again, *after)

    def _marked(self, search: _Search) -> _Search:
        """Note why loops are refused that stay loops."""
        if self.unless_loops:
            for loop in (search.result, *search.inner.values()):
                loop.left = search.jump
        return search

    def _is_live(self, search: _Search, following: _Statements) -> bool:
        """Whether what follows may read the counters; raises ``_Unsuitable`` where it reads what prepares the hits."""
        own = search.counters | search.prepared
        live = read_first(following, own)
        if not live.isdisjoint(search.prepared) or not self.addressed.isdisjoint(own.union(*search.left)):
            raise _Unsuitable
        return bool(live)


def _uses(statement: nodes.Statement, variable: nodes.Variable) -> int:
    """Count where a statement names a variable."""
    return sum(is_name(node, variable) for inner in nodes.statements_of(statement) for node in nodes_of(inner))


def _begun(loop: nodes.Loop) -> tuple[_Statements, nodes.Loop]:
    started = begun(loop)
    if started is None:
        raise _Unsuitable
    return started


def _block(statement: nodes.Statement) -> nodes.Block:
    if isinstance(statement, nodes.Block):
        return statement
    return nodes.Block((statement,), statement.location)


def _jump_unless(condition: nodes.Expression, location: Location) -> nodes.If:
    """Return the ``break`` that a part of a loop's condition stands for."""
    fails = nodes.Unary("!", condition, INT, condition.location)
    return nodes.If(fails, nodes.Unsupported("break", VOID, location), None, location)


def _returns(loop: nodes.Loop) -> bool:
    return any(isinstance(statement, nodes.Return) for statement in nodes.statements_of(loop.body))


def _result_of(loop: nodes.Loop) -> nodes.Variable | None:
    """Make the variable for what a loop returns; None if it returns no value."""
    values = [statement.value for statement in nodes.statements_of(loop.body) if isinstance(statement, nodes.Return)]
    types = {None if value is None else value.ctype for value in values}
    if types == {None}:
        return None
    (ctype, *others) = types
    if others or not isinstance(ctype, NumberType):
        raise _Unsuitable
    zero = converted(nodes.Integer(0, INT, loop.location), ctype)
    return nodes.Variable("result", ctype, loop.location, initialiser=zero)


def _is_known(value: nodes.Expression) -> bool:
    """Whether an expression may be computed in any case: it reads no memory, and does not fail."""
    known = (nodes.Name, nodes.Integer, nodes.Floating, nodes.Unary, nodes.Binary, nodes.Cast)
    return all(
        isinstance(node, known) and is_pure(node) and not nodes.is_cell(node) and not may_fail(node)
        for node in walk(value)
    )


def _is_fixed(place: nodes.Expression, moved: set[nodes.Variable]) -> bool:
    """Whether a place in memory is the same before and behind a loop that moves some variables."""
    return all(map(is_pure, walk(place))) and moved.isdisjoint(names_in(place))


def _set(variable: nodes.Variable, value: nodes.Expression) -> nodes.Evaluate:
    return nodes.assignment(nodes.name_of(variable, value.location), value, value.location)


def _renamed(statements: _Statements, counter: nodes.Variable, place: nodes.Variable) -> _Statements | None:
    """Return statements that read a place instead of a counter, up to where it is set anew, if that is clear."""

    def inside(statement: nodes.Statement) -> nodes.Statement:
        return with_expressions(statement, expression, inside)

    def expression(value: nodes.Expression) -> nodes.Expression:
        return changed(value, lambda node: nodes.name_of(place, node.location) if is_name(node, counter) else None)

    probe = nodes.Evaluate(nodes.name_of(counter, counter.location), counter.location)
    done: list[nodes.Statement] = []
    for position, statement in enumerate(statements):
        if counter not in read_first([statement, probe], {counter}):
            return (*done, *statements[position:])
        if counter in assigned_in_statement(statement) or not all(map(_is_plain, nodes.statements_of(statement))):
            return None
        done.append(inside(statement))
    return tuple(done)


def _is_plain(statement: nodes.Statement) -> bool:
    """Whether all that a statement reads can be written anew."""
    plain = not isinstance(statement, nodes.Unsupported | nodes.Settle | nodes.Agree)
    extents = isinstance(statement, nodes.Declare) and statement.variable.extents
    return plain and not extents and not any(isinstance(n, nodes.InitialiserList) for n in nodes_of(statement))
