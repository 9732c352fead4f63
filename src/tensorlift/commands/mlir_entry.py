"""The function that takes the name of one in an MLIR module: it calls the lifted program where all that it needs holds.

Memory becomes tensors at its start and tensors become memory at its end.  Arrays that the program writes are copied
first, so that no tensor shares memory with a destination; with what an array may overlap, the original runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType, NoneAttr

from tensorlift.contract.language import AnyOf, Atom, Compare, Extent, Separate, Sum
from tensorlift.contract.mlir import Tests
from tensorlift.contract.notation import parse_sum
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.runtime.mlir.program import Kind, signature_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.interface import Lifting
    from tensorlift.ir.function import Parameter

ORIGINAL, PROGRAM = "_original", "_lifted"  # behind the name of the source: the function as it was, the program


def entry_text(lifting: Lifting, types: Sequence[Any], results: Sequence[Any], visibility: str, marks: str) -> str:
    """Write the function; ``types`` and ``results`` are those of the source, ``marks`` its attributes.

    Raises:
        LiftError: TL581, where something that the program needs is not checked here.

    """
    return _Entry(types, results, lifting=lifting).text(visibility, marks)


@dataclass(slots=True)
class _Entry(Tests):
    count: int = 1
    lifting: Lifting = field(kw_only=True)
    sizes: dict[str, str] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=dict)  # the extents of arrays that the program sees in part

    constants = "c"

    def text(self, visibility: str, marks: str) -> str:
        """Write it, as lines that are indented by nothing."""
        name = self.lifting.view.name
        returned = ", ".join(map(str, self.results))
        arrow = f" -> {returned}" if len(self.results) == 1 else f" -> ({returned})" if self.results else ""
        call = self.call(f"{name}{ORIGINAL}")
        self._sizes()
        holds = self._guard()
        head = f"func.func {visibility}@{name}({self.parameters}){arrow}{marks} {{"
        if not self.results:
            chosen = [f"scf.if {holds} {{", *self._program(), "} else {", f"  {call}", "}", "return"]
        else:
            program = [*self._program(), f"  scf.yield %result : {returned}"]
            chosen = [f"%r = scf.if {holds} -> ({returned}) {{", *program, "} else {"]
            chosen += [f"  %o = {call}", f"  scf.yield %o : {returned}", "}", f"return %r : {returned}"]
        return "\n".join([head, *(f"  {line}" for line in [*self.lines, *chosen]), "}"]) + "\n"

    # -- values

    def _refused(self, what: str) -> LiftError:
        view = self.lifting.view
        message = f"no function checks what the program of '{view.name}' needs: {what}"
        return refuse("TL581", message, view.location, "leave the function, or lift it to a file of its own")

    def _arrays(self) -> list[Parameter]:
        return [p for p in self.lifting.view.parameters if p.role == "array"]

    def _sizes(self) -> None:
        """Find each size: it is an argument, or the extent of an array."""
        parameters = self.lifting.view.parameters
        for parameter in (p for p in parameters if p.role == "size"):
            position = parameter.value.index
            if position < len(self.types):
                self.sizes[parameter.name] = self.as_index(position)
                continue
            places = (
                (a.value.index, axis)
                for a in self._arrays()
                for axis, e in enumerate(self._extents(a))
                if str(e) == parameter.name
            )
            found = next(places, None)
            if found is None:
                raise self._refused(f"no extent is {parameter.name}")
            self.sizes[parameter.name] = self.extent(*found)

    def _extents(self, array: Parameter) -> tuple[Sum, ...]:
        if array.extents is None:
            raise self._refused(f"the extents of {array.name} are not known")
        return tuple(parse_sum(str(extent).replace(" ", "")) for extent in array.extents)

    def factors(self, factor: int, atoms: Sequence[Atom], value: Sum) -> Iterator[str]:
        """Yield the atoms, and a number that is not one."""
        for atom in atoms:
            if isinstance(atom, Extent):
                yield self.extent(next(a for a in self._arrays() if a.name == atom.array).value.index, atom.axis)
            elif atom in self.sizes:
                yield self.sizes[str(atom)]
            else:
                raise self._refused(str(value))
        if factor != 1 or not atoms:
            yield self.number(factor)

    # -- what must hold

    def _guard(self) -> str:
        stated = [p for p in self.lifting.preconditions if p.kind != "shape"]  # of a longer array a part is given
        tests = [test for p in stated for test in self._tests(p.condition, p.text)]
        for array in self._arrays():
            tests += self._fits(array)
        tests += self._apart()
        return self.joined(tests, "andi") or self.new("arith.constant true")

    def _tests(self, condition: Any, text: str) -> list[str]:
        if isinstance(condition, Compare | AnyOf):
            return [self.test(condition)]
        if isinstance(condition, Separate):
            return []  # all arrays are compared at once
        raise self._refused(text)

    def _fits(self, array: Parameter) -> list[str]:
        """Test that an array has the cells that the program works on, and look at just those."""
        memory = self.types[array.value.index]
        if not isinstance(memory, MemRefType) or not isinstance(memory.layout, NoneAttr):
            raise self._refused(f"{array.name} has a layout of its own")
        extents, shape = self._extents(array), memory.get_shape()
        if all(extent.value == length for extent, length in zip(extents, shape, strict=True)):
            return []
        self.parts[array.name] = [self.sum(extent) for extent in extents]
        actual = [self.extent(array.value.index, axis) for axis in range(len(shape))]
        pairs = zip(self.parts[array.name], actual, strict=True)
        return [self.new(f"arith.cmpi sle, {wanted}, {there} : index") for wanted, there in pairs]

    def _apart(self) -> list[str]:
        """Test that each written array lies apart from all others."""
        arrays, written = self._arrays(), set(self.lifting.view.written)
        pairs = [
            (one, other)
            for k, one in enumerate(arrays)
            for other in arrays[k + 1 :]
            if one.name in written or other.name in written
        ]
        spans = {a.name: self.span(a.value.index) for pair in pairs for a in pair}
        return [self.joined(self.apart(spans[one.name], spans[other.name]), "ori") for one, other in pairs]

    # -- the call

    def _program(self) -> list[str]:
        """Write the branch in which the program runs."""
        outer, self.lines = self.lines, []
        emitted, view = self.lifting.emitted, self.lifting.view
        signature = signature_of(emitted.text, emitted.entry)
        known = {p.name: p for p in view.parameters}
        places = {p.name: self._view(p) for p in self._arrays()}
        given = [self._given(known[name], kind, places) for name, kind in signature.parameters]
        kinds = [_spelled(kind) for kind in signature.results]
        names = [f"%t{k}" for k in range(len(kinds))]
        if view.result_dtype is not None:
            names[-1] = "%result"
        types = ", ".join(_spelled(kind) for _, kind in signature.parameters)
        made = f"{', '.join(names)} = " if names else ""
        self.lines.append(
            f"{made}func.call @{emitted.entry}{PROGRAM}({', '.join(given)}) : ({types}) -> ({', '.join(kinds)})"
        )
        for name, kind, array in zip(names, signature.results, view.written, strict=False):
            self._taken(name, kind, places[array])
        inside, self.lines = self.lines, outer
        return [f"  {line}" for line in inside]

    def _view(self, array: Parameter) -> tuple[str, str]:
        """Give the memory that the program sees of an array, and its type."""
        position, memory = array.value.index, self.types[array.value.index]
        if array.name not in self.parts:
            return f"%a{position}", str(memory)
        steps: list[str] = []
        step = 1
        for length in reversed(memory.get_shape()):
            steps.insert(0, "?" if step < 0 else str(step))
            step = -1 if length < 0 or step < 0 else step * length
        extents = [str(extent.value or "?") for extent in self._extents(array)]
        sizes = [v if e == "?" else e for v, e in zip(self.parts[array.name], extents, strict=True)]
        kind = f"memref<{''.join(f'{e}x' for e in extents)}{memory.element_type}, strided<[{', '.join(steps)}]>>"
        start, ones = ", ".join("0" * len(sizes)), ", ".join("1" * len(sizes))
        place = f"%a{position}[{start}] [{', '.join(sizes)}] [{ones}]"
        return self.new(f"memref.subview {place} : {memory} to {kind}"), kind

    def _given(self, parameter: Parameter, kind: Kind, places: Mapping[str, tuple[str, str]]) -> str:
        """Give an argument: a number, or the tensor of an array, of a copy where the array is written."""
        if parameter.role != "array":
            is_index = kind.element == "index"
            return self.sizes[parameter.name] if is_index else f"%a{parameter.value.index}"
        place, memory = places[parameter.name]
        if kind.rank is None:
            return self.fresh(f"memref.load {place}[] : {memory}")
        tensor = self.new(f"bufferization.to_tensor {place} restrict : {memory} to {_spelled(kind)}")
        if parameter.name not in self.lifting.view.written:
            return tensor
        return self.fresh(f"bufferization.alloc_tensor() copy({tensor}) : {_spelled(kind)}")

    def _taken(self, name: str, kind: Kind, place: tuple[str, str]) -> None:
        """Bring a result to the memory of its array."""
        if kind.rank is None:
            self.lines.append(f"memref.store {name}, {place[0]}[] : {place[1]}")
            return
        form = f"({_spelled(kind)}, {place[1]}) -> ()"
        self.lines.append(f"bufferization.materialize_in_destination {name} in restrict writable {place[0]} : {form}")


def _spelled(kind: Kind) -> str:
    if kind.rank is None:
        return kind.element
    return f"tensor<{''.join(f'{extent}x' for extent in kind.shape)}{kind.element}>"
