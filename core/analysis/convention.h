// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the numbers of a head's matrix are: one value that distinguishes stored patterns. It is converted to words for
// people and other programs. Any thread.

#include <string>

namespace headscope::analysis {

enum class MatrixKind {
    Attention,     ///< softmax attention
    Hidden,        ///< of SSM heads: Ali, Zimerman and Wolf 2024, "The Hidden Attention of Mamba Models"
    HiddenChannel, ///< the same for a head of Mamba-1, which is one channel
    Other,         ///< a stored pattern that is described only by its own words
};

/// What the cells show.
enum class MatrixShown {
    Plain,
    Weighted,      ///< each column times the norm of its value vector
    MinusBaseline, ///< now minus the map without any ablation
};

struct MatrixConvention {
    MatrixKind kind = MatrixKind::Attention;
    // For an SSM's matrix; attention leaves the defaults.
    bool hasD = true;      ///< whether the mixer has a D at all: a part of each token that no state carries. Follows
                           ///< from the model, so it does not distinguish two stored patterns
    bool withD = true;     ///< D on the diagonal
    bool withDt = true;    ///< the step size as a factor of each column
    bool withGate = false; ///< each row times the gate
    MatrixShown shown = MatrixShown::Plain;

    bool operator==(const MatrixConvention&) const = default;
};

/// Returns whether the rows are probabilities.
[[nodiscard]] constexpr bool rowsSumToOne(const MatrixConvention& convention)
{
    return convention.kind == MatrixKind::Attention && convention.shown == MatrixShown::Plain;
}

/// Describes it in English, for files and the command line: "softmax attention (rows sum to 1)", "hidden attention,
/// with D (signed, rows do not sum to 1)".
[[nodiscard]] std::string describe(const MatrixConvention& convention);

} // namespace headscope::analysis
