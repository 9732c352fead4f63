"""tensorlift reads loop code and gives back the tensor program that it computes."""

__version__ = "0.1.0"
