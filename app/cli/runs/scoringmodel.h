// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model made ready for the commands that score and look: weights, tokenizer, scorer, and the session if one was
// named. Main thread.

#include "app/cli/context.h"
#include "app/workbench/models/openmodel.h"
#include "core/tasks/registry.h"

#include <optional>
#include <vector>

namespace headscope::cli {

/// The arguments that score, pattern, rank and demo share.
struct ModelArguments {
    std::string model;
    std::string tokenizer; ///< folder or file; empty: the model's own
    std::vector<std::string> ablate;
    std::string logSoftmax = "fp32"; ///< fp32, model
    int layerLimit = 0;              ///< set by a command that needs only the first layers; 0: all
    bool wholeIfItFits =
        false; ///< set by a command that can use the other layers: the limit is for want of memory only

    /// Adds MODEL, --adapter, --tokenizer, --bos and --ablate.
    void addTo(CLI::App& command, Context& context);
};

/// Adds MODEL and --adapter, which becomes part of `model`.
void addModel(CLI::App& command, std::string& model);

/// Which rows of its tasks a command takes.
struct TaskArguments {
    std::optional<double> limit;
    std::optional<int> fewshot;

    /// Adds --data, --limit, --fewshot and --words.
    void addTo(CLI::App& command, Context& context);
    [[nodiscard]] tasks::TaskOptions options(const Context& context) const;
};

/// A model and the session that its results go to.
struct OpenModel : app::OpenModel {
    std::optional<sessions::SessionStore> session; ///< writable

    [[nodiscard]] sessions::SessionStore* store() { return session ? &*session : nullptr; }
    /// Model, tokenizer and ablation are put into the session, so that rankings and patterns can refer to them.
    [[nodiscard]] Result<void> remember(const interventions::InterventionSet& set);
};

/// Opens a session that is there, then the model, then makes a session that is not there yet. Says on stderr what model
/// and session have to remark. Fails for a session that cannot be written. `sessionFile` empty: none.
[[nodiscard]] Result<OpenModel> openModel(const Context& context, const ModelArguments& arguments,
                                          const std::string& sessionFile);

} // namespace headscope::cli
