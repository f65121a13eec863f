#!/usr/bin/python3
"""Writes the expected numbers of tests/quantization: a second, slow transcription of its formulas.

    scripts/quantization_golden.py            # writes tests/golden/quantization/*.txt, half a minute
    scripts/quantization_golden.py --check    # fails where the files are not what it would write

Needs the Debian package python3-numpy. It shares no code with src/quantization: formulas come from
the sources that docs/guide/int8.md names, integrals are cut at the cells of the grid instead of
taken in closed form, and minima are found by trying all candidates.

schemes.txt   200 ranges: scale and zero point by each rule. Numbers are the bits of float32 in hex.
encodings.txt the same ranges by AIMET's rule. Numbers are the bits of float64 in hex.
folded.txt    weights of products in Cloud AI's schemas, alone and with a BatchNormalization folded into them:
              scales, zero points and the integers in ascending order. Lists are joined by commas.
ranges.txt    50 histograms of values drawn with SplitMix64: the range by each calibration method.
"""
import argparse
import pathlib
import struct
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden" / "quantization"
F32, F64 = np.float32, np.float64
np.seterr(all="ignore")


def bits32(value):
    return struct.pack(">f", float(value)).hex()


def bits64(value):
    return struct.pack(">d", float(value)).hex()


def uniform_words(seed, count):
    """The first outputs of SplitMix64."""
    z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


# --- scales of ranges -----------------------------------------------------------------------------

def ranges():
    """200 pairs of float32: special ones, then random ones of all signs and magnitudes."""
    pairs = [(0, 0), (0, 1), (-1, 0), (-1, 1), (0, 255), (-128, 127), (-127.5, 127.5), (-0.5, 254.5), (-1.5, 253.5),
             (1, 2), (-2, -1), (5, 5), (-5, -5), (0, 6), (-3, 3), (1e-40, 1e-39), (-1e-45, 1e-45), (0, 3e-36),
             (0, 2.9e-36), (-1e-30, 1e-30), (-1.5e38, 1.5e38), (0, 1.7e38), (-1.7e38, 0), (-1e-7, 1e-7),
             (-6e-8, 6e-8), (-1, 1e-6), (-1e-6, 1), (-1, 127 / 128), (-128 / 127, 1), (-100, 1e-3)]
    rng = np.random.default_rng(27)
    while len(pairs) < 200:
        magnitude = 10.0 ** rng.uniform(-6, 5)
        low, high = np.sort(rng.normal(size=2)) * magnitude
        kind = rng.integers(4)
        pairs.append((low, high) if kind < 2 else (-abs(low), abs(high)) if kind == 2 else (0, abs(high)))
    return [(F32(low), F32(high)) for low, high in pairs]


def host(low, high):
    low, high = min(F64(low), F64(0)), max(F64(high), F64(0))
    exact = (high - low) / F64(255)
    if exact < np.finfo(F32).tiny:
        return F32(1), 0
    scale = F32(exact)
    return scale, int(min(max(np.rint(-low / F64(scale)), 0), 255))


def onnxruntime(low, high, integers, symmetric=False):
    qmin, qmax = integers
    low, high = np.minimum(low, F32(0)), np.maximum(high, F32(0))
    if symmetric:
        high = np.maximum(np.abs(low), np.abs(high))
        low = -high
    scale = F64(high - low) / (F64(qmax) - F64(qmin))
    if scale < np.finfo(F32).tiny:
        return F32(1), 0
    zero = np.round(F64(qmin + qmax) / 2) if symmetric else np.round(qmin - F64(low) / scale)
    return F32(scale), int(zero)


