"""A live Python function: its syntax, and what its names mean where it was defined.

The source is that of the file or notebook cell that the function's code names.  It is trusted only where compiling it
gives the very code that the function runs.  Names that the function does not bind are looked up in its closure and its
globals, now: numbers become constants, functions helpers, all else is unknown.
"""

from __future__ import annotations

import ast
import builtins
import copy
import hashlib
import inspect
import linecache
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import CodeType, FunctionType, GenericAlias, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.frontends.python.annotations import with_annotations
from tensorlift.frontends.python.complex_numbers import Split, mentions_complex, with_parts
from tensorlift.frontends.python.constant_arguments import constants_among, with_constants
from tensorlift.frontends.python.constants import table_of
from tensorlift.frontends.python.definitions import METHODS, METHODS_OF_ONE
from tensorlift.frontends.python.fields import Field, asked_fields, of_fields, paths_of, returning_values
from tensorlift.frontends.python.plain import plain
from tensorlift.frontends.python.signature import kinds_of, told_dtype, told_kind
from tensorlift.frontends.python.state import Module
from tensorlift.frontends.python.syntax import REDUCING_METHODS, arguments_of, parse, without_parameters
from tensorlift.frontends.python.unrolled import unrolled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.python.fields import Path
    from tensorlift.frontends.python.state import Inference
    from tensorlift.frontends.read_function import ReadFunction

_LIBRARIES = ("math", "numpy", "numba")
_NUMBERS = (bool, int, float)
_WRAPPED = ("py_func", "original")  # where Numba's dispatchers and lifted functions keep the function
_NO_VALUE = object()
_OF_ARRAYS = {  # what arrays and lists are asked for
    *("shape", "T", "size", "ndim", "dtype", "copy", "astype", "dot", "append", "reshape", "ravel", "flatten"),
    *METHODS,
    *METHODS_OF_ONE,
    *REDUCING_METHODS,
}
_OF_COMPLEX = {"real", "imag", "conj", "conjugate", "angle"}
_TIMED = {"<timed exec>": "%%time", "<magic-timeit>": "%%timeit"}  # what IPython calls the texts of such cells


