"""Parameters that are constants, such as ``mode="valid"``: what asks for them is known, and the rest is left out.

A text has no other use in what is lifted: it is compared, looked for in a list, or matched.  A statement that every run
does binds such a name again, as ``mode = mode.lower()`` does, to another constant or to what is no constant any more.
"""

from __future__ import annotations

import ast
import copy
import operator
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.syntax import arguments_of, given_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

UNKNOWN = "\0"  # no text of a source
_TEXT_METHODS = {"lower", "upper", "strip", "casefold", "startswith", "endswith"}
_CONSTANTS = {"None", "True", "False"}
_ORDERS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_EVERYWHERE = {operator.add, operator.sub, operator.mul}
_COMPUTED: dict[type[ast.operator], Callable[[int, int], int]] = {
    **dict(zip((ast.Add, ast.Sub, ast.Mult), (operator.add, operator.sub, operator.mul), strict=True)),
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_LISTS = (ast.Tuple, ast.List, ast.Set)


def asked_for_text(function: ast.FunctionDef, helpers: Mapping[str, ast.FunctionDef]) -> set[str]:
    """List the parameters of which a function, or a helper that it passes them to, asks whether they are some text."""
    asked = [sides for sides in _asked(function) if any(map(_is_text, sides))]
    found = {name for sides in asked for name in map(_name, sides)}
    others = {name: helper for name, helper in helpers.items() if helper is not function}
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        helper = others.get(call.func.id) if isinstance(call.func, ast.Name) else None
        given = None if helper is None else given_arguments(call, helper)
        if helper is not None and given is not None:
            passed = asked_for_text(helper, others)
            found |= {value.id for name, value in given[0].items() if name in passed and isinstance(value, ast.Name)}
    return found & {argument.arg for argument in arguments_of(function)}


def _is_text(node: ast.expr) -> bool:
    value = _value(node)
    return isinstance(value, str | tuple) and value != UNKNOWN


def _name(node: ast.expr) -> str:
    """Give the name of what is compared, as it is or in small letters; empty where it has none."""
    method = node.func if isinstance(node, ast.Call) else None
    inner = method.value if isinstance(method, ast.Attribute) and method.attr in _TEXT_METHODS else node
    return inner.id if isinstance(inner, ast.Name) else ""


def constants_among(types: Mapping[str, str]) -> dict[str, Any]:
    """Give the constants among what names mean, texts as Python spells them; the others are types."""
    return {n: ast.literal_eval(text) for n, text in types.items() if text in _CONSTANTS or text[0] in "'\"-0123456789"}


def _asked(function: ast.FunctionDef) -> Iterator[list[ast.expr]]:
    """Yield what is compared with each other."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            yield [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            yield [node.subject, *(pattern.value for pattern in ast.walk(node) if isinstance(pattern, ast.MatchValue))]


def texts_of(given: Mapping[str, ast.expr]) -> dict[str, str]:
    """Give the texts among arguments."""
    return {n: a.value for n, a in given.items() if isinstance(a, ast.Constant) and isinstance(a.value, str)}


def with_constants(function: ast.FunctionDef, values: Mapping[str, Any]) -> ast.FunctionDef:
    """Give a function in which parameters are constants, without what is not done then.

    One that is bound again where not every run does so is none.
    """
    if not values:
        return function
    inner = [node.args for node in ast.walk(function) if isinstance(node, ast.FunctionDef | ast.Lambda)][1:]
    bound = {argument.arg for args in inner for argument in ast.walk(args) if isinstance(argument, ast.arg)}
    while True:
        made = copy.deepcopy(function)
        folded = _Folded({n: v for n, v in values.items() if n not in bound})
        made.body = folded.statements(made.body)
        if not folded.rebound:
            return made
        bound |= folded.rebound


class _Folded(ast.NodeTransformer):
    """Puts constants in, and decides what depends on nothing else; ``rebound`` are names that are no constants."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values
        self._is_always_run = True
        self.rebound: set[str] = set()

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements, up to the first after which none is run."""
        found: list[ast.stmt] = []
        for statement in body:
            made: Any = self.visit(statement)
            found += made if isinstance(made, list) else [made]
            if found and isinstance(found[-1], ast.Return | ast.Raise | ast.Break | ast.Continue):
                break
        return found or [ast.copy_location(ast.Pass(), body[0])]

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements that some runs do, and some do not, or do again."""
        outer, self._is_always_run = self._is_always_run, False
        found = self.statements(body) if body else []
        self._is_always_run = outer
        return found

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit expressions, and the statements of blocks."""
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self._block(value))
            elif isinstance(value, list):
                setattr(node, name, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Put the constant in place of a parameter."""
        if node.id not in self._values:
            return node
        if not isinstance(node.ctx, ast.Load):
            self.rebound.add(node.id)
            return node
        return _constant(self._values[node.id], node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """Let names mean what every run binds them to."""
        node.value = self.visit(node.value)
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if not self._is_always_run or len(names) < len(node.targets) or self._values.keys().isdisjoint(names):
            node.targets = [self.visit(target) for target in node.targets]
            return node
        value = _value(node.value)
        if value != UNKNOWN and not isinstance(value, tuple) and self._values.keys() >= {*names}:
            self._values |= dict.fromkeys(names, value)
            return []
        for name in names:
            self._values.pop(name, None)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """Let a name mean what every run makes of its constant."""
        known = self._values.get(node.target.id) if isinstance(node.target, ast.Name) and self._is_always_run else None
        if type(known) is not int:
            return self.generic_visit(node)
        made = ast.copy_location(ast.BinOp(_constant(known, node.value), node.op, node.value), node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], made), node))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Compute with integers."""
        self.generic_visit(node)
        left, right, compute = _value(node.left), _value(node.right), _COMPUTED.get(type(node.op))
        if compute is None or type(left) is not int or type(right) is not int:
            return node
        return _constant(compute(left, right), node) if right or compute in _EVERYWHERE else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """Read an assignment without its annotation."""
        if node.value is None or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        """Note a name that a pattern binds."""
        if node.name is not None and node.name in self._values:
            self.rebound.add(node.name)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Decide a comparison of constants."""
        self.generic_visit(node)
        left, right, *others = [_value(side) for side in (node.left, *node.comparators)]
        holds = None if UNKNOWN in {left, right} or others else _compared(node.ops[0], left, right)
        return node if holds is None else _constant(holds, node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Decide what begins with constants, and leave out those that decide nothing beside truth values."""
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        while len(node.values) > 1 and _truth(node.values[0]) is (not decides):
            node.values = node.values[1:]
        if len(node.values) == 1 or _truth(node.values[0]) is decides:
            return node.values[0]
        *others, last = [
            value for value in node.values if _truth(value) is not (not decides) or value is node.values[-1]
        ]
        is_left_out = _truth(last) is (not decides) and all(map(_is_truth, node.values))
        node.values = others if is_left_out else [*others, last]
        return node.values[0] if len(node.values) == 1 else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Decide the contrary of a constant."""
        self.generic_visit(node)
        truth = _truth(node.operand) if isinstance(node.op, ast.Not) else None
        return node if truth is None else _constant(not truth, node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Take the side that is chosen."""
        self.generic_visit(node)
        truth = _truth(node.test)
        return node if truth is None else node.body if truth else node.orelse

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Call methods of texts that give others, or truth values."""
        self.generic_visit(node)
        method, given = node.func, [_value(argument) for argument in node.args]
        text = _value(method.value) if isinstance(method, ast.Attribute) and method.attr in _TEXT_METHODS else UNKNOWN
        if (
            not isinstance(method, ast.Attribute)
            or not isinstance(text, str)
            or text == UNKNOWN
            or node.keywords
            or UNKNOWN in given
        ):
            return node
        try:
            return _constant(getattr(text, method.attr)(*given), node)
        except TypeError:  # as the call raises, if it is done
            return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        """Take the statements that are run."""
        node.test = self.visit(node.test)
        truth = _truth(node.test)
        if truth is not None:
            run = node.body if truth else node.orelse
            return self.statements(run) if run else []
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def visit_Match(self, node: ast.Match) -> ast.stmt | list[ast.stmt]:
        """Take the statements of the case that a text is."""
        node.subject = self.visit(node.subject)
        subject = _value(node.subject)
        if not isinstance(subject, str) or subject == UNKNOWN:
            return self.generic_visit(node)  # type: ignore[return-value] # the node itself
        for case in node.cases:
            known = None if case.guard is not None else _matches(case.pattern, subject)
            if known is None:
                return self.generic_visit(node)  # type: ignore[return-value] # the node itself
            if known:
                return self.statements(case.body)
        return []


def _matches(pattern: ast.pattern, subject: str) -> bool | None:
    """Tell whether a pattern of texts takes a text; None for other patterns."""
    if isinstance(pattern, ast.MatchOr):
        found = [_matches(one, subject) for one in pattern.patterns]
        return None if None in found else any(found)
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
        return True
    value = _value(pattern.value) if isinstance(pattern, ast.MatchValue) else UNKNOWN
    return None if value == UNKNOWN else value == subject


def _value(node: ast.expr) -> str | int | tuple[str, ...] | None:
    """Give the text, integer, truth value, ``None`` or list of texts that an expression is, else UNKNOWN."""
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str | int)):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and type(value := _value(node.operand)) is int:
        return -value
    items = [_value(item) for item in node.elts] if isinstance(node, _LISTS) else []
    texts = tuple(item for item in items if isinstance(item, str) and item != UNKNOWN)
    return texts if texts and len(texts) == len(items) else UNKNOWN