def half_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def glow(low, high, schema, kind):
    qmin, qmax = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767),
                  "int32": (-(1 << 29), (1 << 29) - 1)}[kind]
    low, high = min(low, F32(0)), max(high, F32(0))
    if schema == "symmetric_with_uint8":
        schema = "symmetric" if low < 0 else "asymmetric"
    if schema.startswith("symmetric"):
        rmin, rmax = F64(low) / F64(qmin), F64(high) / F64(qmax)
        if rmin > rmax:
            high = F32(rmin * qmax)
        else:
            low = F32(rmax * qmin)
        low, high = max(low, np.finfo(F32).min), min(high, np.finfo(F32).max)
    scale = (F64(high) - F64(low)) / (F64(qmax) - F64(qmin))
    if scale == 0:
        scale = F64(0.1)
    at_low, at_high = F64(low) / scale, F64(high) / scale
    zero = qmin - at_low if abs(qmin) + abs(at_low) < abs(qmax) + abs(at_high) else qmax - at_high
    if abs(F32(high + low)) <= np.finfo(F32).eps:
        zero = F64(0)
    zero = qmin if zero < qmin else qmax if zero > qmax else int(half_away(zero))
    if schema.endswith("power2_scale"):
        scale = np.exp2(np.ceil(np.log2(scale)))
    return F32(scale), zero


SCHEMAS = ("asymmetric", "symmetric", "symmetric_with_uint8", "symmetric_with_power2_scale")
RULES = {
    "host": host,
    "ort_u8": lambda a, b: onnxruntime(a, b, (0, 255)),
    "ort_u8_reduced": lambda a, b: onnxruntime(a, b, (0, 127)),
    "ort_u8_symmetric": lambda a, b: onnxruntime(a, b, (0, 255), True),
    "ort_s8": lambda a, b: onnxruntime(a, b, (-128, 127)),
    "ort_s8_reduced": lambda a, b: onnxruntime(a, b, (-64, 64)),
    "ort_s8_symmetric": lambda a, b: onnxruntime(a, b, (-127, 127), True),
    "ort_s8_symmetric_reduced": lambda a, b: onnxruntime(a, b, (-64, 64), True),
    **{f"glow_{kind}_{schema}": lambda a, b, s=schema, k=kind: glow(a, b, s, k)
       for kind in ("int8", "uint8", "int16", "int32") for schema in SCHEMAS},
}


def schemes():
    yield "low high " + " ".join(RULES)
    for low, high in ranges():
        numbers = []
        for rule in RULES.values():
            scale, zero = rule(low, high)
            numbers += [bits32(scale), str(zero)]
        yield " ".join([bits32(low), bits32(high), *numbers])


def aimet(low, high, symmetry):
    low, high = min(F64(low), F64(0)), max(F64(high), F64(0))
    if low == high:
        low, high = F64(-1), F64(1)
    steps = F64(254 if symmetry == "strict" else 255)
    if symmetry in ("symmetric", "strict") or (symmetry == "unsigned" and low < 0):
        largest, positive = max(abs(high), abs(low)), np.floor(steps / 2)
        delta, offset = largest / positive, -int(np.ceil(steps / 2))
        return delta, offset, offset * delta, delta * positive
    delta = (high - low) / steps
    offset = -int(min(steps, max(0, half_away(-low / delta))))
    return delta, offset, delta * offset, high - low + delta * offset


