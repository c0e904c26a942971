// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An open model for commands that score or analyse it: weights, tokenizer, scorer, and the session if one was named.
// Main thread.

#include "app/cli/context.h"
#include "app/workbench/models/openmodel.h"
#include "core/tasks/registry.h"

#include <optional>
#include <vector>

namespace headscope::cli {

/// The arguments shared by score, pattern, rank and demo.
struct ModelArguments {
    std::string model;
    std::string tokenizer; ///< folder or file; empty: the model's own
    std::vector<std::string> ablate;
    std::string logSoftmax = "fp32"; ///< fp32, model
    int layerLimit = 0;              ///< set by a command that needs only the first layers; 0: all
    bool wholeIfItFits =
        false; ///< set by a command that benefits from all layers: the limit then applies only if memory is short

    /// Adds MODEL, --adapter, --tokenizer, --bos and --ablate.
    void addTo(CLI::App& command, Context& context);
};

/// Adds MODEL and --adapter, which becomes part of `model`.
void addModel(CLI::App& command, std::string& model);

/// The rows of its tasks that a command uses.
struct TaskArguments {
    std::optional<double> limit;
    std::optional<int> fewshot;

    /// Adds --data, --limit, --fewshot and --words.
    void addTo(CLI::App& command, Context& context);
    [[nodiscard]] tasks::TaskOptions options(const Context& context) const;
};

/// A model and the session for its results.
struct OpenModel : app::OpenModel {
    std::optional<sessions::SessionStore> session; ///< writable

    [[nodiscard]] sessions::SessionStore* store() { return session ? &*session : nullptr; }
    /// Adds model, tokenizer and ablation to the session, so that rankings and patterns can refer to them.
    [[nodiscard]] Result<void> remember(const interventions::InterventionSet& set);
};

/// Opens an existing session, then the model, then creates a missing session. Prints notices about the model and the
/// session on stderr. Fails for a session that cannot be written. `sessionFile` empty: none.
[[nodiscard]] Result<OpenModel> openModel(const Context& context, const ModelArguments& arguments,
                                          const std::string& sessionFile);

} // namespace headscope::cli
