"""The loop IR: an ordinary MLIR module held by xDSL, and what the other rooms need to read it (docs/loop-ir.md)."""
