"""Operations on images."""

import numpy as np

SOBEL_X = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]


def to_grayscale(rgb):
    return 0.299 * rgb[:, :, 0] + 0.587 * rgb[..., 1] + 0.114 * rgb[..., 2]


def sobel_magnitude(img):
    h, w = img.shape
    out = np.zeros((h, w))
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            gx = (
                img[y - 1, x + 1]
                + 2 * img[y, x + 1]
                + img[y + 1, x + 1]
                - img[y - 1, x - 1]
                - 2 * img[y, x - 1]
                - img[y + 1, x - 1]
            )
            gy = (
                img[y + 1, x - 1]
                + 2 * img[y + 1, x]
                + img[y + 1, x + 1]
                - img[y - 1, x - 1]
                - 2 * img[y - 1, x]
                - img[y - 1, x + 1]
            )
            out[y, x] = np.sqrt(gx**2 + gy**2)
    return out


def convolve2d(image, kernel):
    kh, kw = kernel.shape
    H = image.shape[0] - kh + 1
    W = image.shape[1] - kw + 1
    output = np.zeros((H, W))
    for i in range(H):
        for j in range(W):
            output[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel)
    return output


def threshold(img, t=0.5):
    mask = np.zeros(img.shape, dtype=np.uint8)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            if img[i, j] > t:
                mask[i, j] = 255
    return mask


def flip_horizontal(img):
    return np.flip(img, axis=1)


def max_pool(x):
    h, w = x.shape
    return x.reshape(h // 2, 2, w // 2, 2).max(axis=(1, 3))


def equalise(img):
    """Histogram equalisation of 8-bit images."""
    hist = np.zeros(256, dtype=np.int64)
    for row in img:
        for p in row:
            hist[p] += 1
    cdf = np.cumsum(hist)
    n = img.size
    out = np.empty_like(img)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = cdf[img[i, j]] * 255 // n
    return out


def gamma_correct(img, gamma):
    return np.clip(img / 255.0, 0, 1) ** gamma * 255


def erode(img):
    h, w = img.shape
    out = img.copy()
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            lowest = img[i, j]
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    lowest = min(lowest, img[i + di, j + dj])
            out[i, j] = lowest
    return out


def sobel_by_table(img):
    h, w = img.shape
    out = np.zeros_like(img)
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            s = 0.0
            for a in range(3):
                for b in range(3):
                    s += SOBEL_X[a][b] * img[i + a - 1, j + b - 1]
            out[i, j] = s
    return out


def stack_channels(r, g, b):
    return np.stack([r, g, b], axis=-1)


def box_filter(img, k: int):
    padded = np.pad(img, k, mode="edge")
    out = np.zeros_like(img)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = padded[i : i + 3, j : j + 3].mean()
    return out


def quarter_turns(img):
    return np.rot90(img), np.rot90(img, k=-1), np.tril(img), img.transpose().clip(0.2, 0.8)


def blended(img, alpha, color=(1.0, 0.5, 0.0)):
    out = np.empty_like(img)
    for c in range(3):
        out[:, :, c] = (1 - alpha) * img[:, :, c] + alpha * color[c]
    return out


CASES = {
    "blended": lambda r, n: (r.uniform(size=(n, n, 3)).astype(np.float32), 0.25),
    "to_grayscale": lambda r, n: (r.uniform(size=(n, n + 1, 3)),),
    "sobel_magnitude": lambda r, n: (r.uniform(size=(n + 2, n + 3)),),
    "convolve2d": lambda r, n: (r.uniform(size=(n + 3, n + 2)), r.uniform(size=(3, 3))),
    "threshold": lambda r, n: (r.uniform(size=(n, n + 1)),),
    "flip_horizontal": lambda r, n: (r.uniform(size=(n, n + 1)),),
    "max_pool": lambda r, n: (r.uniform(size=(2 * n, 2 * n + 2)),),
    "equalise": lambda r, n: (r.integers(0, 256, size=(n, n + 1), dtype=np.uint8),),
    "gamma_correct": lambda r, n: (r.uniform(0, 255, size=(n, n + 1)), 2.2),
    "erode": lambda r, n: (r.uniform(size=(n + 2, n + 3)),),
    "sobel_by_table": lambda r, n: (r.uniform(size=(n + 2, n + 3)),),
    "stack_channels": lambda r, n: tuple(r.uniform(size=(n, n + 1)) for _ in range(3)),
    "box_filter": lambda r, n: (r.uniform(size=(n, n + 1)), 1),
    "quarter_turns": lambda r, n: (r.uniform(size=(n, n + 1)),),
}
