"""Reference kernels, generators and measurements; nothing here is part of the installed package."""
