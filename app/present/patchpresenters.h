// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of patches as the page shows it. Pure functions; any thread.

#include "app/backend/values/patch.h"
#include "widgets/why/patchmodel.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::PatchData patchData(const app::PatchReply& reply, const app::ModelSummary& model);
/// "This prompt's heads in the other's run, 8 pairs: logit of “17” less that of “42” 9.3 here, −8.1 there. Most: L1H2
/// 0.99, L2H5 0.98, …"
[[nodiscard]] QString patchSentence(const app::PatchReply& reply, const app::ModelSummary& model);

} // namespace headscope::gui
