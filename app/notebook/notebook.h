// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between engine and session: runs a benchmark, takes what the session already holds and stores each finished example
// at once. Lives on the thread that runs the engine; the session object must live there too.

#include "core/engine/scoring/benchmark.h"
#include "core/lm/load.h"
#include "sessions/sessionstore.h"

#include <string>

namespace headscope::app {

/// What results are measured on, besides task and ablation.
struct Subject {
    sessions::ModelRecord model;
    sessions::TokenizerRecord tokenizer;
    std::string packing; ///< of the weights in their file: "AWQ 4 bit g64"; empty: none
    std::string dtype;   ///< computed in: "fp32"
    std::string device;  ///< kind: "cpu", "cuda"
    engine::BosPolicy bos = engine::BosPolicy::Never;
    engine::BosPolicy textBos = engine::BosPolicy::Never; ///< of texts that belong to no task
    engine::LogSoftmax logSoftmax = engine::LogSoftmax::Fp32;
};

[[nodiscard]] Subject subjectOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& source,
                                const text::Tokenizer& tokenizer, engine::BosPolicy bos);

/// Why what the session has of these weights, or of an included model of this name, is not continued, in one sentence;
/// empty where it is.
[[nodiscard]] Result<std::string> newIdentity(sessions::SessionStore& session, const lm::LoadedModel& loaded,
                                              const std::string& name);

/// The series of one leaf task under an ablation set. Results are taken for each other only within one series.
[[nodiscard]] sessions::SeriesKey seriesOf(const Subject& subject, const engine::Benchmark& benchmark,
                                           const tasks::LeafTask& leaf, const interventions::InterventionSet& set);

/// Hash of the very rows, under the rules that their series has.
[[nodiscard]] std::string rowsHash(const Subject& subject, const engine::Benchmark& benchmark,
                                   const interventions::InterventionSet& set);

[[nodiscard]] sessions::ExampleRecord recordOf(const tasks::Example& example, const std::string& hash);

/// Runs what the session does not have and stores it; without a session, runs everything. When stopped, what was
/// finished is stored and in `rows`. A session that cannot be written any more (full disk) ends the run with its
/// sentence; everything stored before stays.
[[nodiscard]] Result<void> evaluate(sessions::SessionStore* session, const Subject& subject, engine::Scorer& scorer,
                                    const engine::Benchmark& benchmark, const interventions::InterventionSet& set,
                                    const lm::DonorLoader& donors, engine::Rows& rows,
                                    const engine::Benchmark::RowSink& sink, const Control& control);

} // namespace headscope::app
