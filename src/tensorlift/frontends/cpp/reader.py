"""Reading a C++ file: parse it, find its functions and the instances of its templates, lower every one.

One C++ function to one MLIR module: the extents of containers, preconditions, and how C++ calls the function.

A container knows its size, so every extent is a size of the function.  One that the source never asks for is first left
to the accesses to tell: where they tell the size of another container (``b[i]`` for ``i`` below ``a.size()``) that the
two are equal becomes a precondition, and where they run over a vector in rows (``v[i*n + j]``) the vector is the
matrix that they see.  In every other case (``v[i]`` for ``i`` below a parameter ``n``) the container keeps its size,
and the accesses are checked against it.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from clang.cindex import TranslationUnitLoadError
from xdsl.dialects.builtin import StringAttr
from xdsl.ir.affine import AffineConstraintKind

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.reader import ParsedFile, encoded, found_by_parser, parser_arguments, read_one
from tensorlift.frontends.c.variables import UnitReader
from tensorlift.frontends.cpp.cpp_types import INCLUDE
from tensorlift.frontends.cpp.instances import Instance, Template, instances, with_pointers
from tensorlift.frontends.cpp.objects import extent_node
from tensorlift.frontends.cpp.refusals import REFUSALS, refusal
from tensorlift.frontends.read_function import ReadFunction
from tensorlift.ir import nodes
from tensorlift.ir.function import FunctionView
from tensorlift.ir.requirements import Condition, add_requirements, stated_requirement
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.refusals import refusal as c_refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
    from xdsl.ir import Operation

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.frontends.cpp.objects import Container
    from tensorlift.frontends.cpp.signature import Entry
    from tensorlift.ir.function import Parameter
    from tensorlift.ir.linear import Linear

    Lower = Callable[[nodes.Function, str], ModuleOp]
    LowerInstance = Callable[["ParsedCpp", Instance], ModuleOp]


_PASSES = 4


def lower_cpp(entry: Entry, source: str, lower: Lower) -> ModuleOp:
    """Lower one function; ``lower`` does that with some parameters.  Raises ``LiftError`` with the reason."""
    return _Lowering(entry, source, lower).run()


class _Lowering:
    """The lowering of a function, more than once where the accesses do not tell the extents."""

    def __init__(self, entry: Entry, source: str, lower: Lower) -> None:
        self._lower_function = lower
        self._entry = entry
        self._source = source
        self._free = {size for size in entry.sizes if size not in entry.used}
        self._equal: dict[nodes.Variable, str] = {}

    def run(self) -> ModuleOp:
        """Lower, with as few sizes as the accesses allow."""
        inferred, refusal = self._free, None
        for _ in range(_PASSES):
            try:
                module = self._lower(inferred)
            except LiftError as error:
                if not inferred:
                    raise refusal or error from None
                inferred, refusal = set(), error
                continue
            view = FunctionView(_function(module))
            kept = self._kept(view, inferred)
            if kept == inferred:
                return self._finish(module, view)
            inferred = kept
        module = self._lower(set())
        return self._finish(module, FunctionView(_function(module)))

    def _lower(self, inferred: set[nodes.Variable]) -> ModuleOp:
        """Lower with some extents left to the accesses."""
        entry = self._entry
        for container in entry.containers:
            container.variable.extents = tuple(
                None if extent in inferred else extent_node(extent, container.variable.location)
                for extent in container.extents
            )
        sizes = [size for size in entry.sizes if size not in inferred]
        entry.function.parameters = (*sizes, *entry.inputs, *entry.results)
        return self._lower_function(entry.function, self._source)

    def _kept(self, view: FunctionView, inferred: set[nodes.Variable]) -> set[nodes.Variable]:
        """Choose the inferred extents that are the sizes of other containers, or those of a matrix in a vector."""
        self._equal = {}
        found = {p.name: p for p in view.parameters if p.role == "array"}
        names = {size.name for size in self._entry.sizes}
        kept: set[nodes.Variable] = set()
        for container in self._entry.containers:
            extents = found[container.variable.name].extents or ()
            within = len(extents) > container.kind.rank
            last = container.kind.rank - 1
            for axis, own in enumerate(container.extents):
                if not isinstance(own, nodes.Variable) or own not in inferred or axis >= len(extents):
                    continue
                if within and axis == last:
                    kept.add(own)
                elif _only_size(extents[axis]) in names - {own.name}:  # that would be one made for a gather
                    kept.add(own)
                    self._equal[own] = _only_size(extents[axis])
        return kept

    def _finish(self, module: ModuleOp, view: FunctionView) -> ModuleOp:
        """Add what C++ asks for to the preconditions, and how the function is called."""
        function = _function(module)
        entry = self._entry
        places = {size: c.variable.location for c in entry.containers for size in c.extents}
        stated = []
        for own, other in self._equal.items():
            stated.append(stated_requirement("extent", f"{self._made_size(own)} == {other}", places[own]))
        arrays = {p.name: p for p in view.parameters if p.role == "array"}
        for container in entry.containers:
            stated += self._first_rows(container, arrays[container.variable.name], view)
            if container.kind.lengths[1:].count(None):
                text = f"the rows of {container.variable.name} have the same length"
                stated.append(stated_requirement("rows", text, container.variable.location))
            parameter = arrays[container.variable.name]
            if parameter.extents is not None and len(parameter.extents) > container.kind.rank:
                outer = container.kind.rank - 1
                inner = _span(parameter.extents[outer:], parameter.strides)
                text = f"{'each row of ' * bool(outer)}{container.variable.name} has at least {inner} elements"
                stated.append(stated_requirement("extent", text, container.variable.location))
        add_requirements(function, stated)
        function.attributes["tl.prototype"] = StringAttr(json.dumps(entry.prototype))
        return module

    def _first_rows(self, container: Container, array: Parameter, view: FunctionView) -> Iterator[DictionaryAttr]:
        """State that there is a row to ask for its size, where the source asks for that."""
        asked = [isinstance(e, nodes.Variable) and e not in self._free for e in container.extents[1:]]
        if array.extents is None:
            return
        for axis, extent in enumerate(array.extents[: len(asked)]):
            size = _only_size(extent)
            if any(asked[axis:]) and size:
                own = container.extents[axis]
                spelled = self._made_size(own) if isinstance(own, nodes.Variable) and own.name == size else size
                text = f"{spelled} >= 1"
                condition = Condition(AffineConstraintKind.ge, Polynomial.variable(size) - ONE, view.size_names)
                yield stated_requirement("extent", text, container.variable.location, condition)

    def _made_size(self, size: nodes.Variable) -> str:
        """Spell a size that is an extent of a container."""
        for container in self._entry.containers:
            if size in container.extents:
                return f"{container.variable.name}{'[0]' * container.extents.index(size)}.size()"
        return size.name


def _function(module: ModuleOp) -> Operation:
    function = module.body.block.first_op
    assert function is not None
    return function


def _only_size(extent: Linear) -> str:
    """Name the size that an extent is, or nothing."""
    if extent.constant == 0 and [factor for _, factor in extent.terms] == [1]:
        ((size, _),) = extent.terms
        return size if isinstance(size, str) else ""
    return ""


def _span(extents: tuple[Linear, ...], strides: tuple[str, ...] | None) -> str:
    """Spell how many elements a matrix in a vector takes."""
    if strides is None:
        return " * ".join(f"({e})" if len(e.terms) + bool(e.constant) > 1 else str(e) for e in extents)
    parts = [
        f"({extent} - 1) * {stride}" if stride.isidentifier() or stride.isdigit() else f"({extent} - 1) * ({stride})"
        for extent, stride in zip(extents, strides, strict=True)
    ]
    return " + ".join([*parts, "1"])


_STANDARD = "c++17"
_LACKING = re.compile(r"no (?:member|template) named '(\w+)' in namespace 'std'")


@dataclass(frozen=True, slots=True)
class ParsedCpp:
    """A C++ file as libclang has it: its functions and instances, and the templates without any.

    ``parsed.text`` is the text that was parsed, which holds a pointer to each instance.
    """

    parsed: ParsedFile
    found: tuple[Instance, ...]
    templates: tuple[Template, ...]


def parse_cpp(  # noqa: PLR0913 - each option is one of a compiler's
    text: str,
    filename: str,
    *,
    include_dirs: Sequence[str] = (),
    include_files: Sequence[str] = (),
    defines: Sequence[str] = (),
    std: str | None = None,
) -> ParsedCpp:
    """Parse C++ source text; the options are those of ``parse_c``.  Raises ``LiftError`` where it is no text."""
    encoded(text, filename)
    arguments = parser_arguments(include_dirs, include_files, defines, std or _STANDARD)
    before = ("-x", "c++", "-nostdinc++", "-Wno-everything", "-Wunsequenced")
    try:
        parsed = with_pointers(text)
        unit = libclang.parse(parsed, filename, [*arguments, "-isystem", str(INCLUDE)], before)
    except TranslationUnitLoadError as error:
        detail = f"libclang does not take the options {shlex.join(arguments)}"
        raise c_refusal("parse", Location(filename, 1, 1), detail) from error
    errors, unsequenced = found_by_parser(unit, filename, REFUSALS["parse"])
    errors = [_not_in_library(error) for error in errors]
    file = ParsedFile(parsed, filename, parsed.encode(), unit, tuple(errors), tuple(unsequenced))
    found, templates = instances(unit, filename)
    return ParsedCpp(file, tuple(found), tuple(templates))


def _not_in_library(error: Diagnostic) -> Diagnostic:
    """Say of a name that the headers of this package lack that it is not known: other headers may have it."""
    name = _LACKING.search(error.message)
    if name is None:
        return error
    return replace(refusal("call", error.location, f"std::{name[1]}").diagnostics[0], notes=error.notes)


def read_instances(file: ParsedCpp, lower: LowerInstance, function: str | None = None) -> list[ReadFunction]:
    """Give what ``lower`` makes of the functions of a file: one module for each, and for each instance of a template.

    Functions that share a name get the types of their parameters, or the arguments of the template, behind it;
    ``function`` names one of them, or all that share a name.

    Raises ``LiftError`` for what concerns the whole file: a parse error, a missing header, no function, no text.
    """
    parsed, reached = file.parsed, file.parsed.reach
    unit = UnitReader(parsed.name)
    chosen, refused = _chosen(file.found, file.templates, function, parsed.name)
    cursors = [one.cursor for one in chosen] + [one.cursor for one in refused]
    if reached is not None and (
        (reached.errors and all(map(reached.within, cursors)))
        or not all(_stands_in(cursors, e) for e in reached.errors)
    ):
        raise LiftError(*reached.errors)
    return [
        *(
            read_one(parsed, one.cursor, one.name, unit.location(one.cursor), partial(lower, file, one))
            for one in chosen
        ),
        *(_uninstantiated(unit, template) for template in refused),
    ]


def _chosen(
    found: Sequence[Instance], templates: Sequence[Template], wanted: str | None, filename: str
) -> tuple[Sequence[Instance], Sequence[Template]]:
    """Choose what to read."""
    start = Location(filename, 1, 1)
    if wanted is None:
        if not found and not templates:
            raise c_refusal("no-function", start, "the file defines no function")
        return found, templates
    named = [one for one in found if one.name == wanted] or [one for one in found if one.spelling == wanted]
    unused = [template for template in templates if template.name == wanted]
    if not named and not unused:
        known = ", ".join([one.name for one in found] + [one.name for one in templates]) or "none"
        raise c_refusal("unknown-function", start, f"there is no function `{wanted}`; the file defines {known}")
    return named, unused


def _stands_in(cursors: Sequence[Any], error: Diagnostic) -> bool:
    """Tell whether an error stands in a function, which the parser then has not dropped, or tells of a header."""
    line = error.location.line if error.location else 0
    return error.code == "TL102" or any(c.extent.start.line <= line <= c.extent.end.line for c in cursors)


def _uninstantiated(unit: UnitReader, template: Template) -> ReadFunction:
    location = unit.location(template.cursor)
    return ReadFunction(template.name, location, None, refusal("template", location, template.name).diagnostics)
