// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The session as the panels of one figure read it. Private to app/figures; on the thread of the session.

#include "app/figures/documents/sessionfigure.h"
#include "app/figures/figurewords.h"
#include "core/analysis/statistics.h"
#include "core/experiments/experimentreport.h"
#include "core/interventions/intervention.h"
#include "sessions/analysisrecords.h"
#include "sessions/sessionstore.h"
#include "widgets/figures/figure.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace headscope::figures {

/// What cannot be drawn, on its way to makeFigure.
struct Missing : std::runtime_error {
    explicit Missing(Error e) : std::runtime_error(e.message), error(std::move(e)) {}
    explicit Missing(const std::string& sentence) : Missing(inputError(sentence)) {}
    Error error;
};

template <typename T> T need(Result<T> result)
{
    if (!result.has_value())
        throw Missing(result.error());
    return std::move(*result);
}

/// "none" for the baseline, "without L2H5" for one head, else the set's text.
[[nodiscard]] QString stateName(const std::string& ablation);

/// One line of the score sheet: a group of tasks in one state of one model.
struct GroupScore {
    sessions::ModelRecord model;
    std::string group; ///< "mmlu", or a task's own name
    std::string ablation;
    std::int64_t n = 0;
    std::int64_t correct = 0;
    analysis::PairedCounts paired; ///< against the baseline, on the examples that both have
    std::string dtype, device;
    bool commonPrefix = false; ///< scored from the longest common prefix (engine::Boundary)

    [[nodiscard]] double value() const { return static_cast<double>(correct) / static_cast<double>(n); }
    [[nodiscard]] widgets::Estimate estimate() const;
};

class Source
{
public:
    explicit Source(sessions::SessionStore& session) : m_session(session), m_models(need(session.models())) {}

    [[nodiscard]] sessions::SessionStore& session() { return m_session; }
    /// By name or by the beginning of the hash; empty names: all. Fails where one is not there.
    [[nodiscard]] std::vector<sessions::ModelRecord> models(const std::vector<std::string>& names) const;
    [[nodiscard]] const sessions::ModelRecord& model(const std::string& hash) const;
    [[nodiscard]] sessions::PatternRecord pattern(const PatternRef& ref);
    /// With its values. Fails where there is none.
    [[nodiscard]] sessions::AnalysisRecord analysisOf(const sessions::ModelRecord& model, const PanelRecipe& panel);
    [[nodiscard]] sessions::RankingRecord ranking(const sessions::ModelRecord& model, const std::string& method,
                                                  const std::vector<std::string>& tasks);
    /// Of all experiments that were run, in the order of their keys; what cannot be read is left out.
    [[nodiscard]] std::vector<experiments::Report> reports();
    /// The report of an experiment on these models, as they were asked for. Fails where it was not run.
    [[nodiscard]] experiments::Report report(const std::string& id, const std::vector<std::string>& models);
    /// The person's own names of a model's heads.
    [[nodiscard]] std::map<std::string, std::string> labels(const sessions::ModelRecord& model);

    /// The scores of a model whose task begins with `task`; of several series for the same the one with most examples.
    [[nodiscard]] std::vector<sessions::SeriesScore> scores(const sessions::ModelRecord& model, const std::string& task,
                                                            const std::string& ablation);
    /// Every state that the model was scored in on such a task, without the baseline, in the order they were first
    /// scored.
    [[nodiscard]] std::vector<std::string> states(const sessions::ModelRecord& model, const std::string& task);
    /// Tasks and groups that were scored on the model in any state, those that have numbers in their names by these.
    [[nodiscard]] std::vector<std::string> groups(const sessions::ModelRecord& model);
    [[nodiscard]] std::optional<GroupScore> line(const sessions::ModelRecord& model, const std::string& group,
                                                 const std::string& ablation);

    /// Says for the provenance what a panel was drawn of.
    void used(const sessions::ModelRecord& model, const std::string& dtype, const std::string& device,
              const std::string& what);
    /// The same of a line that is drawn.
    void used(const GroupScore& line);
    void used(const sessions::ModelRecord& model, const sessions::RankingRecord& ranking);
    [[nodiscard]] QString provenance() const;
    /// Says that something of the session was not drawn, for want of room.
    void leaveOut(const QString& what) { m_leftOut << what; }
    /// Adds a sentence to the caption.
    void note(const QString& sentence) { m_notes << sentence; }
    /// All of that as sentences; empty where nothing was.
    [[nodiscard]] QString captionEnd() const;

private:
    /// Of each model and task the series of one source of rows: of those that report the most of the baseline. A state
    /// that was only scored on other rows is not drawn beside it.
    [[nodiscard]] const std::vector<sessions::SeriesScore>& allScores();

    [[nodiscard]] std::size_t usedModel(const sessions::ModelRecord& model, const std::string& dtype,
                                        const std::string& device);
    [[nodiscard]] static QStringList
    linesText(const std::vector<std::pair<std::string, std::vector<std::string>>>& states);

    sessions::SessionStore& m_session;
    std::vector<sessions::ModelRecord> m_models;
    std::optional<std::vector<sessions::SeriesScore>> m_scores;
    std::vector<std::pair<std::string, std::vector<std::string>>> m_used; ///< model, and what of it
    /// Of m_used by its place: states, and what each was scored on.
    std::map<std::size_t, std::vector<std::pair<std::string, std::vector<std::string>>>> m_lines;
    [[nodiscard]] QString leftOut() const;

    QStringList m_leftOut, m_notes;
};

/// "8" of "toy_kv:pairs=8"; -1 where a task has no such number.
[[nodiscard]] int pairsOf(const std::string& task);

/// The heads of an analysis by one of its measures, the largest magnitude first; none: no single heads were measured.
[[nodiscard]] sessions::RankingRecord headsOf(const sessions::AnalysisRecord& analysis, const std::string& measure,
                                              const std::string& method);

// experimentfigures.cpp
[[nodiscard]] widgets::Plot experimentPanel(Source& source, const PanelRecipe& panel);

// dotspanel.cpp
[[nodiscard]] widgets::Plot dotsPanel(Source& source, const PanelRecipe& panel);

// analysispanels.cpp
/// What distinguishes an analysis from others of its model and kind: some digits of a hash of its key.
[[nodiscard]] std::string questionId(const sessions::AnalysisKey& key);
[[nodiscard]] widgets::FigureContent analysisPanel(Source& source, const PanelRecipe& panel);

// headpanels.cpp
[[nodiscard]] widgets::HeadMapFigure headMapPanel(Source& source, const PanelRecipe& panel);
[[nodiscard]] widgets::HeadMapFigure headMapOf(Source& source, const PanelRecipe& panel,
                                               const sessions::ModelRecord& model,
                                               const sessions::RankingRecord& ranking);
[[nodiscard]] widgets::FigureContent rankingPanel(Source& source, const PanelRecipe& panel);

// scorepanels.cpp
[[nodiscard]] widgets::FigureContent scoresPanel(Source& source, const PanelRecipe& panel);
[[nodiscard]] widgets::ChartFigure curvePanel(Source& source, const PanelRecipe& panel);
[[nodiscard]] widgets::ChartFigure layersPanel(Source& source, const PanelRecipe& panel);

} // namespace headscope::figures
