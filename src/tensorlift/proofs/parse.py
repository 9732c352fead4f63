"""Reading emitted Python text: import statements, helper functions and the entry function, in a small sublanguage.

The text is parsed with Python's own parser, so that what is checked is what will run.  Only the statements that the
checker executes are let through: assignments to names and subscripts, counting loops, returns.  Everything else fails
here or, for expressions, on evaluation.
"""

from __future__ import annotations

import ast
import itertools
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.proofs.failure import UNREADABLE, CheckFailure
from tensorlift.proofs.traced import TracedLoop, with_loops

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.For, ast.Return, ast.Pass, ast.Expr, ast.With)
_CODING = re.compile(r"\A(?:[^\n\r]*[\n\r]+)?[ \t\f]*#[^\n\r]*coding[:=]")  # by it, files are decoded otherwise
# The builtins that have a meaning here however the text defines its functions; calls look among those first.
_BUILTINS = ("range", "bool", "int", "float")


class Function(NamedTuple):
    """A function of the text: its parameters, the checks and guards at its top, its statements, and every local name.

    Checks are those that the target lists, as it spells them; guards are of the arguments.  Behind them ``integers``
    are made integers of Python, whatever a caller passes.
    """

    name: str
    parameters: tuple[str, ...]
    checks: frozenset[str]
    guards: tuple[ast.If, ...]
    integers: frozenset[str]
    body: tuple[ast.stmt, ...]
    local_names: frozenset[str]


class ProgramText(NamedTuple):
    """A whole emitted text: the functions by name, and the names that its imports bind."""

    functions: dict[str, Function]
    modules: frozenset[str]


