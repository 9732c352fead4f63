"""From loops to definitions: what each array of a function is afterwards, for every size, each closed form proved."""

from tensorlift.summarize.summary import summarise

__all__ = ["summarise"]
