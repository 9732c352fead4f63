"""Reading MLIR literally: structured control becomes blocks, memrefs become memory, an offset, sizes and strides."""

from tensorlift.readers.mlir.reader import literal_module_of

__all__ = ["literal_module_of"]
