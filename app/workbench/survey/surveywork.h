// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every head of an open model over many texts, for both programs: which texts, what is known of them already, and what
// came out as a session keeps it. Lives on the thread that runs the model.

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
    /// Reads through the texts and takes up what the session (null: none) has of the same survey. Fails with the
    /// sentence of TextSource, Survey or the task.
    [[nodiscard]] static Result<SurveyRun> open(const OpenModel& open, const SurveyRequest& request,
                                                sessions::SessionStore* session, const Control& control);

    [[nodiscard]] const VocabularyShare& vocabulary() const { return m_vocabulary; }
    /// Which texts, for people.
    [[nodiscard]] const std::string& source() const { return m_source; }
    /// Hash of everything that decides the numbers.
    [[nodiscard]] std::string workKey() const;
    /// Tokens that were known from the session.
    [[nodiscard]] std::int64_t knownTokens() const { return m_known; }
    /// Tokens that will be measured at the most; 0: nobody knows.
    [[nodiscard]] std::int64_t wantedTokens() const { return m_request.tokens; }

    /// Measures for about so long, or one batch; true: there is more. Results are stored now and then, where
    /// that can be done.
    [[nodiscard]] Result<bool> step(std::chrono::milliseconds turn, const Control& control);
    /// Measures its blocks of texts together with other processes that do the same on the session, which was given, and
    /// takes in all of them; of a part, only measures its blocks. step() does what then remains: nothing, of the whole.
    [[nodiscard]] Result<void> share(const Sharing& sharing, const Control& control);
    /// Stores what is measured, places and texts included: at the end, and where it is stopped.
    [[nodiscard]] Result<void> store();
    /// What came out by now. Places take a moment: their texts are read again.
    [[nodiscard]] Result<sessions::StoredSurvey> result(bool withPlaces = true) const;
    /// The tokens of a result's texts, without start tokens, written as text.
    [[nodiscard]] Result<std::vector<std::string>> prompts() const;
    /// What removing heads costs, as far as the session has it: on benchmarks, and on the next tokens of these texts.
    [[nodiscard]] Result<FactSheet> knownCosts() const;
    /// Over the rows that are measured so far.
    [[nodiscard]] UniformScores uniformScores() const;
    /// The same where nothing is known yet.
    [[nodiscard]] FactSheet nothingKnown() const;
    [[nodiscard]] const survey::Survey& survey() const { return m_survey; }
    [[nodiscard]] bool finished() const { return m_finished; }

private:
    SurveyRun(const OpenModel& open, SurveyRequest request, sessions::SessionStore* session, survey::Survey survey)
        : m_open(&open), m_request(std::move(request)), m_session(session), m_survey(std::move(survey))
    {
    }
    struct Blocks;
    [[nodiscard]] Result<void> takeUp();
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
