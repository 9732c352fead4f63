"""What Linalg's named operations compute: the subscripts of products, the scalar functions of others."""

# Products of two operands that are added to the third: their subscripts, those of the result last.
PRODUCTS = {
    "matmul": "i k,k j->i j",
    "matvec": "i k,k->i",
    "vecmat": "k,k j->j",
    "dot": "k,k->",
    "batch_matmul": "b i k,b k j->b i j",
    "batch_matvec": "b i k,b k->b i",
    "batch_vecmat": "b k,b k j->b j",
    "conv_1d": "i+k,k->i",
    "conv_2d": "i+k j+l,k l->i j",
    "conv_3d": "i+k j+l h+g,k l g->i j h",
    "conv_2d_nhwc_hwcf": "n i+k j+l c,k l c f->n i j f",
    "conv_2d_nchw_fchw": "n c i+k j+l,f c k l->n f i j",
}

# Operations on cells at one place: what they are of floats, and of integers.
_OF_TWO = {
    "add": ("arith.addf", "arith.addi"),
    "sub": ("arith.subf", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli"),
    "div": ("arith.divf", "arith.divsi"),
    "div_unsigned": ("", "arith.divui"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
    "powf": ("math.powf", ""),
}
_OF_ONE = {
    **{name: (f"math.{name}", "") for name in ("ceil", "erf", "exp", "floor", "log", "round", "rsqrt", "sqrt", "tanh")},
    "abs": ("math.absf", ""),
    "negf": ("arith.negf", ""),
}
ELEMENTWISE: dict[str, tuple[str, str]] = _OF_TWO | _OF_ONE
# How many operands an operation reads, beside the one that it writes; one where nothing is said.
INPUTS = dict.fromkeys((*PRODUCTS, *_OF_TWO), 2)
# Operations that are read as those above are, and not written.
READ_ONLY = tuple(f"linalg.{name}" for name in ("broadcast", *ELEMENTWISE))

# The operations that run over an iteration space.
STRUCTURED = tuple(f"linalg.{name}" for name in ("generic", "fill", "copy", "transpose", *PRODUCTS))
