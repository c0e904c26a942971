// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Directions to steer by that are named by two lists of prompts, `steer:L2=HAPPY-SAD`, or by a word of the model's
// Jacobian lens, `steer:L2=jlens:WORD`. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"

namespace headscope::app {

/// Lets the model's donors read both lists, text files with one prompt a line, and make their mean difference before
/// the layer, or the row of the word in U J; they keep the model. Fails then for files that do not exist, for empty
/// lists, for prompts that the model cannot read, for a word of several tokens and a lens without this layer. Called
/// again where the start token changes.
void connectDirections(OpenModel& open);

} // namespace headscope::app
