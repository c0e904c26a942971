// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Describes interventions in the words of a figure, in the language of the window. Pure functions; any thread.

#include "core/interventions/intervention.h"

#include <QString>

namespace headscope::figures {

/// Returns "all heads on", "without L1H2, L2H5", "layer 2 skipped"; more than a few are counted.
[[nodiscard]] QString stateWords(const interventions::InterventionSet& set);

/// A prompt in a caption: of a long one the beginning and the end, where the question is.
[[nodiscard]] QString promptWords(const QString& prompt);

} // namespace headscope::figures
