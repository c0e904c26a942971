// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts a survey to the data of its page. Pure functions; any thread.

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

/// The results about the heads of one model.
struct SurveyedSide {
    Side side = Side::A;
    const app::SurveyReply* reply = nullptr;
    std::vector<app::HeadColumn> columns;
};

/// Returns the measured facts, merged with earlier ones of the same state.
[[nodiscard]] std::shared_ptr<const app::HeadFactsReply> withEarlier(std::shared_ptr<const app::HeadFactsReply> reply,
                                                                     const app::HeadFactsReply* earlier);
/// Returns the facts for these texts, with the window's own ranking if it was measured in the same state.
[[nodiscard]] app::FactSheet knownFacts(const SideState& side, const app::SurveyReply& survey,
                                        const app::HeadFactsReply* facts);
/// Returns all columns: the survey's, the facts', and for the shown prompt scores as `prompt_SCORE` and direct
/// contributions to its answer as `direct`.
[[nodiscard]] std::vector<app::HeadColumn> knownColumns(const SideState& side, const app::SurveyReply& survey,
                                                        const app::FactSheet& facts, const app::DirectReply* direct);

/// Returns the column names of all models, and one row per head.
[[nodiscard]] std::pair<QStringList, std::vector<widgets::SurveyRow>> surveyRows(std::span<const SurveyedSide> sides);
/// Returns the amount of text read, and whether words are missing from the vocabulary.
[[nodiscard]] QString surveySentence(const app::SurveyReply& reply);
/// Returns the rows that satisfy a condition such as "induction > 0.5"; nothing, meaning all, for an empty one.
[[nodiscard]] Result<std::optional<std::set<int>>> rowsWhere(const QString& condition, const QStringList& names,
                                                             const std::vector<widgets::SurveyRow>& rows);
/// Returns the rank correlation of two columns over the heads of each model, with its interval.
[[nodiscard]] QString correlationSentence(const std::vector<widgets::SurveyRow>& rows, int x, int y);

/// Returns which texts need these heads: all tokens, those that follow the same token as before, new ones.
[[nodiscard]] QString lossSentence(std::span<const app::HeadFacts* const> heads);
[[nodiscard]] widgets::LossView::Table lossGroups(std::span<const app::HeadFacts* const> heads);
[[nodiscard]] widgets::LossView::Table lossRises(std::span<const app::HeadFacts* const> heads);

} // namespace headscope::gui
