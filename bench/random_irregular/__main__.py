"""Print the function of a seed."""

import sys

from bench.random_irregular import generate

print(generate(int(sys.argv[1]), *sys.argv[2:]))
