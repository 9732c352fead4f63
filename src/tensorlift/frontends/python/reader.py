"""Reading a Python file: parse it, find its functions, constants and imports, lower every function."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.python.annotations import with_annotations
from tensorlift.frontends.python.complex_numbers import with_parts
from tensorlift.frontends.python.constants import constants_of
from tensorlift.frontends.python.lower import infer
from tensorlift.frontends.python.plain import plain
from tensorlift.frontends.python.refusals import in_python
from tensorlift.frontends.python.state import Module
from tensorlift.frontends.python.syntax import parse
from tensorlift.frontends.read_function import ReadFunction, read_function
from tensorlift.refusals import refusal as shared_refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.frontends.python.state import Inference

_SIZE_LIMIT = 4_000_000
_KNOWN = {"math", "numpy"}  # modules whose names are known


def read_functions(
    text: str, filename: str, lower: Callable[[Inference], ModuleOp], function: str | None = None
) -> list[ReadFunction]:
    """Read Python source text into the loop IR, one module for each function at the top level of the file.

    ``lower`` makes loop IR of a function whose types are found; with ``function`` only that function is read.

    Raises ``LiftError`` for what concerns the whole file.
    """
    start = Location(filename, 1, 1)
    if "\0" in text:
        raise shared_refusal("binary", start, "it holds a NUL byte")
    if len(text) > _SIZE_LIMIT:
        raise shared_refusal("too-large", start, f"the file has more than {_SIZE_LIMIT} characters")
    tree = parse(text, filename)
    aliases = _aliases(tree)
    functions = {
        node.name: with_annotations(node, lambda name: aliases.get(ast.unparse(name)))
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    if function is not None and function not in functions:
        known = ", ".join(functions) or "none"
        raise shared_refusal("unknown-function", start, f"there is no function `{function}`; the file defines {known}")
    if not functions:
        raise shared_refusal("no-function", start, "the file defines no function")
    imports, rebound = _imports(tree)
    (constants, tables), rebound = constants_of(tree, imports), rebound | _rebound(tree)
    taken = {*functions, *constants, *imports, *rebound}
    made = {own.name: own for node in functions.values() for own in plain(node, taken, tables)}
    module = Module(filename, made, constants, imports, _identifiers(tree), rebound, tables=tables)
    functions = {name: made[name] for name in functions}
    return [read_definition(node, module, lower) for name, node in functions.items() if function in (None, name)]


def read_definition(
    node: ast.FunctionDef,
    module: Module,
    lower: Callable[[Inference], ModuleOp],
    told: Mapping[str, str] | None = None,
) -> ReadFunction:
    """Lower one function; what refuses it becomes its diagnostics.

    ``told`` are annotations for parameters whose own do not tell what they are.
    """
    found: list[Inference] = []

    def lowered() -> tuple[ModuleOp, tuple[Diagnostic, ...]]:
        try:
            module.check_decorators(node)
            split = module.complex.get(node.name) or with_parts(node, module)
            module.complex[node.name] = split
            found.append(infer(split.function, module, told))
            return lower(found[0]), ()
        except LiftError as error:
            raise LiftError(*map(in_python, error.diagnostics)) from None

    read = read_function(node.name, module.locate(node), lowered, shared_refusal)
    return replace(read, inference=found[0]) if found else read


def _aliases(tree: ast.Module) -> dict[str, ast.expr]:
    """Collect what names of the file stand for in annotations, as in ``Matrix = NDArray[np.float64]``."""
    return {
        target.id: value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and (value := node.value) is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _imports(tree: ast.Module) -> tuple[dict[str, str], frozenset[str]]:
    """Collect the names that imports bind, with what they mean, and the names that may mean more than one thing."""
    bound: dict[str, set[str]] = {}
    for node in _outside_functions(tree):
        for name, meaning in _imported(node):
            bound.setdefault(name, set()).add(meaning)
    names = {name: min(meanings) for name, meanings in bound.items() if len(meanings) == 1}
    unknown = vars(builtins) if _ANYTHING in bound else ()
    return names, frozenset({*bound} - {*names}) | frozenset(unknown)


_ANYTHING = "*"  # the name of all that another module holds


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Iterate over the names that an import binds, with what they mean; those of an unknown module are anything."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (
                alias.asname or alias.name.partition(".")[0],
                alias.name if alias.asname else alias.name.partition(".")[0],
            )
    elif isinstance(node, ast.ImportFrom):
        source = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name, f"{source}.{alias.name}"
            elif source in _KNOWN:
                yield from ((name, f"{source}.{name}") for name in _names_of(source))
            else:
                yield _ANYTHING, source


def _names_of(module: str) -> list[str]:
    """List what ``from module import *`` binds."""
    found = import_module(module)
    public: list[str] = getattr(found, "__all__", None) or [name for name in vars(found) if not name.startswith("_")]
    return public


def _outside_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Iterate over the statements of the file itself, at any depth of blocks."""
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            work.extend(ast.iter_child_nodes(node))


def _identifiers(tree: ast.Module) -> frozenset[str]:
    named = (node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.arg))
    return frozenset(node.id if isinstance(node, ast.Name) else node.arg for node in named)


def _rebound(tree: ast.Module) -> frozenset[str]:
    """Collect the names that statements of the file itself bind, by assignments and classes at any depth of blocks."""
    found: set[str] = set()
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop()
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            if node not in tree.body and not isinstance(node, ast.Lambda):
                found.add(node.name)
        else:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            work.extend(ast.iter_child_nodes(node))
    return frozenset(found)
