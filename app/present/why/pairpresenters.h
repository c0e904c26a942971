// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts comparisons of two runs between the pages and the worker. Pure functions; any thread.

#include "app/backend/values/paircost.h"
#include "widgets/why/patch/pairbox.h"
#include "widgets/why/patch/promptdifference.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] app::PairQuestion pairQuestion(const app::ModelState& state, const app::Prompt& prompt,
                                             const widgets::PairChoice& choice);
/// "…, 8 pairs: the logit of “17” minus that of “42” is +9.3 here and −8.1 there." `what`: direction of patching.
[[nodiscard]] QString pairSentence(const QString& what, const app::PairSummary& summary);
/// Returns the prompts of the first pair.
[[nodiscard]] widgets::PromptPair promptPair(const app::PairSummary& summary);
/// Returns the other prompt as it was run; empty for several pairs.
[[nodiscard]] QString otherPrompt(const app::PairSummary& summary);
/// Returns "The answer has 3 tokens; this is number 1, the first in which it differs from another." with a leading
/// blank; empty for an answer of one token.
[[nodiscard]] QString answerSentence(int token, int tokens);
/// Returns "3 samples have no counterpart of their length." with a leading blank; empty if there are none.
[[nodiscard]] QString leftOutSentence(const app::PairSummary& summary);
/// Returns "at most 2,176 runs of 39 tokens, about 20 s, 3.1 MB". Seconds are left out if negligible.
[[nodiscard]] QString costText(const app::PairCost& cost);

} // namespace headscope::gui
