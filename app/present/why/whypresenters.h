// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts analyses of one prompt to the data of their page. Pure functions; any thread.

#include "app/backend/values.h"
#include "app/backend/values/lensfitvalues.h"
#include "app/backend/values/why.h"
#include "widgets/prompt/promptbar.h"
#include "widgets/why/parts/whyview.h"

#include <QString>

#include <memory>

namespace headscope::gui {

/// Layers and tokens, coloured by one number of each. `of`: see provenance().
[[nodiscard]] widgets::GridData lensGrid(const std::shared_ptr<const app::LensReply>& reply, widgets::LensColor color,
                                         const QString& of);
/// "“17” is on top from the stream before layer 3 on."
[[nodiscard]] QString lensSentence(const app::LensReply& reply);
/// Returns the duration and memory of a fit of a Jacobian lens.
[[nodiscard]] QString forecastSentence(const app::LensForecast& forecast);
/// Returns how often the top token of the fitted lens and of the logit lens is the model's own answer, by layer.
[[nodiscard]] QString fitSentence(const app::LensFitReply& reply);

[[nodiscard]] std::vector<widgets::PartRow> partRows(const app::DirectReply& reply);
/// Returns the values of heads only, for the head map.
[[nodiscard]] std::vector<app::HeadValue> attributionValues(const app::DirectReply& reply);
/// Returns a head's contribution to the answer by token, as colours of the prompt; negative ones are underlined.
[[nodiscard]] std::vector<widgets::TokenHeat> sourceHeat(const app::SourcesReply& reply,
                                                         const app::ModelSummary& model);
/// Returns "logit of “17” minus that of “42”: +9.31; the parts add up to it."
[[nodiscard]] QString partSentence(const app::DirectReply& reply);

} // namespace headscope::gui
