"""Figures that others have published about the kernels of three papers, and where they stand; none is guessed.

The text of the papers was not at hand, but for what a summary of mlirSynth's first table says of ``syr2k``.  What is
here comes from the repositories of their authors and artefacts, which hold data of the figures.
"""

from __future__ import annotations

_TENSORIZE = "https://github.com/alexanderb14/tensorize"
_TACTICS = "https://github.com/nileshshah21/mlir-tactics"
SOURCES = {
    "others": f"[data/synth_times_baselines.csv]({_TENSORIZE}) of TENSORIZE's repository (bb6f8d0)",
    "plots": f"[benchmark/plot.R]({_TENSORIZE}) of TENSORIZE's repository (27b8fab)",
    "times": f"[mlir/benchmark_section5.2/Intel]({_TACTICS}) of a copy of the paper's artefact (e425db5)",
    "chains": f"[mlir/benchmark_section5.3/Xeon]({_TACTICS}) of a copy of the paper's artefact (cdb1e07)",
}

# Seconds that mlirSynth took in the evaluation of TENSORIZE, within an hour.
MLIRSYNTH = {
    "2mm": "4.2", "3mm": "0.20", "atax": "not in 1 h", "bicg": "0.25", "correlation": "153", "covariance": "30",
    "doitgen": "0.30", "gemm": "301", "gesummv": "not in 1 h", "mvt": "1.3", "symm": "1,076",
    "syr2k": "not in 1 h; in the paper 2,439, of 20.8 million candidates", "syrk": "not in 1 h",
}  # fmt: skip

# Kernels that others lift, of each suite: Tenspiler and mlirSynth within a minute and an hour, Multi-Level Tactics.
COVERAGE = {
    "blas": ("2, 2", "3, 3", "0"),
    "blend": ("8, 12", "2, 2", "0"),
    "darknet": ("10, 10", "12, 14", "1"),
    "dsp": ("11, 11", "14, 14", "1"),
    "dspstone": ("2, 2", "5, 5", "1"),
    "llama": ("9, 11", "8, 9", "0"),
    "makespeare": ("1, 1", "1, 1", "0"),
    "mathfu": ("11, 11", "12, 12", "0"),
    "polybench": ("0, 0", "7, 10", "8"),
    "simpl_array": ("5, 5", "5, 5", "0"),
    "utdsp": ("3, 3", "6, 6", "0"),
    "all": ("62, 68", "75, 81", "11"),
}

# The least seconds of five on an i9-9900K, in single precision: clang -O3, tactics to Linalg, and to BLAS (MKL).
TACTICS = {
    "2mm": (1.340704, 0.894298, 0.024250),
    "3mm": (2.176164, 1.294094, 0.038434),
    "gemm": (0.142911, 0.594629, 0.018847),
    "atax": (0.003801, 0.007541, 0.004509),
    "bicg": (0.007454, 0.002681, 0.004536),
    "mvt": (0.013626, 0.003881, 0.004746),
    "gemver": (0.014647, 0.005632, 0.005181),
    "gesummv": (0.003182, 0.001676, 0.003910),
    "conv2d-nchw": (3.466157, 3.382228, 0.319),
    "ab-acd-dbc": (1.514401, 0.254886, 0.020150),
    "abc-acd-db": (1.314291, 1.441827, 0.020023),
    "abc-ad-bdc": (0.894476, 0.232749, 0.019083),
    "ab-cad-dcb": (1.905616, 0.155785, 0.019952),
    "abc-bda-dc": (1.985523, 0.156878, 0.020304),
    "abcd-aebf-dfce": (1.008200, 0.153522, 0.021639),
    "abcd-aebf-fdec": (1.342542, 0.153599, 0.021523),
}

# The least of five seconds on a Xeon for chains of so many matrices, as written and reordered.
CHAINS = {4: (2.708203, 0.435892), 5: (23.136288, 6.536831), 6: (82.555767, 22.279822)}


def faster(before: float, after: float) -> str:
    """Spell how many times faster something became."""
    return f"{before / after:.2f}x"
