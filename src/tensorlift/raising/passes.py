"""The raising passes: frozen dataclasses with a name, whose fields are their options, and with a report."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from xdsl.passes import ModulePass

from tensorlift.diagnostics import Diagnostic, LiftError, Severity
from tensorlift.ir.location import location_of
from tensorlift.ir.structured import space_of
from tensorlift.ir.subscripts import PRODUCTS
from tensorlift.ir.text import functions
from tensorlift.raising.bodies import unraisable
from tensorlift.raising.guarded import chains_in, reorder
from tensorlift.raising.nests import as_blas, as_linalg, as_loops, replace_proved
from tensorlift.raising.outline import body_as_region, root_of
from tensorlift.raising.place import PURE, add_routines, check_names
from tensorlift.raising.views import Views

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Block, Operation, SSAValue

    from tensorlift.diagnostics import Location
    from tensorlift.proofs.certificate import Certificate
    from tensorlift.raising.assumed import Assumption
    from tensorlift.raising.guarded import Chain
    from tensorlift.raising.nests import Nest, Replaced, Written
    from tensorlift.raising.routines import Callee
    from tensorlift.raising.views import Seen


_STORES = ("affine.store", "memref.store")
_WHERE = "the original runs where that does not hold"
LOOPS = ("affine.for", "scf.for", "affine.parallel", "scf.forall", "scf.parallel", "scf.while")
KERNELS = ("gpu.launch", "gpu.launch_func")
NESTS = (*LOOPS, *KERNELS)


class Proof(NamedTuple):
    """That operations compute the definitions of a nest at a place, and why the nest is not proved to do so, if so."""

    certificate: Certificate
    place: Location | None
    undecided: str


@dataclass
class Report:
    """What a pass did: how often, and what there is to say about it."""

    counts: dict[str, int] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    assumptions: dict[Operation, list[Assumption]] = field(default_factory=dict)  # by the function that assumes them
    function: Operation | None = None  # the one that the pass is at
    proofs: list[Proof] = field(default_factory=list)

    def count(self, what: str, number: int = 1) -> None:
        """Count something."""
        self.counts[what] = self.counts.get(what, 0) + number

    @contextmanager
    def counting(self, op: Operation) -> Iterator[None]:
        """Count the operations that are removed inside of one."""
        before = sum(1 for _ in op.walk())
        yield
        self.count("operations removed", before - sum(1 for _ in op.walk()))

    def at(self, function: Operation) -> Operation:
        """Note the function that a pass is at."""
        self.function = function
        return function

    def assume(self, assumptions: Sequence[Assumption]) -> None:
        """Note what the function assumes."""
        if assumptions and self.function is not None:
            self.assumptions.setdefault(self.function, []).extend(assumptions)

    def replaced(self, what: str, found: Replaced, place: Location | None) -> None:
        """Say what stands in the place of something, and when that is right."""
        self.assume(found.assumptions)
        self.proofs += [Proof(certificate, place, found.undecided) for certificate in found.certificates]
        self.count(f"{what}s replaced")
        for name in found.names:
            self.count(name)
        listed = ", ".join(dict.fromkeys(found.names)) or "nothing, as it does nothing"
        where = f", where {'; '.join(found.preconditions)}" if found.preconditions else ""
        tested = "; its definitions are tested, not proved" if found.undecided else ""
        message = f"the {what} becomes {listed}{where}{tested}"
        remedy = _WHERE if found.preconditions else ""
        self.diagnostics.append(Diagnostic("TL592", message, place, remedy, Severity.NOTE))

    def seen(self, name: str, found: Seen, place: Location | None) -> None:
        """Say that a nest accesses an array in dimensions."""
        self.assume(found.assumptions)
        self.count("arrays with dimensions")
        self.count("accesses rewritten", found.accesses)
        where, remedy = (f", where {found.condition}", _WHERE) if found.condition else ("", "")
        message = f"the array {name} becomes {found.type}{where}"
        self.diagnostics.append(Diagnostic("TL592", message, place, remedy, Severity.NOTE))

    def stays(self, what: str, refusal: LiftError, place: Location | None) -> None:
        """Say why something stays as it is."""
        self.count(f"{what.split(maxsplit=1)[0]}s left as they are")
        first = refusal.diagnostics[0]
        code = "" if first.code == "TL594" else f" [{first.code}]"
        if first.code.startswith("TL9"):
            self.diagnostics.append(first)
            return
        message = f"the {what} stays as it is: {first.message}{code}"
        remedy = first.remedy
        if remedy.startswith("lift to "):
            remedy = f"keep the loops, or {remedy} by `tensorlift lift`"
        elif "another target" in remedy:
            remedy = "keep the loops"
        self.diagnostics.append(Diagnostic("TL593", message, place, remedy, Severity.NOTE))


@dataclass(frozen=True)
class RaisingPass(ModulePass):
    """A pass that reports what it did."""

    is_nestable: ClassVar[bool] = True  # whether it needs no more of the module than one function
    report: Report = field(default_factory=Report, init=False, compare=False, repr=False)

    @property
    def operations(self) -> tuple[type[Operation], ...]:
        """The operations that it may put into a module, beside those of the loop IR."""
        return ()


@dataclass(frozen=True)
class NestPass(RaisingPass):
    """A pass over loop nests; one that is not replaced whole is looked into, nest by nest."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the nests of every function."""
        del ctx
        for function in functions(op):
            self.function(function)

    def function(self, function: Operation) -> None:
        """Replace the nests of a function; one whose blocks jump back is one nest."""
        self.report.at(function)
        if _jumps_back(function):
            self._jumping(function)
            return
        for block in _blocks(function):
            self._block(block)

    def _jumping(self, function: Operation) -> None:
        """Replace the whole body of a function."""
        body = function.regions[0]
        nest, place = body_as_region(function), location_of(function)
        try:
            self.report.replaced("nest", self.replace([nest]), place)
        except LiftError as refusal:
            function.detach_region(0)
            function.add_region(body)
            self.report.stays("nest", refusal, place)

    def replace(self, ops: Sequence[Operation]) -> Replaced:
        """Replace nests that stand one behind the other together; raises LiftError where they stay."""
        return replace_proved(ops, self.write)

    def write(self, nest: Nest) -> Written:
        """Write what stands in the place of a nest; raises LiftError."""
        raise NotImplementedError

    def wants(self, op: Operation) -> bool:
        """Tell whether a nest is one for this pass."""
        del op
        return True

    def _block(self, block: Block) -> None:
        for op in list(block.ops):
            if op.name not in NESTS:
                for inner in _blocks(op):
                    self._block(inner)
            elif self.wants(op) and op.parent is block and not self._with_rest(op):
                self._nest(op)

    def _with_rest(self, op: Operation) -> bool:
        """Replace a loop together with the one that runs its last iterations; tell whether that was done."""
        rest = _rest_of(op)
        if rest is None or not self.wants(rest):
            return False
        place = location_of(op)
        try:
            self.report.replaced("nest", self.replace([op, rest]), place)
        except LiftError:
            return False
        return True

    def _nest(self, op: Operation) -> None:
        place, what = location_of(op), "kernel" if op.name in KERNELS else "nest"
        try:
            self.report.replaced(what, self.replace([op]), place)
        except LiftError as refusal:
            inside = [inner for one in _blocks(op) for inner in one.ops if inner.name in LOOPS]
            if not inside:
                self.report.stays(what, refusal, place)
            for one in _blocks(op):
                self._block(one)


