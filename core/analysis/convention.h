// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the numbers of a head's matrix are: one value, by which kept patterns are told apart. Words are made of it where
// a person or another program reads. Any thread.

#include <string>

namespace headscope::analysis {

enum class MatrixKind {
    Attention,     ///< softmax attention
    Hidden,        ///< of an SSM head: Ali, Zimerman and Wolf 2024, "The Hidden Attention of Mamba Models"
    HiddenChannel, ///< the same of a head of Mamba-1, which is one channel
    Other,         ///< a kept pattern that is described by its own words only
};

/// What the cells are.
enum class MatrixShown {
    Plain,
    Weighted,      ///< each column times the norm of the vector that is taken there
    MinusBaseline, ///< now minus the map without any ablation
};

struct MatrixConvention {
    MatrixKind kind = MatrixKind::Attention;
    // Of an SSM's matrix; attention has none of it and leaves them as they are.
    bool hasD = true;      ///< whether the mixer has a D at all: a part of each token that no state carries. Follows
                           ///< from the model, so that it does not distinguish two kept patterns
    bool withD = true;     ///< D on the diagonal
    bool withDt = true;    ///< the step size as a factor of each column
    bool withGate = false; ///< each row times the gate
    MatrixShown shown = MatrixShown::Plain;

    bool operator==(const MatrixConvention&) const = default;
};

/// Whether the rows are probabilities.
[[nodiscard]] constexpr bool rowsSumToOne(const MatrixConvention& convention)
{
    return convention.kind == MatrixKind::Attention && convention.shown == MatrixShown::Plain;
}

/// In English, for files and the command line: "softmax attention (rows sum to 1)", "hidden attention, with D (signed,
/// rows do not sum to 1)".
[[nodiscard]] std::string describe(const MatrixConvention& convention);

} // namespace headscope::analysis
