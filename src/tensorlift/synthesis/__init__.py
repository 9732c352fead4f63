"""Synthesis: from the definitions of a summary to a tensor program, a proposal that proofs decide about."""
