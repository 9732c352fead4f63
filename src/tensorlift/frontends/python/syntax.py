"""Syntax of Python that both readers of it ask about: indices, arguments, tables of names and operators."""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import Location
from tensorlift.frontends.python.refusals import RefusedError, refusal
from tensorlift.refusals import refusal as shared_refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

MODULES = {"np": "numpy", "numpy": "numpy", "math": "math"}  # what names stand for that no import binds
CONSTANTS = {
    "pi": math.pi, "e": math.e, "tau": math.tau, "nan": math.nan, "NaN": math.nan,
    **dict.fromkeys(("inf", "infty", "Inf"), math.inf),
}  # fmt: skip
PLAIN: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip

# Functions of NumPy that operators and comparisons are.
OPERATORS: dict[str, type[ast.operator]] = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div, "true_divide": ast.Div,
    "floor_divide": ast.FloorDiv, "mod": ast.Mod, "remainder": ast.Mod, "power": ast.Pow, "pow": ast.Pow,
}  # fmt: skip
COMPARING = {
    "greater": ">", "greater_equal": ">=", "less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!=",
}  # fmt: skip
KINDS_OF_FLOATS = ("isnan", "isinf", "isfinite")  # functions of math and NumPy


def parse(text: str, filename: str) -> ast.Module:
    """Parse Python source text; raises ``LiftError`` where it is not valid."""
    try:
        return ast.parse(text, filename)
    except (SyntaxError, ValueError) as error:
        line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
        raise refusal("parse", Location(filename, line, max(column, 1)), getattr(error, "msg", str(error))) from None
    except (RecursionError, MemoryError):
        raise shared_refusal("depth", Location(filename, 1, 1)) from None


def indices_of(node: ast.Subscript) -> list[ast.expr]:
    """List the indices of a subscript."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def cells_of(node: ast.List | ast.Tuple, place: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], ast.expr]]:
    """Iterate over the numbers of a list, or of lists in it, with their places."""
    for position, item in enumerate(node.elts):
        if isinstance(item, ast.List):
            yield from cells_of(item, (*place, position))
        else:
            yield (*place, position), item


def is_new_axis(index: ast.expr) -> bool:
    """Tell whether an index is ``None`` or ``np.newaxis``."""
    if isinstance(index, ast.Attribute):
        return index.attr == "newaxis"
    return isinstance(index, ast.Constant) and index.value is None


def is_ellipsis(index: ast.expr) -> bool:
    """Tell whether an index is ``...``."""
    return isinstance(index, ast.Constant) and index.value is Ellipsis


def counted_from_end(bound: ast.expr) -> ast.expr | None:
    """Give what a bound of a slice counts from the end by, as in ``x[:-k]``; None where it does not say so."""
    match bound:
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            return operand
    return None


def masked(node: ast.Call, module: str, name: str) -> ast.Subscript | None:
    """Give the part of an array, perhaps under a mask, that a call takes alone: of a method, of NumPy, or ``len``."""
    taken = [node.func.value] if module == "." and isinstance(node.func, ast.Attribute) else node.args
    is_alone = len(taken) == 1 and (not node.keywords or reduces_rows(node)) and not (module == "." and node.args)
    (one,) = taken if is_alone and (module in {".", "numpy"} or name == "len") else (None,)
    return one if isinstance(one, ast.Subscript) and may_be_mask(one.slice) else None


def reduces_rows(node: ast.Call) -> bool:
    """Tell whether a call reduces along the first axis alone."""
    match node.keywords:
        case [ast.keyword("axis", ast.Constant(value=0))]:
            return True
    return False


def as_stored(targets: Sequence[ast.expr], value: ast.expr) -> ast.expr:
    """Give a value as what is stored: a tuple that goes into a part of an array as the array that NumPy makes of it."""
    if isinstance(value, ast.Tuple) and all(isinstance(target, ast.Subscript) for target in targets):
        return ast.copy_location(ast.List(value.elts, ast.Load()), value)
    return value


def computed_indices(node: ast.Subscript) -> list[ast.expr]:
    """List the indices of a subscript that are expressions, and so no slices, new axes or ``...``."""
    return [e for e in indices_of(node) if not (isinstance(e, ast.Slice) or is_new_axis(e) or is_ellipsis(e))]


def only_slices(node: ast.Subscript, rank: int) -> tuple[list[ast.expr | None], ast.Subscript | None]:
    """Give the index of each axis, None for slices, and a subscript of the slices alone, None where these are whole."""
    parts = without_ellipsis(indices_of(node), rank)
    whole = ast.copy_location(ast.Slice(), node)
    parts += [whole] * (rank - len(parts))
    entries = [None if isinstance(part, ast.Slice) else part for part in parts]
    if all(not (isinstance(part, ast.Slice) and (part.lower or part.upper or part.step)) for part in parts):
        return entries, None
    slices: list[ast.expr] = [part if isinstance(part, ast.Slice) else whole for part in parts]
    made = ast.Subscript(node.value, ast.copy_location(ast.Tuple(slices, ast.Load()), node), ast.Load())
    return entries, ast.copy_location(made, node)


def none_test(test: ast.expr) -> tuple[str, bool] | None:
    """Give the name that a test compares with ``None``, and whether it holds where that is; None for other tests."""
    match test:
        case ast.Compare(ast.Name(id=name), [ast.Is() | ast.IsNot() as op], [ast.Constant(value=None)]):
            return name, isinstance(op, ast.Is)
    return None


def always_returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether a block ends with a return of a value, or in both arms of a condition."""
    match statements[-1] if statements else None:
        case ast.Return(value=value):
            return value is not None
        case ast.If(body=body, orelse=orelse):
            return always_returns(body) and always_returns(orelse)
        case ast.Raise():
            return True
    return False


