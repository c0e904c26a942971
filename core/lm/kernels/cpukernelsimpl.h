// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The implementation of CpuKernels, included once per instruction set; see cpuvectorsimpl.h.

#include "core/lm/kernels/cpukernels.h"
#include "core/lm/kernels/cpuvectorsimpl.h"

namespace headscope::lm {

namespace {

// ---- bfloat16

// Of two equally near ones that whose last bit is 0, as the library has it; NaN stays NaN.
HEADSCOPE_INLINE Integers roundedBits(Vector x)
{
    const Integers bits = bitsOf(x), even = (bits + (bits >> 16 & 1) + 0x7FFF) & static_cast<std::int32_t>(0xFFFF0000U);
    return x == x ? even : bits | 0x400000;
}

static void widen(const std::uint16_t* from, float* to, std::int64_t count)
{
    std::int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes)
        at(to + j) = numbers(from + j);
    for (; j < count; ++j)
        to[j] = number(from + j);
}

static void roundToBfloat(float* x, std::int64_t count)
{
    std::int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes) {
        const Integers bits = roundedBits(at(x + j));
        at(x + j) = reinterpret_cast<const Vector&>(bits);
    }
    for (; j < count; ++j) {
        const Integers bits = roundedBits(x[j] - Vector{});
        x[j] = reinterpret_cast<const Vector&>(bits)[0];
    }
}

// ---- Attention

// Turns scores into probabilities not yet divided by their sum; entries outside [low, high) become 0. Returns 1 / sum.
static float softmaxRow(float* row, std::int64_t low, std::int64_t high, std::int64_t end, const AttentionRows& r)
{
    for (std::int64_t j = 0; j < low; ++j)
        row[j] = kMinusInfinity;
    for (std::int64_t j = high; j < end; ++j)
        row[j] = kMinusInfinity;
    const std::int64_t first = low / kLanes * kLanes;
    for (std::int64_t j = 0; j < first; j += kLanes)
        at(row + j) = Vector{};
    const Vector zero = {};
    if (r.softCap > 0)
        for (std::int64_t j = first; j < end; j += kLanes) {
            Vector t = at(row + j) * (2.0F * r.scale / r.softCap);
            exponential(t);
            at(row + j) = (1.0F - 2.0F / (t + 1.0F)) * r.softCap;
        }
    if (r.softCap > 0) { // the cap made the hidden entries finite
        for (std::int64_t j = first; j < low; ++j)
            row[j] = kMinusInfinity;
        for (std::int64_t j = high; j < end; ++j)
            row[j] = kMinusInfinity;
    }
    const float factor = r.softCap > 0 ? 1.0F : r.scale;
    Vector most = zero + kMinusInfinity;
    for (std::int64_t j = first; j < end; j += kLanes)
        most = at(row + j) > most ? at(row + j) : most;
    const float top = maximum(most);
    Vector total = zero;
    for (std::int64_t j = first; j < end; j += kLanes) {
        Vector x = (at(row + j) - top) * factor;
        exponential(x);
        at(row + j) = x;
        total += x;
    }
    return 1.0F / sum(total);
}

