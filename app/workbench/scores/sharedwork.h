// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A benchmark in many states of a model, divided into chunks that several processes measure: some of the states on some
// of the examples. Results are stored in the session, where every process reads them. Lives on the thread that runs the
// model; the session object must live there too.

#include "app/notebook/evaluation.h"
#include "app/workbench/models/openmodel.h"
#include "app/workbench/scores/sharing.h"
#include "core/engine/scoring/portion.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::app {

class SharedWork
{
public:
    /// Model, benchmark and session must outlive this. Without a part: all of the work.
    SharedWork(OpenModel& open, sessions::SessionStore& session, const engine::Benchmark& benchmark,
               std::vector<interventions::InterventionSet> sets, std::optional<WorkPart> part = {});

    /// Returns portions of the examples that run one after the other: the clean run is kept for one of them.
    [[nodiscard]] const std::vector<engine::Portion>& portions() const { return m_cut.portions; }
    /// Returns the hash of everything that determines the results, and of their division into chunks.
    [[nodiscard]] std::string key() const;
    /// Returns a description of the work for people.
    [[nodiscard]] std::string what() const;

    /// Measures the missing results of the part, together with other processes that do the same on this session, and
    /// returns when all of it is stored. Calls `notify` with a sentence on the processes it waits for.
    [[nodiscard]] Result<void> run(const std::string& stage, const Control& control,
                                   const std::function<void(const std::string&)>& notify);

private:
    /// A state with its results from the session.
    struct Begun {
        engine::Rows rows;
        Evaluation evaluation;
    };
    [[nodiscard]] bool isOfPart(int chunk) const;
    [[nodiscard]] Result<std::vector<sessions::WorkChunk>> chunks() const;
    [[nodiscard]] std::pair<std::size_t, std::size_t> setsOf(int chunk) const;
    [[nodiscard]] Result<Begun*> beginSet(std::size_t set);
    [[nodiscard]] Result<void> runChunk(int chunk, sessions::ResultWriter& results, const std::stop_token& stop);

    OpenModel& m_open;
    sessions::SessionStore& m_session;
    const engine::Benchmark& m_benchmark;
    std::vector<interventions::InterventionSet> m_sets;
    std::optional<WorkPart> m_part;
    engine::WorkCut m_cut;
    std::vector<std::size_t> m_portionOf; ///< by example
    int m_portion = -1;                   ///< portion that was run last
    std::map<std::size_t, Begun> m_begun; ///< by state
};

} // namespace headscope::app
