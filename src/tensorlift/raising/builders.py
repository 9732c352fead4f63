"""Tactics over nests: what a tactic builds in the place of a definition that its pattern matches.

Each array of the pattern stands for the accesses that it matched, each index for a loop.  What the tactic builds is
written in its order: an array of its own is allocated, a reshape is a view where memory allows one, and each other
step is the operation that the tactic names, or else the one that Linalg has.  Definitions that no tactic covers stay
loops.  Nothing here is trusted: the text that is written is proved like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Read, Term
from tensorlift.ir.dialects import loop_context
from tensorlift.ir.mixed import name_of
from tensorlift.ir.subscripts import STRUCTURED
from tensorlift.ir.text import parse_module
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.raising.blas import BlasEmission
from tensorlift.raising.bodies import Body, Loop, operand, unraisable
from tensorlift.raising.linalg import Emission, Piece, product_name
from tensorlift.raising.nests import LoopEmission
from tensorlift.raising.rules import Attempt, Given, Rule
from tensorlift.raising.standins import Operand, StandIn, lowered
from tensorlift.synthesis.tactics.built import Built, Function, Value, leaves_of, tensors_of
from tensorlift.synthesis.tactics.explain import explained
from tensorlift.synthesis.tactics.matching import matches, moved_axes
from tensorlift.synthesis.tactics.meaning import affine_of
from tensorlift.synthesis.tactics.steps import Tensor
from tensorlift.synthesis.tactics.syntax import GROUP, Name, Number, Spelling
from tensorlift.targets.mlir_text.text import names_and_types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.raising.bodies import MemRef
    from tensorlift.raising.routines import Callee
    from tensorlift.synthesis.tactics.matching import Match
    from tensorlift.synthesis.tactics.steps import Axis
    from tensorlift.targets.linalg.writer import Value as Written

_MOST_MATCHES = 24  # of one tactic and one definition
_PAIR = 2
LOOPS = "affine.for"


@dataclass
class TacticEmission(LoopEmission):
    """Writes what tactics build, and loops for what none covers."""

    given: Given = field(default_factory=lambda: Given((), {}, loop_context()))
    routines: dict[str, Callee] = field(default_factory=dict)

    def write_piece(self, piece: Piece) -> None:
        """Write what computes a piece."""
        if not self.covered(piece):
            super().write_piece(piece)

    def covered(self, piece: Piece, *, is_whole: bool = True) -> bool:
        """Write what tactics build for a piece, or for a part of one; tell whether any does."""
        piece = self.moving(piece)
        for number, rule in enumerate(self.given.rules):
            if not rule.fires_on(self.given.level):
                continue
            found = list(islice(matches(rule.pattern, piece.term, piece.variables), _MOST_MATCHES))
            for attempt, match in ((Attempt(number, k), match) for k, match in enumerate(found)):
                if attempt not in self.given.failed:
                    self.given.fired.append(attempt)
                    _Building(self, rule, match, piece).run()
                    return True
            if is_whole:
                tried = [why for attempt, why in self.given.failed.items() if attempt.rule == number]
                why = tried[0] if found and tried else explained(rule.pattern, piece.term, piece.variables)
                self.given.missed.setdefault((piece.target.name.removeprefix("%"), rule.tactic.name), why)
        return False

    def like(self, kind: type[Emission]) -> Emission:
        """Return another emission that writes to the same place."""
        other = kind(self.summary, self.writer, self.place, dict(self.holder), self.names, self.owned, self.may_copy)
        other.homes = self.homes
        return other


class _Generic(Emission):
    """Writes products as ``linalg.generic`` too."""

    def _product(self, term: Term, body: Body, out: object) -> bool:
        del term, body, out
        return False


@dataclass(frozen=True)
class _Array:
    """An array of a tactic: the cell at some indices, as a term over what these stand for."""

    labels: tuple[str, ...]
    cell: Read


class _Building:
    """What a tactic builds for one match."""

    def __init__(self, emission: TacticEmission, rule: Rule, match: Match, piece: Piece) -> None:
        self.emission = emission
        self.rule = rule
        self.piece = piece
        self.loops = self._loops(match)
        self.match = replace(match, axes=self._axes(match))
        target = terms.read(f"{piece.target.name} now", piece.indices, piece.target.dtype)
        emission.place[target.array] = piece.target
        self.arrays = {rule.tactic.result: _Array(rule.tactic.indices, target)}
        self.result = target
        self.later: Sequence[Built] = ()

    def _loops(self, match: Match) -> dict[str, Loop]:
        points, bound = self.piece.domain, []
        for fold in match.folds:
            if fold.conditions:
                raise unraisable("its pattern has conditions, which are no operation on a whole array")
            points = points & fold.term.domain
            bound += [v for v in fold.term.bound if v not in bound]
        return {loop.variable: loop for loop in self.emission.loops(points, (*self.piece.variables, *bound))}

    def _axes(self, match: Match) -> dict[str, tuple[str, ...]]:
        """Return the variables of each index, those of groups in the order of the loops; the store must fit."""
        order = list(self.loops)
        axes = {label: tuple(sorted(names, key=order.index)) for label, names in match.axes.items()}
        stored = tuple(i.variable for i in self.piece.indices if not set(i.variables).isdisjoint(self.piece.variables))
        wanted = tuple(v for index in self.rule.tactic.indices for v in axes.get(index, ("?",)))
        is_any = any(index.endswith(GROUP) for index in self.rule.tactic.indices)  # groups stand for any order
        if stored != wanted and not (is_any and sorted(map(str, stored)) == sorted(map(str, wanted))):
            cell = self.rule.tactic.pattern[-1].target
            raise unraisable(f"its access matcher `{cell}` does not match the cells in their order")
        return axes

    def run(self) -> None:
        """Write all of it."""
        self._value_before()
        for position, built in enumerate(self.rule.built):
            self.later = self.rule.built[position + 1 :]
            if built.conditions:
                raise unraisable("its builder has conditions, which are no operation on a whole array")
            self._write(built)

    def _value_before(self) -> None:
        """Let the result hold the value before that the pattern starts from."""
        name = self.rule.pattern.before
        if name is None:
            return
        bound = self.match.arrays.get(name)
        linalg = self.emission.like(Emission)
        if bound is None:
            first = next(b for b in self.rule.built if name in (b.target.array, *_reads(b)))
            if name in _reads(first) or first.combine is not None:
                if any(b.combine in ("max", "min") for b in self.rule.built):
                    raise unraisable("its pattern folds into a value before, which there is not")
                linalg.assign(self.piece, terms.zero(self.piece.target.dtype))
        elif bound[1] is not self.piece.own:
            before = replace(self.piece, term=bound[1])
            if not self.emission.covered(before, is_whole=False):
                linalg.write_piece(before)

    # -- terms

    def _variables(self, indices: Sequence[str]) -> tuple[str, ...]:
        return tuple(v for index in indices for v in self.match.axes[index])

    def _points(self, variables: Sequence[str]) -> Domain:
        known = [self.loops[v] for v in variables]
        return Domain.of(
            *(c for x in known for c in (at_least(x.variable, x.first), less(x.variable, x.first + x.extent)))
        )

    def _term(self, value: Value) -> Term:
        dtype = self.piece.target.dtype
        if isinstance(value, Number):
            return terms.constant(value.value, dtype)
        if isinstance(value, Function):
            return terms.apply(value.op, *map(self._term, value.args))
        term = self.match.scalars[value.name] if isinstance(value, Name) else self._cell(value)
        if term.dtype != dtype:
            raise unraisable(f"`{value}` is of another type than the result")
        return term

    def _cell(self, tensor: Tensor) -> Read:
        """Return the cell of an array that a tactic reads."""
        known = self.arrays.get(tensor.array)
        if known is None:
            cell, subject = self._subject(tensor)
            labels = [self.rule.pattern.labels.get(i.variable or "") for i in cell.indices]
        else:
            subject, labels = known.cell, list(known.labels)
        wanted = [s.only for s in tensor.subscripts]
        if labels == wanted or None in wanted:
            return subject
        values = moved_axes(labels, wanted, self.match)
        moved = None if values is None else substitute(subject, values)
        if not isinstance(moved, Read):
            raise unraisable(f"`{tensor}` is read at other indices than its pattern has")
        return moved

    def _subject(self, tensor: Tensor) -> tuple[Read, Read]:
        bound = self.match.arrays.get(tensor.array)
        if bound is None or not isinstance(bound[1], Read):
            raise unraisable(f"its access matcher `{tensor}` matches a value that is no access")
        return bound[0], bound[1]

    # -- statements

    def _write(self, built: Built) -> None:
        variables = self._variables(built.target.indices)
        if self._is_view(built):
            self.arrays[built.target.array] = _Array(_labels(built.target), self._cell(_only(built.value)))
            return
        if built.target.array not in self.arrays:
            self._allocate(built.target, variables)
        own = self._cell(built.target)
        if built.is_rearranged and self._cell(_only(built.value)) is own:
            return
        value = self._term(built.value)
        if built.fold is not None:
            bound = self._variables(built.bound)
            value = terms.reduce(built.fold, bound, self._points(bound), value)
        if built.combine is not None:
            value = terms.apply(built.combine, own, value)
        memref = self.emission.at(own)
        self._spell(built, Piece(memref, own.indices, variables, self._points(variables), value, own))

    def _allocate(self, tensor: Tensor, variables: Sequence[str]) -> None:
        loops = [self.loops[v] for v in variables]
        memref = self.emission.new(tensor.array, self.piece.target.dtype, [loop.extent for loop in loops])
        cell = terms.read(
            f"{memref.name} built", tuple(Affine.var(x.variable) - x.first for x in loops), self.piece.target.dtype
        )
        self.emission.place[cell.array] = memref
        self.arrays[tensor.array] = _Array(_labels(tensor), cell)

    def _is_view(self, built: Built) -> bool:
        """Tell whether an array is another one in the same order, and neither is changed while the other is needed."""
        if not built.is_rearranged or built.spelling or built.target.array in self.arrays:
            return False
        source, target = _only(built.value), built.target
        if _labels(source) != _labels(target) or (_is_joint(target) and self._memref(source).has_layout):
            return False
        later = self.later
        changed = {b.target.array for b in later}
        if changed.isdisjoint({source.array, target.array}):
            return True
        back = later[-1]
        goes_back = back.is_rearranged and back.target.array == source.array and _only(back.value) == target
        others = later[:-1]
        return goes_back and not any(source.array in (b.target.array, *_reads(b)) for b in others)

    def _spell(self, built: Built, piece: Piece) -> None:
        spelling = built.spelling
        if spelling is None:
            if not self._joined(built, piece):
                self.emission.like(Emission).write_piece(piece)
        elif spelling.operation == LOOPS:
            LoopEmission.write_piece(self.emission, piece)
        elif spelling.operation in STRUCTURED:
            self._linalg(built, piece, spelling)
        elif spelling.operation.startswith("@cblas_"):
            self._blas(piece, spelling)
        else:
            self._call(built, piece, spelling)

    def _linalg(self, built: Built, piece: Piece, spelling: Spelling) -> None:
        before = len(self.emission.names)
        if spelling.operation != "linalg.generic" and self._joined(built, piece):
            pass
        elif spelling.operation == "linalg.generic":
            self.emission.like(_Generic).write_piece(piece)
        else:
            self.emission.like(Emission).write_piece(piece)
        self._check_made(before, spelling, ("linalg.fill", "memref.collapse_shape"))

    def _check_made(self, before: int, spelling: Spelling, others: Sequence[str]) -> None:
        made = self.emission.names[before:]
        wanted = spelling.operation.removeprefix("@")
        if wanted not in made or not set(made) <= {wanted, *others}:
            raise unraisable(f"the statement is no {wanted}: it becomes {', '.join(made) or 'nothing'}")

    def _blas(self, piece: Piece, spelling: Spelling) -> None:
        before = len(self.emission.names)
        blas = self.emission.like(BlasEmission)
        assert isinstance(blas, BlasEmission)
        blas.write_piece(piece)
        self.emission.routines |= blas.routines
        self._check_made(before, spelling, ("linalg.fill", "linalg.transpose", "linalg.generic", "memref.copy"))

    # -- operations on operands as they are

    def _joined(self, built: Built, piece: Piece) -> bool:
        """Write a product over joint axes by its name, on reshaped arrays; tell whether there is one."""
        factors = built.value.args if isinstance(built.value, Function) and built.value.op == "mul" else ()
        tensors = [f for f in factors if isinstance(f, Tensor)]
        if built.fold != "sum" or len(tensors) != _PAIR or len(factors) != _PAIR or built.combine not in (None, "add"):
            return False
        if not any(len(axis) > 1 for t in (built.target, *tensors) for axis in t.axes):
            return False
        places = [[_joint(axis) for axis in t.axes] for t in (built.target, *tensors)]
        found = product_name(places[0], places[1:])
        if found is None:
            return False
        name, order = found
        listed = [*(tensors[k] for k in order), built.target]
        if len({tensor.array for tensor in listed}) < len(listed):
            return False
        memrefs = [self._dense(tensor, built) for tensor in listed]
        if built.combine is None:
            self.emission.like(Emission).assign(piece, terms.zero(piece.target.dtype))
        stem = "_".join([name, *("".join(str(len(axis)) for axis in tensor.axes) for tensor in listed)])
        operands = [(tensor.array, memref) for tensor, memref in zip(listed, memrefs, strict=True)]
        self.emission.names += ["memref.collapse_shape"] * sum(map(_is_joint, listed))
        self._stand_in(f"joined_{stem}", f"linalg.{name}", replace(built, combine="add"), operands)
        return True

    def _memref(self, tensor: Tensor) -> MemRef:
        """Return the part of memory that a tactic means by an array, with the axes that it names."""
        cell = self._cell(tensor)
        found = operand(self.emission.at(cell), cell.indices, list(self.loops.values()), self.emission.writer)
        if len(found.subscripts) != len(_expanded(tensor, self.match.axes)):
            raise unraisable(f"`{tensor}` has other axes in memory")
        return found.memref

    def _dense(self, tensor: Tensor, built: Built) -> MemRef:
        """Return the memory of an array whose axes may be joined: a copy, where it is a part of a larger one."""
        memref = self._memref(tensor)
        if not _is_joint(tensor) or not memref.has_layout:
            return memref
        if tensor == built.target:
            raise unraisable(f"`{tensor}` is a part of a larger array, whose axes are not joined")
        copied = replace(tensor, array=f"{tensor.array}_dense")
        self._write(Built(copied, tensor))
        return self._memref(copied)

    def _call(self, built: Built, piece: Piece, spelling: Spelling) -> None:
        """Write an operation of a user, or the call of a function."""
        if any(index.endswith(GROUP) for index in (*built.target.indices, *built.bound)):
            raise unraisable(f"{spelling.operation} takes so many axes as its tactic names, and groups are any number")
        if built.fold not in (None, "sum") and built.combine is None:
            raise unraisable("an extreme has no value before")
        if built.fold == "sum" and built.combine is None:
            self.emission.like(Emission).assign(piece, terms.zero(piece.target.dtype))
            built = replace(built, combine="add")
        known = {
            leaf.array if isinstance(leaf, Tensor) else leaf.name: leaf
            for leaf in leaves_of(built.value)
            if not isinstance(leaf, Number)
        }
        known.setdefault(built.target.array, built.target)
        operands: list[tuple[str, MemRef | Written]] = []
        for name in spelling.operands or tuple(known):
            leaf = known[name]
            operands.append((name, self._memref(leaf) if isinstance(leaf, Tensor) else self._number(leaf)))
        name = spelling.operation.removeprefix("@")
        self._stand_in(name, spelling.operation, built, operands)

    def _number(self, leaf: Name) -> Written:
        return Body(self.emission.writer, (), self.emission.at).value(self._term(leaf))

    def _stand_in(
        self, name: str, operation: str, built: Built, operands: Sequence[tuple[str, MemRef | Written]]
    ) -> None:
        emission = self.emission
        values = [value for _, value in operands]
        given = ""
        if operation.startswith("@"):
            types, given = emission.given.functions.get(name, ([_open_type(value) for value in values], ""))
            if types is None:
                raise unraisable(f"the function {operation} gives values")
            if [_rank(value.type) for value in values] != [*map(_rank, types)]:
                raise unraisable(f"the function {operation} takes other operands")
            values = [self._cast(value, of_type) for value, of_type in zip(values, types, strict=True)]
        elif not operation.startswith("linalg."):
            given = self._lowered(operation, [value.type for value in values])
        names = [n for n, _ in operands]
        again = (f".{names[:k].count(n)}" * (n in names[:k]) for k, n in enumerate(names))  # of one that stands twice
        listed = tuple(Operand(n + mark, v.type) for n, mark, v in zip(names, again, values, strict=True))
        wanted = StandIn(name, operation, listed, built, self.piece.target.dtype, given)
        found = emission.given.stand_in(wanted)
        if found.name != name and found.is_call:
            raise unraisable(f"the function {operation} is called with other operands before")
        if not found.is_call:
            parse_module(found.implementation, "the operation", context=emission.given.context)
        emission.routines[found.name] = found
        given_, types_ = names_and_types(values)
        emission.writer.line(f"func.call @{found.name}({given_}) : ({types_}) -> ()")
        emission.names.append(operation.removeprefix("@"))

    def _lowered(self, operation: str, types: Sequence[str]) -> str:
        """Return the function that says what an operation of a user means, on operands of some types; "" for none."""
        named = [one for one in self.emission.given.lowerings if name_of(one).partition("$")[0] == operation]
        for function in named:
            if [_rank(str(argument.type)) for argument in function.regions[0].block.args] == [*map(_rank, types)]:
                return lowered(function, types)
        if named:
            raise unraisable(f"the lowering of {operation} takes other operands")
        return ""

    def _cast(self, value: MemRef | Written, wanted: str) -> MemRef | Written:
        if value.type == wanted or not value.type.startswith("memref"):
            return value
        text = f"memref.cast {value.name} : {value.type} to {wanted}"
        return self.emission.writer.once(("cast", value.name, wanted), text, wanted)


def _reads(built: Built) -> tuple[str, ...]:
    return tuple(t.array for t in tensors_of(built.value))


def _only(value: Value) -> Tensor:
    assert isinstance(value, Tensor)
    return value


def _labels(tensor: Tensor) -> tuple[str, ...]:
    return tuple(str(s.only) for s in tensor.subscripts)


def _is_joint(tensor: Tensor) -> bool:
    return any(len(axis) > 1 for axis in tensor.axes)


def _joint(axis: Axis) -> Affine:
    """Return a subscript for a joint axis, one variable for all of its indices together."""
    if len(axis) == 1:
        return affine_of(axis[0], {f: k + _PAIR for k, (f, _) in enumerate(axis[0].terms) if isinstance(f, str)})
    return Affine.var("*".join(map(str, axis)))


def _expanded(tensor: Tensor, axes: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [v for s in tensor.subscripts for v in (axes[s.only] if s.only is not None else (str(s),))]


def _rank(of_type: str) -> tuple[int, str]:
    """Return the number of axes of a type, and the type of its cells."""
    *extents, element = of_type.removeprefix("memref<").removesuffix(">").partition(",")[0].split("x")
    return len(extents) if of_type.startswith("memref") else -1, element


def _open_type(value: MemRef | Written) -> str:
    """Spell the type of an operand of a function that the module does not declare: any extents, any strides."""
    if not value.type.startswith("memref"):
        return value.type
    rank, element = _rank(value.type)
    return f"memref<{'?x' * rank}{element}, strided<[{', '.join('?' * rank)}], offset: ?>>"
