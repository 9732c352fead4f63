"""Random pairs of terms, and whether plain evaluation tells them apart."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from tests.comprehension.evaluate import Evaluator, contains
from tests.comprehension.random_terms import CHANGING, DTYPES, KEEPING, Generator, rewritten

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import COMBINER, Reduce
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, less
from tensorlift.poly.names import fresh
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Term

LARGEST = 3
BOX = Domain.box(("i", "j"), (Affine.var("n"), Affine.var("m"))) & Domain.of(
    less("n", LARGEST + 1), less("m", LARGEST + 1)
)
POINTS = [
    {"n": n, "m": m, "i": i, "j": j}
    for n in range(LARGEST + 1)
    for m in range(LARGEST + 1)
    for i in range(n)
    for j in range(m)
]


@dataclass(frozen=True)
class Pair:
    """A term, the same term rewritten a few times, and the domain on which they are compared."""

    left: Term
    right: Term
    domain: Domain
    is_kept: bool


def random_pair(seed: int) -> Pair:
    """Return a pair of terms; one in five rewritings may change the meaning."""
    random = Random(seed)
    SESSION.restart()
    generator = Generator(random)
    left = right = generator.term(random.choice(DTYPES), random.choice([2, 3, 3]), ("i", "j"))
    is_kept = True
    for _ in range(random.randrange(1, 4)):
        keeping = random.random() < 0.8
        right = rewritten(generator, right, KEEPING if keeping else CHANGING)
        is_kept = is_kept and keeping
    domain = BOX if random.random() < 0.6 else BOX & generator.domain(("i", "j"))
    return Pair(left, right, domain, is_kept)


def stepped_pair(seed: int) -> Pair | None:
    """Return a fold and the same with a fold for each remainder, as of an unrolled loop; half of them are wrong."""
    random = Random(seed)
    SESSION.restart()
    generator = Generator(random)
    left = generator.fold(random.choice(DTYPES), random.choice([1, 2]), ("i", "j"))
    if not isinstance(left, Reduce) or left.op in ("fmax", "fmin"):
        return None
    step, name = random.choice([2, 2, 3]), fresh("b")
    places = [Affine.var(name, step) + remainder for remainder in range(step)]
    read = list(places)
    is_kept = random.random() < 0.5
    if not is_kept:
        wrong = random.choice([places, read])
        wrong[random.randrange(step)] += random.choice([-1, 1, step])
    parts = [
        terms.reduce(
            left.op,
            (name, *left.bound[1:]),
            left.domain.substitute({left.bound[0]: place}),
            substitute(left.body, {left.bound[0]: at}),
        )
        for place, at in zip(places, read, strict=True)
    ]
    right = parts[0]
    for part in parts[1:]:
        right = terms.apply(COMBINER[left.op], right, part)
    return Pair(left, right, BOX, is_kept)


def difference(pair: Pair, contents: int = 2) -> str | None:
    """Return a point and contents for which the terms differ, None where none of a few does."""
    for point in POINTS:
        if not contains(pair.domain, point):
            continue
        for seed in range(contents):
            evaluator = Evaluator(seed)
            left, right = evaluator.value(pair.left, point), evaluator.value(pair.right, point)
            if left != right:
                return f"{left} != {right} at {point} with contents {seed}"
    return None
