"""Traversals of terms: substitution of indices, replacement of reads, simplifying construction.

Every traversal keeps a memo for the call, so that a shared node is visited once for each domain in which it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from tensorlift.comprehension import terms
from tensorlift.comprehension.flags import simplified_flag
from tensorlift.comprehension.rules import rewritten
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Term, applies
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh

ReadMap = Callable[[Read, Domain], Term]
Descend = Callable[[Term, Domain], Term]
Rule = Callable[[Term, Domain, Descend], Term]


def rebuild(term: Term, convert: Callable[[Term], Term]) -> Term:
    """Return the term with its operands converted, simplified at the root."""
    if isinstance(term, Apply):
        args = tuple([convert(a) for a in term.args])
        return term if args == term.args else simplified(term.op, args, term)
    if isinstance(term, Reduce):
        return terms.reduce(term.op, term.bound, term.domain, convert(term.body))
    if isinstance(term, Piecewise):
        return terms.piecewise((domain, convert(piece)) for domain, piece in term.pieces)
    return term


def exchanged(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """Return the term with the topmost nodes that change exchanged, each once however often it occurs."""
    done: dict[Term, Term] = {}

    def convert(node: Term) -> Term:
        found = done.get(node)
        if found is None:
            changed = change(node)
            found = done[node] = rebuild(node, convert) if changed is None else changed
        return found

    return convert(term)


# The operands that change nothing, on the left and on the right, each with its rule; None where there is none.
_NEUTRAL: dict[str, tuple[tuple[int, str] | None, tuple[int, str]]] = {
    "add": ((0, "zero add"), (0, "add zero")),
    "sub": (None, (0, "sub zero")),
    "mul": ((1, "one mul"), (1, "mul one")),
    "div": (None, (1, "div one")),
    "tdiv": (None, (1, "tdiv one")),
}


def simplified(op: str, args: tuple[Term, ...], like: Apply | None = None) -> Term:
    """Apply a scalar function, dropping neutral operands and deciding selects whose arms agree."""
    if op in _NEUTRAL:
        return _without_neutral(op, *args)
    if op == "select":
        return _select(*args)
    dtype = like.dtype if like is not None and op == "cast" else None
    flag = simplified_flag(op, args, dtype)
    if flag is not None:
        return flag
    if op == "cast" and dtype is not None:
        return terms.cast(args[0], dtype)
    return terms.apply(op, *args, dtype=dtype)


def _without_neutral(op: str, left: Term, right: Term) -> Term:
    """Apply an arithmetic operation, unless an operand of the same type as the other changes nothing."""
    term = terms.apply(op, left, right)
    if left.dtype == right.dtype:
        first, second = _NEUTRAL[op]
        if _is(right, second[0]):
            return rewritten(second[1], term, x=left) or term
        if first is not None and _is(left, first[0]):
            return rewritten(first[1], term, x=right) or term
    return term


def _select(condition: Term, chosen: Term, other: Term) -> Term:
    """Build a select: the same condition inside an arm is decided, equal arms need no condition."""
    if isinstance(condition, Constant):
        rule = "choice by true" if condition.value else "choice by false"
        return rewritten(rule, terms.apply("select", condition, chosen, other), a=chosen, b=other) or (
            terms.apply("select", condition, chosen, other)
        )
    term = terms.apply("select", condition, chosen, other)
    if applies(chosen, "select") and chosen.args[0] is condition:
        _, a, b = chosen.args
        found = rewritten("same condition in the chosen arm", term, p=condition, a=a, b=b, c=other)
        if isinstance(found, Apply):
            return _select(*found.args)
    if applies(other, "select") and other.args[0] is condition:
        _, b, c = other.args
        found = rewritten("same condition in the other arm", term, p=condition, a=chosen, b=b, c=c)
        if isinstance(found, Apply):
            return _select(*found.args)
    return (rewritten("choice of one value", term, p=condition, a=chosen) if chosen is other else None) or term


def _is(term: Term, value: int) -> bool:
    return isinstance(term, Constant) and term.value == value


def substitute(term: Term, values: Mapping[str, Affine]) -> Term:
    """Replace free index variables by affine expressions, all at once; bound ones are renamed: none is captured."""
    changed = {name: value for name, value in values.items() if name in term.free and value.variable != name}
    return _Substitution(changed).of(term) if changed else term


def renewed(fold: Reduce, fresh: Callable[[str], str]) -> tuple[tuple[str, ...], Domain, Term]:
    """Return the variables of a fold, its domain and its body, with names of their own for the variables."""
    names = {old: fresh("k") for old in fold.bound}
    body = substitute(fold.body, {old: Affine.var(new) for old, new in names.items()})
    return tuple(names.values()), fold.domain.rename(names), body


class _Substitution:
    def __init__(self, values: Mapping[str, Affine]) -> None:
        self.values = values
        self.memo: dict[Term, Term] = {}

    def of(self, term: Term) -> Term:
        if term.free.isdisjoint(self.values):
            return term
        done = self.memo.get(term)
        if done is None:
            done = self.memo[term] = self._build(term)
        return done

    def _build(self, term: Term) -> Term:
        if isinstance(term, Read):
            return terms.read(term.array, tuple([i.substitute(self.values) for i in term.indices]), term.dtype)
        if isinstance(term, Index):
            return terms.index(term.affine.substitute(self.values), term.dtype)
        if isinstance(term, Reduce):
            return self._reduce(term)
        if isinstance(term, Piecewise):
            return terms.piecewise((d.substitute(self.values), self.of(t)) for d, t in term.pieces)
        return rebuild(term, self.of)

    def _reduce(self, term: Reduce) -> Term:
        renamed = {name: fresh("k") for name in term.bound}
        domain = term.domain.rename(renamed).substitute({v: a for v, a in self.values.items() if v not in renamed})
        inner = {v: a for v, a in self.values.items() if v not in renamed}
        inner.update((old, Affine.var(new)) for old, new in renamed.items())
        return terms.reduce(term.op, tuple(renamed.values()), domain, substitute(term.body, inner))


def map_reads(term: Term, domain: Domain, convert: ReadMap) -> Term:
    """Replace each array read by ``convert(read, domain)``; ``domain`` holds the points at which it is evaluated."""
    return _map_reads(term, domain, convert, {})


def _map_reads(term: Term, where: Domain, convert: ReadMap, done: dict[Term, Term]) -> Term:
    """Replace the reads of a term that is evaluated at points for which ``done`` has the results so far."""
    if not term.reads:
        return term
    result = done.get(term)
    if result is None:
        if isinstance(term, Read):
            result = convert(term, where)
        elif isinstance(term, Apply):
            args = tuple([_map_reads(a, where, convert, done) for a in term.args])
            result = term if args == term.args else simplified(term.op, args, term)
        elif isinstance(term, Reduce):
            inside = where & term.domain
            body = _map_reads(term.body, inside, convert, {})
            result = terms.reduce(term.op, term.bound, term.domain, body)
        else:
            assert isinstance(term, Piecewise)
            result = restrict_pieces(term.pieces, where, lambda t, inside: _map_reads(t, inside, convert, {}))
        done[term] = result
    return result


def transform(term: Term, domain: Domain, rule: Rule) -> Term:
    """Rewrite a term from the root: ``rule(node, domain, descend)`` says what becomes of a node.

    ``domain`` holds the points at which the node is evaluated; the rule calls ``descend(child, domain)`` for what it
    wants rewritten below.  A shared node is rewritten once for each domain in which it is used.
    """
    # The memo keeps the domain, and with it the identity that serves as its key, alive.
    memo: dict[tuple[Term, int], tuple[Domain, Term]] = {}

    def descend(node: Term, where: Domain) -> Term:
        key = (node, id(where))
        done = memo.get(key)
        if done is None:
            done = memo[key] = (where, rule(node, where, descend))
        return done[1]

    return descend(term, domain)


def rebuild_inside(node: Term, domain: Domain, descend: Descend) -> Term:
    """Rewrite the operands of a node where they are evaluated, and leave the node's own domains as they are."""
    if isinstance(node, Reduce):
        return terms.reduce(node.op, node.bound, node.domain, descend(node.body, domain & node.domain))
    if isinstance(node, Piecewise):
        return terms.piecewise((piece, descend(inner, domain & piece)) for piece, inner in node.pieces)
    return rebuild(node, lambda child: descend(child, domain))