@dataclass(frozen=True)
class RaiseAffineToLinalg(NestPass):
    """Replaces loop nests by operations of Linalg on memrefs, in place; what is not raised stays."""

    name: ClassVar[str] = "raise-affine-to-linalg"

    def write(self, nest: Nest) -> Written:
        """Write operations of Linalg."""
        return as_linalg(nest)


@dataclass(frozen=True)
class RaiseAffineToAffine(NestPass):
    """Replaces nests that are named products, with fills, by these operations; all else stays loops.

    The affine dialect has no product of matrices; those of Linalg on memrefs stand beside affine loops.
    """

    name: ClassVar[str] = "raise-affine-to-affine"

    def write(self, nest: Nest) -> Written:
        """Write named products."""
        names, result = as_linalg(nest)
        named = [name.removeprefix("linalg.") in PRODUCTS for name in names if name != "linalg.fill"]
        if not named or not all(named):
            raise unraisable("it is no named product")
        return names, result


@dataclass(frozen=True)
class DistributeLoops(NestPass):
    """Splits nests with several stores into perfect nests with one store each."""

    name: ClassVar[str] = "distribute-loops"

    def write(self, nest: Nest) -> Written:
        """Write loops."""
        return as_loops(nest)

    def wants(self, op: Operation) -> bool:
        """Tell whether a nest has several stores."""
        return op.name in LOOPS and sum(inner.name in _STORES for inner in op.walk()) > 1


