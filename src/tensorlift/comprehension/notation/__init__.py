"""The notation: terms, definitions and summaries as text, and read back."""

from tensorlift.comprehension.notation.definitions import show_definition, show_summary
from tensorlift.comprehension.notation.printer import show

__all__ = ["show", "show_definition", "show_summary"]