def restrict_pieces(
    pieces: Sequence[tuple[Domain, Term]],
    domain: Domain,
    convert: Callable[[Term, Domain], Term] = lambda term, _: term,
) -> Term:
    """Return the pieces that meet the domain, converted there; where there are no points, any piece will do."""
    kept = [(piece, convert(term, inside)) for piece, term in pieces if not (inside := domain & piece).is_empty()]
    if not kept and not domain.is_empty():
        raise ValueError("no piece covers the domain")
    return terms.piecewise(kept) if kept else convert(pieces[0][1], domain)


def flattened(term: Reduce) -> Reduce:
    """Return nested reductions of one operation as one; a read at a place that depends on data stays whole."""
    inner = term.body
    while isinstance(inner, Reduce) and inner.op == term.op and not set(inner.bound) & set(term.bound):
        if place_of(inner) is not None:
            break
        outer = terms.reduce(term.op, (*term.bound, *inner.bound), term.domain & inner.domain, inner.body)
        assert isinstance(outer, Reduce)
        term, inner = outer, outer.body
    return term


def multiplied(term: Term) -> list[Term]:
    """Return a product as factors, in order; a negative one has the factor -1."""
    if isinstance(term, Apply) and term.op == "mul" and all(a.dtype == term.dtype for a in term.args):
        return [factor for a in term.args for factor in multiplied(a)]
    if isinstance(term, Apply) and term.op == "neg":
        return [terms.constant(-1, term.dtype), *multiplied(term.args[0])]
    return [term]


