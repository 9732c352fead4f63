"""One Python function to one MLIR module: parameters, extents, what is returned, preconditions.

The types that the source does not state are found first; literal IR says what is computed.  Python's arrays know their
extents, so each becomes a size of the function, and the accesses are checked against it.  One that the function
never mentions is taken to be the extent of another array where the accesses reach just as far (``y[i]`` for ``i`` below
``len(x)``), and that it is so becomes a precondition.  A size that is passed is no extent: arrays may be longer.

Arrays that the function makes and returns are parameters of the loop IR; so are the scalars of a
returned tuple, as arrays of rank 0.  ``tl.returns`` lists what Python returns, in its order.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir.affine import AffineConstraintKind

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.python.assignments import copy_refilled, declare
from tensorlift.frontends.python.facts import Facts
from tensorlift.frontends.python.not_numbers import ordered_nan
from tensorlift.frontends.python.refusals import in_python, refusal
from tensorlift.frontends.python.scalars import Scalar, is_wide
from tensorlift.frontends.python.signature import kinds_of
from tensorlift.frontends.python.state import Inference, Scope
from tensorlift.frontends.python.statements import read_body
from tensorlift.frontends.python.syntax import arguments_of
from tensorlift.frontends.python.values import Array, Memory
from tensorlift.ir import nodes
from tensorlift.ir.function import FunctionView
from tensorlift.ir.left_early import marked, refusal_of
from tensorlift.ir.requirements import Condition, add_requirements, stated_requirement
from tensorlift.ops.c_types import LONG, ArrayType, PointerType
from tensorlift.poly.polynomial import Polynomial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.annotations import ParameterKind
    from tensorlift.frontends.python.scalars import Number
    from tensorlift.frontends.python.state import Module
    from tensorlift.frontends.python.values import Extents

    Lower = Callable[[nodes.Function, str], ModuleOp]

_PASSES = 12


def infer(function: ast.FunctionDef, module: Module, told: Mapping[str, str] | None = None) -> Inference:
    """Find the types of one function.

    ``told`` are annotations for parameters whose own do not tell what they are.

    Raises ``LiftError`` with the reason where it is refused.
    """
    ordered = ordered_nan(function, module.functions)
    if ordered is not None:
        raise refusal("not-a-number", module.locate(ordered), ast.unparse(ordered))
    kinds = kinds_of(function, module.locate, told)
    facts = Facts()
    for _ in range(_PASSES):
        facts.begin_pass()
        state = Inference(module, facts, kinds, Scope.of(module, function), calling=[function.name])
        state.returned_names = _returned_names(function)
        for argument in arguments_of(function):
            with state.placed(argument):
                _parameter(state, argument.arg, kinds[argument.arg])
        copy_refilled(state, function)
        state.taken = {*kinds, *state.extents}
        read_body(state, function.body)
        facts.end_pass()
        if not facts.changed:
            if facts.misfits:
                raise facts.misfits[0]
            return state
    raise refusal("unbound", module.locate(function), "some variable")


def _parameter(state: Inference, name: str, kind: ParameterKind) -> None:
    """Bind a parameter: an array, an integer that does not change, or a local variable."""
    if kind.rank is None:
        raise state.refusal("unknown-rank", name)
    if kind.rank:
        own = [_own(name, axis) for axis in range(kind.rank)]
        state.extents.update(own)
        item = Scalar(kind.dtype, kind.is_list, is_any=is_wide(kind.dtype))
        state.scope.environment[name] = Array(
            tuple(map(state.size, own)), item, Memory(name, is_given=True), kind.is_list, is_whole=True
        )
        return
    value = Scalar(kind.dtype, kind.is_weak, state.size(name) if kind.dtype == LONG else None)
    state.facts.join(state.key(name), kind.dtype, weak=kind.is_weak)
    if name in state.scope.stores:
        declare(state, name, value)
        return
    if kind.dtype == LONG:
        state.numbers.add(name)
    state.scope.environment[name] = value


def lower_python(state: Inference, lower: Lower) -> ModuleOp:
    """Lower a function whose types are found.

    ``lower`` lowers a function with the parameters that it has.

    Raises ``LiftError`` with the reason where it is refused.
    """
    module = _Lowering.of(state, lower).run()
    for op in module.walk():
        left = refusal_of(op)
        if left is not None:
            op.attributes.update(marked(in_python(left)))
    return module


@dataclass(slots=True)
class _Lowering:
    """The lowering of a function, twice where the accesses do not tell the extents."""

    state: Inference
    lower: Lower
    sizes: dict[str, nodes.Variable] = field(default_factory=dict)  # extents, by which stand for all equal ones
    parameters: list[nodes.Variable] = field(default_factory=list)
    arrays: dict[nodes.Variable, Extents] = field(default_factory=dict)
    results: list[nodes.Variable] = field(default_factory=list)
    texts: list[tuple[str, Location]] = field(default_factory=list)

    @staticmethod
    def of(state: Inference, lower: Lower) -> _Lowering:
        """Make the parameters."""
        made = _Lowering(state, lower)
        for argument in arguments_of(state.scope.function):
            made._parameter(argument, state.kinds[argument.arg])
        for name, array in state.results.items():
            extents = tuple(made._extent(extent) for extent in array.extents)
            ctype = _restricted(array.element, array.rank)
            made.results.append(
                nodes.Variable(name, ctype, state.location, extents, is_parameter=True, keeps_rank=bool(extents))
            )
        return made

    def _parameter(self, argument: ast.arg, kind: ParameterKind) -> None:
        place = self.state.module.locate(argument)
        ctype = array_type(kind.dtype, kind.rank) if kind.rank else kind.dtype
        extents = tuple(self._size(_own(argument.arg, axis), place) for axis in range(kind.rank or 0))
        variable = nodes.Variable(argument.arg, ctype, place, extents, is_parameter=True, keeps_rank=bool(kind.rank))
        self.parameters.append(variable)
        if kind.rank:
            self.arrays[variable] = extents

    def _size(self, own: str, place: Location) -> nodes.Expression:
        """Give the size that an extent is, by the name that the source gives to it."""
        state = self.state
        chosen = state.facts.representative(own)
        if chosen not in self.sizes:
            self.sizes[chosen] = nodes.Variable(state.shown(chosen), LONG, place, is_parameter=True)
        return nodes.Name(self.sizes[chosen], LONG, place)

    def _extent(self, extent: nodes.Expression) -> nodes.Expression:
        """Spell an extent of a result by the parameters."""
        place = self.state.location
        match extent:
            case nodes.Name(variable=variable) if variable.name in self.state.extents:
                return self._size(variable.name, place)
            case nodes.Name(variable=variable):
                return nodes.Name(next(p for p in self.parameters if p.name == variable.name), LONG, place)
            case nodes.Binary(operator=operator, left=left, right=right):
                return nodes.Binary(operator, self._extent(left), self._extent(right), LONG, place)
            case nodes.Cast(operand=operand):
                return self._extent(operand)
            case nodes.Integer(value=value):
                return nodes.Integer(value, LONG, place)
        return extent

    def _free(self) -> set[nodes.Variable]:
        """Give the extents that nothing mentions: these are left to the accesses to tell."""
        state = self.state
        used = {*state.mentioned}
        for equality in state.equalities:
            used |= (equality.left - equality.right).variables()
        used |= {name for pair in state.facts.unified for name in pair[:2]}
        used = {state.facts.representative(name) for name in used}
        return {variable for own, variable in self.sizes.items() if own not in used}

    def run(self) -> ModuleOp:
        """Lower, with as few sizes as the accesses allow."""
        free = self._free()
        try:
            module = self._lowered(free)
        except LiftError:
            if not free:
                raise
            return self._finish(self._lowered(set()))
        kept = self._told(module)
        if kept != free:
            module = self._lowered(kept)
            if self._told(module) != kept:
                self.texts = []
                module = self._lowered(set())
        return self._finish(module)

    def _lowered(self, inferred: set[nodes.Variable]) -> ModuleOp:
        """Lower with the extents of ``inferred`` left to the accesses."""
        for variable, extents in self.arrays.items():
            variable.extents = tuple(
                None if isinstance(e, nodes.Name) and e.variable in inferred else e for e in extents
            )
        sizes = [variable for variable in self.sizes.values() if variable not in inferred]
        state, place = self.state, self.state.location
        parameters = (*sizes, *self.parameters, *self.results)
        function = nodes.Function(state.scope.function.name, parameters, state.result, place)
        return self.lower(function, state.module.filename)

    def _told(self, module: ModuleOp) -> set[nodes.Variable]:
        """Collect the inferred extents that are that of another array, and note that they must be."""
        told: set[nodes.Variable] = set()
        self.texts = []
        shown = {variable.name for variable in self.sizes.values()}
        view = FunctionView(module.body.block.first_op)  # type: ignore[arg-type] # a module of one function
        extents = {p.name: p.extents for p in view.parameters if p.role == "array"}
        for variable, own in self.arrays.items():
            for axis, (declared, size) in enumerate(zip(variable.extents, own, strict=True)):
                found = (extents[variable.name] or ())[axis] if extents[variable.name] else None
                if declared is not None or found is None or not isinstance(size, nodes.Name):
                    continue
                if found.constant == 0 and [k for _, k in found.terms] == [1] and found.terms[0][0] in shown:
                    told.add(size.variable)
                    is_list = self.state.kinds[variable.name].is_list
                    spelled = f"len({variable.name}{'[0]' * axis})" if is_list else f"{variable.name}.shape[{axis}]"
                    self.texts.append((f"{spelled} == {self._named(str(found))}", variable.location))
        return told

    def _named(self, size: str) -> str:
        """Spell a size as the source can: one that it has no name for as an extent."""
        return _spell_own(size) if size in self.sizes else size

    def _assumed_kinds(self) -> list[tuple[str, Location]]:
        """Spell what parameters are taken for whose annotation does not tell it."""
        kinds, locate = self.state.kinds, self.state.module.locate
        assumed = [argument for argument in arguments_of(self.state.scope.function) if not kinds[argument.arg].is_told]
        split = self.state.module.complex.get(self.state.scope.function.name)
        texts = [(text, locate(argument)) for text, argument in (split.assumed if split is not None else ())]
        return [*texts, *((f"{a.arg} is {kinds[a.arg].spelled()}", locate(a)) for a in assumed)]

    def _finish(self, module: ModuleOp) -> ModuleOp:
        """Add what Python asks for to the preconditions, and the list of what is returned."""
        function = module.body.block.first_op
        assert function is not None
        state = self.state
        stated = [stated_requirement("type", text, location) for text, location in self._assumed_kinds()]
        stated += [stated_requirement("extent", text, location) for text, location in self.texts]
        stated += [
            stated_requirement("extent", f"{_spell_own(a)} == {_spell_own(b)}", place)
            for a, b, place in state.facts.unified
        ]
        sizes = FunctionView(function).size_names
        for equality in state.equalities:
            left, right = self._by_shown(equality.left), self._by_shown(equality.right)
            if left != right:
                text = f"{left.spell(self._named)} == {right.spell(self._named)}"
                equal = Condition(AffineConstraintKind.eq, left - right, sizes)
                stated.append(stated_requirement("extent", text, equality.location, equal))
        if state.growth is not None:
            stated.append(stated_requirement("integers", "every integer fits into 64 bits", state.growth))
        add_requirements(function, stated)
        split = state.module.complex.get(state.scope.function.name)
        if split is not None and split.described:
            function.attributes["tl.complex"] = ArrayAttr([StringAttr(row) for row in split.described])
        function.attributes["tl.returns"] = ArrayAttr([StringAttr(name) for name in state.returns])
        function.attributes["tl.return_kinds"] = ArrayAttr([StringAttr(kind) for kind in state.returns.values()])
        return module

    def _by_shown(self, value: Polynomial) -> Polynomial:
        """Give a polynomial over the sizes as they are called."""
        return value.substitute({n: Polynomial.variable(self.state.shown(n)) for n in value.variables()})


def array_type(element: Number, rank: int) -> ArrayType:
    """Give the type of an array with extents that only its declaration holds."""
    ctype: Number | ArrayType = element
    spelling = element.spelling
    for _ in range(rank):
        spelling += "[]"
        ctype = ArrayType(spelling, ctype, None, variable=True)
    assert isinstance(ctype, ArrayType)
    return ctype


def _restricted(element: Number, rank: int) -> ArrayType | PointerType:
    """Give the type of memory in which a result is put, an array or one number."""
    if not rank:
        return PointerType(f"{element.spelling} *restrict", element)
    return replace(array_type(element, rank), spelling=f"{element.spelling} restrict")


def _own(name: str, axis: int) -> str:
    """Name an extent of a parameter."""
    return f"{name}_shape{axis}"


def _spell_own(own: str) -> str:
    name, _, axis = own.rpartition("_shape")
    return f"{name}.shape[{axis}]"


def _returned_names(function: ast.FunctionDef) -> tuple[str, ...]:
    """List the names that the last statement returns, where it alone returns something."""
    last = function.body[-1]
    if not isinstance(last, ast.Return) or sum(isinstance(node, ast.Return) for node in ast.walk(function)) > 1:
        return ()
    items = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    return tuple(item.id for item in items if isinstance(item, ast.Name))
