"""The constructs that random programs mix, each with the pairs of types that it is wanted with.

Which uses the program of a seed has follows from the seed alone: each construct walks its pairs, shuffled anew in each
round, so fast that a full run has each of them `LEAST` times.  What else a program needs is drawn at random.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product
from operator import add, and_, floordiv, lshift, lt, mod, mul, neg, or_, rshift, sub, truediv, xor
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.random_types.types import INTEGERS, TYPES
from tensorlift.ir.memory import NUMPY_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Use = tuple[str, str, str]  # a construct and two types; "" where there is only one

LEAST = 50  # programs of a full run that have each construct with each pair
PROGRAMS = {"c": 8000, "python": 5000, "mlir": 7000}  # of a full run
_OFTEN = 150  # programs: what only doubles show needs more of them
_SOME = 5  # uses
_ROUNDS = 2  # of the walk that a run may have in part only, at either end


@dataclass(frozen=True)
class Construct:
    """A construct with its pairs, each of which ``least`` programs of a full run have.

    With several ``turns``, programs take turns with that many parts of the pairs: a function has sizes of one type.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    least: int = LEAST
    turns: int = 1


def uses_of(language: str, rank: int, share: float) -> list[Use]:
    """List the uses that a program must have, given how many stand before it, and which share of a run has any."""
    uses = []
    for construct in CONSTRUCTS[language]:
        turn, name, turns = rank % construct.turns, construct.name, construct.turns
        pairs = construct.pairs[turn * len(construct.pairs) // turns : (turn + 1) * len(construct.pairs) // turns]
        total, among = (construct.least + _ROUNDS) * len(pairs), int(PROGRAMS[language] * share) // turns
        phase = random.Random(name).randrange(among)  # so that not all constructs come in the same programs
        first, last = ((place * total + phase) // among for place in (rank // turns, rank // turns + 1))
        for step in range(first, last):
            round_of, place = divmod(step, len(pairs))
            order = random.Random(f"{name} {turn} {round_of}").sample(range(len(pairs)), len(pairs))
            uses.append((name, *pairs[order[place]]))
    return uses


def some(language: str, seed: int, types: Sequence[str]) -> list[Use]:
    """Draw a few uses that mix no other types."""
    rng, made = random.Random(f"{language} {seed}"), dict[str, tuple[str, str]]()
    size = rng.choice(("i32", "i64"))
    for construct in rng.sample(CONSTRUCTS[language], _SOME):
        fitting = [pair for pair in construct.pairs if not any(of in TYPES and of not in types for of in pair)]
        if construct.turns > 1:
            fitting = [pair for pair in fitting if pair[0] == size]
        if fitting:
            made[construct.name] = rng.choice(fitting)
    return [(name, *pair) for name, pair in made.items()]


# -- C

_SIZED = ("index", "table", "offset", "early return")
_WHOLE = ("bool", *INTEGERS)
_SIZES = ("i32", "i64", "u32", "u64")
_BITS = ("%", ">>", "<<", "&", "|", "^")


def _all(one: Iterable[str], other: Iterable[str] = ("",)) -> tuple[tuple[str, str], ...]:
    return tuple(product(one, other))


_ANY = _all(TYPES, TYPES)
# What values are converted to, how they are combined and chosen, and what they are gathered in.
_MIXING = (
    "cast", "there and back", "store", "local", "return", "update", "+", "-", "*", "/", "compare", "?:", "min", "logic",
    "accumulate", "extreme", "carried", "reach",
)  # fmt: skip
_C = (
    *(Construct(name, _ANY) for name in _MIXING),
    *(Construct(name, _all(_WHOLE, _WHOLE)) for name in _BITS),
    *(Construct(name, _all(TYPES)) for name in ("neg", "!")),
    Construct("single", _all(TYPES), _OFTEN),
    Construct("~", _all(_WHOLE)),
    *(Construct(name, _all(_SIZES, TYPES), turns=len(_SIZES)) for name in _SIZED[:-1]),
    Construct(_SIZED[-1], _all(_SIZES), turns=len(_SIZES)),
)

# -- Python

WEAK = {"int": 3, "float": 1.5}  # numbers of Python's own, which take the type of what they meet
SAMPLES: dict[str, Any] = {of: np.dtype(NUMPY_TYPES[of]).type(1) for of in TYPES} | WEAK
OPERATORS: dict[str, Callable[..., Any]] = {
    "+": add, "-": sub, "*": mul, "/": truediv, "//": floordiv, "%": mod, ">>": rshift, "<<": lshift, "&": and_,
    "|": or_, "^": xor, "compare": lt, "neg": neg, "~": lambda x: ~x, "abs": abs,
}  # fmt: skip
_CALLS = ("int", "float", "bool", "abs", "neg", "~")


def type_of(construct: str, *types: str) -> str:
    """Return the type that an operator of Python gives; raises TypeError where it does not take these."""
    with np.errstate(all="ignore"):
        value = OPERATORS[construct](*(SAMPLES[of] for of in types))
    return name_of(value)


def name_of(value: Any) -> str:
    """Return the name of the type of a number of Python or NumPy."""
    if isinstance(value, np.generic):
        return next(of for of, dtype in NUMPY_TYPES.items() if value.dtype == dtype and of in TYPES)
    return {bool: "bool", int: "int", float: "float"}[type(value)]


def _takes(construct: str, *types: str) -> bool:
    try:
        type_of(construct, *types)
    except TypeError:
        return False
    return True


_NUMBERS = (*TYPES, *WEAK)
_KEPT = tuple(
    (of, kind) for of in _NUMBERS for kind in _NUMBERS if _takes("+", kind, of) and type_of("+", kind, of) == kind
)
_ALIKE = tuple((of, of) for of in _NUMBERS if of != "bool")
_SHARED = 10  # of 50 where C has the same construct with the same pair


def _python(name: str, pairs: Iterable[tuple[str, str]]) -> list[Construct]:
    """Split the pairs of a construct by whether C has them too."""
    in_c = {pair for construct in _C if construct.name == name for pair in construct.pairs}
    own, shared = (tuple(pair for pair in pairs if (pair in in_c) is here) for here in (False, True))
    return [Construct(name, of, least) for of, least in ((own, LEAST), (shared, _SHARED)) if of]


_OPERATORS = ("+", "-", "*", "/", "//", "%", ">>", "<<", "&", "|", "^", "compare")
# A number whose type depends on data is refused: what is chosen from, and what is carried and then becomes, are alike.
_PAIRS_IN_PYTHON: tuple[tuple[str, Iterable[tuple[str, str]]], ...] = (
    *((name, [pair for pair in _all(_NUMBERS, _NUMBERS) if _takes(name, *pair)]) for name in _OPERATORS),
    *((name, [(of, "") for of in _NUMBERS if name not in OPERATORS or _takes(name, of)]) for name in _CALLS),
    *((name, _all(_NUMBERS, TYPES)) for name in ("cast", "store", "update")),
    *((name, _all(_NUMBERS, _NUMBERS)) for name in ("else", "logic")),
    *((name, _ALIKE) for name in ("?:", "min", "extreme", "carried")),
    ("accumulate", _KEPT),
    ("return", _all(_NUMBERS)),
    *((name, _all(TYPES, TYPES)) for name in ("reach", "there and back")),
    *((name, _all(("int",), TYPES)) for name in ("index", "offset")),
    ("early return", _all(("int",))),
)
_PYTHON = (
    *(construct for name, pairs in _PAIRS_IN_PYTHON for construct in _python(name, pairs)),
    Construct("single", _all(_NUMBERS), _OFTEN),
)

# -- MLIR

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f32": 32, "f64": 64}
INTEGER_OPS = ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui")
BY_CONSTANT = ("divsi", "remsi", "divui", "remui", "floordivsi", "shrsi", "shrui", "shli")
FLOAT_OPS = ("addf", "subf", "mulf", "minnumf", "maxnumf", "minimumf", "maximumf")
SIGNED = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
ORDERED = ("oeq", "une", "olt", "ole", "ogt", "oge")
_INTS, _FLOATS = tuple(of for of in WIDTHS if of[0] == "i"), ("f32", "f64")
_WIDE = _INTS[1:]


def casts_between(one: str, other: str) -> tuple[str, ...]:
    """List the casts of MLIR from one type to another one."""
    wider = WIDTHS[other] > WIDTHS[one]
    if one[0] == other[0]:
        return (("extsi", "extui") if one[0] == "i" else ("extf",)) if wider else (f"trunc{one[0]}",)
    return ("sitofp", "uitofp") if one[0] == "i" else ("fptosi", "fptoui")


def _is_fold(operation: str) -> bool:
    return operation[:3] != "sub"


_CASTS = [(cast, pair) for pair in product(WIDTHS, WIDTHS) if pair[0] != pair[1] for cast in casts_between(*pair)]
_OPS = (*_all(INTEGER_OPS, _INTS), *_all(FLOAT_OPS, _FLOATS))
_MLIR = (
    *(Construct(cast, tuple(pair for one, pair in _CASTS if one == cast)) for cast in dict(_CASTS)),
    Construct("binary", _OPS),
    Construct("fold", tuple(pair for pair in _OPS if _is_fold(pair[0]))),
    Construct("carried", (*_all(("subi",), _INTS), *_all(("subf",), _FLOATS))),
    Construct("by constant", _all(BY_CONSTANT, _WIDE)),
    Construct("select", (*_all(SIGNED, _WIDE), *_all(ORDERED, _FLOATS), *_all(SIGNED[:2], ("i1",)))),
    Construct("store", _all(WIDTHS, WIDTHS)),
    *(Construct(cast, _all(("index",), _WIDE)) for cast in ("index_cast", "index_castui")),
)

CONSTRUCTS: dict[str, tuple[Construct, ...]] = {"c": _C, "python": _PYTHON, "mlir": _MLIR}
