// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two runs that are compared, between the pages and the worker. Pure functions; any thread.

#include "app/backend/values/paircost.h"
#include "widgets/why/patch/pairbox.h"
#include "widgets/why/patch/promptdifference.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] app::PairQuestion pairQuestion(const app::ModelState& state, const app::Prompt& prompt,
                                             const widgets::PairChoice& choice);
/// "…, 8 pairs: the logit of “17” minus that of “42” is +9.3 here and −8.1 there." `what`: whose run goes where.
[[nodiscard]] QString pairSentence(const QString& what, const app::PairSummary& summary);
/// The prompts of the first pair.
[[nodiscard]] widgets::PromptPair promptPair(const app::PairSummary& summary);
/// The other prompt as it was run; empty where there are many.
[[nodiscard]] QString otherPrompt(const app::PairSummary& summary);
/// "The answer has 3 tokens; this is number 1, the first in which it parts from another." with a blank before it; empty
/// for an answer of one token.
[[nodiscard]] QString answerSentence(int token, int tokens);
/// "3 samples have no counterpart of their length." with a blank before it; empty where there are none.
[[nodiscard]] QString leftOutSentence(const app::PairSummary& summary);
/// "at most 2,176 runs of 39 tokens, about 20 s, 3.1 MB". Seconds where they are worth a word.
[[nodiscard]] QString costText(const app::PairCost& cost);

} // namespace headscope::gui
