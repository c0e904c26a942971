// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The description of a model in the window, and a state of it. Plain values; any thread.

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

/// An analysis in the form a session stores (app/notebook/analysisrecord.h); null: not measured on a model open here.
using SavedAnalysis = std::shared_ptr<const sessions::AnalysisRecord>;

template <typename Reply> struct Job;

/// A model and its ablation.
struct ModelState {
    Side side = Side::A;
    interventions::InterventionSet ablation;
    bool operator==(const ModelState&) const = default;
};

struct MixerSummary {
    std::string kind; ///< "attention", "mamba2", ...
    bool attention = true;
    bool channels = false; ///< Mamba-1: each head is one channel
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int state = 0;
    int sharedBlock = -1;
};

/// The experts in the MLP of one layer.
struct ExpertSummary {
    int count = 0;       ///< 0: the layer has no experts
    int chosen = 0;      ///< experts chosen per token
    bool shared = false; ///< another expert runs for every token
};

struct ModelChoice {
    std::string model; ///< folder, shipped name or org/name[@revision]
    std::string dtype; ///< for this model only; empty: as in the settings
};

struct ModelSummary {
    std::string name; ///< as a person types it
    std::string path;
    std::string hash;
    std::string family;
    std::string packing; ///< quantization of the weights in the file: "AWQ 4 bit g64"; empty: none
    std::string dtype;
    std::string wantedType; ///< dtype requested for this model only: "bf16"; empty: as in the settings
    std::string device;
    std::int64_t parameters = 0;
    std::int64_t bytes = 0;     ///< size of the weights in memory
    std::int64_t keptLimit = 0; ///< bytes available for stored activations of its runs, from which later runs resume
    int maxPositions = 0;
    std::vector<std::vector<MixerSummary>> layers;
    std::vector<ExpertSummary> experts; ///< one per layer; empty for a stored model
    std::vector<std::string> warnings;
    std::vector<std::string> benchmarks; ///< names of tasks that fit this model's tokenizer, in order of importance
    std::vector<int> kvSizes;            ///< dictionary sizes of the accuracy curve
    std::string kvTask;                  ///< "toy_kv" or "kv_retrieval"
    std::string lens;                    ///< file in which a Jacobian lens of this model is looked for
    std::vector<std::string> roles;      ///< roles of its chat template; empty: it has no readable template
    bool stored = false;                 ///< not loaded: described only by the session
};

/// Stores further results in this file; empty: nowhere. The reply lists notices for the user (read-only ...).
struct OpenSessionRequest {
    using Reply = std::vector<std::string>;
    std::string file;
};
[[nodiscard]] Job<std::vector<std::string>> jobOf(const OpenSessionRequest& request);

/// Opens a model, which replaces the current one on this side.
struct OpenModelRequest {
    using Reply = ModelSummary;
    Side side = Side::A;
    ModelChoice wanted;
};
[[nodiscard]] Job<ModelSummary> jobOf(const OpenModelRequest& request);

} // namespace headscope::app
