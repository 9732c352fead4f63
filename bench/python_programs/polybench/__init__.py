"""The kernels of PolyBench as Python loops over NumPy arrays, with the definitions of those in C in bench/kernels."""
