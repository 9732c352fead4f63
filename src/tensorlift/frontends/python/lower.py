"""One Python function to one MLIR module: parameters, extents, what is returned, preconditions.

The function is translated into the shared syntax tree, then lowered as a C function is.  Python's arrays know their
extents, so each becomes a size of the function, and the accesses are checked against it.  One that the translation
never mentions is taken to be the extent of another array where the accesses reach just as far (``y[i]`` for ``i`` below
``len(x)``), and that it is so becomes a precondition.  A size that is passed is no extent: arrays may be longer.

Arrays that the function makes and returns are parameters of the loop IR that it writes; so are the scalars of a
returned tuple, as arrays of rank 0.  ``tl.returns`` lists what Python returns, in its order.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir.affine import AffineConstraintKind

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.extents import mentioned_variables
from tensorlift.frontends.python.refusals import in_python, refusal
from tensorlift.frontends.python.scalars import Scalar, cast, stored
from tensorlift.frontends.python.signature import kinds_of
from tensorlift.frontends.python.state import Facts, Inferred
from tensorlift.frontends.python.statements import Statements
from tensorlift.frontends.python.syntax import arguments_of
from tensorlift.frontends.python.values import (
    ArrayValue,
    ArrayVariable,
    Operand,
    View,
    array_type,
    value_of_view,
    whole,
)
from tensorlift.ir.function import FunctionView
from tensorlift.ir.left_early import marked, refusal_of
from tensorlift.ir.requirements import Condition, add_requirements, stated_requirement
from tensorlift.ops.c_types import BOOL, LONG, VOID, PointerType, VoidType, element_of
from tensorlift.poly.polynomial import spell_inequality

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number
    from tensorlift.frontends.python.signature import ParameterKind
    from tensorlift.frontends.python.state import Module

    Lower = Callable[[nodes.Function, str], ModuleOp]

# What Python gives back: an array or a list, a number of its own or one of NumPy's, a truth value of either.
ReturnKind: TypeAlias = Literal["array", "list", "python", "numpy", "truth", "numpy_truth"]

_PASSES = 12


def translate(function: ast.FunctionDef, module: Module, told: Mapping[str, str] | None = None) -> Translation:
    """Translate one function.

    ``told`` are annotations for parameters whose own do not tell what they are.

    Raises ``LiftError`` with the reason where it is refused.
    """
    kinds = kinds_of(function, module.locate, told)
    facts = Facts()
    for _ in range(_PASSES):
        facts.begin_pass()
        translation = Translation(module, facts, function, kinds)
        translation.run()
        facts.end_pass()
        if not facts.changed:
            if facts.misfits:
                raise facts.misfits[0]
            return translation
    raise refusal("unbound", module.locate(function), "some variable")


def lower_python(translation: Translation, lower: Lower) -> ModuleOp:
    """Lower a function that is translated.

    ``lower`` lowers a function with the parameters that it has.

    Raises ``LiftError`` with the reason where it is refused.
    """
    module = _Lowering(translation, lower).run()
    for op in module.walk():
        left = refusal_of(op)
        if left is not None:
            op.attributes.update(marked(in_python(left)))
    return module


class Translation(Statements):
    """The translation of the outermost function."""

    def __init__(
        self, module: Module, facts: Facts, function: ast.FunctionDef, kinds: dict[str, ParameterKind]
    ) -> None:
        super().__init__(module, facts, function)
        self.kinds = kinds
        self.sizes: dict[str, nodes.Variable] = {}
        self.parameters: list[nodes.Variable] = []
        self.arrays: list[ArrayVariable] = []
        self.results: list[nodes.Variable] = []
        self.returns: dict[str, ReturnKind] = {}
        self.result: Number | VoidType = VOID
        self.returned_names = _returned_names(function)
        self._returned_arrays: set[str] = set()
        for argument in arguments_of(function):
            self._parameter(argument, kinds[argument.arg])

    def run(self) -> None:
        """Translate the body."""
        self.body(self.function.body)

    @property
    def location(self) -> Location:
        """Where the function begins."""
        return self.locate(self.function)

    @cached_property
    def whole_body(self) -> nodes.Block:
        """The body, when it has been translated."""
        return nodes.Block(tuple(self.out), self.location)

    def inferred(self) -> Inferred:
        """Give what was found out, when the body has been translated."""
        results = {v.name: (element_of(v.ctype), len(v.extents)) for v in self.results}
        return Inferred(
            self.module,
            self.function,
            self.kinds,
            self.facts.types,
            results,  # type: ignore[arg-type] # elements are numbers
            tuple(self.returns),
            self.result,
            self.growth is not None,
        )

    def _parameter(self, argument: ast.arg, kind: ParameterKind) -> None:
        location = self.locate(argument)
        name = argument.arg
        if kind.rank is None:
            raise refusal("unknown-rank", location, name)
        if kind.rank:
            self._array_parameter(name, kind.rank, kind, location)
            return
        variable = nodes.Variable(name, kind.dtype, location, is_parameter=True)
        self.parameters.append(variable)
        self.facts.join(self.key(name), kind.dtype, weak=kind.is_weak)
        if name in self.stores:
            value = Scalar(nodes.Name(variable, kind.dtype, location), kind.dtype, weak=kind.is_weak)
            self._declare(name, value, location)
            return
        self.environment[name] = variable
        if kind.dtype == LONG:
            self.add_size(variable)

    def _array_parameter(self, name: str, rank: int, kind: ParameterKind, location: Location) -> None:
        extents = tuple(self._size_of(f"{name}_shape{axis}", location) for axis in range(rank))
        variable = nodes.Variable(
            name, array_type(kind.dtype, rank), location, extents, is_parameter=True, keeps_rank=True
        )
        self.parameters.append(variable)
        array = ArrayVariable(name, variable, kind.dtype, extents, kind.is_list, kind.is_list)
        self.arrays.append(array)
        self.environment[name] = array

    def _size_of(self, own: str, location: Location) -> nodes.Expression:
        """Give the size that an extent is, by the name that the source gives to it."""
        chosen = self.facts.representative(own)
        variable = self.sizes.get(chosen)
        if variable is None:
            name = self.facts.display.get(chosen, chosen)
            variable = self.sizes[chosen] = nodes.Variable(name, LONG, location, is_parameter=True)
            self.extents[name] = chosen
            self.add_size(variable)
        return nodes.Name(variable, LONG, location)

    def result_array(
        self, name: str, element: Number, extents: Sequence[nodes.Expression], location: Location
    ) -> ArrayVariable:
        """Make an array that the caller gets."""
        if not all(map(self.is_stable, extents)):
            raise refusal("shape", location, f"the extents of `{name}` change, or are no sums of sizes")
        for extent in extents:
            self.require_nonnegative(extent, location)
        ctype = replace(array_type(element, len(extents)), spelling=f"{element.spelling} restrict")
        variable = nodes.Variable(name, ctype, location, tuple(extents), is_parameter=True, keeps_rank=True)
        self.results.append(variable)
        self._returned_arrays.add(name)
        return ArrayVariable(name, variable, element, tuple(extents))

    def returned(self, value: ast.expr | None, location: Location) -> None:
        """Translate ``return``."""
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            self.emit(nodes.Return(None, location))
            return
        if isinstance(value, ast.Tuple):
            self._return_tuple(value.elts, location)
            return
        found = self.evaluate(value)
        if isinstance(found, Scalar):
            self._return_scalar(found, location)
        else:
            self._return_last(location)
            self._return_array(value, found, "result", location)

    def _return_scalar(self, value: Scalar, location: Location) -> None:
        held = stored(value, location)
        ctype = self.joined("return", "return", held, location)
        self.result = ctype
        self.emit(nodes.Return(cast(held, ctype, location).node, location))
        self.returns[""] = _kind_of_number(*self.facts.type_of("return"))

    def _return_tuple(self, items: Sequence[ast.expr], location: Location) -> None:
        self._return_last(location)
        values = [self.evaluate(item) for item in items]
        last: Scalar | None = None
        for position, (item, value) in enumerate(zip(items, values, strict=True)):
            name = f"result_{position + 1}"
            if not isinstance(value, Scalar):
                self._return_array(item, value, name, location)
            elif position == len(items) - 1:
                last = value
            else:
                self._return_cell(item, value, name, location)
        if last is not None:
            self._return_scalar(last, location)

    def _return_last(self, location: Location) -> None:
        """Refuse arrays and tuples that are returned elsewhere than at the end."""
        returns = [node for node in ast.walk(self.function) if isinstance(node, ast.Return)]
        if self.depth or len(returns) > 1:
            raise refusal("return", location, "an array or a tuple is returned in one of several places")

    def _return_array(self, item: ast.expr, value: Operand, name: str, location: Location) -> None:
        if isinstance(item, ast.Name):
            array = self.environment.get(item.id)
            owned = isinstance(array, ArrayVariable) and (item.id in self._returned_arrays or array.written)
            if isinstance(array, ArrayVariable) and owned and array.name not in self.returns and self._is_own(array):
                self.returns[array.name] = "list" if array.is_list else "array"
                return
        if isinstance(value, View):
            value = value_of_view(value)
        if not isinstance(value, ArrayValue):
            raise refusal("return", location, f"`{ast.unparse(item)}` is returned")
        array = self.result_array(self._free(name), value.element, value.extents, location)
        self.fill(whole(array, location), "", value, location)
        self.returns[array.name] = "list" if value.is_list else "array"

    def _is_own(self, array: ArrayVariable) -> bool:
        return array.variable in self.results or array.variable in self.parameters

    def _return_cell(self, item: ast.expr, value: Scalar, name: str, location: Location) -> None:
        """Return a scalar of a tuple through an array of rank 0."""
        held = stored(value, location)
        ctype = held.ctype
        pointer = PointerType(f"{ctype.spelling} *restrict", ctype)
        wanted = item.id if isinstance(item, ast.Name) and item.id not in self.returns else name
        variable = nodes.Variable(self._free(wanted), pointer, location, is_parameter=True)
        self.results.append(variable)
        target = nodes.Unary("*", nodes.Name(variable, pointer, location), ctype, location)
        self.emit(nodes.assignment(target, held.node, location))
        self.returns[variable.name] = _kind_of_number(ctype, held.weak)

    def _free(self, name: str) -> str:
        taken = {v.name for v in (*self.parameters, *self.results, *self.sizes.values())}
        return name if name not in taken else self.fresh(name)


class _Lowering:
    """The lowering of a translated function, twice where the accesses do not tell the extents."""

    def __init__(self, translation: Translation, lower: Lower) -> None:
        self._translation = translation
        self._lower_function = lower
        used = mentioned_variables([translation.whole_body, *(r.extents for r in translation.results)])
        constrained = {name for e in translation.equalities for name in (e.left - e.right).variables()}
        constrained |= {name for least, _ in translation.least for name in least.variables()}
        shared = {translation.facts.representative(name) for pair in translation.facts.unified for name in pair[:2]}
        self._free = {
            variable
            for own, variable in translation.sizes.items()
            if variable not in used and variable.name not in constrained and own not in shared
        }
        self._texts: list[tuple[str, Location]] = []

    def run(self) -> ModuleOp:
        """Lower, with as few sizes as the accesses allow."""
        try:
            module = self._lower(self._free)
        except LiftError:
            if not self._free:
                raise
            return self._finish(self._lower(set()))
        kept = self._told(module)
        if kept != self._free:
            module = self._lower(kept)
            if self._told(module) != kept:
                kept, self._texts = set(), []
                module = self._lower(kept)
        return self._finish(module)

    def _lower(self, inferred: set[nodes.Variable]) -> ModuleOp:
        """Lower with the extents of ``inferred`` left to the accesses."""
        t = self._translation
        for array in t.arrays:
            array.variable.extents = tuple(
                None if isinstance(e, nodes.Name) and e.variable in inferred else e for e in array.extents
            )
        sizes = [variable for variable in t.sizes.values() if variable not in inferred]
        parameters = (*sizes, *t.parameters, *t.results)
        function = nodes.Function(t.function.name, parameters, t.result, t.location, t.whole_body)
        return self._lower_function(function, t.module.filename)

    def _told(self, module: ModuleOp) -> set[nodes.Variable]:
        """Collect the inferred extents that are that of another array, and note that they must be."""
        t = self._translation
        told: set[nodes.Variable] = set()
        self._texts = []
        view = FunctionView(module.body.block.first_op)  # type: ignore[arg-type] # a module of one function
        extents = {p.name: p.extents for p in view.parameters if p.role == "array"}
        for array in t.arrays:
            for axis, (declared, own) in enumerate(zip(array.variable.extents, array.extents, strict=True)):
                found = (extents[array.name] or ())[axis] if extents[array.name] else None
                if declared is not None or found is None or not isinstance(own, nodes.Name):
                    continue
                if (
                    found.constant == 0
                    and [k for _, k in found.terms] == [1]
                    and found.terms[0][0] in self._translation.extents
                ):
                    told.add(own.variable)
                    text = f"{_spell(array, axis)} == {self._named(str(found))}"
                    self._texts.append((text, array.variable.location))
        return told

    def _named(self, size: str) -> str:
        """Spell a size as the source can: one that it has no name for as an extent."""
        own = self._translation.extents.get(size)
        return size if own is None or own != size else _spell_own(own)

    def _assumed_kinds(self) -> list[tuple[str, Location]]:
        """Spell what parameters are taken for whose annotation does not tell it."""
        t = self._translation
        assumed = [argument for argument in arguments_of(t.function) if not t.kinds[argument.arg].is_told]
        return [(f"{a.arg} is {t.kinds[a.arg].spelled()}", t.locate(a)) for a in assumed]

    def _finish(self, module: ModuleOp) -> ModuleOp:
        """Add what Python asks for to the preconditions, and the list of what is returned."""
        function = module.body.block.first_op
        assert function is not None
        t = self._translation
        stated = [stated_requirement("type", text, location) for text, location in self._assumed_kinds()]
        stated += [stated_requirement("extent", text, location) for text, location in self._texts]
        stated += [
            stated_requirement("extent", f"{_spell_own(a)} == {_spell_own(b)}", place)
            for a, b, place in t.facts.unified
        ]
        sizes = FunctionView(function).size_names
        for equality in t.equalities:
            text = f"{equality.left.spell(self._named)} == {equality.right.spell(self._named)}"
            equal = Condition(AffineConstraintKind.eq, equality.left - equality.right, sizes)
            stated.append(stated_requirement("extent", text, equality.location, equal))
        for least, location in t.least:
            condition = Condition(AffineConstraintKind.ge, least, sizes)
            stated.append(stated_requirement("extent", spell_inequality(least), location, condition))
        if t.growth is not None:
            stated.append(stated_requirement("integers", "every integer fits into 64 bits", t.growth))
        add_requirements(function, stated)
        function.attributes["tl.returns"] = ArrayAttr([StringAttr(name) for name in t.returns])
        function.attributes["tl.return_kinds"] = ArrayAttr([StringAttr(kind) for kind in t.returns.values()])
        return module


def _kind_of_number(ctype: Number, weak: bool) -> ReturnKind:  # noqa: FBT001 - a type with its mark
    """Say whose number Python gives back; ``weak`` marks Python's own."""
    if ctype == BOOL:
        return "truth" if weak else "numpy_truth"
    return "python" if weak else "numpy"


def _spell(array: ArrayVariable, axis: int) -> str:
    if array.is_list:
        return f"len({array.name}{'[0]' * axis})"
    return f"{array.name}.shape[{axis}]"


def _spell_own(own: str) -> str:
    name, _, axis = own.rpartition("_shape")
    return f"{name}.shape[{axis}]"


def _returned_names(function: ast.FunctionDef) -> tuple[str, ...]:
    """List the names that the last statement returns."""
    last = function.body[-1]
    if not isinstance(last, ast.Return):
        return ()
    items = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    return tuple(item.id for item in items if isinstance(item, ast.Name))
