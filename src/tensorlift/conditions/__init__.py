"""Conditions: the small typed language in which preconditions are stated, spelled, written as data and guarded."""
