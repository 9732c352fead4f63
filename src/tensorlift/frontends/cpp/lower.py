"""One C++ function to one MLIR module: the extents of containers, preconditions, and how C++ calls the function.

A container knows its size, so every extent is a size of the function.  One that the source never asks for is first left
to the accesses to tell: where they tell the size of another container (``b[i]`` for ``i`` below ``a.size()``) that the
two are equal becomes a precondition, and where they run over a vector in rows (``v[i*n + j]``) the vector is the
matrix that they see.  In every other case (``v[i]`` for ``i`` below a parameter ``n``) the container keeps its size,
and the accesses are checked against it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr
from xdsl.ir.affine import AffineConstraintKind

from tensorlift.comprehension.polynomial import ONE, Polynomial
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.lower import lower_function
from tensorlift.frontends.c.stated import Condition, add_requirements, stated_requirement
from tensorlift.frontends.cpp.objects import extent_node
from tensorlift.ir.function import FunctionView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
    from xdsl.ir import Operation

    from tensorlift.frontends.cpp.entry import Entry
    from tensorlift.frontends.cpp.objects import Container
    from tensorlift.ir.function import Parameter
    from tensorlift.ir.linear import Linear

_PASSES = 4


def lower_cpp(entry: Entry, source: str, used: set[nodes.Variable]) -> ModuleOp:
    """Lower one function; ``used`` are the sizes that it asks for.  Raises ``LiftError`` with the reason."""
    return _Lowering(entry, source, used).run()


class _Lowering:
    """The lowering of a function, more than once where the accesses do not tell the extents."""

    def __init__(self, entry: Entry, source: str, used: set[nodes.Variable]) -> None:
        self._entry = entry
        self._source = source
        self._free = {size for size in entry.sizes if size not in used}
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
            assert container.variable is not None
            container.variable.extents = tuple(
                None if extent in inferred else extent_node(extent, container.variable.location)
                for extent in container.extents
            )
        sizes = [size for size in entry.sizes if size not in inferred]
        entry.function.parameters = (*sizes, *entry.inputs, *entry.results)
        return lower_function(entry.function, self._source, places=True)

    def _kept(self, view: FunctionView, inferred: set[nodes.Variable]) -> set[nodes.Variable]:
        """Choose the inferred extents that are the sizes of other containers, or those of a matrix in a vector."""
        self._equal = {}
        found = {p.name: p for p in view.parameters if p.role == "array"}
        names = {size.name for size in self._entry.sizes}
        kept: set[nodes.Variable] = set()
        for container in self._entry.containers:
            assert container.variable is not None
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
        places = {size: c.variable.location for c in entry.containers if c.variable for size in c.extents}
        stated = []
        for own, other in self._equal.items():
            stated.append(stated_requirement("extent", f"{self._made_size(own)} == {other}", places[own]))
        arrays = {p.name: p for p in view.parameters if p.role == "array"}
        for container in entry.containers:
            assert container.variable is not None
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
        if not container.is_parameter or array.extents is None or container.variable is None:
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
            assert container.variable is not None
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
