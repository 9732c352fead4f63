"""Reading emitted Python text: import statements, helper functions and the entry function, in a small sublanguage.

The text is parsed with Python's own parser, so that what is checked is what will run.  Only the statements that the
checker executes are let through: assignments to names and subscripts, counting loops, returns.  Everything else fails
here or, for expressions, on evaluation.

Loops of JAX, ``lax.fori_loop`` over the function before it, read as the loops that they are.

The function takes the variable of the loop and the state, one variable or several as a tuple, and returns the state;
the call gives the values of the same variables and takes the new ones.  The variable of the loop is an array of JAX's,
so that it may only say positions: elsewhere its type would count.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from functools import cache
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.proofs.failure import UNREADABLE, CheckFailure
from tensorlift.proofs.scans import scan_of
from tensorlift.proofs.traced import TracedLoop, assigned_names, names_beside, names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


_RUNS = "while "  # begins the variable of a loop that has none: no name of a text


def _tested(place: ast.stmt, test: ast.expr, body: list[ast.stmt], kind: type[ast.For] = ast.For) -> ast.For:
    """Return a loop that runs as long as a name is true as one over it, with a variable that no text can name."""
    loop = kind(ast.Name(f"{_RUNS}{place.lineno}", ast.Store()), test, body, [])
    return ast.fix_missing_locations(ast.copy_location(loop, place))


def test_of(loop: ast.For) -> str | None:
    """Return the name that a loop asks whether to go on, None for one that counts."""
    is_tested = isinstance(loop.target, ast.Name) and loop.target.id.startswith(_RUNS)
    return loop.iter.id if is_tested and isinstance(loop.iter, ast.Name) else None


def with_loops(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return statements in which a function and the loop over it behind it are one loop; other functions stay."""
    result: list[ast.stmt] = []
    waiting = list(body)
    while waiting:
        statement = waiting.pop(0)
        if isinstance(statement, ast.While) and isinstance(statement.test, ast.Name) and not statement.orelse:
            statement = _tested(statement, statement.test, statement.body)
        loop = (_loop(result[-1], statement) or scan_of(result[-1], statement, waiting)) if result else None
        if loop is None:
            if isinstance(statement, ast.For) and not isinstance(statement, TracedLoop):
                statement.body = with_loops(statement.body)
            result.append(statement)
        else:
            result[-1] = loop
    return result


def _loop(function: ast.stmt, call: ast.stmt) -> TracedLoop | None:
    """Return the loop over a function, None where the statements are none."""
    if not isinstance(function, ast.FunctionDef) or not isinstance(call, ast.Assign) or len(call.targets) != 1:
        return None
    parameters, state = [p.arg for p in function.args.args], names_of(call.targets[0])
    if ast.unparse(function).partition("\n")[0] != f"def {function.name}({', '.join(parameters)}):":
        return None
    bounds, body = _bounds(call.value, function.name, state), _body(function, parameters, state)
    test = _asked(call.value, function.name, parameters, state)
    if body is None or (bounds is None if test is None else len(parameters) > 1):
        return None
    beside = set[str]() if test is not None else names_beside(body, parameters[0])
    own = {function.name, *parameters, *assigned_names(body)}.difference(state)
    is_apart = len({function.name, *parameters, *state}) == len(state) + len(parameters) + (len(state) > 1)
    if not is_apart or beside is None:
        return None
    if test is not None:
        loop = _tested(function, ast.Name(test, ast.Load()), body, TracedLoop)
    else:
        counts = ast.Call(ast.Name("range", ast.Load()), bounds or [], [])
        loop = TracedLoop(ast.Name(parameters[0], ast.Store()), counts, body, [])
    assert isinstance(loop, TracedLoop)
    loop.own, loop.beside = own, beside
    return ast.fix_missing_locations(ast.copy_location(loop, function))


def _asked(call: ast.expr, function: str, parameters: list[str], state: tuple[str, ...]) -> str | None:
    """Return what is asked in ``lax.while_loop(lambda state: state[0], function, state)``: one of the state."""
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "lax.while_loop" or call.keywords:
        return None
    if len(call.args) != 3 or ast.unparse(call.args[1]) != function or names_of(call.args[2]) != state:  # noqa: PLR2004 - the three above
        return None
    given, test = parameters[-1], ast.unparse(call.args[0])
    if len(state) == 1:
        return state[0] if test == f"lambda {given}: {given}" else None
    return next((name for k, name in enumerate(state) if test == f"lambda {given}: {given}[{k}]"), None)


def _bounds(call: ast.expr, function: str, state: tuple[str, ...]) -> list[ast.expr] | None:
    """Return the bounds in ``lax.fori_loop(lower, upper, function, state)``."""
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "lax.fori_loop" or call.keywords:
        return None
    if len(call.args) != 4 or ast.unparse(call.args[2]) != function or names_of(call.args[3]) != state:  # noqa: PLR2004 - the four above
        return None
    return call.args[:2]