def may_be_mask(index: ast.expr) -> bool:
    """Tell whether an index may be an array of truth values: a name, or computed of comparisons."""
    if isinstance(index, ast.Compare | ast.BinOp | ast.UnaryOp | ast.Call):
        return any(isinstance(node, ast.Compare | ast.Invert) or _gives_truths(node) for node in ast.walk(index))
    return isinstance(index, ast.Name)


def _gives_truths(node: ast.AST) -> bool:
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return name in {*KINDS_OF_FLOATS, *COMPARING} or name.startswith("logical_")


def without_ellipsis(indices: list[ast.expr], rank: int) -> list[ast.expr]:
    """Replace one ``...`` by slices of all that it stands for; leave more than one, or one for less than nothing."""
    found = [place for place, index in enumerate(indices) if is_ellipsis(index)]
    missing = rank + 1 - sum(not is_new_axis(index) for index in indices)
    if len(found) != 1 or missing < 0:
        return indices
    (place,) = found
    everything = [ast.copy_location(ast.Slice(), indices[place]) for _ in range(missing)]
    return [*indices[:place], *everything, *indices[place + 1 :]]


def arguments_of(function: ast.FunctionDef) -> list[ast.arg]:
    """List the parameters in order."""
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def refilled_parameters(function: ast.FunctionDef) -> list[str]:
    """List the parameters that are bound again in loops or under conditions."""
    inner = [part for node in function.body for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
    plain = [node for part in inner for node in ast.walk(part) if isinstance(node, ast.Assign)]
    bound = set(stored_in([target for node in plain for target in node.targets]))
    return [argument.arg for argument in arguments_of(function) if argument.arg in bound]


def named_arguments(node: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr]:
    """Give the arguments of a call by the names of the parameters."""
    if len(node.args) > len(parameters):
        raise RefusedError("arguments", f"`{ast.unparse(node.func)}` is lifted with {', '.join(parameters)}")
    given = dict(zip(parameters, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in parameters or keyword.arg in given:
            raise RefusedError("arguments", f"the argument `{keyword.arg}` is not lifted")
        given[keyword.arg] = keyword.value
    return given


def without_parameters(function: ast.FunctionDef, names: Collection[str]) -> ast.FunctionDef:
    """Copy a function without some of its parameters; those that are left are its own."""
    made, old = copy.copy(function), function.args
    made.args = copy.copy(old)
    plain = [*old.posonlyargs, *old.args]
    defaults = dict(zip((a.arg for a in reversed(plain)), reversed(old.defaults), strict=False))
    kept = [copy.copy(a) for a in plain if a.arg not in names]
    count = sum(a.arg not in names for a in old.posonlyargs)
    made.args.posonlyargs, made.args.args = kept[:count], kept[count:]
    made.args.defaults = [defaults[a.arg] for a in kept if a.arg in defaults]
    alone = [(copy.copy(a), d) for a, d in zip(old.kwonlyargs, old.kw_defaults, strict=True) if a.arg not in names]
    made.args.kwonlyargs, made.args.kw_defaults = [a for a, _ in alone], [d for _, d in alone]
    return made


def spelled_type(node: ast.expr, imports: Mapping[str, str]) -> str:
    """Name an element type that is spelled as ``np.float32``, ``'float32'``, ``float``, or by a name for one."""
    if isinstance(node, ast.Name) and node.id in imports:
        return imports[node.id].rsplit(".", 1)[-1]
    return ast.unparse(node).rsplit(".", 1)[-1].strip("'\"")


def given_arguments(
    node: ast.Call, function: ast.FunctionDef
) -> tuple[dict[str, ast.expr], dict[str, ast.expr]] | None:
    """Give the arguments of a call by parameter, and the defaults of the others, in the order of their evaluation.

    None where the call does not fit the function.
    """
    arguments = function.args
    plain = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    names = {argument.arg for argument in arguments_of(function)}
    given = dict(zip(plain, node.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg and keyword.arg not in given}
    defaults = dict(zip(reversed(plain), reversed(arguments.defaults), strict=False))
    defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    left = {name: value for name, value in defaults.items() if name not in given}
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    fits = len(given) == len(node.args) + len(node.keywords) and given.keys() <= names == given.keys() | left.keys()
    return (given, left) if fits and not (starred or arguments.vararg or arguments.kwarg) else None


# Functions of NumPy that reduce arrays, and those of them that are methods.
REDUCTIONS = {"sum", "mean", "prod", "min", "max", "amin", "amax", "any", "all", "count_nonzero", "var", "std"}
REDUCING_METHODS = REDUCTIONS - {"amin", "amax", "count_nonzero"}


class Reduction(NamedTuple):
    """How a call reduces an array: along which axes, whether these stay, and by how much fewer a variance divides."""

    axes: list[ast.expr] | None = None  # None for all
    keeps: bool = False
    ddof: int = 0


def reduction(name: str, node: ast.Call, others: Sequence[ast.expr]) -> Reduction:
    """Read the arguments of a reduction beside the array; ``others`` are those that have no names."""
    if len(others) > 1:
        raise RefusedError("arguments", f"`{name}` is lifted for one array and an axis")
    found = Reduction()
    for argument in [*(ast.keyword("axis", other) for other in others), *node.keywords]:
        match argument:
            case ast.keyword("axis", ast.Constant(None)):
                pass
            case ast.keyword("axis", ast.Tuple(elts=axes)):
                found = found._replace(axes=axes)
            case ast.keyword("axis", axis):
                found = found._replace(axes=[axis])
            case ast.keyword("keepdims", ast.Constant(bool(keeps))):
                found = found._replace(keeps=keeps)
            case ast.keyword("ddof", ast.Constant(int(ddof))) if ddof in {0, 1} and name in {"var", "std"}:
                found = found._replace(ddof=ddof)
            case _:
                raise RefusedError("arguments", f"the argument `{ast.unparse(argument)}` is not lifted")
    return found


def appended(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Give the name of a list and the item that a statement appends to it; None for any other statement."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=name), "append"), [item], [])):
            return name, item
    return None


_JOINING = {"array", "asarray", "stack", "vstack"}  # functions of NumPy that make an array of a list of arrays


def stacked_lists(function: ast.FunctionDef) -> set[str | ast.AST]:
    """Collect the lists that become arrays and are not used otherwise: comprehensions, and names of lists that grow."""
    called = [node for node in ast.walk(function) if isinstance(node, ast.Call) and len(node.args) == 1]
    taken = [call.args[0] for call in called if isinstance(call.func, ast.Attribute) and call.func.attr in _JOINING]
    grown = [found[0] for node in ast.walk(function) if isinstance(node, ast.stmt) and (found := appended(node))]
    uses = Counter(grown) + Counter(node.id for node in taken if isinstance(node, ast.Name))
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    read = Counter(node.id for node in loads)
    names = {name for name in grown if uses[name] == read[name]}
    return {*names, *(node for node in taken if isinstance(node, ast.ListComp))}


def takes_list(node: ast.Call, stacked: Collection[str | ast.AST]) -> bool:
    """Whether the only argument of a call is one of the lists that become arrays."""
    match node:
        case ast.Call(args=[ast.ListComp() as made], keywords=[]):
            return made in stacked
        case ast.Call(args=[ast.Name(id=name)], keywords=[]):
            return name in stacked
    return False


def filled_by(loop: ast.For) -> list[str]:
    """List the names of lists that get one item in each iteration, and are not used otherwise in a loop."""
    if any(isinstance(node, ast.Break | ast.Continue | ast.Return) for node in ast.walk(loop)):
        return []
    names = [found[0] for statement in loop.body if (found := appended(statement)) is not None]
    used = Counter(node.id for node in ast.walk(loop) if isinstance(node, ast.Name))
    return [name for name in names if used[name] == 1]


def walrus_text(node: ast.NamedExpr) -> str:
    """Return the text of an assignment inside of an expression, which versions of Python unparse differently."""
    return f"({node.target.id} := {ast.unparse(node.value)})"


def unsure_bindings(function: ast.FunctionDef) -> Iterator[ast.NamedExpr]:
    """Iterate over the assignments inside of expressions that are not always evaluated with these."""
    for node in ast.walk(function):
        parts: list[ast.expr] = []
        match node:
            case ast.BoolOp(values=[_, *rest]) | ast.Compare(comparators=[_, *rest]):
                parts = rest
            case ast.IfExp(body=body, orelse=orelse):
                parts = [body, orelse]
            case ast.Lambda(body=body):
                parts = [body]
            case ast.Call(func=ast.Name(id="any" | "all"), args=[ast.GeneratorExp() as generator]):  # may end early
                parts = [generator]
        yield from (inner for part in parts for inner in ast.walk(part) if isinstance(inner, ast.NamedExpr))


def names_in(node: ast.AST) -> set[str]:
    """Collect the names that are mentioned."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def root_of(node: ast.expr) -> str:
    """Give the name of the array of which a part is stored, or the name itself; empty where a target is neither."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def stored_in(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Iterate over the names that are bound somewhere, in the order of the text; comprehensions keep theirs."""
    for node in nodes:
        own = {id(n) for c in ast.walk(node) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and id(inner) not in own:
                yield inner.id
