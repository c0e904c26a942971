// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses of one prompt as the page shows them. Pure functions; any thread.

#include "app/backend/values/why.h"
#include "widgets/why/lensmodel.h"
#include "widgets/why/partmodel.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::LensData lensData(const app::LensReply& reply);
/// "“17” is on top from the stream before layer 3 on."
[[nodiscard]] QString lensSentence(const app::LensReply& reply);

[[nodiscard]] std::vector<widgets::PartRow> partRows(const app::DirectReply& reply);
/// "logit of “17” less that of “42”: +9.31; the parts add up to it."
[[nodiscard]] QString partSentence(const app::DirectReply& reply);

} // namespace headscope::gui
