// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model as the window knows it, and a state of it. Plain values; any thread.

#include "core/base/side.h"
#include "core/interventions/intervention.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headscope::sessions {
struct AnalysisRecord;
}

namespace headscope::app {

/// What was measured, as a session keeps it (app/notebook/analysisrecord.h); null: of no model here.
using SavedAnalysis = std::shared_ptr<const sessions::AnalysisRecord>;

template <typename Reply> struct Job;

/// A model and what is ablated in it.
struct ModelState {
    Side side = Side::A;
    interventions::InterventionSet ablation;
    bool operator==(const ModelState&) const = default;
};

struct MixerSummary {
    std::string kind; ///< "attention", "mamba2", ...
    bool attention = true;
    bool channels = false; ///< Mamba-1: a head is a channel
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int state = 0;
    int sharedBlock = -1;
};

/// Of the MLP of a layer.
struct ExpertSummary {
    int count = 0;       ///< 0: it has none
    int chosen = 0;      ///< of them for a token
    bool shared = false; ///< one more runs for every token
};

struct ModelChoice {
    std::string model; ///< folder, shipped name or org/name[@revision]
    std::string dtype; ///< for this one alone; empty: what the settings say
};

struct ModelSummary {
    std::string name; ///< as a person writes it
    std::string path;
    std::string hash;
    std::string family;
    std::string packing; ///< of the weights in their file: "AWQ 4 bit g64"; empty: none
    std::string dtype;
    std::string wantedType; ///< asked for this model alone: "bf16"; empty: what the settings say
    std::string device;
    std::int64_t parameters = 0;
    std::int64_t bytes = 0;     ///< of its weights, as they are held
    std::int64_t keptLimit = 0; ///< bytes that may be kept of its runs, to resume from
    int maxPositions = 0;
    std::vector<std::vector<MixerSummary>> layers;
    std::vector<ExpertSummary> experts; ///< one a layer; empty for a stored model
    std::vector<std::string> warnings;
    std::vector<std::string> benchmarks; ///< task names that fit this model's tokenizer, in order of importance
    std::vector<int> kvSizes;            ///< dictionary sizes of the accuracy curve
    std::string kvTask;                  ///< "toy_kv" or "kv_retrieval"
    std::string lens;                    ///< the file in which a Jacobian lens of its own is looked for
    std::vector<std::string> roles;      ///< of its chat template; none: it has no template that can be read
    bool stored = false;                 ///< not loaded: only what the session says of it is known
};

/// Results are stored in this file from now on; empty: nowhere. The reply is what a person should know (read-only ...).
struct OpenSessionRequest {
    using Reply = std::vector<std::string>;
    std::string file;
};
[[nodiscard]] Job<std::vector<std::string>> jobOf(const OpenSessionRequest& request);

/// Opens a model in place of the one that this side has.
struct OpenModelRequest {
    using Reply = ModelSummary;
    Side side = Side::A;
    ModelChoice wanted;
};
[[nodiscard]] Job<ModelSummary> jobOf(const OpenModelRequest& request);

} // namespace headscope::app
