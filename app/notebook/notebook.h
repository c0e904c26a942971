// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Connects engine and session: runs a benchmark, reuses the results in the session and stores each finished example at
// once. Lives on the thread that runs the engine; the session object must live there too.

#include "core/engine/scoring/benchmark.h"
#include "core/lm/load.h"
#include "sessions/sessionstore.h"

#include <string>

namespace headscope::app {

/// The conditions of a measurement besides task and ablation.
struct Subject {
    sessions::ModelRecord model;
    sessions::TokenizerRecord tokenizer;
    std::string packing; ///< quantization of the weights in their file: "AWQ 4 bit g64"; empty: none
    std::string dtype;   ///< used for computation: "fp32"
    std::string device;  ///< kind: "cpu", "cuda"
    engine::BosPolicy bos = engine::BosPolicy::Never;
    engine::BosPolicy textBos = engine::BosPolicy::Never; ///< for texts that belong to no task
    engine::LogSoftmax logSoftmax = engine::LogSoftmax::Fp32;
    std::vector<int> stopIds{}; ///< tokens that end generation if they differ from config.json; else empty
};

[[nodiscard]] Subject subjectOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& source,
                                const text::Tokenizer& tokenizer, engine::BosPolicy bos);

/// Returns why the session's results of these weights, or of a shipped model of this name, are not continued, in one
/// sentence; empty if they are.
[[nodiscard]] Result<std::string> newIdentity(sessions::SessionStore& session, const lm::LoadedModel& loaded,
                                              const std::string& name);

/// Returns the series of one leaf task under an ablation set. Results are interchangeable only within one series.
[[nodiscard]] sessions::SeriesKey seriesOf(const Subject& subject, const engine::Benchmark& benchmark,
                                           const tasks::LeafTask& leaf, const interventions::InterventionSet& set);

/// Returns the hash of exactly these rows, under the rules of their series.
[[nodiscard]] std::string rowsHash(const Subject& subject, const engine::Benchmark& benchmark,
                                   const interventions::InterventionSet& set);

[[nodiscard]] sessions::ExampleRecord recordOf(const tasks::Example& example, const std::string& hash);

/// Runs the rows that the session does not have and stores them; without a session, runs all. After a stop, finished
/// rows are stored and in `rows`. Fails if the session cannot be written any more (full disk); everything stored before
/// is kept.
[[nodiscard]] Result<void> evaluate(sessions::SessionStore* session, const Subject& subject, engine::Scorer& scorer,
                                    const engine::Benchmark& benchmark, const interventions::InterventionSet& set,
                                    const lm::DonorLoader& donors, engine::Rows& rows,
                                    const engine::Benchmark::RowSink& sink, const Control& control);

} // namespace headscope::app