@dataclass(frozen=True, slots=True)
class Captured:
    """A name that a function does not bind, and what it meant when the function was read."""

    function: FunctionType
    name: str
    value: Any

    @property
    def look_up(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """What gives the meaning of the name, or nothing that has been one, as a function with arguments."""
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        if self.name in cells:
            return _content, (cells[self.name],)
        return self.function.__globals__.get, (self.name, _NO_VALUE)

    @property
    def is_current(self) -> bool:
        """Whether the name still means that."""
        value = _value_of(self.name, self.function)
        if value is self.value or (type(value) is type(self.value) in _NUMBERS and value == self.value):
            return True
        one, other = table_of(value), table_of(self.value)
        return one is not None and other is not None and ast.dump(one) == ast.dump(other)


@dataclass(frozen=True, slots=True)
class LiveFunction:
    """A live function, its definition, and what its names mean.

    ``parts`` are the codes of the function and of each helper, with what they mean by their names, and their texts.
    """

    function: FunctionType
    node: ast.FunctionDef
    module: Module
    parts: tuple[tuple[CodeType, Module, str], ...]
    captured: tuple[Captured, ...] = ()
    keys: tuple[str, ...] = ()  # of the dict that the function returns, whose values the node returns as a tuple

    @property
    def name(self) -> str:
        """The name in the source."""
        return self.node.name

    @property
    def text(self) -> str:
        """The text that the definition stands in."""
        return self.parts[0][2]

    @property
    def location(self) -> Location:
        """Where the definition begins."""
        return self.module.locate(self.node)

    @property
    def returns_tuple(self) -> bool:
        """Whether the last statement returns a tuple."""
        last = self.node.body[-1]
        return not self.keys and isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)

    @property
    def only_raises(self) -> bool:
        """Whether every run that comes to an end raises."""
        returns = any(isinstance(node, ast.Return) for node in ast.walk(self.node))
        return isinstance(self.node.body[-1], ast.Raise) and not returns

    @property
    def is_current(self) -> bool:
        """Whether all names that the function does not bind still mean what they meant."""
        return all(captured.is_current for captured in self.captured)

    @property
    def split(self) -> Split:
        """The function that computes with parts where there are complex numbers; raises LiftError as reading does."""
        known = self.module.complex.get(self.name)
        if known is None:
            known = self.module.complex[self.name] = with_parts(self.node, self.module)
        return known

    def told(self) -> dict[str, str]:
        """Give the parameters whose annotations tell their type and rank, with those; the others have an empty text.

        Those of complex numbers are parts, and arrays of pairs.
        """
        kinds = {argument.arg: told_kind(argument) for argument in arguments_of(self.split.function)}
        return {name: "" if kind is None else kind.annotation() for name, kind in kinds.items()}

    def told_dtypes(self) -> dict[str, str]:
        """Give the parameters whose annotations tell an element type but no rank, with that type."""
        found = {argument.arg: told_dtype(argument) for argument in arguments_of(self.split.function)}
        return {name: dtype for name, dtype in found.items() if dtype}

    def assumed(self) -> dict[str, str]:
        """Give what every parameter is taken for where nobody says what it is; raises LiftError as reading does."""
        kinds = kinds_of(self.split.function, self.module.locate)
        return {name: "" if kind.rank is None else kind.annotation() for name, kind in kinds.items()}

    def fields(self, objects: Collection[str], found: Callable[[str, Path], list[Path]]) -> list[Field]:
        """List what is read of parameters that are objects.

        ``found`` gives the part of a path of attributes and items that leads from an object to a number or an array,
        or what leads to all that a tuple holds.
        """
        return asked_fields(self.node, objects, found, self.module.identifiers)

    @property
    def may_have_objects(self) -> bool:
        """Whether a parameter is asked for an attribute, or by a text for an item, that arrays do not have."""
        steps = {path[0] for paths in paths_of(self.node).values() for path in paths if path}
        return any(step[:2] in {"['", '["'} or step[0] != "[" for step in steps - _OF_ARRAYS)

    @property
    def may_be_complex(self) -> bool:
        """Whether the function computes with complex numbers, and annotations do not tell what all parameters are."""
        asked = (node.attr for node in ast.walk(self.node) if isinstance(node, ast.Attribute))
        return bool(self.untold) and (mentions_complex(self.node) or not _OF_COMPLEX.isdisjoint(asked))

    @property
    def untold(self) -> list[str]:
        """The parameters of which no annotation tells anything."""
        plain = [
            a for a in arguments_of(self.node) if a.annotation is None or "complex" not in ast.unparse(a.annotation)
        ]
        return [argument.arg for argument in plain if told_kind(argument) is None and not told_dtype(argument)]

    @property
    def called(self) -> frozenset[str]:
        """The names that are called, which may be those of parameters."""
        calls = (node.func for node in ast.walk(self.node) if isinstance(node, ast.Call))
        return frozenset(function.id for function in calls if isinstance(function, ast.Name))

    def varied(
        self, types: Mapping[str, str], annotations: Mapping[str, str], fields: Sequence[Field] = ()
    ) -> LiveFunction:
        """Give the function without parameters that are types, where their names mean these, and with annotations.

        In place of parameters that are objects it has their ``fields``.
        """
        if not types and not annotations and not fields:
            return self
        node = of_fields(self.node, fields, self.module.locate) if fields else self.node
        node = unrolled(node, self.module.meant) if fields else node
        node = with_constants(node, constants_among(types))
        node = without_parameters(_Typed(annotations).visit(copy.deepcopy(node)), types)
        for argument in arguments_of(node):
            if argument.arg in annotations:
                argument.annotation = ast.copy_location(ast.Constant(annotations[argument.arg]), argument)
        imports, functions = {**self.module.imports, **types}, self.module.functions | {self.name: node}
        module = replace(self.module, functions=functions, imports=imports, complex={})
        (code, _, text), *helpers = self.parts
        return replace(self, node=node, module=module, parts=((code, module, text), *helpers))

    @property
    def places(self) -> tuple[tuple[str, int, str, str], ...]:
        """The name of the function, and of each helper, with its first line, its file and the text of that."""
        return tuple((code.co_name, code.co_firstlineno, code.co_filename, text) for code, _, text in self.parts)

    def described(self) -> list[Any]:
        """Give JSON values that tell all that the meaning of the function depends on: texts, and what names mean."""
        found, modules = list[Any](), [module for _, module, _ in self.parts]
        for _, module, text in self.parts:
            name, node = next(iter(module.functions.items()))  # its own
            homes = {helper: _index(home, modules) for helper, home in module.homes.items()}
            constants = {constant: repr(value) for constant, value in module.constants.items()}
            constants |= {table: ast.dump(value) for table, value in module.tables.items()}
            digest = hashlib.sha256(text.encode()).hexdigest()
            told = [module.filename, digest, name, node.lineno, ast.dump(node.args), constants, module.imports, homes]
            found.append([*told, sorted(module.rebound), sorted(module.identifiers)])
        return found

    def read(self, lower: Callable[[Inference], ModuleOp], told: Mapping[str, str]) -> ReadFunction:
        """Lower the function; ``told`` are annotations for parameters whose own do not tell what they are."""
        from tensorlift.frontends.python.reader import read_definition  # noqa: PLC0415 - a lift that is kept reads nothing

        return read_definition(self.node, self.module, lower, told)


