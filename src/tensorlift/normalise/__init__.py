"""Literal IR becomes loop IR, in one way for all languages.

The passes of ``loop_ir.PASSES`` make control structured, in place: ``structure`` makes each function one block of loops
and branches with regions, ``inline`` replaces calls, ``rotate`` lets loops test before their body, and ``exits`` lets
searches run to their end.  Then the function is executed symbolically, by a rule for each operation.
"""
