// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a head's matrix is meant, in words: what pictures say, and by what kept patterns are told apart. Any thread.

#include <string>
#include <string_view>

namespace headscope::analysis {

inline constexpr const char* kSoftmaxAttention = "softmax attention (rows sum to 1)";

struct SsmConvention {
    bool channel = false;  ///< a head of Mamba-1 is one channel
    bool withD = true;     ///< D on the diagonal
    bool withDt = true;    ///< the step size as a factor of each column
    bool withGate = false; ///< each row times the gate
};

/// "hidden attention, with D (signed, rows do not sum to 1)"; the name is that of Ali, Zimerman and Wolf 2024, "The
/// Hidden Attention of Mamba Models".
[[nodiscard]] std::string hiddenAttention(const SsmConvention& convention);

/// Whether the rows of a matrix that is described so are probabilities. Understands the words of older sessions too.
[[nodiscard]] bool rowsSumToOne(std::string_view convention);

} // namespace headscope::analysis
