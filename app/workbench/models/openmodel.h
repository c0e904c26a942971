// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model made ready for everything that both programs do with one: weights, tokenizer, scorer. Lives on the thread
// that runs it.

#include "app/notebook/notebook.h"
#include "app/workbench/settings.h"
#include "core/io/modelfolder.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::app {

/// What is asked of one model, besides the settings that hold for all.
struct ModelRequest {
    std::string model;     ///< folder, shipped name or org/name[@revision]
    std::string tokenizer; ///< folder, file, or a model whose tokenizer it is; empty: the model's own
    engine::LogSoftmax logSoftmax = engine::LogSoftmax::Fp32;
    int layerLimit = 0;           ///< number of first layers needed; 0: all
    bool wholeIfItFits = false;   ///< the others are of use too, so the limit counts for want of memory only
    std::int64_t memoryTaken = 0; ///< by other models that are open, of the amount that the settings give
    std::int64_t keptBeside = 0;  ///< bytes of what may be kept of its runs that others than its scorer keep
    Control donors;               ///< of loading the models that `swap:` names, whenever one is needed
};

struct OpenModel {
    std::string name;             ///< as a person writes it
    std::filesystem::path folder; ///< of the weights
    std::string place;            ///< see io::ModelFolder::place()
    lm::LoadedModel loaded;
    bool partial = false;         ///< only the first layers are loaded
    std::int64_t memoryTaken = 0; ///< by others that were open, see ModelRequest
    std::shared_ptr<const text::Tokenizer> tokenizer;
    std::vector<std::string> remarks; ///< what a person should know of the tokenizer, a sentence each
    StartToken startToken = StartToken::Automatic;
    Subject subject;
    lm::DonorLoader donors; ///< keeps each donor of `swap:` that it has loaded
    std::unique_ptr<engine::Scorer> scorer;

    [[nodiscard]] const lm::ModelSpec& spec() const { return loaded.model->spec(); }
    /// "tiny-transformer, llama, fp32, cpu", or "model, llama, AWQ 4 bit g64, fp32, cpu" where the file packs its
    /// weights: what a picture or table was measured on.
    [[nodiscard]] std::string provenance() const;
};

/// A path, a shipped name, or org/name[@revision] in the Hugging Face cache. `resources`: the program's own files.
[[nodiscard]] Result<io::ModelFolder> findModel(const std::string& model, const std::filesystem::path& resources);

/// A failure for want of memory has the type in which the model would fit as its detail; empty: none. Checks what is
/// cheap first (folder, shapes, tokenizer), then loads the weights within the memory that the settings give, and sets
/// the thread count of the calling thread for it.
[[nodiscard]] Result<OpenModel> openModel(const Settings& settings, const std::filesystem::path& resources,
                                          const ModelRequest& request, const Control& control);

} // namespace headscope::app
