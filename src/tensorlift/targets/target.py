"""Targets: a dialect to lift to is a table of operations, each with its meaning, and an emitter.

An `OpRow` is the only place where an operation is described.  The checker executes emitted text symbolically with the
rows' meanings, the emitter may use nothing that has no row, and a test runs each row's samples for real and compares.
To add an operation, add a row.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.comprehension.tensor import Shape, SymbolicTensor
from tensorlift.diagnostics import LiftError
from tensorlift.ir.cost import Costs
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.tensor import Obligations, TypeRules
    from tensorlift.ops.dtypes import DType

# The kinds of arguments: a row's meaning names them in its annotations, and the checker converts accordingly.
Tensor = SymbolicTensor
Tensors = tuple[SymbolicTensor, ...]
Size = Affine
Sizes = Shape  # a tuple of sizes, or one size for a tuple of one
Axes = int | tuple[int, ...] | None
AxisPairs = int | tuple[object, object]
Flag = bool
Text = str

# The code of the refusal of a program that a target can write if sizes are given, with loops that it cannot keep.
SIZE_NEEDED = "TL515"


class Overlaps(Enum):
    """What a store writes whose value is a view of the memory that it writes.

    Of one axis, NumPy copies such a view only where it runs the other way; else it goes cell by cell, in an order that
    is right for equal strides (``PyArray_AssignArray`` in array_assign_array.c).
    """

    COPIED = "the value, as it was before the store"
    STRIDED = "that value, but along one axis only where strides are equal or of opposite signs"
    LOST = "perhaps cells that it wrote itself"


class UnspelledError(LiftError):
    """Raised where a target has no spelling of a statement; ``definitions`` are what it or a later one computes."""

    def __init__(self, error: LiftError, definitions: Sequence[str]) -> None:
        """Give the refusals, and the names of definitions in program order."""
        super().__init__(*error.diagnostics)
        self.definitions = definitions


class ElementType(NamedTuple):
    """An element type as a value of the emitted program, such as ``np.float64``."""

    dtype: DType


class Device(NamedTuple):
    """Where a tensor lies: all arguments of a program lie on one device, so that there is only one."""


DEVICE = Device()


class NewAxis(NamedTuple):
    """``None`` in a subscript."""


class Ellipsis_(NamedTuple):  # noqa: N801 - the builtin has the name
    """``...`` in a subscript."""


class Slice(NamedTuple):
    """``lower:upper:step`` in a subscript, with a constant step."""

    lower: Affine | None = None
    upper: Affine | None = None
    step: int = 1


SubscriptItem = NewAxis | Ellipsis_ | Slice | SymbolicTensor
Subscripts = tuple[SubscriptItem, ...]

Value = SymbolicTensor | tuple["Value", ...] | ElementType | Device | str | bool | None
Meaning = Callable[..., Value]


class Memory(Enum):
    """Where a result lives: in memory of its own, or in that of the first operand.

    ``BLANK`` is new memory whose cells have no values yet; a ``WINDOW`` is a view that cannot be written through.  An
    ``UPDATE`` is a statement, which gives nothing: the first operand changes.
    """

    NEW = "new"
    BLANK = "blank"
    VIEW = "view"
    WINDOW = "window"
    UPDATE = "update"


MemoryRule = Callable[..., Memory]


class Sample(NamedTuple):
    """How to try a row: an expression over operands such as ``a="f64[m, n]"``, with sizes from ``least`` on."""

    text: str
    operands: Mapping[str, str]
    least: int = 0


def sample(text: str, least: int = 0, /, **operands: str) -> Sample:
    """Return a sample, with its operands by keyword."""
    return Sample(text, operands, least)


def samples_of(texts: Iterable[str], least: int = 0, /, **operands: str) -> list[Sample]:
    """Return samples, each with those of the operands that its text names."""
    return [_sample(text, least, operands) for text in texts]


def both_forms(
    module: str, name: str, texts: Iterable[str], least: int, operand: str
) -> tuple[list[Sample], list[Sample]]:
    """Return samples of a method of an array ``a``, and of the function of that name, for texts of the arguments."""
    listed = list(texts)
    method = [sample(f"a.{name}({text})", least, a=operand) for text in listed]
    return method, [sample(f"{module}.{name}(a{', ' * bool(text)}{text})", least, a=operand) for text in listed]


class Parameter(NamedTuple):
    """A parameter of an operation: its kind is the text of the annotation."""

    name: str
    kind: str
    is_optional: bool
    is_variadic: bool
    is_keyword: bool


@dataclass(frozen=True, eq=False)
class OpRow:
    """One operation of a target.

    ``spelling`` is how the operation is written: an operator (``+``, ``-x`` where it is a prefix), a function
    (``np.exp``), a method (``.sum()``), an attribute (``.T``), a subscript (``x[]``), a builtin (``len``), or the name
    of an operation in MLIR.  ``meaning(obligations, operands and attributes)`` gives the result; its parameters are
    those of the operation, in order and by name.  ``reads_cells`` is false where only shape and type of the operands
    count, so that they may be blank; ``reads_outs`` where what the result is written over does not matter.

    What an operation in MLIR looks like in the text says its ``form`` (`mlir_text.operations`), nothing where it is
    generic; an operation without one is of a dialect of xDSL.  ``read_as`` is the class of xDSL that reads it, unless
    it follows from the form, ``types`` are those of the dialect's own that it needs, and ``verify`` demands what the
    dialect does.  ``probe`` gives arguments of a type to try the operation on, where its kinds of parameters do not
    tell them; ``instances`` are what is known of an imported operation, which means what one of them does, and
    ``refusal`` is what the dialect's verifier says against one, if anything.
    """

    spelling: str
    name: str
    meaning: Meaning
    samples: tuple[Sample, ...]
    memory: Memory | MemoryRule = Memory.NEW
    reads_cells: bool = True
    reads_outs: bool = True
    form: str | None = None
    read_as: type[Any] | None = None
    types: tuple[type[Any], ...] = ()
    verify: Callable[[Any], None] | None = None
    probe: Callable[[OpRow, Any, DType], Iterator[dict[str, Any]]] | None = None
    instances: tuple[Instance, ...] = ()
    refusal: Callable[[Instance], str] = lambda _: ""

    def __post_init__(self) -> None:
        """Refuse a row that nothing would test."""
        if not self.samples:
            raise ValueError(f"the row {self.name} has no sample")

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The operation's parameters, read from the signature of its meaning."""
        listed = list(inspect.signature(self.meaning).parameters.values())[1:]
        return tuple(
            Parameter(
                p.name,
                str(p.annotation),
                p.default is not inspect.Parameter.empty,
                p.kind is inspect.Parameter.VAR_POSITIONAL,
                p.kind is inspect.Parameter.KEYWORD_ONLY,
            )
            for p in listed
        )

    def probes(self, o: Obligations, dtype: DType) -> Iterator[dict[str, Any]] | None:
        """Yield arguments of a type to try the operation on, by name; None where the kinds of parameters tell them."""
        return None if self.probe is None else self.probe(self, o, dtype)


