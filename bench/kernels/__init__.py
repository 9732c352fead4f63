"""Reference kernels in C, their index, and what each of them means."""
