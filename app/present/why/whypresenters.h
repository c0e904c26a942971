// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses of one prompt as the page shows them. Pure functions; any thread.

#include "app/backend/values.h"
#include "app/backend/values/lensfitvalues.h"
#include "app/backend/values/why.h"
#include "widgets/prompt/promptbar.h"
#include "widgets/why/lens/lensmodel.h"
#include "widgets/why/parts/partmodel.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::LensData lensData(const app::LensReply& reply);
/// "“17” is on top from the stream before layer 3 on."
[[nodiscard]] QString lensSentence(const app::LensReply& reply);
/// How long a fit of a Jacobian lens takes, and what it needs.
[[nodiscard]] QString forecastSentence(const app::LensForecast& forecast);
/// How often the fitted lens and the logit lens have the model's own answer on top, by layer.
[[nodiscard]] QString fitSentence(const app::LensFitReply& reply);

[[nodiscard]] std::vector<widgets::PartRow> partRows(const app::DirectReply& reply);
/// Of the heads alone, to colour the map by.
[[nodiscard]] std::vector<app::HeadValue> attributionValues(const app::DirectReply& reply);
/// What a head takes of each token towards the answer, as colours of the prompt; underlined: against it.
[[nodiscard]] std::vector<widgets::TokenHeat> sourceHeat(const app::SourcesReply& reply,
                                                         const app::ModelSummary& model);
/// "logit of “17” minus that of “42”: +9.31; the parts add up to it."
[[nodiscard]] QString partSentence(const app::DirectReply& reply);

} // namespace headscope::gui
