// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measurements on pairs of prompts, in steps between which more urgent requests run. Worker thread only.

#include "app/backend/why/promptpairs.h"
#include "app/notebook/analysisrecord.h"

#include <memory>
#include <optional>
#include <utility>

namespace headscope::app {

/// Reply: the question, `over` and `final`. Run: step(), pairsDone() and over() of a measurement.
template <typename Reply, typename Run> class PairJob
{
public:
    explicit PairJob(decltype(Reply::question) question) { m_reply.question = std::move(question); }
    virtual ~PairJob() = default;

    /// Runs one step. Returns false when the measurement is finished.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control)
    {
        if (!m_run)
            if (const auto started = start(models); !started.has_value())
                return started.error();
        const auto more = m_run->step(control);
        if (!more.has_value())
            return more;
        m_reply.final = !*more;
        if (static_cast<int>(m_run->pairsDone()) != m_reply.over.pairs) {
            addPairs(m_reply.over, m_run->over(), *m_asked);
            fill();
        }
        if (m_reply.final)
            m_reply.record = std::make_shared<sessions::AnalysisRecord>(record());
        return more;
    }
    /// Returns whether reply() covers more pairs than at the last call.
    [[nodiscard]] bool hasNews() { return std::exchange(m_told, m_reply.over.pairs) != m_reply.over.pairs; }
    [[nodiscard]] const Reply& reply() const { return m_reply; }

protected:
    PairJob(const PairJob&) = delete;
    PairJob& operator=(const PairJob&) = delete;

    [[nodiscard]] virtual Result<std::unique_ptr<Run>> makeRun(PairedPrompts& asked) = 0;
    /// Puts the results over all pairs so far into the reply.
    virtual void fill() = 0;
    /// Returns the record that a session stores.
    [[nodiscard]] virtual sessions::AnalysisRecord record() const = 0;
    [[nodiscard]] QuestionState asked() const
    {
        return {m_asked->model->subject, m_asked->model->spec(), *m_asked->model->tokenizer,
                m_reply.question.of.state.ablation};
    }

    Reply m_reply;
    std::optional<PairedPrompts> m_asked;
    std::unique_ptr<Run> m_run; ///< refers to the model and the edits of m_asked

private:
    Result<void> start(Models& models)
    {
        auto asked = pairedPrompts(models, m_reply.question.of);
        if (!asked.has_value())
            return asked.error();
        m_asked = std::move(*asked);
        m_reply.over = m_asked->summary;
        auto run = makeRun(*m_asked);
        if (!run.has_value())
            return run.error();
        m_run = std::move(*run);
        return {};
    }

    int m_told = 0;
};

} // namespace headscope::app
