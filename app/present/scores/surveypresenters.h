// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey as the page shows it. Pure functions; any thread.

#include "app/backend/values.h"
#include "app/backend/values/surveyvalues.h"
#include "app/backend/values/why.h"
#include "app/state/sidestate.h"
#include "app/workbench/heads/headcolumns.h"
#include "core/base/result.h"
#include "core/base/side.h"
#include "widgets/survey/lossview.h"
#include "widgets/survey/surveymodel.h"

#include <QString>

#include <memory>
#include <optional>
#include <set>
#include <span>

namespace headscope::gui {

/// What is known of one model's heads.
struct SurveyedSide {
    Side side = Side::A;
    const app::SurveyReply* reply = nullptr;
    std::vector<app::HeadColumn> columns;
};

/// What was measured, with what was known before of the same state.
[[nodiscard]] std::shared_ptr<const app::HeadFactsReply> withEarlier(std::shared_ptr<const app::HeadFactsReply> reply,
                                                                     const app::HeadFactsReply* earlier);
/// The facts, of these texts, with what the window's own ranking found, where it was measured on the same state.
[[nodiscard]] app::FactSheet knownFacts(const SideState& side, const app::SurveyReply& survey,
                                        const app::HeadFactsReply* facts);
/// All columns: the survey's, the facts', and of the prompt that is looked at scores as `prompt_SCORE` and the direct
/// part in its answer as `direct`.
[[nodiscard]] std::vector<app::HeadColumn> knownColumns(const SideState& side, const app::SurveyReply& survey,
                                                        const app::FactSheet& facts, const app::DirectReply* direct);

/// Names of columns of all models, and a row a head.
[[nodiscard]] std::pair<QStringList, std::vector<widgets::SurveyRow>> surveyRows(std::span<const SurveyedSide> sides);
/// How much was read, and whether words are missing.
[[nodiscard]] QString surveySentence(const app::SurveyReply& reply);
/// Which rows fulfil a condition such as "induction > 0.5"; nothing for an empty one: all.
[[nodiscard]] Result<std::optional<std::set<int>>> rowsWhere(const QString& condition, const QStringList& names,
                                                             const std::vector<widgets::SurveyRow>& rows);
/// The rank correlation of two columns over the heads of each model, with its interval.
[[nodiscard]] QString correlationSentence(const std::vector<widgets::SurveyRow>& rows, int x, int y);

/// Which texts need these heads, in a sentence: all tokens, those that follow the same token as before, new ones.
[[nodiscard]] QString lossSentence(std::span<const app::HeadFacts* const> heads);
[[nodiscard]] widgets::LossView::Table lossGroups(std::span<const app::HeadFacts* const> heads);
[[nodiscard]] widgets::LossView::Table lossRises(std::span<const app::HeadFacts* const> heads);

} // namespace headscope::gui