static void attention(const AttentionRows& r, std::int64_t kvHead, std::int64_t firstSegment, std::int64_t lastSegment)
{
    constexpr std::int64_t kQueries = 24; // rows of a tile: its scores stay in the first-level cache
    const std::int64_t width = r.headDim, capacity = padded(r.longest), group = r.heads / r.kvHeads;
    Scratch scratch(width * capacity + capacity * padded(width) + kQueries * capacity + 64);
    float* const keys = scratch.take(width * capacity);           // [P, capacity]: keys of the path, transposed
    float* const values = scratch.take(capacity * padded(width)); // [capacity, P]
    float* const scores = scratch.take(kQueries * capacity);
    float inverse[kQueries];
    for (std::int64_t i = 0; i < width * capacity; ++i)
        keys[i] = 0.0F; // what is read past the end must be a number
    const auto push = [&](const TreeSegment& s) {
        transposeInto(r.k + s.begin * r.kStride + kvHead * width, r.kStride, s.count, width, keys, capacity,
                      s.position);
        for (std::int64_t i = 0; r.z && i < s.count; ++i)
            __builtin_memcpy(values + (s.position + i) * width, r.v + (s.begin + i) * r.vStride + kvHead * width,
                             static_cast<std::size_t>(width) * sizeof(float));
    };
    // Pushes the path to the first segment; from there on the order is depth first and each push overwrites segments
    // that are no longer on the path.
    std::int64_t chosen = 0;
    if (firstSegment < lastSegment) {
        for (std::int64_t s = r.segments[firstSegment].parent; s >= 0; s = r.segments[s].parent)
            push(r.segments[s]);
        while (r.rows && chosen < r.rowCount && r.rows[chosen] < r.segments[firstSegment].begin)
            ++chosen;
    }
    for (std::int64_t index = firstSegment; index < lastSegment; ++index) {
        const TreeSegment& segment = r.segments[index];
        push(segment);
        // Queries of this segment: [from, to) of q.
        std::int64_t from = segment.begin, to = segment.begin + segment.count;
        if (r.rows) {
            from = chosen;
            while (chosen < r.rowCount && r.rows[chosen] < segment.begin + segment.count)
                ++chosen;
            to = chosen;
        }
        const auto positionOf = [&](std::int64_t query) {
            return segment.position + (r.rows ? r.rows[query] : query) - segment.begin;
        };
        for (std::int64_t begin = from; begin < to; begin += kQueries) {
            const std::int64_t count = smaller(kQueries, to - begin);
            const std::int64_t visible = positionOf(begin + count - 1) + 1, end = padded(visible);
            const std::int64_t start = r.window > 0 ? larger(0, positionOf(begin) - r.window + 1) / kLanes * kLanes : 0;
            for (std::int64_t head = kvHead * group; head < (kvHead + 1) * group; ++head) {
                product(r.q + begin * r.qStride + head * width, r.qStride, keys + start, capacity, scores + start,
                        capacity, count, end - start, width, false);
                for (std::int64_t i = 0; i < count; ++i) {
                    float* const row = scores + i * capacity;
                    const std::int64_t high = positionOf(begin + i) + 1,
                                       low = r.window > 0 ? larger(0, high - r.window) : 0;
                    inverse[i] = softmaxRow(row + start, low - start, high - start, end - start, r);
                    if (r.matrix && r.slotOf[head] >= 0) {
                        for (std::int64_t j = start; j < end; j += kLanes)
                            at(row + j) *= inverse[i];
                        inverse[i] = 1.0F;
                        float* const out =
                            r.rows ? r.matrix + (r.slotOf[head] * r.rowCount + begin + i) * r.longest
                                   : r.matrix + ((index * r.slots + r.slotOf[head]) * r.longest + high - 1) * r.longest;
                        __builtin_memset(out, 0, static_cast<std::size_t>(low) * sizeof(float));
                        __builtin_memcpy(out + low, row + low, static_cast<std::size_t>(high - low) * sizeof(float));
                        __builtin_memset(out + high, 0, static_cast<std::size_t>(r.longest - high) * sizeof(float));
                    }
                }
                if (!r.z)
                    continue;
                float* const z = r.z + begin * r.zStride + head * width;
                product(scores + start, capacity, values + start * width, width, z, r.zStride, count, width,
                        visible - start, false);
                for (std::int64_t i = 0; i < count; ++i) // fewer numbers than the probabilities
                    for (std::int64_t p = 0; p < width; ++p)
                        z[i * r.zStride + p] *= inverse[i];
            }
        }
    }
}

template <typename Number> HEADSCOPE_INLINE float dot(const float* a, const Number* b, std::int64_t count)
{
    Vector total = {};
    std::int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes)
        total += at(a + j) * numbers(b + j);
    float rest = sum(total);
    for (; j < count; ++j)
        rest += a[j] * number(b + j);
    return rest;
}

// Memory of fp32 is used as it is; `to` is for other numbers.
HEADSCOPE_INLINE const float* inFloats(const float* from, std::int64_t /*count*/, float* /*to*/)
{
    return from;
}
HEADSCOPE_INLINE const float* inFloats(const std::uint16_t* from, std::int64_t count, float* to)
{
    widen(from, to, count);
    return to;
}

template <typename Number> HEADSCOPE_INLINE void askFor(const Number* row, std::int64_t width)
{
    for (std::int64_t p = 0; p < width; p += static_cast<std::int64_t>(64 / sizeof(Number)))
        __builtin_prefetch(row + p, 0, 2);
}

