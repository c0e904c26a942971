// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Steering directions that are defined by two lists of prompts, `steer:L2=HAPPY-SAD`, or by a word of the model's
// Jacobian lens, `steer:L2=jlens:WORD`. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"

namespace headscope::app {

/// Lets the model's donors compute directions: the mean difference of two lists, text files with one prompt per line,
/// before the layer, or the row of the word in U J; donors keep a reference to the model. They fail for missing files,
/// empty lists, prompts that the model cannot read, a word of several tokens, and a lens without this layer. Call it
/// again if the start token changes.
void connectDirections(OpenModel& open);

} // namespace headscope::app
