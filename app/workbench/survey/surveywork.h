// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey of every head of an open model over many texts, for both programs: texts, known results, and new results in
// the form a session stores. Lives on the thread that runs the model.

#include "app/workbench/scores/removalrows.h"
#include "app/workbench/scores/sharing.h"
#include "core/survey/survey.h"
#include "sessions/surveyrecords.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

class SurveyRun
{
public:
    /// Reads through the texts and loads the results of the same survey from the session (null: none). Fails with the
    /// error of TextSource, Survey or the task.
    [[nodiscard]] static Result<SurveyRun> open(const OpenModel& open, const SurveyRequest& request,
                                                sessions::SessionStore* session, const Control& control);

    [[nodiscard]] const VocabularyShare& vocabulary() const { return m_vocabulary; }
    /// Returns a description of the texts for people.
    [[nodiscard]] const std::string& source() const { return m_source; }
    /// Returns the hash of everything that determines the results.
    [[nodiscard]] std::string workKey() const;
    /// Returns the number of tokens whose results were in the session.
    [[nodiscard]] std::int64_t knownTokens() const { return m_known; }

    /// Measures for about this duration, or one batch; returns true if there is more. Results are stored from time to
    /// time, if possible.
    [[nodiscard]] Result<bool> step(std::chrono::milliseconds turn, const Control& control);
    /// Measures its blocks of texts together with other processes that do the same on the given session, and merges all
    /// of them; with a part, only measures its blocks. step() does the rest: nothing, for the whole work.
    [[nodiscard]] Result<void> share(const Sharing& sharing, const Control& control);
    /// Stores all results, places and texts included: at the end, and after a stop.
    [[nodiscard]] Result<void> store();
    /// Returns the results so far. Places take longer, since their texts are read again.
    [[nodiscard]] Result<sessions::StoredSurvey> result(bool withPlaces = true) const;
    /// Returns the tokens of a result's texts, without start tokens, written as text.
    [[nodiscard]] Result<std::vector<std::string>> prompts() const;
    /// Returns the removal costs stored in the session: on benchmarks, and on the next tokens of these texts.
    [[nodiscard]] Result<FactSheet> knownCosts() const;
    /// Computed over the rows measured so far.
    [[nodiscard]] UniformScores uniformScores() const;
    /// Returns an empty sheet, for when nothing is known.
    [[nodiscard]] FactSheet emptyFactSheet() const;
    [[nodiscard]] const survey::Survey& survey() const { return m_survey; }
    [[nodiscard]] bool finished() const { return m_finished; }

private:
    SurveyRun(const OpenModel& open, SurveyRequest request, sessions::SessionStore* session, survey::Survey survey)
        : m_open(&open), m_request(std::move(request)), m_session(session), m_survey(std::move(survey))
    {
    }
    struct Blocks;
    [[nodiscard]] Result<void> loadUnfinished();
    [[nodiscard]] Result<std::optional<std::string>> blockHere(const Blocks& blocks, int block, const Control& control);
    [[nodiscard]] Result<std::optional<std::string>> alone(const Blocks& blocks, int block, const Control& control);
    [[nodiscard]] Result<void> joinBlocks(const Blocks& blocks);
    [[nodiscard]] sessions::SurveyRecord record() const;
    [[nodiscard]] std::vector<sessions::SurveyHead> heads() const;
    [[nodiscard]] Result<void> storeNumbers();
    [[nodiscard]] RemovalRows nextTokens() const;

    const OpenModel* m_open;
    SurveyRequest m_request;
    sessions::SessionStore* m_session;
    survey::Survey m_survey;
    sessions::SurveyKey m_key;
    std::string m_source;
    VocabularyShare m_vocabulary;
    std::int64_t m_known = 0;
    bool m_finished = false;
    std::chrono::steady_clock::time_point m_stored = std::chrono::steady_clock::now();
};

} // namespace headscope::app
