"""Loop nests and conditions in C for domains: isl orders the points, its syntax tree is spelled here.

Every variable has its name in C already.  Loops run over ``ptrdiff_t``, upwards in the order of the variables or, where
asked, downwards; what the context says is not tested again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import islpy as isl

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.targets.c.scalars import AND, ATOM, CHOICE, EQUALITY, OR, ORDER, PRODUCT, SUM, UNARY, Text
from tensorlift.targets.c.text import Block, mentions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.targets.c.text import Line

    Body = Callable[[Mapping[str, Affine]], Sequence[Line]]  # what an iteration does, where variables have one value

_PARAM, _SET = isl.dim_type.param, isl.dim_type.set
_SIGNS = {
    "add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT), "pdiv_q": ("/", PRODUCT),
    "pdiv_r": ("%", PRODUCT), "zdiv_r": ("%", PRODUCT), "eq": ("==", EQUALITY), "le": ("<=", ORDER), "lt": ("<", ORDER),
    "ge": (">=", ORDER), "gt": (">", ORDER), "and_": ("&&", AND), "and_then": ("&&", AND), "or_": ("||", OR),
    "or_else": ("||", OR),
}  # fmt: skip


def nest(domain: Domain, variables: Sequence[str], context: Domain, body: Body, *, falling: bool = False) -> list[Line]:
    """Return loops over the points of a domain; ``variables`` are its dimensions, the outermost first."""
    if not variables:
        inner = list(body({}))
        test = condition(domain, context)
        return inner if test is None else [Block(f"if ({test.source})", inner)]
    try:
        return _loops(domain, variables, context, body, falling=falling)
    except LiftError:  # of a bound that is rounded down
        wider = _without_multiples(domain, variables)
        if wider is None:
            raise

    def tested(values: Mapping[str, Affine]) -> Sequence[Line]:
        test = condition(domain.substitute(values), (context & wider).substitute(values))
        inner = list(body(values))
        return inner if test is None else [Block(f"if ({test.source})", inner)]

    return _loops(wider, variables, context, tested, falling=falling)


def _loops(
    domain: Domain, variables: Sequence[str], context: Domain, body: Body, *, falling: bool = False
) -> list[Line]:
    points = _with_axes(domain, variables).set_tuple_name("S")
    schedule = isl.Map.identity(points.get_space().map_from_set()).reset_tuple_id(isl.dim_type.out)
    if falling:
        schedule = schedule.apply_range(_negated(len(variables)))
    build = isl.AstBuild.from_context(isl.Set(context.text).params())
    names = [f"{name}__falling" if falling else name for name in variables]
    build = build.set_iterators(_ids(names))
    tree = build.node_from_schedule_map(isl.UnionMap.from_map(schedule.intersect_domain(points)))
    return _Tree(variables, body).lines(tree)


def _without_multiples(domain: Domain, variables: Sequence[str]) -> Domain | None:
    """Widen a convex domain to where loops have bounds without quotients; None where nothing bounds them then."""
    if domain.size != 1 or domain.has_divisions:
        return None
    (constraints,) = domain.conjuncts()
    kept = [c for c in constraints if all(abs(c.affine.coefficient(v)) <= 1 for v in variables)]
    wider = Domain.of(*kept)
    return wider if len(kept) < len(constraints) and _with_axes(wider, variables).is_bounded() else None


def condition(domain: Domain, context: Domain) -> Text | None:
    """Spell that a point of the context is in a domain; None where every one is."""
    if context.is_subset(domain):
        return None
    known, found = isl.Set(context.text), isl.Set(domain.gist(context).text)
    if found.n_basic_set() > 1:
        hull = isl.Set.from_basic_set(found.unshifted_simple_hull()).gist(known)
        found = hull if hull.intersect(known).is_subset(isl.Set(domain.text)) else found  # one part says it
    return _text(isl.AstBuild.from_context(known.params()).expr_from_set(found))


def _with_axes(domain: Domain, variables: Sequence[str]) -> isl.Set:
    """Turn variables of a set into its dimensions."""
    named = isl.Set(domain.text)
    for name in variables:
        if named.find_dim_by_name(_PARAM, name) < 0:
            named = named.align_params(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 1).set_dim_name(_PARAM, 0, name))
    named = named.from_params()
    for position, name in enumerate(variables):
        named = named.move_dims(_SET, position, _PARAM, named.find_dim_by_name(_PARAM, name), 1)
    return named


def _negated(rank: int) -> isl.Map:
    points, images = ", ".join(f"x{k}" for k in range(rank)), ", ".join(f"-x{k}" for k in range(rank))
    return isl.Map(f"{{ [{points}] -> [{images}] }}")


def _ids(names: Sequence[str]) -> isl.IdList:
    found = isl.IdList.alloc(isl.DEFAULT_CONTEXT, len(names))
    for name in names:
        found = found.add(isl.Id(name))
    return found


class _Tree:
    """Spells a syntax tree; ``variables`` are those of the body, in the order of its arguments."""

    def __init__(self, variables: Sequence[str], body: Body) -> None:
        self._variables = variables
        self._body = body

    def lines(self, node: isl.AstNode) -> list[Line]:
        kind = _kind(node.get_type())
        if kind == "block":
            children = node.block_get_children()
            return [line for k in range(children.n_ast_node()) for line in self.lines(children.get_at(k))]
        if kind == "if_":
            found: list[Line] = [Block(f"if ({_text(node.if_get_cond()).source})", self.lines(node.if_get_then_node()))]
            if node.if_has_else_node():
                found.append(Block("else", self.lines(node.if_get_else_node())))
            return found
        if kind == "for_":
            return self._loop(node)
        return self._statement(node.user_get_expr())

    def _loop(self, node: isl.AstNode) -> list[Line]:
        name = node.for_get_iterator().get_id().get_name()
        start = _text(node.for_get_init()).source
        inner = self.lines(node.for_get_body())
        if node.for_is_degenerate():
            return [f"const ptrdiff_t {name} = {start};", *inner] if mentions(inner, name) else inner
        step = node.for_get_inc().to_C_str()
        rise = f"{name}++" if step == "1" else f"{name} += {step}"
        test = _text(node.for_get_cond()).source
        return [Block(f"for (ptrdiff_t {name} = {start}; {test}; {rise})", inner)]

    def _statement(self, call: isl.AstExpr) -> list[Line]:
        """Give the body the values of variables that are no iterators."""
        values: dict[str, Affine] = {}
        for position, name in enumerate(self._variables):
            argument = call.get_op_arg(position + 1)
            value = _affine(argument)
            if value is None:
                raise refuse("TL305", "a loop steps by what C cannot spell", remedy="lift to numpy")
            if value.variable != name:
                values[name] = value
        return list(self._body(values))


def _affine(expression: isl.AstExpr) -> Affine | None:
    """Read an expression that is affine in names, None where it is not."""
    if _kind(expression.get_type()) == "id":
        return Affine.var(expression.get_id().get_name())
    if _kind(expression.get_type()) == "int":
        return Affine(int(expression.get_val().to_python()))
    kind, operands = _operation(expression)
    values = [_affine(operand) for operand in operands]
    if any(value is None for value in values):
        return None
    known = [value for value in values if value is not None]
    if kind == "minus":
        return -known[0]
    if kind in ("add", "sub"):
        return known[0] + known[1] if kind == "add" else known[0] - known[1]
    if kind == "mul" and any(value.is_constant for value in known):
        first, second = known if known[0].is_constant else known[::-1]
        return second * first.constant
    return None


def _kind(member: object) -> str:
    """Return the name of a member of isl's enumerations."""
    return str(member).rpartition(".")[2]