def parse_program(text: str, modules: Mapping[str, str], checks: Iterable[str] = ()) -> ProgramText:
    """Parse emitted text: import statements of ``modules``, and functions, which may start with ``checks``.

    Raises:
        CheckFailure: where the text is no Python, or has statements outside the sublanguage.

    """
    if _CODING.search(text):
        raise CheckFailure(UNREADABLE, "a comment says how to decode the text", 1)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CheckFailure(UNREADABLE, f"the text is no Python: {error}") from None
    functions: dict[str, Function] = {}
    bound: set[str] = set()
    known = {_spelling(check): check for check in checks}
    allowed = {_spelling(statement): name for name, statement in modules.items()}
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            bound.add(_import(statement, allowed))
        elif isinstance(statement, ast.FunctionDef):
            _add(functions, _function(statement, known))
        elif not _is_text(statement):
            raise unreadable(statement, "a statement outside functions")
    _forbid_shadowing(functions, bound)
    unbound = {name for name in modules.keys() - bound if name in text or not text.isascii()}  # Python folds letters
    missing = unbound and unbound & {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if missing:
        raise CheckFailure(UNREADABLE, f"{min(missing)} is used and not imported")
    return ProgramText(functions, frozenset(bound))


@cache
def _spelling(statement: str) -> str:
    """Spell a statement as ``ast`` does."""
    return ast.unparse(ast.parse(statement))


def unreadable(node: ast.AST, what: str) -> CheckFailure:
    """Build the failure for a piece of text that the checker does not know."""
    return CheckFailure(UNREADABLE, f"{what}: {ast.unparse(node)[:80]}", getattr(node, "lineno", None))


def _import(statement: ast.Import | ast.ImportFrom, allowed: Mapping[str, str]) -> str:
    spelled = ast.unparse(statement)
    name = allowed.get(spelled)
    if name is None and spelled != "from __future__ import annotations":
        raise unreadable(statement, "an import that the target does not have")
    return name or "annotations"


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _add(functions: dict[str, Function], function: Function) -> None:
    if function.name in functions or function.name in _BUILTINS or function.name.startswith("__"):
        raise CheckFailure(UNREADABLE, f"the name of the function {function.name} is taken")
    functions[function.name] = function


def _function(definition: ast.FunctionDef, known: Mapping[str, str]) -> Function:
    arguments = definition.args
    listed = arguments.posonlyargs + arguments.args
    rest = [arguments.vararg, arguments.kwarg, *arguments.kwonlyargs, *arguments.defaults]
    if any(r is not None for r in rest) or definition.decorator_list or getattr(definition, "type_params", None):
        raise unreadable(definition, "a function with more than plain parameters")
    for annotation in [definition.returns, *(a.annotation for a in listed)]:
        _check_annotation(annotation)
    local = {a.arg for a in listed}
    leading = _leading(definition.body)
    checks = [statement for statement in leading if ast.unparse(statement) in known]
    guards = tuple(statement for statement in leading if statement not in checks)
    _check_returns(definition.body)
    own = [statement for statement in definition.body if statement not in leading]
    behind = own[1:] if own and _is_text(own[0]) else own
    integers = list(itertools.takewhile(lambda s: _made_integer(s) in local, behind))
    body = with_loops([statement for statement in own if statement not in integers])
    for statement in _walk(body):
        local.update(_bound_names(statement))
    made = frozenset(known[ast.unparse(statement)] for statement in checks)
    names = frozenset(map(_made_integer, integers))
    return Function(definition.name, tuple(a.arg for a in listed), made, guards, names, tuple(body), frozenset(local))


def _made_integer(statement: ast.stmt) -> str:
    """Return the name in ``name = int(name)``, nothing for any other statement."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name("int"), [ast.Name(same)], [])) if name == same:
            return name
    return ""


def _leading(body: list[ast.stmt]) -> tuple[ast.If, ...]:
    """Return the conditional statements at the top, behind the docstring."""
    rest = body[1:] if _is_text(body[0]) else body
    return tuple(s for s in itertools.takewhile(lambda s: isinstance(s, ast.If), rest) if isinstance(s, ast.If))


def _check_returns(body: list[ast.stmt]) -> None:
    """Demand that nothing stands behind a return, where nobody executes it."""
    for statement in body[:-1]:
        if any(isinstance(node, ast.Return) for node in _same_function(statement)):
            raise unreadable(body[-1], "a statement behind a return")
    if body and isinstance(body[-1], ast.With):
        _check_returns(body[-1].body)


def _same_function(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, but not those of a function in it."""
    if not isinstance(statement, ast.FunctionDef):
        yield statement
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                yield from _same_function(child)


def _check_annotation(annotation: ast.expr | None) -> None:
    """Annotations are evaluated when the function is defined, so that they must be harmless."""
    if annotation is None or (isinstance(annotation, ast.Constant) and isinstance(annotation.value, str | None)):
        return
    spelled = ast.unparse(annotation)
    if spelled not in ("np.ndarray", "int", "float", "bool", "np.float64", "np.float32", "np.int32", "np.int64"):
        raise unreadable(annotation, "an annotation")


def _walk(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if not isinstance(statement, _STATEMENTS):
            raise unreadable(statement, "a statement that the checker does not execute")
        yield statement
        if isinstance(statement, ast.For):
            if statement.orelse:
                raise unreadable(statement, "a loop with an else")
            yield from _walk(statement.body)
        if isinstance(statement, ast.With):
            yield from _walk(statement.body)


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, TracedLoop):
        yield from statement.own
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, ast.AugAssign | ast.For):
        targets = [statement.target]
    for target in targets:
        for element in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(element, ast.Name):
                yield element.id


def _forbid_shadowing(functions: Mapping[str, Function], modules: set[str]) -> None:
    """Demand that modules and functions keep their names, so that a name always means what the checker thinks."""
    for name, function in functions.items():
        if name in modules:
            raise CheckFailure(UNREADABLE, f"a function has the name of the module {name}")
        shadowed = function.local_names & (modules | functions.keys())
        if shadowed:
            raise CheckFailure(UNREADABLE, f"{min(shadowed)} in {name} hides a module or a function")
