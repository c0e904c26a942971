// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model made ready for the commands that score and look: weights, tokenizer, scorer, and the session if one was
// named. Main thread.

#include "app/cli/context.h"
#include "app/notebook/notebook.h"
#include "core/tasks/registry.h"

#include <memory>
#include <optional>
#include <vector>

namespace headscope::cli {

/// The arguments that score, pattern, rank and demo share.
struct ModelArguments {
    std::string model;
    std::string tokenizer; ///< folder or file; empty: the model's own
    std::string bos;       ///< never, default, always; empty: the command's own choice
    std::vector<std::string> ablate;
    std::string logSoftmax = "fp32"; ///< fp32, model
    int layerLimit = 0;              ///< set by a command that needs only the first so many layers; 0: all
    bool wholeIfItFits =
        false; ///< set by a command that can use the other layers: the limit is for want of memory only

    /// Adds MODEL, --tokenizer, --bos and --ablate.
    void addTo(CLI::App& command);
};

/// --task, --data, --limit, --fewshot.
struct TaskArguments {
    std::string data;
    std::string words;
    std::optional<double> limit;
    std::optional<int> fewshot;

    void addTo(CLI::App& command);
    [[nodiscard]] tasks::TaskOptions options(const Context& context) const;
};

struct OpenModel {
    std::string name;
    std::filesystem::path folder;
    lm::LoadedModel loaded;
    bool partial = false; ///< only the first layers are loaded
    std::shared_ptr<const text::Tokenizer> tokenizer;
    app::Subject subject;
    lm::DonorLoader donors; ///< keeps each donor of `swap:` that it has loaded
    std::unique_ptr<engine::Scorer> scorer;
    std::optional<sessions::SessionStore> session; ///< writable

    [[nodiscard]] const lm::ModelSpec& spec() const { return loaded.model->spec(); }
    [[nodiscard]] sessions::SessionStore* store() { return session ? &*session : nullptr; }
    /// Model, tokenizer and ablation are put into the session, so that rankings and patterns can refer to them.
    [[nodiscard]] Result<void> remember(const interventions::InterventionSet& set);
    /// "tiny-transformer, llama, fp32, cpu": what a picture or table was measured on.
    [[nodiscard]] std::string provenance() const;
};

/// Opens what is cheap to check first (folder, tokenizer, an existing session), then loads the weights. Says on stderr
/// what model and session have to remark. Fails for a session that can not be written. `sessionFile` empty: none.
[[nodiscard]] Result<OpenModel> openModel(const Context& context, const ModelArguments& arguments,
                                          engine::BosPolicy otherwise, const std::string& sessionFile);

} // namespace headscope::cli