def _body(function: ast.FunctionDef, parameters: list[str], state: tuple[str, ...]) -> list[ast.stmt] | None:
    """Return what a function does between taking the state apart and returning it."""
    body, last = function.body[:-1], function.body[-1]
    if not 1 <= len(parameters) <= 2 or not isinstance(last, ast.Return) or last.value is None:  # noqa: PLR2004 - variable and state
        return None
    if names_of(last.value) != state:
        return None
    if len(state) == 1:
        return with_loops(body) if parameters[-1:] == list(state) else None
    first = body[0] if body else None
    if not isinstance(first, ast.Assign) or len(first.targets) != 1 or names_of(first.targets[0]) != state:
        return None
    return with_loops(body[1:]) if names_of(first.value) == (parameters[-1],) else None


_STATEMENTS = (ast.Assign, ast.AugAssign, ast.For, ast.Return, ast.Pass, ast.Expr, ast.With)
_CODING = re.compile(r"\A(?:[^\n\r]*[\n\r]+)?[ \t\f]*#[^\n\r]*coding[:=]")  # by it, files are decoded otherwise
# The builtins that have a meaning here however the text defines its functions; calls look among those first.
_BUILTINS = ("range", "bool", "int", "float")
# What Python itself looks for in modules.
_OF_MODULES = {*dir(ModuleType), *vars(ast), *vars(builtins), "__all__", "__getattr__", "__path__"}


class Function(NamedTuple):
    """A function of the text: its parameters, the checks and guards at its top, its statements, and every local name.

    Checks, its decorators among them, are those that the target lists, as it spells them; guards are of the arguments.
    Behind them ``integers`` are made integers of Python, whatever a caller passes.
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


def parse_program(
    text: str, modules: Mapping[str, str], checks: Iterable[str] = (), helpers: Mapping[str, str] = MappingProxyType({})
) -> ProgramText:
    """Parse emitted text: import statements of ``modules``, and functions, which may start with ``checks``.

    A check that begins with ``@`` is a decorator.  Functions that are ``helpers``, to the letter, are operations.

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
        elif isinstance(statement, ast.FunctionDef) and statement.name in helpers:
            if statement.name in bound or ast.unparse(statement) != ast.unparse(ast.parse(helpers[statement.name])):
                raise unreadable(statement, "a function that is another one in this target")
            bound.add(statement.name)
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
    """Spell a statement, or a decorator, as ``ast`` does."""
    at, decorator = statement[:1], statement[1:]
    return f"@{ast.unparse(ast.parse(decorator))}" if at == "@" else ast.unparse(ast.parse(statement))


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
    is_special = function.name.startswith("__") and function.name in _OF_MODULES
    if function.name in functions or function.name in _BUILTINS or is_special:
        raise CheckFailure(UNREADABLE, f"the name of the function {function.name} is taken")
    functions[function.name] = function


def _function(definition: ast.FunctionDef, known: Mapping[str, str]) -> Function:
    arguments = definition.args
    listed = arguments.posonlyargs + arguments.args
    rest = [arguments.vararg, arguments.kwarg, *arguments.kwonlyargs, *arguments.defaults]
    if any(r is not None for r in rest) or getattr(definition, "type_params", None):
        raise unreadable(definition, "a function with more than plain parameters")
    decorators = [f"@{ast.unparse(decorator)}" for decorator in definition.decorator_list]
    if not known.keys() >= set(decorators):
        raise unreadable(definition.decorator_list[0], "a decorator that the target does not have")
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
    made = frozenset(known[text] for text in (*decorators, *map(ast.unparse, checks)))
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
            raise unreadable(body[-1], "a statement after a return")
    if body and isinstance(body[-1], ast.With):
        _check_returns(body[-1].body)


def _same_function(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, but not those of a function in it."""
    if not isinstance(statement, ast.FunctionDef):
        yield statement
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                yield from _same_function(child)


_ANNOTATIONS = {
    *("np.ndarray", "int", "float", "bool"),
    *(f"np.{name}" for name in ("float64", "float32", "float16", "int32", "int64")),
}


def _check_annotation(annotation: ast.expr | None) -> None:
    """Annotations are evaluated when the function is defined, so that they must be harmless."""
    if annotation is None or (isinstance(annotation, ast.Constant) and isinstance(annotation.value, str | None)):
        return
    spelled = ast.unparse(annotation)
    if spelled not in _ANNOTATIONS:
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
        mine = set() if _calls(function.body, name) else {name}  # which nothing in the function means then
        shadowed = function.local_names & (modules | functions.keys() - mine)
        if shadowed:
            raise CheckFailure(UNREADABLE, f"{min(shadowed)} in {name} hides a module or a function")


def _calls(body: Iterable[ast.stmt], name: str) -> bool:
    nodes = (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call))
    return any(isinstance(node.func, ast.Name) and node.func.id == name for node in nodes)