template <typename Number>
HEADSCOPE_INLINE void attentionOfNextOver(const NextRow& r, std::int64_t first, std::int64_t last)
{
    constexpr std::int64_t kAtOnce = 64; // values of these keys stay in the first-level cache
    constexpr std::int64_t kAhead = 16;
    const std::int64_t width = r.headDim, capacity = padded(r.keys), group = r.heads / r.kvHeads;
    const std::int64_t low = r.window > 0 ? larger(0, r.keys - r.window) : 0, start = low / kLanes * kLanes;
    AttentionRows rows;
    rows.scale = r.scale;
    rows.softCap = r.softCap;
    Scratch scratch(group * capacity + kAtOnce * width + 3 * kLanes);
    float* const scores = scratch.take(group * capacity);
    float* const wide = scratch.take(kAtOnce * width);
    for (std::int64_t kvHead = first; kvHead < last; ++kvHead) {
        const float* const q = r.q + kvHead * group * width;
        const Number* const keys = static_cast<const Number*>(r.k) + kvHead * r.kStride;
        const Number* const values = static_cast<const Number*>(r.v) + kvHead * r.vStride;
        float* const z = r.z + kvHead * group * width;
        for (std::int64_t j = start; j < r.keys; ++j) { // a key is read once for all heads that share it
            askFor(keys + (j + kAhead) * width, width); // the weights have taken their place in the caches
            askFor(values + j * width, width);
            for (std::int64_t head = 0; head < group; ++head)
                scores[head * capacity + j] = dot(q + head * width, keys + j * width, width);
        }
        for (std::int64_t head = 0; head < group; ++head) {
            float* const row = scores + head * capacity;
            const float share = softmaxRow(row + start, low - start, r.keys - start, capacity - start, rows);
            for (std::int64_t j = start; j < capacity; j += kLanes)
                at(row + j) *= share;
        }
        for (std::int64_t j = start; j < r.keys; j += kAtOnce) {
            const std::int64_t count = smaller(kAtOnce, r.keys - j);
            product(scores + j, capacity, inFloats(values + j * width, count * width, wide), width, z, width, group,
                    width, count, j > start);
        }
    }
}

static void attentionOfNext(const NextRow& r, std::int64_t first, std::int64_t last)
{
    r.bfloat ? attentionOfNextOver<std::uint16_t>(r, first, last) : attentionOfNextOver<float>(r, first, last);
}

// ---- State-space duality

