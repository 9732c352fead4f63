"""Reading straight-line MLIR programs over tensors back: their operations have the meanings of the target's rows."""