class _Typed(ast.NodeTransformer):
    """Spells the types of arrays of complex numbers."""

    def __init__(self, annotations: Mapping[str, str]) -> None:
        self._annotations = annotations

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        told = self._annotations.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
        if node.attr != "dtype" or "[" not in told:
            self.generic_visit(node)
            return node
        return ast.copy_location(ast.Name(told.partition("[")[0], ast.Load()), node)


def find_function(function: Any) -> LiveFunction:
    """Find the definition of a function object.

    Raises LiftError: TL520 it is no plain function, TL521 there is no source that it can have come from.
    """
    plain = _plain(function)
    if plain is None:
        raise refuse("TL520", f"{_described(function)} is not lifted", None, _USE_DEF)
    _check_code(plain.__code__)
    finder = _Finder()
    module = finder.module_of(plain)
    finder.share_identifiers()
    node, keys = returning_values(module.functions[plain.__code__.co_name])
    module.functions[plain.__code__.co_name] = node
    parts = tuple((code, part, finder.texts[code]) for code, part in finder.modules.items())
    return LiveFunction(plain, node, module, parts, tuple(finder.captured), keys)


_USE_DEF = "lift a function that a `def` of its own defines, at the top of a module or inside of another function"


def _plain(function: Any) -> FunctionType | None:
    """Give the function inside of the wrappers that only compile."""
    for attribute in _WRAPPED:
        inner = None if isinstance(function, ModuleType | type) else getattr(function, attribute, None)
        function = inner if isinstance(inner, FunctionType) else function
    return function if isinstance(function, FunctionType) else None


def _described(function: Any) -> str:
    name = getattr(function, "__qualname__", getattr(function, "__name__", type(function).__name__))
    if isinstance(function, MethodType | staticmethod | classmethod):
        return f"the method `{name}`"
    if isinstance(function, type):
        return f"the class `{name}`"
    return f"`{name}`, an object of type {type(function).__name__},"


def _check_code(code: CodeType) -> None:
    """Refuse what is no plain function."""
    location = _start(code)
    if code.co_name == "<lambda>":
        raise refuse("TL520", "a lambda is not lifted", location, _USE_DEF)
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        remedy = "let the asynchronous function call a plain one, and lift that"
        raise refuse("TL520", f"`{code.co_name}` is asynchronous, which is not lifted", location, remedy)
    if code.co_flags & inspect.CO_GENERATOR:
        remedy = "store what it yields into an array, and return that"
        raise refuse("TL520", f"`{code.co_name}` is a generator, which is not lifted", location, remedy)


def _start(code: CodeType) -> Location:
    return Location(code.co_filename, code.co_firstlineno, 1)


def _text_of(function: FunctionType) -> str:
    """Give the text of the file or cell that a function was defined in."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__)) or _timed_text(code)
    if not text:
        message = f"the source of `{code.co_name}` is not available"
        raise refuse("TL521", message, _start(code), "define it in a file or in a notebook cell, not in a string")
    return text


def _timed_text(code: CodeType) -> str:
    """Give the text of the notebook's cell under ``%%time`` or ``%%timeit`` that a code is of; IPython keeps it."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if code.co_filename not in _TIMED or shell is None:
        return ""
    for cell in reversed(shell.history_manager.input_hist_raw):
        magic, _, body = cell.lstrip().partition("\n")
        is_timed = magic.split()[:1] == [_TIMED[code.co_filename]]
        text: str = shell.transform_cell(body) if is_timed else ""
        with suppress(SyntaxError):
            if _is_compiled_from(ast.parse(text), code):
                return text
    return ""