def _operation(expression: isl.AstExpr) -> tuple[str, list[isl.AstExpr]]:
    return _kind(expression.get_op_type()), [expression.get_op_arg(k) for k in range(expression.get_op_n_arg())]


def _text(expression: isl.AstExpr) -> Text:
    if _kind(expression.get_type()) == "id":
        return Text(expression.get_id().get_name())
    if _kind(expression.get_type()) == "int":
        value = int(expression.get_val().to_python())
        return Text(str(value), ATOM if value >= 0 else UNARY)
    kind, parts = _operation(expression)
    operands = [_text(part) for part in parts]
    if kind == "minus":
        return Text(f"-{operands[0].within(ATOM)}", UNARY)
    if kind in ("min", "max"):
        return _extreme("<" if kind == "min" else ">", operands)
    if kind in ("cond", "select"):
        condition_, chosen, other = operands
        return Text(f"{condition_.within(OR)} ? {chosen.within(CHOICE + 1)} : {other.within(CHOICE + 1)}", CHOICE)
    sign = _SIGNS.get(kind)
    if sign is None:
        raise refuse("TL305", f"C has no spelling of the bound {expression.to_C_str()}", remedy="lift to numpy")
    text = operands[0]
    for operand in operands[1:]:
        text = Text(f"{text.within(sign[1])} {sign[0]} {operand.within(sign[1] + 1)}", sign[1])
    return text


def _extreme(sign: str, operands: Sequence[Text]) -> Text:
    text = operands[0]
    for operand in operands[1:]:
        left, right = text.within(ORDER + 1), operand.within(ORDER + 1)
        text = Text(f"{left} {sign} {right} ? {left} : {right}", CHOICE)
    return text
