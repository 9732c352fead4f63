"""Reading Fortran literally: control becomes blocks, arrays become memory, an offset, extents and strides."""

from tensorlift.readers.fortran.reader import literal_module_of

__all__ = ["literal_module_of"]