def normal(seed, shape):
    """Numbers of one sign and of two, by channel, in float32."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape) * 10.0 ** rng.uniform(-2, 1, size=shape[:1] + (1,) * (len(shape) - 1))
    return F32(values)


# name, shape of the weights, the axis that the results lie along, whether -enable-channelwise is of it (else
# -enable-rowwise, where it is of a product at all)
FOLDED = [("Conv", (4, 4, 2, 2), 0, True), ("Grouped", (4, 2, 2, 2), 0, True), ("Depthwise", (4, 1, 2, 2), 0, True),
          ("ConvTranspose", (4, 3, 2, 2), 1, None), ("Gemm", (6, 5), 1, False), ("GemmTransposed", (5, 6), 0, False),
          ("MatMul", (6, 5), 1, False)]


def folded_row(operator, shape, axis, channelwise, normalised, schema, by_channel, seed):
    weights = normal(seed, shape)
    channels = shape[axis]
    rng = np.random.default_rng(seed + 1)
    gamma, variance = F32(rng.uniform(-2, 2, channels)), F32(10.0 ** rng.uniform(-3, 2, channels))
    folds = normalised and channelwise is not False  # into convolutions
    factor = F64(gamma) / np.sqrt(F64(variance) + F64(F32(1e-5))) if folds else np.ones(channels)
    spread = [1] * len(shape)
    spread[axis] = channels
    multiplied = F32(F64(weights) * factor.reshape(spread))
    parts = np.moveaxis(multiplied, axis, 0).reshape(channels, -1)
    # One scale by the schema; by channel of a convolution asymmetric becomes symmetric, as Glow does.
    each = by_channel and channelwise is not None
    if not each:
        parts = parts.reshape(1, -1)
    of_channel = "symmetric" if each and channelwise and schema == "asymmetric" else schema
    chosen = [glow(part.min(), part.max(), of_channel, "int8") for part in parts]
    integers = [np.clip(np.rint(F64(part) / F64(scale)) + zero, -128, 127)
                for part, (scale, zero) in zip(parts, chosen)]
    numbers = [",".join(bits32(x) for x in array.ravel()) for array in (weights, gamma, variance)]
    return " ".join([operator, schema, "each" if by_channel else "one", "bn" if normalised else "alone", *numbers,
                     ",".join(bits32(scale) for scale, _ in chosen), ",".join(str(zero) for _, zero in chosen),
                     ",".join(str(int(q)) for q in np.sort(np.concatenate(integers)))])


def folded():
    yield "operator schema scales normalised weights gamma variance scales zero_points integers"
    seed = 0
    for row in FOLDED:
        for normalised in (False, True):
            seed += 10
            for schema in ("asymmetric", "symmetric", "symmetric_with_uint8", "symmetric_with_power2_scale"):
                for by_channel in (False, True):
                    yield folded_row(*row, normalised, schema, by_channel, seed)


def encodings():
    symmetries = ("asymmetric", "symmetric", "strict", "unsigned")
    yield "low high " + " ".join(symmetries)
    for low, high in ranges():
        numbers = []
        for symmetry in symmetries:
            delta, offset, least, greatest = aimet(low, high, symmetry)
            numbers += [bits64(delta), str(offset), bits64(least), bits64(greatest)]
        yield " ".join([bits32(low), bits32(high), *numbers])


# --- ranges of histograms -------------------------------------------------------------------------

def leading_zeros(words):
    return sum((words < np.uint64(1 << (64 - k))).astype(np.int64) for k in range(1, 33))


def draw(kind, seed, count=20000):
    """Values that both languages compute exactly: integers times 2^-16."""
    words = uniform_words(seed, count * 4).reshape(count, 4)
    # Twelve 16-bit parts: nearly normal, standard deviation 1, no value beyond 6.
    parts = sum((words[:, w] >> np.uint64(16 * k) & np.uint64(0xFFFF)).astype(np.int64)
                for w in range(3) for k in range(4))
    normal = parts - 12 * 32768
    last = words[:, 3]
    # Piecewise linear in each octave: nearly exponential.
    exponential = leading_zeros(last) * 65536 + 65535 - (last & np.uint64(0xFFFF)).astype(np.int64)
    values = {
        "normal": normal,
        "laplace": np.where(normal < 0, -exponential, exponential),
        "relu": np.maximum(normal, 0),
        "outlier": np.where(last % np.uint64(997) == 0, normal * 12, normal),
        "positive": normal + 10 * 65536,
        "negative": -exponential,
    }[kind]
    return values / 65536.0


def histogram(values, bins):
    low, high = values.min(), values.max()
    index = np.clip((values - low) * (bins / (high - low)), 0, bins - 1).astype(np.int64)
    return np.bincount(index, minlength=bins), low, high, int((values == 0).sum())


def least_loss(losses):
    """Both ends, the left or the right one: the first of the least."""
    return int(np.argmin(np.array(losses)))


def sequential_sum(values):
    return np.add.accumulate(values)[-1] if len(values) else values.dtype.type(0)


def conditioned(values):
    zero = values == 0
    zeros, nonzeros = zero.sum(), (~zero).sum()
    if nonzeros == 0:
        return values
    real = values.dtype.type
    paid = real(1e-4) * real(zeros) / real(nonzeros)
    return values if paid >= 1 else np.where(zero, real(1e-4), values - paid)


def divergence(p, q):
    p_sum, q_sum = sequential_sum(p), sequential_sum(q)
    if p_sum == 0 or q_sum == 0:
        return p.dtype.type(0)
    p, q = p / p_sum, q / q_sum
    both = (p > 0) & (q > 0)
    p, q = p[both], q[both]
    return sequential_sum(p * np.log((p / q).astype(F64)).astype(p.dtype))


def kl_range(counts, low, high, aimets, symmetric):
    real = F64 if aimets else F32
    counts, low, high = counts.astype(real), real(low), real(high)
    bins = len(counts)
    if bins < 255:
        return low, high
    width = (high - low) / real(bins)
    edge = lambda i: low + real(i) * width
    a, b, least, best = 0, bins - 1, np.inf, (low, high)
    while b - a + 1 >= 255:
        inside = counts[a:b + 1]
        p = inside.copy()
        p[0], p[-1] = counts[:a + 1].sum(), counts[b:].sum()
        size = b - a + 1
        starts = [int(np.ceil(q * (F64(size) / 255))) if aimets else q * (size // 255) for q in range(255)] + [size]
        q = np.zeros(size, real)
        for start, stop in zip(starts, starts[1:]):
            part = inside[start:stop]
            nonempty = np.count_nonzero(part)
            if nonempty:
                filled = part if aimets else p[start:stop]
                q[start:stop] = np.where(filled != 0, part.sum() / real(nonempty), real(0))
        if aimets and (p.sum() == 0 or q.sum() == 0):
            break
        d = divergence(conditioned(p), conditioned(q))
        if d < least:
            least, best = d, (edge(a), edge(b + 1))
        side = 0 if symmetric else least_loss([counts[a] + counts[b], counts[a] + counts[a + 1], counts[b] + counts[b - 1]])
        if aimets and not symmetric:
            if (side == 0 and edge(a + 1) > 0) or (side == 1 and edge(a + 2) > 0):
                side = 2
            elif (side == 0 and edge(b) < 0) or (side == 2 and edge(b - 1) < 0):
                side = 1
        a, b = [(a + 1, b - 1), (a + 2, b), (a, b - 2)][side]
    low_end, high_end = best
    if symmetric:
        low_ratio, high_ratio = F64(low_end) / F64(low), F64(high_end) / F64(high)
        if low_ratio > high_ratio:
            high_end = real(low_ratio * F64(high))
        else:
            low_end = real(high_ratio * F64(low))
    return low_end, high_end


def rescaled(counts, low, high, new_low, new_high, real):
    bins = len(counts)
    low, high, new_low, new_high = map(real, (low, high, new_low, new_high))
    width, new_width = (high - low) / real(bins), (new_high - new_low) / real(bins)
    result = np.zeros(bins, real)
    for i in np.flatnonzero(counts):
        start, stop, left = low + real(i) * width, low + real(i + 1) * width, real(counts[i])
        first = min(max(int(np.floor((start - new_low) / new_width)), 0), bins - 1)
        last = min(max(int(np.ceil((stop - new_low) / new_width)), 0), bins - 1)
        for j in range(first, last + 1):
            new_start, new_stop = new_low + real(j) * new_width, new_low + real(j + 1) * new_width
            share = (min(stop, new_stop) - max(start, new_start)) / width
            given = min(real(half_away(real(min(max(share, real(0)), real(1))) * real(counts[i]))), left)
            result[j] += given
            left -= given
    return result


def squared_error(counts, low, high, zeros, step, first, last):
    """Mean squared error on the grid step * (first..last): bins cut at every cell of the grid."""
    bins = len(counts)
    width = (high - low) / bins
    weights = counts.astype(F64)
    if low <= 0 <= high:
        weights[min(int((0 - low) * (bins / (high - low))), bins - 1)] -= zeros
    edges = low + width * np.arange(bins + 1)
    cells = (np.arange(first, last) + 0.5) * step
    cuts = np.unique(np.concatenate([edges, cells[(cells > edges[0]) & (cells < edges[-1])]]))
    a, b = cuts[:-1], cuts[1:]
    middle = (a + b) / 2
    nearest = np.clip(np.rint(middle / step), first, last) * step
    index = np.clip(((middle - low) / width).astype(np.int64), 0, bins - 1)
    return float((weights[index] / width * ((b - nearest) ** 3 - (a - nearest) ** 3) / 3).sum() / counts.sum())


def asymmetric_error(data, low, high):
    step = (high - low) / 255
    zero = min(max(np.rint(-low / step), 0), 255)
    return squared_error(*data, step, int(-zero), int(255 - zero))


def mse_error(data):
    """The least error of all pairs of bin edges."""
    counts, low, high, _ = data
    edges = low + (high - low) / len(counts) * np.arange(len(counts) + 1)
    lows = [e for e in edges if e < 0] + [0.0]
    highs = [0.0] + [e for e in edges if e > 0]
    return min(asymmetric_error(data, a, b) for a in lows for b in highs if a < b)


def ifmr(data):
    counts, low, high, _ = data
    total, cumulative, width = counts.sum(), np.cumsum(counts), (high - low) / len(counts)
    start = min(low + width * int(np.argmax(cumulative >= (1 - 0.999999) * total)), 0)
    stop_bin = int(np.argmax(cumulative >= 0.999999 * total)) + 1
    stop = max(high if stop_bin == len(counts) else low + width * stop_bin, 0)
    best = None
    for percent in range(70, 131):
        end = min(stop * percent / 100, max(high, 0))
        if start < end:
            error = asymmetric_error(data, start, end)
            if best is None or error < best[0]:
                best = (error, start, end)
    return best[1:]


def sqnr(data):
    counts, low, high, _ = data
    bins, width = len(counts), (high - low) / len(counts)
    centres = low + np.arange(bins) * width + width / 2
    observed = min(low, 0.0), max(high, 0.0)
    step = (observed[1] - observed[0]) / 255
    offset = half_away(observed[0] / step)
    grid = step * offset, step * offset + step * 255
    candidates = []
    for i in range(1, 18):
        for j in range(21):
            s, o = i / 16.0 * step, np.trunc(-255 + 255 / 20.0 * j)
            a, b = s * o, s * o + s * 255
            if a < grid[0] and b > grid[1]:
                continue
            a, b = max(a, grid[0]), min(b, grid[1])
            if b > a:
                candidates.append(((b - a) / 255, half_away(a / ((b - a) / 255))))
    candidates.append((step, offset))
    best = None
    for s, o in candidates:
        first = min(max(int(np.floor((s * o - low) / width)), 0), bins - 1)
        last = min(max(int(np.floor((s * 255 + s * o - low) / width)), 0), bins - 1)
        cost = 3 * (counts[:first] * (centres[:first] - centres[first]) ** 2).sum()
        cost += 3 * (counts[last:] * (centres[last:] - centres[last]) ** 2).sum()
        x = centres[first:last]
        cost += (counts[first:last] * (x - s * (half_away(x / s - o) + o)) ** 2).sum()
        if best is None or cost < best[0]:
            best = (cost, s * o, s * (o + 255))
    return max(best[1], observed[0]), min(best[2], observed[1])


def percentile(data, p):
    counts, low, high, _ = data
    padded = np.concatenate([[0], counts, [0]])  # as AIMET's histograms end
    shares, width = np.cumsum(padded) / counts.sum(), (high - low) / len(counts)
    edge = lambda i: high if i == len(counts) else low + i * width
    first = int(np.argmax(shares >= 1 - p / 100)) - 1
    end = int(np.flatnonzero(shares < p / 100)[-1])
    return edge(first), edge(max(end, first + 1))


def relative_entropy(p, q):
    keep = p != 0
    if (q[keep] == 0).any():
        return np.inf
    p, q = p[keep] / p.sum(), q[keep] / q.sum()
    return (p * np.log(p / q)).sum()


def ort_entropy(counts, magnitude):
    bins, middle, levels = len(counts), len(counts) // 2, 128
    edges = np.linspace(-magnitude, magnitude, bins + 1)
    best = None
    for i in range(levels // 2, middle + 1):
        start, stop = middle - i, min(middle + i + 1, bins)
        inside = counts[start:stop]
        p = inside.astype(F64)
        p[0] += counts[:start].sum()
        p[-1] += counts[stop:].sum()
        merged = len(p) // levels
        q = np.zeros(len(p))
        for level in range(levels):
            part = slice(level * merged, (level + 1) * merged)
            whole = slice(level * merged, None) if level == levels - 1 else part
            nonempty = np.count_nonzero(p[part])
            if nonempty:
                q[part] = np.floor(inside[whole].sum() / nonempty)
        smooth = []
        for values in (p, q):
            zeros, nonzeros = (values == 0).sum(), (values != 0).sum()
            if nonzeros and 1e-4 * zeros / nonzeros < 1:
                smooth.append(np.where(values == 0, 1e-4, values - 1e-4 * zeros / nonzeros))
        d = relative_entropy(*smooth) if len(smooth) == 2 else np.inf
        if best is None or d < best[0]:
            best = (d, edges[start], edges[stop])
    return best[1:]


def trt_entropy(counts, magnitude):
    counts = counts.astype(F64)
    counts[0] = counts[1]
    best = None
    for kept in range(128, len(counts) + 1):
        levels = np.digitize(np.arange(kept), np.linspace(0, kept, 129)) - 1
        filled = counts[:kept] != 0
        sums = np.bincount(levels[filled], counts[:kept][filled], 128)
        sizes = np.bincount(levels[filled], minlength=128)
        q = np.where(filled, sums[levels] / np.maximum(sizes[levels], 1), 0)
        p = counts[:kept].copy()
        p[-1] += counts[kept:].sum()
        d = relative_entropy(p, q)
        if np.isfinite(d) and (best is None or d <= best[0]):
            best = (d, kept)
    return magnitude * (best[1] if best else len(counts)) / len(counts)


def with_zero_within(pair, low, high):
    low, high = min(low, 0), max(high, 0)
    return min(max(pair[0], low), 0), min(max(pair[1], 0), high)


def range_row(kind, seed, bins):
    values = draw(kind, seed)
    data = histogram(values, bins)
    counts, low, high, _ = data
    magnitude = max(abs(low), abs(high))
    results = [percentile(data, 99.9), sqnr(data), ifmr(data), kl_range(counts, low, high, False, False),
               kl_range(counts, low, high, True, False)]
    even32 = rescaled(counts, low, high, -magnitude, magnitude, F32)
    even64 = rescaled(counts, low, high, -magnitude, magnitude, F64)
    results.append(kl_range(even32, -magnitude, magnitude, False, True))
    results.append(kl_range(even64, -magnitude, magnitude, True, True) if low < 0 else results[4])
    results.append(ort_entropy(even64, magnitude))
    half = bins // 2
    top = trt_entropy(even64[half:] + even64[:half][::-1], magnitude)
    results.append((-top, top))
    for index in (0, 1, 2, 3, 4, 7, 8):
        results[index] = with_zero_within(results[index], low, high)
    if low >= 0:
        results[6] = results[4]
    coarse = histogram(values, 96)
    checksum = int((counts * np.arange(1, bins + 1)).sum())
    numbers = [float(x).hex() for pair in results for x in pair]
    return " ".join([kind, str(seed), str(bins), float(low).hex(), float(high).hex(), str(checksum),
                     float(mse_error(coarse)).hex(), *numbers])


def histograms():
    yield ("kind seed bins low high checksum least_mse_of_96_bins percentile:99.9 sqnr ifmr kl kl2 kl_symmetric "
           "kl2_symmetric ort_entropy trt_entropy")
    kinds = ("normal", "laplace", "relu", "outlier", "positive", "negative")
    for index in range(50):
        yield range_row(kinds[index % len(kinds)], 1000 + index, (512, 300, 128, 1000, 640)[index % 5])


FILES = {"schemes.txt": schemes, "encodings.txt": encodings, "folded.txt": folded, "ranges.txt": histograms}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    different = []
    for name, lines in FILES.items():
        text = "\n".join(lines()) + "\n"
        path = FOLDER / name
        if not check:
            path.write_text(text)
        elif path.read_text() != text:
            different.append(name)
    if different:
        sys.exit(f"not what {pathlib.Path(__file__).name} writes: {', '.join(different)}")


if __name__ == "__main__":
    main()
