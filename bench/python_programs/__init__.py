"""Python functions with loops, in the three styles that are lifted: NumPy-indexed, nested lists, Numba."""
