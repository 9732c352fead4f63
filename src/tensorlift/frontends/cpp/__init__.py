"""The C++ front end: C++ source text to the loop IR, through libclang and the syntax tree of the C front end."""

from tensorlift.frontends.cpp.reader import SUFFIXES, read_cpp

__all__ = ["SUFFIXES", "read_cpp"]
