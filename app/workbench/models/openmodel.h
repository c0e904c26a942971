// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An open model with its weights, tokenizer and scorer, as used by both programs. Lives on the thread that runs
// it.

#include "app/notebook/notebook.h"
#include "app/workbench/settings.h"
#include "core/io/modelfolder.h"
#include "core/lm/load.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::app {

/// The request for one model, in addition to the settings for all.
struct ModelRequest {
    std::string model;     ///< folder, shipped name or org/name[@revision]
    std::string tokenizer; ///< folder, file, or a model with this tokenizer; empty: the model's own
    engine::LogSoftmax logSoftmax = engine::LogSoftmax::Fp32;
    int layerLimit = 0;           ///< number of first layers needed; 0: all
    bool wholeIfItFits = false;   ///< load all layers if they fit; the limit then applies only if memory is short
    std::int64_t memoryTaken = 0; ///< by other open models, out of the amount in the settings
    std::int64_t keptBeside = 0;  ///< bytes of stored activations that are not kept by its scorer
    Control donors;               ///< control for loading models named by `swap:`
};

struct OpenModel {
    std::string name;             ///< as a person types it
    std::filesystem::path folder; ///< of the weights
    std::string place;            ///< see io::ModelFolder::place()
    lm::LoadedModel loaded;
    bool partial = false;         ///< only the first layers are loaded
    int threads = 0;              ///< that were asked for
    std::int64_t memoryTaken = 0; ///< by others that were open, see ModelRequest
    std::shared_ptr<const text::Tokenizer> tokenizer;
    std::vector<std::string> remarks; ///< notices about the tokenizer, one sentence each
    StartToken startToken = StartToken::Automatic;
    Subject subject;
    lm::DonorLoader donors; ///< keeps each loaded donor of `swap:`
    std::unique_ptr<engine::Scorer> scorer;

    [[nodiscard]] const lm::ModelSpec& spec() const { return loaded.model->spec(); }
    /// Returns "tiny-transformer, llama, fp32, cpu", or "model, llama, AWQ 4 bit g64, fp32, cpu" for quantized weights:
    /// the provenance of a figure or table.
    [[nodiscard]] std::string provenance() const;
    /// Uses its share of the processors from now on: `processes` on this machine do the same work. A number of threads
    /// that was asked for stays.
    void shareProcessors(int processes);
};

/// Finds a path, a shipped name, or org/name[@revision] in the Hugging Face cache. `resources`: files of the program.
[[nodiscard]] Result<io::ModelFolder> findModel(const std::string& model, const std::filesystem::path& resources);

/// Returns what the settings say about loading a model in `dtype`.
[[nodiscard]] lm::LoadOptions loadOptions(const Settings& settings, const std::string& dtype,
                                          const std::filesystem::path& adapter);

/// Opens a model: first checks what is cheap (folder, shapes, tokenizer), then loads the weights within the memory of
/// the settings, and sets the thread count of the calling thread for it. A failure for lack of memory has as its detail
/// the dtype in which the model would fit; empty: none.
[[nodiscard]] Result<OpenModel> openModel(const Settings& settings, const std::filesystem::path& resources,
                                          const ModelRequest& request, const Control& control);

} // namespace headscope::app
