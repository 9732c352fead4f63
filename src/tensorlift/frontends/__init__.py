"""The front ends: source text of one language each to the loop IR, with source locations."""
