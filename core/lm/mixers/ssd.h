// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// State-space duality: the sequence map that Mamba-2, Zamba2's Mamba and Llamba's discrete Mamba-2 share, as a chunked
// scan, as one recurrent step, and as the matrix of a head. Pure functions, safe under autograd. Worker thread.

#include <ATen/core/Tensor.h>

#include <vector>

namespace headscope::lm {

/// y_t = sum over s <= t of (C_t . B_s) exp(T_t - T_s) w_s x_s, plus D x_t, with T the running sum of logDecay (arXiv
/// 2405.21060, equation 3; core/lm/README.md derives the matrix from it). All fp32.
struct SsdTerms {
    at::Tensor x;        ///< [B, T, H, P]
    at::Tensor b, c;     ///< [B, T, G, N]; head h reads group h / (H / G)
    at::Tensor logDecay; ///< [B, T, H], <= 0
    at::Tensor weight;   ///< [B, T, H], the step sizes; undefined: 1
    at::Tensor d;        ///< [H]
};

/// The longest chunk for which the time saved is worth the memory.
inline constexpr std::int64_t kLongestChunk = 128;

/// Returns y [B, T, H, P]. `state` [B, H, P, N] is the state before the first token (undefined: zero) and becomes the
/// one after the last. Work grows with T * chunk, memory with a fixed number of chunks.
[[nodiscard]] at::Tensor ssdScan(const SsdTerms& terms, at::Tensor& state, std::int64_t chunk);

/// Returns a copy of the terms that the matrices of the chosen heads (empty: all) need: it has only these heads, and
/// its x has width 0.
[[nodiscard]] SsdTerms matrixTerms(const SsdTerms& terms, const std::vector<int>& heads);
/// Returns rows [first, first + count) of the matrices of the chosen heads (empty: all), [B, h, count, T].
[[nodiscard]] at::Tensor ssdMatrix(const SsdTerms& terms, const std::vector<int>& heads, std::int64_t first,
                                   std::int64_t count, bool withD, bool withWeight);

/// Returns M[t, t] of all heads, [B, T, H], D included.
[[nodiscard]] at::Tensor ssdDiagonal(const SsdTerms& terms);

} // namespace headscope::lm
