"""The Python front end: Python source text to the loop IR, through the module ast."""

from tensorlift.frontends.python.live import LiveFunction, find_function
from tensorlift.frontends.python.reader import read_python

__all__ = ["LiveFunction", "find_function", "read_python"]
