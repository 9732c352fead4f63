"""Targets that are MLIR dialects of tensors: operations made from rows, their text, and a writer of programs."""
