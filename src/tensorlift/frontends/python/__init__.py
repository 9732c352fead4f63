"""The Python front end: Python source text to the loop IR, through the module ast."""

from tensorlift.frontends.python.reader import read_python

__all__ = ["read_python"]
