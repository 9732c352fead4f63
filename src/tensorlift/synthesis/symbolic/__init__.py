"""Values at small sizes, symbolically: what the engines that search look at instead of the definitions.

A definition is evaluated cell by cell at a few concrete sizes.  Cells of arrays, scalars and sizes stay symbols, so
that each cell of the result is a polynomial, a quotient or a function of them: a node of a `Graph`.
"""