@dataclass(slots=True)
class _Finder:
    """Finds a function and its helpers, each once."""

    modules: dict[CodeType, Module] = field(default_factory=dict)
    trees: dict[tuple[str, str], ast.Module] = field(default_factory=dict)
    texts: dict[CodeType, str] = field(default_factory=dict)
    captured: list[Captured] = field(default_factory=list)

    def module_of(self, function: FunctionType) -> Module:
        """Read the definition of a function, and what the names in it mean."""
        code = function.__code__
        if code in self.modules:
            return self.modules[code]
        node = with_annotations(self._definition(function), lambda name: _stands_for(name, function))
        module = self.modules[code] = Module(code.co_filename, {code.co_name: node}, {}, {}, is_live=True)
        asked = [n for part in (node.args, *node.body) for n in ast.walk(part)]  # decorators are none of the function
        names = {n.id for n in asked if isinstance(n, ast.Name)}
        own = {n.id for n in asked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        rebound: set[str] = set()
        tables: dict[str, ast.expr] = {}
        for name in sorted(names - own - {argument.arg for argument in arguments_of(node)}):
            value = _value_of(name, function)
            table = table_of(value)
            self.captured.append(Captured(function, name, value if table is None else copy.deepcopy(value)))
            if table is not None:
                tables[name] = table
            elif value is not _NO_VALUE and not self._note(name, value, module):
                rebound.add(name)
        module.rebound = frozenset(rebound)
        module.functions |= {own.name: own for own in plain(module.functions[code.co_name], module.meant, tables)}
        module.tables = tables
        module.identifiers = frozenset(names | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)})
        return module

    def share_identifiers(self) -> None:
        """Let each module know the identifiers of all: the functions become one."""
        every = frozenset[str]().union(*(module.identifiers for module in self.modules.values()))
        for module in self.modules.values():
            module.identifiers = every

    def _note(self, name: str, value: Any, module: Module) -> bool:
        """Note what a name means; False where that is not known."""
        if type(value) in _NUMBERS:
            module.constants[name] = value
        elif isinstance(value, ModuleType):
            module.imports[name] = value.__name__
        elif (known := _known_name(value)) is not None:
            module.imports[name] = known
        elif (helper := _plain(value)) is not None:
            return self._helper(name, helper, module)
        else:
            return False
        return True

    def _helper(self, name: str, helper: FunctionType, module: Module) -> bool:
        try:
            _check_code(helper.__code__)
            home = self.module_of(helper)
        except LiftError:
            return False
        module.functions[name], module.homes[name] = home.functions[helper.__code__.co_name], home
        return True

    def _definition(self, function: FunctionType) -> ast.FunctionDef:
        """Find the definition in the text; refuse one that is not what the function runs."""
        code = function.__code__
        text = self.texts[code] = _text_of(function)
        named = code.co_filename, text
        if named not in self.trees:
            self.trees[named] = parse(text, code.co_filename)
        tree = self.trees[named]
        found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _begins(node, code)]
        if len(found) != 1 or not _is_compiled_from(tree, code):
            message = f"the source of `{code.co_name}` has changed since it was defined"
            raise refuse("TL521", message, _start(code), "define or import it again")
        return found[0]


def _index(wanted: object, items: Sequence[object]) -> int:
    return next(number for number, item in enumerate(items) if item is wanted)


def _value_of(name: str, function: FunctionType) -> Any:
    """Look up a name as the function does."""
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if free == name:
            return _content(cell)
    if name in function.__globals__:
        return function.__globals__[name]
    return _NO_VALUE


def _stands_for(node: ast.expr, function: FunctionType) -> ast.expr | None:
    """Give what a name, or a name of a module, stands for as an annotation; None where that cannot be said."""
    names = ast.unparse(node).split(".")
    value = _value_of(names[0], function)
    for name in names[1:]:
        value = getattr(value, name, _NO_VALUE)
    is_known = isinstance(value, type | GenericAlias) or type(value).__module__.startswith("numba.")
    if not is_known and not isinstance(value, str):
        return None
    text = value if isinstance(value, str) else repr(value).removeprefix("<class '").removesuffix("'>")
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is bound yet
        return None


def _known_name(value: Any) -> str | None:
    """Name a builtin, or a function or type of a known library, as an import would."""
    name = getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    if getattr(builtins, name, None) is value:
        return f".{name}"
    for library in _LIBRARIES:
        if library in sys.modules and getattr(sys.modules[library], name, None) is value:
            return f"{library}.{name}"
    return None


def _begins(node: ast.FunctionDef, code: CodeType) -> bool:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.name == code.co_name and first == code.co_firstlineno


def _is_compiled_from(tree: ast.Module, code: CodeType) -> bool:
    """Whether compiling the tree, whole or, as a notebook does, statement by statement, gives the code among others."""
    alone = [ast.Module([node], []) for node in tree.body if any(_is_start(inner, code) for inner in ast.walk(node))]
    if _TIMED.get(code.co_filename) == "%%timeit":  # IPython puts it into a function
        alone.append(ast.parse("def inner(_it, _timer): pass"))
        alone[-1].body[0].body = tree.body  # type: ignore[attr-defined] # it is a function
    units = (compile(unit, code.co_filename, "exec", dont_inherit=True) for unit in (tree, *alone))
    return any(_is_same(one, code) for unit in units for one in _codes(unit))


def _is_start(node: ast.AST, code: CodeType) -> bool:
    return isinstance(node, ast.FunctionDef) and _begins(node, code)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same with the same names and constants."""
    if one.co_firstlineno != other.co_firstlineno or one.co_name != other.co_name or one.co_code != other.co_code:
        return False
    names = (one.co_names, one.co_varnames, one.co_freevars, one.co_cellvars)
    if names != (other.co_names, other.co_varnames, other.co_freevars, other.co_cellvars):
        return False
    return repr(_constants(one)) == repr(_constants(other))


def _constants(code: CodeType) -> list[Any]:
    return [_constants(c) if isinstance(c, CodeType) else c for c in code.co_consts]


__all__ = ["LiveFunction", "find_function"]
