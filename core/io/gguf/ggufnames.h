// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Hugging Face names for the tensors of a GGUF file, and the changes made by llama.cpp's converter. Any
// thread.

#include "core/io/gguf/ggufheader.h"

namespace headscope::io {

/// Changes to undo.
enum class GgufChange {
    None,
    RotaryRows,   ///< the two halves of each head's rows were interleaved
    Transposed,   ///< GPT-2's [in, out]
    OneAdded,     ///< Gemma's norms
    MinusExp,     ///< A = -exp(A_log)
    MiddleOne,    ///< a convolution's [channels, 1, taps] without its 1
    OneDimension, ///< trailing sizes of 1, or groups, that the original does not have
    OneRow,       ///< a map to one number without its 1
    NoSuffix,     ///< the original's name has no ".weight" or ".bias"; its numbers are the same
};

/// The dimension ordered by value heads, which the file orders by their number under each key head.
enum class GgufValueHeads { None, Rows, Columns };

struct GgufOriginal {
    std::string name; ///< with "*" for the number of an expert if the file has all experts' maps in one tensor
    GgufChange change = GgufChange::None;
    GgufValueHeads valueHeads = GgufValueHeads::None;
};

/// The factors of the rotary frequencies, which are part of the config: one list, or Phi-3's two.
inline constexpr std::string_view kRopeFactors = "rope_freqs.weight", kLongFactors = "rope_factors_long.weight",
                                  kShortFactors = "rope_factors_short.weight";

/// Returns the families whose names are known: the values of general.architecture.
[[nodiscard]] std::vector<std::string> ggufArchitectures();

/// Returns the original of a tensor; nothing if the original does not have it (rope_freqs) or its name is unknown.
/// `architecture` must be known.
[[nodiscard]] std::optional<GgufOriginal> ggufOriginal(std::string_view architecture, std::string_view tensor);

} // namespace headscope::io
