"""Programs in MLIR, compiled and run: lowered by upstream's passes, then compiled in memory by the LLVM beside them."""