def _compared(op: ast.cmpop, left: Any, right: Any) -> bool | None:
    if isinstance(right, tuple):
        return None if not isinstance(op, ast.In | ast.NotIn) else (left in right) is isinstance(op, ast.In)
    if isinstance(left, int) and isinstance(right, int) and type(op) in _ORDERS:
        return bool(_ORDERS[type(op)](left, right))
    if isinstance(op, ast.Eq | ast.NotEq):
        return (left == right) is isinstance(op, ast.Eq)
    if isinstance(op, ast.Is | ast.IsNot) and (type(left) is not type(right) or left is None or type(left) is bool):
        return (left is right) is isinstance(op, ast.Is)
    return None  # which of two equal texts or numbers is nobody's business


def _truth(node: ast.expr) -> bool | None:
    value = _value(node)
    return None if value == UNKNOWN else bool(value)


def _is_truth(node: ast.expr) -> bool:
    """Tell whether an expression is True or False, not some number that counts as one of them."""
    if isinstance(node, ast.BoolOp):
        return all(map(_is_truth, node.values))
    is_contrary = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_contrary or isinstance(node, ast.Compare) or isinstance(_value(node), bool)


def _constant(value: str | int, like: ast.expr) -> ast.expr:
    if type(value) is int and value < 0:  # as a source spells it
        return ast.copy_location(ast.UnaryOp(ast.USub(), ast.copy_location(ast.Constant(-value), like)), like)
    return ast.copy_location(ast.Constant(value), like)