@dataclass(frozen=True)
class Delinearize(RaisingPass):
    """Lets loops access flat memrefs through views with dimensions; an array is seen nest by nest."""

    name: ClassVar[str] = "delinearize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Give the flat memrefs of every function dimensions."""
        del ctx
        for function in plain_functions(op):
            views = Views()
            for nest in _loops_in(self.report.at(function)):
                self._nest(nest, views, set())
            for _ in range(views.finish()):
                self.report.count("allocations with dimensions")

    def _nest(self, nest: Operation, views: Views, seen: set[SSAValue]) -> None:
        arrays = [array for array in views.arrays(nest) if array not in seen]
        for array in arrays:
            self._array(array, nest, views)
        for inner in _loops_in(nest):
            self._nest(inner, views, seen | set(arrays))

    def _array(self, array: SSAValue, nest: Operation, views: Views) -> None:
        """See an array in a nest, or in nests inside of it one by one; say why where it is seen in none."""
        try:
            self._see(array, nest, views)
        except LiftError as refusal:
            if not self._inside(array, nest, views):
                self.report.stays(f"array {_called(array)}", refusal, location_of(nest))

    def _see(self, array: SSAValue, nest: Operation, views: Views) -> bool:
        found = views.see(array, nest)
        if found is not None:
            self.report.seen(_called(array), found, location_of(nest))
        return found is not None

    def _inside(self, array: SSAValue, nest: Operation, views: Views) -> bool:
        """See an array in the nests inside of one; tell whether it is seen in any."""
        done = False
        for inner in _loops_in(nest):
            try:
                done = (array in views.arrays(inner) and self._see(array, inner, views)) or done
            except LiftError:
                done = self._inside(array, inner, views) or done
        return done


