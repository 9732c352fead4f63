"""What the kernels outside PolyBench mean, in NumPy: one row each, from named arguments to named outputs."""

# ruff: noqa: A006, N803, PLR2004 -- names, counts and constants are those of the C kernels

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Outputs = dict[str, Any]
Meaning = Callable[..., Outputs]


def tdiv(a: Any, b: Any) -> Array:
    """Divide integers as C does, truncating toward zero; ``b`` must have no zero."""
    quotient = np.abs(np.asarray(a, np.int64)) // np.abs(np.asarray(b, np.int64))
    return np.asarray(quotient * np.sign(a) * np.sign(b), np.int64)


def _transformer_scores(head: int, head_size: int, key_cache_layer: Array, q: Array) -> Array:
    columns = slice(head * head_size, (head + 1) * head_size)
    return np.asarray(key_cache_layer[:, columns] @ q[columns])


def _mix(head: int, head_size: int, key_cache_layer: Array, attention: Array) -> Array:
    return np.asarray(attention @ key_cache_layer[:, head * head_size : (head + 1) * head_size])


def _dct(block: Array, cos1: Array, cos2: Array) -> Outputs:
    return {"temp2d": block @ cos2, "block": cos1 @ (block @ cos2)}


def _overlay(base: Array) -> Array:
    half = tdiv(2 * base * base, 32)
    return np.where(base >= 16, 3 * base - half - 32, half)


def _dissolve(base: Array, active: Array, opacity: int, rand_cons: int) -> Array:
    remainder = rand_cons - 100 * int(tdiv(rand_cons, 100))
    shown = active if opacity >= int(tdiv(remainder + 1, 100)) else base
    return np.asarray(shown)


def _guarded(low: Array, numerator: Array, denominator: Array) -> Array:
    return np.where(low, 0, tdiv(numerator, np.where(low, 1, denominator)))


def _but_last(coefficient: Array, step: Array) -> Array:
    return np.asarray(coefficient + np.append(step[:-1], 0))


BLAS: dict[str, Meaning] = {
    "dot": lambda a, b, **_: {"return": np.dot(a, b)},
    "gemv": lambda A, x, **_: {"y": A @ x},
    "ger": lambda a, x, y, **_: {"a": a + np.outer(x, y)},
}

BLEND: dict[str, Meaning] = {
    "color_burn_8": lambda base, active, **_: {"out": 32 - _guarded(active == 0, 32 - base, active)},
    "color_dodge_8": lambda base, active, **_: {
        "out": np.where(active == 32, 32, _guarded(active == 32, base, 32 - active))
    },
    "darken_blend_8": lambda base, active, **_: {"out": np.minimum(base, active)},
    "dissolve_blend_8": lambda base, active, opacity, rand_cons, **_: {
        "out": _dissolve(base, active, opacity, rand_cons)
    },
    "lighten_blend_8": lambda base, active, **_: {"out": np.maximum(base, active)},
    "linear_burn_8": lambda base, active, **_: {"out": base + active - 32},
    "linear_dodge_8": lambda base, active, **_: {"out": base + active},
    "multiply_blend_8": lambda base, active, **_: {"out": tdiv(base * active, 32)},
    "normal_blend_8": lambda base, active, opacity, **_: {"out": opacity * active + (32 - opacity) * base},
    "normal_blend_f": lambda base, active, opacity, **_: {"out": opacity * active + (1 - opacity) * base},
    "overlay_blend_8": lambda base, **_: {"out": _overlay(base)},
    "screen_blend_8": lambda base, active, **_: {"out": base + active - tdiv(base * active, 32)},
}

DARKNET: dict[str, Meaning] = {
    "gemm_nn": lambda A, B, C, ALPHA, **_: {"C": C + ALPHA * (A @ B)},
    "gemm_nt": lambda A, B, C, ALPHA, **_: {"C": C + ALPHA * (A @ B.T)},
    "gemm_tn": lambda A, B, C, ALPHA, **_: {"C": C + ALPHA * (A.T @ B)},
    "gemm_tt": lambda A, B, C, ALPHA, **_: {"C": C + ALPHA * (A.T @ B.T)},
    "mag_array": lambda a, **_: {"return": np.dot(a, a)},
    "matrix_add_matrix": lambda from_vals, to_vals, **_: {"to_vals": to_vals + from_vals},
    "mse_array": lambda a, **_: {"return": np.dot(a, a)},
    "mult_add_into_cpu": lambda X, Y, Z, **_: {"Z": Z + X * Y},
    "ol_l2_cpu1": lambda pred, truth, **_: {"error": (truth - pred) ** 2},
    "ol_l2_cpu2": lambda pred, truth, **_: {"delta": truth - pred},
    "scale_array": lambda a, s, **_: {"a": a * s},
    "scale_matrix": lambda m_vals, scale, **_: {"m_vals": m_vals * scale},
    "sum_array": lambda a, **_: {"return": np.sum(a)},
    "translate_array": lambda a, s, **_: {"a": a + s},
}

