"""The C front end: C source text to the loop IR, through libclang."""

from tensorlift.frontends.c.reader import read_c
from tensorlift.frontends.read_function import ReadFunction

__all__ = ["ReadFunction", "read_c"]