@dataclass(frozen=True)
class RaiseLinalgToBlas(RaisingPass):
    """Replaces operations of Linalg on memrefs by calls of CBLAS where they are products.

    What is written to one memref by operations one behind the other is one call where BLAS scales and adds.
    """

    name: ClassVar[str] = "raise-linalg-to-blas"
    is_nestable: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raise every product of every function, and add the functions that call CBLAS."""
        del ctx
        routines: dict[str, Callee] = {}
        for function in plain_functions(op):
            for block in _blocks(self.report.at(function)):
                self._block(block, op, routines)
        add_routines(op, routines.values())

    def _block(self, block: Block, module: ModuleOp, routines: dict[str, Callee]) -> None:
        for group in list(_groups(block)):
            for ops in [group] if len(group) == 1 else [group, *([one] for one in group)]:
                if self._raise(ops, module, routines, is_last=len(ops) == 1):
                    break
        for op in list(block.ops):
            if not op.name.startswith("linalg."):
                for inner in _blocks(op):
                    self._block(inner, module, routines)

    def _raise(self, ops: Sequence[Operation], module: ModuleOp, routines: dict[str, Callee], *, is_last: bool) -> bool:
        """Raise operations together; tell whether they were."""
        place = location_of(ops[-1])

        def write(nest: Nest) -> Written:
            written = as_blas(nest)
            check_names(module, nest.routines.values())
            return written

        try:
            found = replace_proved(ops, write)
        except LiftError as refusal:
            if is_last and _is_product(ops[0]):
                self.report.stays("product", refusal, place)
            return False
        self.report.replaced("product", found, place)
        routines.update({routine.name: routine for routine in found.routines})
        return len(ops) > 1


@dataclass(frozen=True)
class ReorderMatmulChain(RaisingPass):
    """Multiplies chains of matrices of any length in the order with the fewest multiplications.

    Where that depends on sizes that are not known, a guard chooses among several orders.
    """

    name: ClassVar[str] = "reorder-matmul-chain"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Reorder every chain of every function."""
        del ctx
        for function in plain_functions(op):
            blocks = [block for inner in self.report.at(function).walk() for block in _blocks(inner)]
            for chain in [chain for block in blocks for chain in chains_in(block)]:
                self._reorder(chain)

    def _reorder(self, chain: Chain) -> None:
        place = location_of(chain.last)
        try:
            self.report.replaced("chain", reorder(chain.ops), place)
        except LiftError as refusal:
            self.report.stays("chain", refusal, place)


def _jumps_back(function: Operation) -> bool:
    """Tell whether a block of a function jumps to one before, as loops of jumps do."""
    seen: set[Block] = set()
    for block in function.regions[0].blocks:
        seen.add(block)
        if block.last_op is not None and not seen.isdisjoint(block.last_op.successors):
            return True
    return False


def plain_functions(module: ModuleOp) -> list[Operation]:
    """List the functions of a module whose bodies do not jump."""
    return [function for function in functions(module) if len(function.regions[0].blocks) == 1]


def _groups(block: Block) -> Iterator[list[Operation]]:
    """Yield runs of operations that write parts of one memref, with nothing between that touches memory."""
    group: list[Operation] = []
    for op in list(block.ops):
        if op.name in PURE:
            continue
        if not op.name.startswith("linalg."):
            if group:
                yield group
            group = []
            continue
        if group and root_of(op.operands[-1]) is not root_of(group[-1].operands[-1]):
            yield group
            group = []
        group.append(op)
    if group:
        yield group


def _rest_of(loop: Operation) -> Operation | None:
    """Return the loop behind one that starts where it ends, as what is left of an unrolled loop does."""
    rest = loop.next_op
    while rest is not None and rest.name in PURE:
        rest = rest.next_op
    one: Any = loop
    other: Any = rest
    if rest is None or rest.name != loop.name:
        return None
    if loop.name == "scf.for":
        return rest if one.ub is other.lb else None
    if loop.name != "affine.for" or one.upperBoundMap != other.lowerBoundMap:
        return None
    return rest if list(one.upperBoundOperands) == list(other.lowerBoundOperands) else None


def _called(value: SSAValue) -> str:
    """Return the name of a value, as the source has it."""
    return value.name_hint or "without a name"


def _loops_in(op: Operation) -> Iterator[Operation]:
    """Yield the outermost loops inside of an operation."""
    for block in _blocks(op):
        for inner in list(block.ops):
            if inner.name in LOOPS:
                yield inner
            else:
                yield from _loops_in(inner)


def _is_product(op: Operation) -> bool:
    return any(space_of(op).folded)


def _blocks(op: Operation) -> Iterator[Block]:
    """Yield the blocks of an operation that passes look into: what the threads of a kernel run stays whole."""
    for region in op.regions if op.name not in KERNELS else ():
        yield from region.blocks


_ALL = (Delinearize, DistributeLoops, RaiseAffineToAffine, RaiseAffineToLinalg, RaiseLinalgToBlas, ReorderMatmulChain)
RAISING: dict[str, type[RaisingPass]] = {one.name: one for one in _ALL}
