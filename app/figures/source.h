// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Access to the session for the panels of one figure. Private to app/figures; on the thread of the session.

#include "app/figures/documents/sessionfigure.h"
#include "app/figures/figurewords.h"
#include "app/figures/groupscore.h"
#include "app/figures/missing.h"
#include "core/base/foldernames.h"
#include "core/experiments/experimentreport.h"
#include "core/experiments/words/language.h"
#include "core/interventions/intervention.h"
#include "sessions/analyses.h"
#include "sessions/sessionstore.h"
#include "widgets/figures/figure.h"

#include <map>
#include <optional>
#include <utility>

namespace headscope::figures {

/// Returns "none" for the baseline, "without L2H5" for one head, otherwise the set's text.
[[nodiscard]] QString stateName(const std::string& ablation);

class Source
{
public:
    explicit Source(sessions::SessionStore& session) : m_session(session), m_models(need(session.models())) {}

    [[nodiscard]] sessions::SessionStore& session() { return m_session; }
    /// Returns models by name or prefix of the hash; empty names: all. Fails if one is missing.
    [[nodiscard]] std::vector<sessions::ModelRecord> models(const std::vector<std::string>& names) const;
    [[nodiscard]] const sessions::ModelRecord& model(const std::string& hash) const;
    [[nodiscard]] sessions::PatternRecord pattern(const PatternRef& ref);
    /// Returns an analysis with its values. Fails if there is none.
    [[nodiscard]] sessions::AnalysisRecord analysisOf(const sessions::ModelRecord& model, const PanelRecipe& panel);
    [[nodiscard]] sessions::RankingRecord ranking(const sessions::ModelRecord& model, const std::string& method,
                                                  const std::vector<std::string>& tasks);
    /// Returns the reports of all experiments that were run, in the order of their keys; unreadable ones are left out.
    [[nodiscard]] std::vector<experiments::Report> reports();
    /// Returns the report of an experiment on these models, as requested. Fails if it was not run.
    [[nodiscard]] experiments::Report report(const std::string& id, const std::vector<std::string>& models);
    /// Returns the user's names of a model's heads.
    [[nodiscard]] std::map<std::string, std::string> labels(const sessions::ModelRecord& model);

    /// taskTitle; where the session has several kinds of dictionaries, with the kind: "KV retrieval (word_kv)".
    [[nodiscard]] std::string titleOf(const std::string& task) { return taskTitle(task) + dictionaryKind(task); }
    /// Returns " (word_kv)" where the session has several kinds of dictionaries.
    [[nodiscard]] std::string dictionaryKind(const std::string& task);
    /// stateName and ablationWithoutFolders; of states that differ only in a folder all but the first have a number.
    [[nodiscard]] QString nameOf(const std::string& ablation) { return stateName(ablation) + text(numberOf(ablation)); }
    [[nodiscard]] std::string ablationText(const std::string& ablation)
    {
        return ablationWithoutFolders(ablation) + numberOf(ablation);
    }

    /// Returns the scores of a model on tasks that begin with `task`; of several series the most informative one.
    [[nodiscard]] std::vector<sessions::SeriesScore> scores(const sessions::ModelRecord& model, const std::string& task,
                                                            const std::string& ablation);
    /// Returns every state in which the model was scored on such a task, without the baseline, in the order of their
    /// first scores.
    [[nodiscard]] std::vector<std::string> states(const sessions::ModelRecord& model, const std::string& task);
    /// Returns tasks and groups that were scored on the model in any state, sorted by numbers in their names.
    [[nodiscard]] std::vector<std::string> groups(const sessions::ModelRecord& model);
    [[nodiscard]] std::optional<GroupScore> line(const sessions::ModelRecord& model, const std::string& group,
                                                 const std::string& ablation);
    /// Returns the baseline of a state's line: that of its own series; if they have none, the preferred one.
    [[nodiscard]] std::optional<GroupScore> baselineOf(const GroupScore& now);

    /// Adds the source of a panel to the provenance.
    void used(const sessions::ModelRecord& model, const std::string& dtype, const std::string& device,
              const std::string& what);
    /// The same for a line that is drawn.
    void used(const GroupScore& line);
    void used(const sessions::ModelRecord& model, const sessions::RankingRecord& ranking);
    [[nodiscard]] QString provenance() const;
    /// Notes in the caption that data of the session was left out for lack of room.
    void leaveOut(const QString& what) { m_leftOut << what; }
    /// The same for series that could stand in place of this one.
    void leaveOutOthers(const sessions::SeriesKey& drawn);
    /// Adds a sentence to the caption, once; in a composed figure with the letters of the parts that it is about.
    void note(const QString& sentence);
    void setPart(const QString& letter) { m_part = letter; }
    /// All of that as sentences; empty where nothing was.
    [[nodiscard]] QString captionEnd() const;

private:
    /// Returns for each model and task the series of one source of rows, preferred by its baseline. A state that was
    /// scored only on other rows is not drawn beside it.
    [[nodiscard]] const std::vector<sessions::SeriesScore>& allScores();
    [[nodiscard]] std::size_t usedModel(const sessions::ModelRecord& model, const std::string& dtype,
                                        const std::string& device);
    [[nodiscard]] static QStringList
    linesText(const std::vector<std::pair<std::string, std::vector<std::string>>>& states);

    [[nodiscard]] std::string numberOf(const std::string& ablation);
    [[nodiscard]] std::string ablatedWords(const std::string& ablation);

    experiments::Speaking m_speaking{figureLanguage()}; ///< the session's thread has no language of its own
    sessions::SessionStore& m_session;
    std::vector<sessions::ModelRecord> m_models;
    std::optional<std::vector<sessions::SeriesScore>> m_scores;
    std::vector<sessions::SeriesScore> m_otherRows;                       ///< not in m_scores
    std::optional<std::map<std::string, std::string>> m_numbers;          ///< " (2)" of an ablation
    std::vector<std::pair<std::string, std::vector<std::string>>> m_used; ///< model, and the data used of it
    /// By index of m_used: states, and the data that each was scored on.
    std::map<std::size_t, std::vector<std::pair<std::string, std::vector<std::string>>>> m_lines;
    [[nodiscard]] QString leftOut() const;
    QStringList m_leftOut;
    QString m_part;
    std::vector<std::pair<QString, QStringList>> m_notes; ///< sentences, and letters of parts
};

/// Returns "8" for "toy_kv:pairs=8"; -1 if a task has no such number.
[[nodiscard]] int pairsOf(const std::string& task);
/// The heads of an analysis by one of its measures, the largest magnitude first; none: no single heads were measured.
[[nodiscard]] sessions::RankingRecord headsOf(const sessions::AnalysisRecord& analysis, const std::string& measure,
                                              const std::string& method);

// experimentfigures.cpp, dotspanel.cpp
[[nodiscard]] widgets::Plot experimentPanel(Source& source, const PanelRecipe& panel);
[[nodiscard]] widgets::Plot dotsPanel(Source& source, const PanelRecipe& panel);

// analysispanels.cpp
/// Returns an id of an analysis among those of its model and kind: some digits of a hash of its key.
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