static void ssd(const SsdRows& r, std::int64_t firstHead, std::int64_t lastHead)
{
    constexpr std::int64_t kChunk = 64;
    const std::int64_t width = r.headDim, states = r.states, perGroup = r.heads / r.groups,
                       count = lastHead - firstHead;
    const std::int64_t one = padded(states * width);
    Scratch scratch(r.levels * count * one + states * kChunk + 2 * kChunk * kChunk + 3 * kChunk * padded(width)
                    + 64 * 8);
    float* const stack = scratch.take(r.levels * count * one); // [level][head][states, P]
    float* const keys = scratch.take(states * kChunk);         // B transposed
    float* const gram = scratch.take(kChunk * kChunk);
    float* const matrix = scratch.take(kChunk * kChunk);
    float* const scaled = scratch.take(kChunk * padded(width));
    float* const fromState = scratch.take(kChunk * padded(width));
    double sums[kChunk];
    for (std::int64_t index = 0; index < r.segmentCount; ++index) {
        const TreeSegment& segment = r.segments[index];
        for (std::int64_t begin = 0; begin < segment.count; begin += kChunk) {
            const std::int64_t n = smaller(kChunk, segment.count - begin), row = segment.begin + begin;
            const bool fresh = begin == 0 && segment.parent < 0; // the state before is zero
            const bool goesOn = begin + n < segment.count || segment.hasChildren;
            std::int64_t group = -1;
            for (std::int64_t head = firstHead; head < lastHead; ++head) {
                // 1. C B^T, shared by all heads of a group.
                if (head / perGroup != group) {
                    group = head / perGroup;
                    transposeInto(r.b + row * r.bStride + group * states, r.bStride, n, states, keys, kChunk, 0);
                    for (std::int64_t p = 0; p < states; ++p)
                        for (std::int64_t i = n; i < kChunk; ++i)
                            keys[p * kChunk + i] = 0.0F;
                    product(r.c + row * r.cStride + group * states, r.cStride, keys, kChunk, gram, kChunk, n, kChunk,
                            states, false);
                }
                // Running sums in double: differences of large fp32 sums would lose significant digits.
                double total = 0;
                for (std::int64_t i = 0; i < n; ++i)
                    sums[i] = total += static_cast<double>(r.logDecay[(row + i) * r.heads + head]);
                for (std::int64_t i = n; i < kChunk; ++i)
                    sums[i] = total;
                const auto weightOf = [&](std::int64_t i) {
                    return r.weight ? r.weight[(row + i) * r.heads + head] : 1.0F;
                };
                const float* const x = r.x + row * r.xStride + head * width;
                float* const y = r.y + row * r.heads * width + head * width;

                // 2. Within the chunk.
                float weights[kChunk];
                for (std::int64_t i = 0; i < kChunk; ++i)
                    weights[i] = i < n ? weightOf(i) : 0.0F;
                for (std::int64_t i = 0; i < n; ++i)
                    for (std::int64_t j = 0; j <= i; j += kLanes) {
                        float gap[kLanes];
                        for (int lane = 0; lane < kLanes; ++lane)
                            gap[lane] = j + lane <= i ? static_cast<float>(sums[i] - sums[j + lane]) : kMinusInfinity;
                        Vector decay = at(gap);
                        exponential(decay);
                        at(matrix + i * kChunk + j) = decay * at(gram + i * kChunk + j) * at(weights + j);
                    }
                for (std::int64_t i = 0; i < n; i += kRows) { // rows up to i + kRows - 1 read keys up to there
                    const std::int64_t m = smaller(kRows, n - i), k = i + m;
                    for (std::int64_t a = i; a < k; ++a)
                        for (std::int64_t j = (a / kLanes + 1) * kLanes; j < k; ++j)
                            matrix[a * kChunk + j] = 0.0F;
                    product(matrix + i * kChunk, kChunk, x, r.xStride, y + i * r.heads * width, r.heads * width, m,
                            width, k, false);
                }

                // 3. Contribution of the previous state, and D.
                float* const own = stack + (segment.level * count + head - firstHead) * one;
                const float* const before = begin > 0 ? own : own - count * one;
                if (!fresh)
                    product(r.c + row * r.cStride + group * states, r.cStride, before, width, fromState, width, n,
                            width, states, false);
                for (std::int64_t i = 0; i < n; ++i) {
                    const float kept = fresh ? 0.0F : exponential(static_cast<float>(sums[i]));
                    for (std::int64_t p = 0; p < width; ++p)
                        y[i * r.heads * width + p] +=
                            (fresh ? 0.0F : kept * fromState[i * width + p]) + r.d[head] * x[i * r.xStride + p];
                }

                // 4. The state after the chunk, if it is read later.
                if (!goesOn)
                    continue;
                for (std::int64_t i = 0; i < n; ++i) {
                    const float factor = weights[i] * exponential(static_cast<float>(total - sums[i]));
                    for (std::int64_t p = 0; p < width; ++p)
                        scaled[i * width + p] = factor * x[i * r.xStride + p];
                }
                const float kept = exponential(static_cast<float>(total));
                for (std::int64_t p = 0; p < states * width; ++p)
                    own[p] = fresh ? 0.0F : kept * before[p];
                product(keys, kChunk, scaled, width, own, width, states, width, n, true);
            }
        }
    }
}

// ---- Element by element

static void conv(const ConvRows& r, std::int64_t first, std::int64_t last)
{
    for (std::int64_t row = first; row < last; ++row) {
        float* const y = r.y + row * r.channels;
        for (std::int64_t c = 0; c < r.channels; ++c)
            y[c] = r.bias ? r.bias[c] : 0.0F;
        std::int64_t from = row;
        for (std::int64_t tap = r.width - 1; tap >= 0 && from >= 0; --tap, from = r.previous[from]) {
            const float* const x = r.x + from * r.xStride;
            const float* const taps = r.taps + tap * r.channels;
            for (std::int64_t c = 0; c < r.channels; ++c)
                y[c] += x[c] * taps[c];
        }
        if (!r.silu)
            continue;
        std::int64_t c = 0;
        for (; c + kLanes <= r.channels; c += kLanes) {
            Vector e = -at(y + c);
            exponential(e);
            at(y + c) /= 1.0F + e;
        }
        for (; c < r.channels; ++c)
            y[c] /= 1.0F + exponential(-y[c]);
    }
}

