"""The normal form of terms, which decides equality for every size."""

from tensorlift.comprehension.normal.alike import alike
from tensorlift.comprehension.normal.decide import clear_caches, equal, is_spent

__all__ = ["alike", "clear_caches", "equal", "is_spent"]
