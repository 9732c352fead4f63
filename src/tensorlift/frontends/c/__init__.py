"""The C front end: C source text to the loop IR, through libclang."""

from tensorlift.frontends.c.reader import ReadFunction, read_c

__all__ = ["ReadFunction", "read_c"]
