"""What Linalg's named products compute: the subscripts of their operands."""

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

# The operations that run over an iteration space.
STRUCTURED = tuple(f"linalg.{name}" for name in ("generic", "fill", "copy", "transpose", *PRODUCTS))
