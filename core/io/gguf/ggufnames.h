// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the tensors of a GGUF file are called in the Hugging Face layout, and what llama.cpp's converter did to them on
// the way. Any thread.

#include "core/io/gguf/ggufheader.h"

namespace headscope::io {

/// What has to be undone.
enum class GgufChange {
    None,
    RotaryRows,   ///< the two halves of each head's rows were interleaved
    Transposed,   ///< GPT-2's [in, out]
    OneAdded,     ///< Gemma's norms
    MinusExp,     ///< A = -exp(A_log)
    MiddleOne,    ///< a convolution's [channels, 1, taps] without its 1
    OneDimension, ///< trailing sizes of 1, or groups, that the original has not
    OneRow,       ///< a map to one number without its 1
    NoSuffix,     ///< the original's name has no ".weight" or ".bias"; its numbers are the same
};

/// What of a tensor is in the order of value heads, which the file has by their number under each key head.
enum class GgufValueHeads { None, Rows, Columns };

struct GgufOriginal {
    std::string name; ///< with "*" for the number of an expert, where the file has the maps of all in one tensor
    GgufChange change = GgufChange::None;
    GgufValueHeads valueHeads = GgufValueHeads::None;
};

/// The factors of the rotary frequencies, which are part of what the config says: one list, or Phi-3's two.
inline constexpr std::string_view kRopeFactors = "rope_freqs.weight", kLongFactors = "rope_factors_long.weight",
                                  kShortFactors = "rope_factors_short.weight";

/// The families whose names are known: the values of general.architecture.
[[nodiscard]] std::vector<std::string> ggufArchitectures();

/// Nothing for a tensor that the original has not (rope_freqs) or whose name is not known. `architecture` is a known
/// one.
[[nodiscard]] std::optional<GgufOriginal> ggufOriginal(std::string_view architecture, std::string_view tensor);

} // namespace headscope::io
