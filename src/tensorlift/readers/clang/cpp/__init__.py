"""The literal reader of C++, which adds to that of C."""

from tensorlift.readers.clang.cpp.reader import literal_cpp_module

__all__ = ["literal_cpp_module"]