def row(  # noqa: PLR0913 - what most rows say
    spelling: str,
    meaning: Meaning,
    *samples: str | Sample,
    least: int = 0,
    name: str = "",
    memory: Memory | MemoryRule = Memory.NEW,
    reads_cells: bool = True,
    form: str | None = None,
    **operands: str,
) -> OpRow:
    """Return a row, with operands by keyword of the samples that are texts; its name is the last of its spelling."""
    listed = tuple(_sample(entry, least, operands) if isinstance(entry, str) else entry for entry in samples)
    name = name or spelling.removesuffix("()").rpartition(".")[2]
    return OpRow(spelling, name, meaning, listed, memory, reads_cells, form=form)


def respelled(meaning: Meaning, parameters: str) -> Meaning:
    """Return a meaning with the parameters of another library: ``own=shared`` where a shared one has another name.

    Those after ``*`` are given by name, and one with ``!`` must be given, though it has a default.  A ``device`` says
    where the result is, not what.
    """
    shared = inspect.signature(meaning).parameters
    listed = [next(iter(shared.values()))]
    names: dict[str, str] = {}
    how: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for word in parameters.split():
        own, _, name = word.rstrip("!").partition("=")
        if own == "*":
            how = inspect.Parameter.KEYWORD_ONLY
        elif own == "device":
            listed.append(inspect.Parameter(own, how, default=None, annotation="Device | None"))
        else:
            names[own] = name or own
            found = shared[names[own]].replace(name=own, kind=how)
            listed.append(found.replace(default=inspect.Parameter.empty) if word.endswith("!") else found)
    signature = inspect.Signature(listed)

    def respelling(o: Obligations, *values: object, **named: object) -> Value:
        given = signature.bind(o, *values, **named).arguments
        return meaning(o, **{names[own]: value for own, value in given.items() if own in names})

    respelling.__signature__ = signature  # type: ignore[attr-defined]  # what the parameters are read from
    return respelling


def _sample(text: str, least: int, operands: Mapping[str, str]) -> Sample:
    return Sample(text, {o: spec for o, spec in operands.items() if re.search(rf"\b{o}\b", text)}, least)


