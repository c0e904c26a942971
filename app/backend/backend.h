// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's door to the engine: requests are copied in, answers are plain values. Methods are called on the GUI
// thread and return at once; every callback runs on the worker thread. No tensor and no Qt type passes here.

#include "app/backend/values.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

struct BackendOptions {
    std::filesystem::path resources;
    std::string device = "auto";
    std::string dtype = "auto";
    int threads = 0; ///< 0: one for tiny models, else one per core
    std::filesystem::path dataFolder; ///< benchmark files; empty: the sample rows
};

class Backend
{
public:
    template <typename T>
    using Reply = std::function<void(std::shared_ptr<const T>)>;
    using Failed = std::function<void(const Error&)>;
    using Report = std::function<void(const Progress&)>;

    explicit Backend(BackendOptions options);
    ~Backend();

    /// Results are stored here from now on; empty: nowhere. The reply carries what the person should know (read-only ...).
    Ticket openSession(const std::filesystem::path& file, Reply<std::vector<std::string>> done, Failed failed);
    Ticket openModel(Slot slot, const std::string& model, Reply<ModelSummary> done, Failed failed, Report report);
    void closeModel(Slot slot);
    /// Sample `index` of a task; wraps around.
    Ticket sample(const std::string& task, int index, Reply<Prompt> done, Failed failed);
    Ticket tokenize(Slot slot, const std::string& text, Reply<TokenizedPrompt> done, Failed failed);
    /// Whole up to 4,096 tokens, pooled beyond.
    Ticket pattern(Slot slot, const Prompt& prompt, const PatternRequest& request, Reply<PatternReply> done, Failed failed, Report report);
    /// Rows [first, first + count) of the same map, exact whatever the length; fewer where the prompt ends.
    Ticket patternRows(Slot slot, const Prompt& prompt, const PatternRequest& request, int first, int count, Reply<PatternRows> done, Failed failed);
    /// Small maps of these heads, one after another: `done` is called for each.
    Ticket previews(Slot slot, const Prompt& prompt, const std::vector<std::string>& heads, const std::string& ablation, Reply<PatternPreview> done,
                    Failed failed);
    Ticket rowOfHeads(Slot slot, const Prompt& prompt, int row, const std::string& ablation, Reply<RowOfHeads> done, Failed failed);
    Ticket nextTokens(Slot slot, const Prompt& prompt, const std::string& ablation, Reply<NextTokenReply> done, Failed failed);
    /// Scores now and at baseline; `done` is called again and again while numbers stream in, the last time with final set.
    Ticket score(Slot slot, const std::vector<std::string>& tasks, const std::string& ablation, Reply<ScoreReply> done, Failed failed, Report report);
    Ticket flips(Slot slot, const std::string& task, const std::string& ablation, Reply<std::vector<FlipRow>> done, Failed failed);
    /// Heads ranked; `done` grows while it runs (exact) and comes twice at the end. Yields to everything else between
    /// steps; one that was stopped goes on where it was when it is asked for again.
    Ticket rank(const RankRequest& request, Reply<std::vector<HeadValue>> done, Failed failed, Report report);
    /// What gradients say each head's removal would cost the KV task.
    Ticket estimate(Slot slot, Reply<std::vector<HeadValue>> done, Failed failed);
    /// Every score of every head that a map gives.
    Ticket headScores(Slot slot, const Prompt& prompt, const std::string& ablation, Reply<HeadScores> done, Failed failed, Report report);
    void cancel(Ticket ticket);
    void cancelAll();

    /// The worker's side; app/backend only.
    struct Opened;
    class State;

private:
    template <typename T>
    Ticket post(bool background, std::function<Result<T>(State&, const Control&)> work, Reply<T> done, Failed failed, Report report = {});
    std::unique_ptr<State> m_state; ///< used by the worker only
};

} // namespace headscope::app