HEADSCOPE_INLINE float sumOfSquares(const float* x, std::int64_t width)
{
    Vector squares[4] = {};
    std::int64_t j = 0;
    for (; j + 4 * kLanes <= width; j += 4 * kLanes)
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i)
            squares[i] += at(x + j + i * kLanes) * at(x + j + i * kLanes);
    for (; j + kLanes <= width; j += kLanes)
        squares[0] += at(x + j) * at(x + j);
    float total = sum(squares[0] + squares[1] + (squares[2] + squares[3]));
    for (; j < width; ++j)
        total += x[j] * x[j];
    return total;
}

static void rmsNorm(const float* x, const float* weight, float* out, std::int64_t rows, std::int64_t width, float eps)
{
    for (std::int64_t row = 0; row < rows; ++row, x += width, out += width) {
        const float inverse = 1.0F / __builtin_sqrtf(sumOfSquares(x, width) / static_cast<float>(width) + eps);
        for (std::int64_t j = 0; j < width; ++j)
            out[j] = x[j] * inverse * (weight ? weight[j] : 1.0F);
    }
}

static void gatedSilu(float* gate, const float* up, std::int64_t count)
{
    std::int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes) {
        const Vector g = at(gate + j);
        Vector e = -g;
        exponential(e);
        at(gate + j) = up ? g / (1.0F + e) * at(up + j) : g / (1.0F + e);
    }
    for (; j < count; ++j)
        gate[j] = gate[j] / (1.0F + exponential(-gate[j])) * (up ? up[j] : 1.0F);
}

static void geluTanh(float* x, std::int64_t count)
{
    // x (1 + tanh u) / 2 = x / (1 + e^-2u), u = sqrt(2 / pi) (x + 0.044715 x^3)
    constexpr float kOuter = -1.5957691216057308F, kInner = 0.044715F;
    std::int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes) {
        const Vector v = at(x + j);
        Vector e = kOuter * (v + kInner * v * v * v);
        exponential(e);
        at(x + j) = v / (1.0F + e);
    }
    for (; j < count; ++j)
        x[j] /= 1.0F + exponential(kOuter * (x[j] + kInner * x[j] * x[j] * x[j]));
}

static void gatedNorm(float* y, const float* gate, std::int64_t gateStride, const float* weight, std::int64_t rows,
                      std::int64_t width, std::int64_t group, float eps)
{
    for (std::int64_t row = 0; row < rows; ++row, y += width, gate += gateStride) {
        std::int64_t j = 0;
        for (; j + kLanes <= width; j += kLanes) {
            const Vector g = at(gate + j);
            Vector e = -g;
            exponential(e);
            at(y + j) *= g / (1.0F + e);
        }
        for (; j < width; ++j)
            y[j] *= gate[j] / (1.0F + exponential(-gate[j]));
        for (std::int64_t begin = 0; begin < width; begin += group) {
            const float inverse =
                1.0F / __builtin_sqrtf(sumOfSquares(y + begin, group) / static_cast<float>(group) + eps);
            for (std::int64_t p = begin; p < begin + group; ++p)
                y[p] = y[p] * inverse * weight[p];
        }
    }
}

static void rotate(float* x, std::int64_t stride, std::int64_t rows, std::int64_t heads, std::int64_t headDim,
                   std::int64_t half, const float* cosine, const float* sine, const std::int64_t* positions)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* const c = cosine + positions[row] * half;
        const float* const s = sine + positions[row] * half;
        for (std::int64_t head = 0; head < heads; ++head) {
            float* const __restrict a = x + row * stride + head * headDim;
            float* const __restrict b = a + half;
#pragma GCC ivdep
            for (std::int64_t i = 0; i < half; ++i) {
                const float u = a[i], w = b[i];
                a[i] = u * c[i] - w * s[i];
                b[i] = w * c[i] + u * s[i];
            }
        }
    }
}

// Returns the sum of the vectors' magnitudes; `times` receives each magnitude times its logarithm.
HEADSCOPE_INLINE float magnitudes(const float* row, std::int64_t vectors, Vector& times)
{
    Vector own = {};
    for (std::int64_t i = 0; i < vectors; ++i) {
        const Vector a = magnitude(at(row + i * kLanes));
        own += a;
        times += a * logarithm(a);
    }
    return sum(own);
}

HEADSCOPE_INLINE std::int64_t bandOf(std::int64_t distance, std::int64_t bands)
{
    const std::int64_t bits = distance == 0 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(distance));
    return smaller(bits, bands - 1);
}