class Routine(NamedTuple):
    """A routine that programs call and that the front end knows; ``samples`` are functions ``sample`` that call it."""

    name: str
    parameters: str
    samples: tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """A dialect to lift to.

    ``rows`` are by spelling, ``types`` say how their results are typed.  ``modules`` are the import statements that an
    emitted program may have, by the names that they bind, and ``constants`` are its named numbers (None is the new
    axis); ``table`` makes an array of lists of numbers.  ``emitter`` and ``guarder`` are ``module:function``, loaded
    when they are first asked for, so that checking never loads them; a target without the latter has no guards.
    ``checks`` are statements with which a function may start, each with the element types that no value has unless it
    passes.
    Of its ``products``, those of single precision are that precise only where the decorator ``precise`` stands above
    the function.
    Where a target ``is_interpreted``, each operation on a cell takes as long as one on a short array.
    ``changes_arrays`` is false where arrays cannot be written, so that nobody can tell which of them share memory;
    where they are, ``overlaps`` says what a store makes of a view of that memory.  ``numbers`` are the operations whose
    new results of rank 0 nobody can write.  ``library`` is what running a program takes, where it is none of ours.
    Where a target ``takes_empty`` arrays, programs are asked for that are right for sizes of zero, too; it has
    ``short_windows`` where there may be none of them in what they run over; what is ``segmented``
    where there are folds between bounds that are data: ``lists``, in which each bound is the end of the fold before, or
    ``pairs`` of bounds, or values are ``spread`` over the places between these.
    ``helpers`` are functions that a text may define, by name, each an operation with a row.
    It ``orders_stores`` where the last value stays that is stored at places of one index array.
    ``language`` is what programs are written in: ``python``, ``c``, or ``mlir``, whose further ``dialects`` are
    ``module:Dialect``s of xDSL, and whose operations ``loops`` repeat a region.  Where it ``takes_sizes``, a program
    may be written for some; it has values that are no tensors where it ``has_numbers``.  Where it ``is_signless``,
    operations tell signed from unsigned integers, and types do not.
    What a program in ``c`` means is found by reading and summarising it; its emitter takes definitions, and
    ``routines`` are what it calls.  ``costs`` rank programs that compute the same, and ``forms`` are the other forms
    of programs (`synthesis/forms`) that may be cheaper in it.
    ``instances`` are what is known of the operations of an imported dialect.
    """

    name: str
    rows: Mapping[str, OpRow]
    types: TypeRules
    modules: Mapping[str, str] = field(default_factory=dict)
    element_types: Mapping[str, DType] = field(default_factory=dict)
    constants: Mapping[str, SymbolicTensor | None] = field(default_factory=dict)
    table: str = ""
    emitter: str = ""
    guarder: str = ""
    checks: Mapping[str, frozenset[DType]] = field(default_factory=dict)
    products: frozenset[str] = frozenset()
    precise: str = ""
    changes_arrays: bool = True
    is_interpreted: bool = False
    overlaps: Overlaps = Overlaps.COPIED
    numbers: frozenset[str] = frozenset()
    library: str = ""
    takes_empty: bool = False
    short_windows: bool = False
    segmented: frozenset[str] = frozenset()
    helpers: Mapping[str, str] = field(default_factory=dict)
    orders_stores: bool = False
    language: str = "python"
    dialects: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
    takes_sizes: bool = False
    is_signless: bool = False
    has_numbers: bool = False
    routines: tuple[Routine, ...] = ()
    costs: Costs = field(default_factory=Costs)
    forms: frozenset[str] = frozenset()
    instances: tuple[Instance, ...] = ()

    @property
    def reads_back(self) -> bool:
        """Whether a front end reads its programs, and what they mean is what they are summarised as."""
        return self.language == "c"

    @property
    def starts(self) -> frozenset[str]:
        """All checks and decorators that a function may have."""
        return frozenset({*self.checks, *([self.precise] if self.precise else [])})

    @cached_property
    def emit(self) -> Callable[..., Any]:
        """The function that turns definitions into a program of this target."""
        emitter: Callable[..., Any] = _loaded(self.emitter)
        return emitter

    @cached_property
    def guarded(self) -> Callable[..., Any] | None:
        """The function that adds guards to an emitted program, None where the target has none."""
        return _loaded(self.guarder) if self.guarder else None

    def load_dialects(self) -> tuple[Any, ...]:
        """Load the dialects of xDSL that programs are made of, besides the operations of the rows."""
        return tuple(_loaded(place) for place in self.dialects)

    def row(self, spelling: str) -> OpRow | None:
        """Return the operation that is written so, if there is one."""
        return self.rows.get(spelling)


def _loaded(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def by_spelling(rows: Iterable[OpRow]) -> dict[str, OpRow]:
    """Index rows; two rows of one spelling or one name are a mistake in the table."""
    table: dict[str, OpRow] = {}
    names: set[str] = set()
    for row in rows:
        if row.spelling in table or row.name in names:
            raise ValueError(f"the operation {row.name} ({row.spelling}) stands in the table twice")
        table[row.spelling] = row
        names.add(row.name)
    return table
