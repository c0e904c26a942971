// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CPU loops that no tensor operation covers: mixing along a tree of tokens, and chains of element-wise steps in one
// pass over memory. Plain fp32 arrays; each function is built for several instruction sets. Any thread.

#include "core/lm/kernels/kernelset.h"

#include <cstdint>

namespace headscope::lm {

/// Neighbouring rows that continue each other without a branch.
struct TreeSegment {
    std::int64_t parent = -1;  ///< segment that this one continues; -1: a prompt starts here
    std::int64_t begin = 0;    ///< first row
    std::int64_t count = 0;    ///< rows
    std::int64_t position = 0; ///< position of the first row in its prompt
    std::int64_t level = 0;    ///< segments before it on its path
    bool hasChildren = false;
};

/// Softmax attention of packed rows. A query sees its own row and the earlier rows on its path.
struct AttentionRows {
    const float* q = nullptr; ///< [R, H*P]
    const float* k = nullptr; ///< [N, G*P]
    const float* v = nullptr; ///< [N, G*P]
    float* z = nullptr;       ///< out: [R, H*P]; null: only the matrix is needed, and v is not read
    std::int64_t qStride = 0, kStride = 0, vStride = 0, zStride = 0; ///< between rows
    std::int64_t heads = 0, kvHeads = 0, headDim = 0;
    float scale = 1.0F, softCap = 0.0F; ///< softCap 0: none
    std::int64_t window = 0;            ///< 0: none
    const TreeSegment* segments = nullptr;
    std::int64_t segmentCount = 0, longest = 0;
    const std::int64_t* rows = nullptr; ///< ascending rows of the queries; null: every row is a query
    std::int64_t rowCount = 0;
    float* matrix = nullptr; ///< out: [segments, wanted heads, longest, longest]; with `rows` of one prompt [wanted
                             ///< heads, rowCount, longest]; null: not wanted; whole prompts only
    const std::int64_t* slotOf = nullptr; ///< [H]: slot of a head among the wanted heads; -1: not wanted
    std::int64_t slots = 0;
};

/// Softmax attention of the next token of one prompt over all its cached keys and values.
struct NextRow {
    const float* q = nullptr;              ///< [H, P]
    const void* k = nullptr;               ///< for each key head [keys, P]
    const void* v = nullptr;               ///< for each key head [keys, P]
    bool bfloat = false;                   ///< k and v are bfloat16, not fp32
    float* z = nullptr;                    ///< out: [H, P]
    std::int64_t kStride = 0, vStride = 0; ///< between key heads
    std::int64_t heads = 0, kvHeads = 0, headDim = 0, keys = 0;
    float scale = 1.0F, softCap = 0.0F; ///< softCap 0: none
    std::int64_t window = 0;            ///< 0: none
};

/// State-space duality along a tree (see SsdTerms).
struct SsdRows {
    const float* x = nullptr; ///< [N, H*P]
    const float* b = nullptr; ///< [N, G*S]
    const float* c = nullptr; ///< [N, G*S]
    std::int64_t xStride = 0, bStride = 0, cStride = 0;
    const float* logDecay = nullptr; ///< [N, H]
    const float* weight = nullptr;   ///< [N, H]; null: 1
    const float* d = nullptr;        ///< [H]
    float* y = nullptr;              ///< out: [N, H*P]
    std::int64_t heads = 0, groups = 0, headDim = 0, states = 0;
    const TreeSegment* segments = nullptr;
    std::int64_t segmentCount = 0, levels = 0;
};

/// Rows of a head's matrix from the products of its C and B, for one prompt.
struct DecayRows {
    const float* products = nullptr; ///< [R, keys up to the last query]
    const double* sums = nullptr;    ///< [keys]: running sums of log decay, <= 0
    const float* weight = nullptr;   ///< [keys]; null: 1
    float* out = nullptr; ///< [R, length]: products * exp(sum[query] - sum[key]) * weight; 0 for keys after the query
    std::int64_t productStride = 0, outStride = 0;
    std::int64_t query = 0; ///< position of the first row
    std::int64_t length = 0;
};

/// Causal depthwise convolution with an optional SiLU.
struct ConvRows {
    const float* x = nullptr; ///< [N, C]
    std::int64_t xStride = 0;
    const float* taps = nullptr;            ///< [K, C], the oldest first
    const float* bias = nullptr;            ///< [C] or null
    const std::int64_t* previous = nullptr; ///< [N]: the preceding row, -1: none
    float* y = nullptr;                     ///< out: [N, C]
    std::int64_t channels = 0, width = 0;
    bool silu = false;
};

struct CpuKernels {
    const char* name; ///< name of the instruction set
    /// Computes the heads of key/value head `kvHead` for queries of the segments [first, last).
    void (*attention)(const AttentionRows& rows, std::int64_t kvHead, std::int64_t first, std::int64_t last);
    /// Computes the heads of the key/value heads [first, last).
    void (*attentionOfNext)(const NextRow& row, std::int64_t first, std::int64_t last);
    /// Computes the heads [first, last).
    void (*ssd)(const SsdRows& rows, std::int64_t first, std::int64_t last);
    /// Computes the rows [first, last).
    void (*conv)(const ConvRows& rows, std::int64_t first, std::int64_t last);
    /// out = x / rms(x) * weight (null: 1), `rows` rows of `width`.
    void (*rmsNorm)(const float* x, const float* weight, float* out, std::int64_t rows, std::int64_t width, float eps);
    /// y = y * silu(gate), then y / rms(y) * weight within groups of `group`; rows of `width`, gate with a stride.
    void (*gatedNorm)(float* y, const float* gate, std::int64_t gateStride, const float* weight, std::int64_t rows,
                      std::int64_t width, std::int64_t group, float eps);
    /// gate = silu(gate) * up (null: 1).
    void (*gatedSilu)(float* gate, const float* up, std::int64_t count);
    /// x = gelu(x), by tanh.
    void (*geluTanh)(float* x, std::int64_t count);
    /// Rotates the first 2 * half dims of each head of x [rows, heads * headDim] by the angles of its position.
    void (*rotate)(float* x, std::int64_t stride, std::int64_t rows, std::int64_t heads, std::int64_t headDim,
                   std::int64_t half, const float* cosine, const float* sine, const std::int64_t* positions);
    /// Sums |row| up to `query` in bands of distance from the query, 0, 1, 2-3, 4-7 ..., the last of which takes
    /// everything beyond, and sets `logs` to the sum of a log a over all entries.
    void (*distanceBands)(const float* row, std::int64_t query, double* sums, std::int64_t bands, double* logs);
    /// Computes the rows [first, last).
    void (*decayRows)(const DecayRows& rows, std::int64_t first, std::int64_t last);
    /// Computes the log of the sum of exponentials, and the index of the first maximum.
    void (*logSumExp)(const float* row, std::int64_t count, float* value, std::int64_t* best);
    /// bfloat16 as fp32.
    void (*widen)(const std::uint16_t* from, float* to, std::int64_t count);
    /// x to the nearest bfloat16, as fp32.
    void (*roundToBfloat)(float* x, std::int64_t count);
};

/// Returns the kernels for this processor.
[[nodiscard]] const CpuKernels& cpuKernels();
/// Returns the kernels of a set that runs here; for tests that compare sets.
[[nodiscard]] const CpuKernels& cpuKernels(KernelSet set);

} // namespace headscope::lm