DSP: dict[str, Meaning] = {
    "matadd": lambda matA, matB, **_: {"matA": matA + matB},
    "matinit": lambda mat, val, **_: {"mat": np.full_like(mat, val)},
    "matmul": lambda matA, matB, **_: {"matC": matA @ matB},
    "matscal": lambda mat, val, **_: {"mat": mat * val},
    "matsub": lambda matA, matB, **_: {"matA": matA - matB},
    "vadd": lambda a, b, **_: {"c": a + b},
    "vcopy": lambda a, **_: {"b": a},
    "vfill": lambda arr, v, **_: {"arr": np.full_like(arr, v)},
    "vmul": lambda a, b, **_: {"c": a * b},
    "vneg": lambda arr, **_: {"arr": -arr},
    "voffset": lambda arr, v, **_: {"arr": arr + v},
    "vrecip": lambda arr, **_: {"arr": tdiv(1, arr)},
    "vscal": lambda arr, v, **_: {"arr": arr * v},
    "vsub": lambda a, b, **_: {"c": a - b},
    "w_vec": lambda a, b, m, **_: {"c": m * a + b},
}

DSPSTONE: dict[str, Meaning] = {
    "mat1x3": lambda h, x, **_: {"y": h @ x},
    "matrix1": lambda A, B, **_: {"C": B @ A.T},
    "matrix2": lambda A, B, **_: {"C": B @ A.T},
    "n_real_updates": lambda A, B, C, **_: {"D": C + A * B},
    "pin_down": lambda LENGTH, **_: {"px": np.ones(LENGTH, np.int64)},
}

LLAMA: dict[str, Meaning] = {
    "matmul": lambda weight, input, **_: {"out": weight @ input},
    "rmsnorm_part1": lambda input, **_: {"return": np.dot(input, input)},
    "rmsnorm_part2": lambda input, weight, ss, n, **_: {"out": tdiv(1, tdiv(ss, n) + 1) * input * weight},
    "softmax_part1": lambda input, **_: {"return": np.max(input)},
    "softmax_part2": lambda input, max_val, **_: {"out": input - max_val},
    "softmax_part3": lambda output, **_: {"return": np.sum(output)},
    "softmax_part4": lambda unnormalized_output, sum, **_: {"out": tdiv(unnormalized_output, sum)},
    "transformer_part1": lambda head, head_size, key_cache_layer, q, **_: {
        "out": tdiv(_transformer_scores(head, head_size, key_cache_layer, q), head_size)
    },
    "transformer_part2": lambda head, head_size, key_cache_layer, attention, **_: {
        "out": _mix(head, head_size, key_cache_layer, attention)
    },
    "transformer_part3": lambda input, **_: {"out": input * tdiv(1, 1 - input)},
    "transformer_part4": lambda input1, input2, **_: {"out": input1 * input2},
}

LLAMA_FLOAT: dict[str, Meaning] = {
    "rmsnorm_part2": lambda input, weight, ss, n, **_: {"out": input * weight / np.sqrt(ss / n + 1)},
    "softmax_part2": lambda input, max_val, **_: {"out": np.exp(input - max_val)},
    "transformer_part1": lambda head, head_size, key_cache_layer, q, **_: {
        "out": _transformer_scores(head, head_size, key_cache_layer, q) / np.sqrt(head_size)
    },
    "transformer_part3": lambda input, **_: {"out": input / (1 + np.exp(-input))},
}

MAKESPEARE: dict[str, Meaning] = {"sum_of_squares": lambda arr, **_: {"return": np.dot(arr, arr)}}

MATHFU: dict[str, Meaning] = {
    "diveq": lambda a, b, **_: {"a": tdiv(a, b)},
    "diveq_sca": lambda a, b, **_: {"a": tdiv(a, b)},
    "len": lambda arr, **_: {"return": np.dot(arr, arr)},
    "len_sq": lambda arr, **_: {"return": np.dot(arr, arr)},
    "lerp": lambda x, y, alpha, **_: {"out": alpha * x + (1 - alpha) * y},
    "matmul_sca": lambda matA, val, **_: {"matB": matA * val},
    "muleq": lambda a, b, **_: {"a": a * b},
    "muleq_sca": lambda a, b, **_: {"a": a * b},
    "negate": lambda arr, **_: {"arr": -arr},
    "pluseq": lambda a, b, **_: {"a": a + b},
    "subeq": lambda a, b, **_: {"a": a - b},
    "subeq_sca": lambda a, b, **_: {"a": a - b},
}

SIMPL_ARRAY: dict[str, Meaning] = {
    "array_inc": lambda arr, **_: {"arr": arr + 1},
    "array_sum": lambda arr, **_: {"return": np.sum(arr)},
    "cube_in_place": lambda arr, **_: {"arr": arr**3},
    "fourth_in_place": lambda arr, **_: {"arr": arr**4},
    "sum_elts": lambda arr, **_: {"return": np.sum(arr)},
}

UTDSP: dict[str, Meaning] = {
    "dct": lambda block, cos1, cos2, **_: _dct(block, cos1, cos2),
    "fir_small": lambda input, coefficient, **_: {"return": np.dot(input, coefficient)},
    "histogram": lambda histogram, **_: {"histogram": np.zeros_like(histogram)},
    "lmsfir1": lambda input, coefficient, **_: {"return": np.dot(input, coefficient)},
    "lmsfir2": lambda input, coefficient, error, **_: {"coefficient": _but_last(coefficient, error * input)},
    "mult_big": lambda a, b, **_: {"c": a @ b},
}
