"""Tactics: declarative raising rules, after "Multi-Level Tactics".

    TDL text -> statements -> TDS programs (checked equal to their patterns) -> matchers -> a tensor program

A tactic says what loops compute, its *pattern*, and how tensor operations compute the same, its *builder*.  Patterns
are matched against definitions, so the order, distribution and splitting of the loops do not matter.
"""

from tensorlift.synthesis.tactics.engine import Engine
from tensorlift.synthesis.tactics.load import Tactic, load_tactics, shipped_tactics

__all__ = ["Engine", "Tactic", "load_tactics", "shipped_tactics"]
