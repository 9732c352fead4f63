"""The normal form of terms, which decides equality for every size."""

from tensorlift.comprehension.normal.alike import alike
from tensorlift.comprehension.normal.decide import equal, is_spent
from tensorlift.comprehension.normal.interning import PROVING, PROVING_NUMBERS, TIDYING, asking_for

__all__ = ["PROVING", "PROVING_NUMBERS", "TIDYING", "alike", "asking_for", "equal", "is_spent"]