static void distanceBands(const float* row, std::int64_t query, double* sums, std::int64_t bands, double* logs)
{
    constexpr std::int64_t kMost = 64; // vectors whose sums are fp32
    for (std::int64_t band = 0; band < bands; ++band)
        sums[band] = 0;
    double all = 0;
    // 1. The nearest entries, of several bands, in one vector; zeros precede the text.
    float padding[kLanes] = {};
    const float* nearest = row + query + 1 - kLanes;
    if (query + 1 < kLanes) {
        for (std::int64_t s = 0; s <= query; ++s)
            padding[kLanes - 1 - query + s] = row[s];
        nearest = padding;
    }
    Vector times = {};
    (void)magnitudes(nearest, 1, times);
    for (std::int64_t near = 0; near < kLanes;) {
        const std::int64_t far = smaller(near == 0 ? 1 : 2 * near, kLanes);
        float own = 0;
        for (std::int64_t distance = near; distance < far; ++distance)
            own += __builtin_fabsf(nearest[kLanes - 1 - distance]);
        sums[bandOf(near, bands)] += static_cast<double>(own);
        near = far;
    }
    // 2. Bands of whole vectors. The remaining first entries of the prompt are padded with zeros in front.
    for (std::int64_t near = kLanes; near <= query;) {
        const std::int64_t band = bandOf(near, bands);
        const std::int64_t end = band == bands - 1 ? query + 1 : smaller(2 * near, query + 1); // of the band
        const std::int64_t far = smaller(end, near + kMost * kLanes), vectors = (far - near) / kLanes;
        const float* const last = row + (query - near + 1);
        double own = static_cast<double>(magnitudes(last - vectors * kLanes, vectors, times));
        const std::int64_t rest = (far - near) % kLanes;
        if (rest > 0) {
            float before[kLanes] = {};
            for (std::int64_t i = 0; i < rest; ++i)
                before[kLanes - rest + i] = row[query - far + 1 + i];
            own += static_cast<double>(magnitudes(before, 1, times));
        }
        if (vectors == kMost) {
            all += static_cast<double>(sum(times));
            times = Vector{};
        }
        sums[band] += own;
        near = far;
    }
    *logs = all + static_cast<double>(sum(times));
}

static void decayRows(const DecayRows& r, std::int64_t first, std::int64_t last)
{
    using Doubles = double __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));
    for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t query = r.query + i;
        const float* const in = r.products + i * r.productStride;
        float* const out = r.out + i * r.outStride;
        const double own = r.sums[query];
        std::int64_t s = 0;
        for (; s + kLanes <= query + 1; s += kLanes) {
            const Doubles gaps = own - *reinterpret_cast<const Doubles*>(r.sums + s);
            Vector decay = __builtin_convertvector(gaps, Vector);
            exponential(decay);
            at(out + s) = at(in + s) * (r.weight ? decay * at(r.weight + s) : decay);
        }
        for (; s <= query; ++s)
            out[s] = in[s] * exponential(static_cast<float>(own - r.sums[s])) * (r.weight ? r.weight[s] : 1.0F);
        for (; s < r.length; ++s)
            out[s] = 0;
    }
}

static void logSumExp(const float* row, std::int64_t count, float* value, std::int64_t* best)
{
    Vector most = Vector{} + kMinusInfinity;
    std::int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes)
        most = at(row + j) > most ? at(row + j) : most;
    float top = maximum(most);
    for (; j < count; ++j)
        top = row[j] > top ? row[j] : top;
    *best = 0;
    while (*best + 1 < count && row[*best] != top)
        ++*best;
    Vector total = {};
    for (j = 0; j + kLanes <= count; j += kLanes) {
        Vector x = at(row + j) - top;
        exponential(x);
        total += x;
    }
    float rest = sum(total);
    for (; j < count; ++j)
        rest += exponential(row[j] - top);
    *value = top + __builtin_logf(rest);
}

} // namespace

static const CpuKernels& kernelsOfThisSet(const char* name)
{
    static const CpuKernels all{name,          attention, attentionOfNext, ssd,      conv,
                                rmsNorm,       gatedNorm, gatedSilu,       geluTanh, rotate,
                                distanceBands, decayRows, logSumExp,       widen,    roundToBfloat};
    return all;
}

} // namespace headscope::lm