def summands(term: Term, sign: int = 1) -> list[tuple[int, Term]]:
    """Return a sum as signed summands, in order."""
    if isinstance(term, Apply) and term.op in ("add", "sub") and all(a.dtype == term.dtype for a in term.args):
        left, right = term.args
        return summands(left, sign) + summands(right, sign if term.op == "add" else -sign)
    if isinstance(term, Apply) and term.op == "neg":
        return summands(term.args[0], -sign)
    return [(sign, term)]


def place_of(term: Term) -> Term | None:
    """Return the place of a read that depends on data: ``t`` of ``sum(g : ...) select(hits(t, g), value, 0)``."""
    if not isinstance(term, Reduce) or term.op not in ("sum", "any") or len(term.bound) != 1:
        return None
    body = term.body
    if not applies(body, ("select", "and")):
        return None
    test = body.args[0]
    if body.op == "select" and not (isinstance(body.args[2], Constant) and body.args[2].value == 0):
        return None
    if not applies(test, "hits") or term.bound[0] in test.args[0].free:
        return None
    variable = test.args[1].affine.variable if isinstance(test.args[1], Index) else None
    return test.args[0] if variable == term.bound[0] else None


def with_place(read: Reduce, place: Term) -> Term:
    """Return a read that depends on data (`place_of`) at another place."""
    body = read.body
    assert isinstance(body, Apply)
    test, *rest = body.args
    moved = terms.apply("hits", place, *test.children[1:])
    return terms.reduce(read.op, read.bound, read.domain, terms.apply(body.op, moved, *rest))


def visit_reads(term: Term, domain: Domain, visit: Callable[[Read, Domain], None]) -> None:
    """Call ``visit(read, domain)`` for each array read with the points at which it is evaluated."""
    for found, where in reads_in(term, domain):
        visit(found, where)


def reads_in(term: Term, domain: Domain) -> list[tuple[Read, Domain]]:
    """Return the array reads of a term, each with the points at which it is evaluated."""
    reads: list[tuple[Read, Domain]] = []

    def convert(found: Read, where: Domain) -> Term:
        reads.append((found, where))
        return found

    map_reads(term, domain, convert)
    return reads


def walk(term: Term) -> Iterator[Term]:
    """Yield each node once, operands after the node."""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            yield node
            stack.extend(reversed(node.children))


def bottom_up(term: Term, done: Container[Term]) -> Iterator[Term]:
    """Yield every node of a term that is not done, children first; the caller adds each to those that are done."""
    stack = [term]
    while stack:
        node = stack[-1]
        waiting = [] if node in done else [child for child in node.children if child not in done]
        if waiting:
            stack.extend(waiting)
            continue
        if node not in done:
            yield node
        stack.pop()


def contains(term: Term, wanted: type[Term]) -> bool:
    """Tell whether a node of the class occurs."""
    return any(isinstance(node, wanted) for node in walk(term))


def lookup(pieces: list[tuple[Domain, Term]], values: Mapping[str, Affine], domain: Domain, default: Term) -> Term:
    """Return what a piecewise function is at a point, for the points of a domain.

    ``values`` maps the function's index variables to the point, an affine expression of the variables of ``domain``.
    Where no piece applies the value is ``default``.
    """
    rest, found = domain, []
    for piece, term in pieces:
        here = piece.substitute(values) & rest
        if here.is_empty():
            continue
        found.append((here, substitute(term, values)))
        rest = rest - here
        if rest.is_empty():
            break
    else:
        rest = rest.coalesce()
        if not rest.is_empty():
            found.append((rest, default))
    if not found:
        return default  # the domain has no points
    if len(found) == 1:
        return found[0][1]
    return terms.piecewise((here.gist(domain), term) for here, term in found)


def shorten(term: Term, domain: Domain) -> Term:
    """Drop from the domains inside a term what holds wherever the term is evaluated."""
    return transform(term, domain, _shorten)


def _shorten(term: Term, domain: Domain, descend: Descend) -> Term:
    if not term.has_domains:
        return term
    if isinstance(term, Reduce):
        inside = (domain & term.domain).coalesce()
        return terms.reduce(term.op, term.bound, inside.gist(domain), descend(term.body, inside))
    if isinstance(term, Piecewise):
        kept = [(piece, inner) for piece, inner in term.pieces if not piece.is_disjoint(domain)]
        if len(kept) < 2:  # noqa: PLR2004 - no choice: where there are no points, any piece will do
            return descend((kept or list(term.pieces))[0][1], domain)
        return terms.piecewise((piece.gist(domain), descend(inner, domain & piece)) for piece, inner in kept)
    return rebuild_inside(term, domain, descend)
