// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/scores/scoreboard.h"

#include "core/engine/scoring/pairs/encode.h"
#include "core/tasks/ownmodels.h"

#include <algorithm>
#include <limits>

namespace headscope::app {

namespace {

constexpr int kKvRowsTried = 16;

Scoreboard boardOf(tasks::OwnModel own)
{
    switch (own) {
    case tasks::OwnModel::Tiny:
        return {{"toy_kv:pairs=4", "toy_kv:pairs=8", "toy_kv:pairs=16", "toy_mc", "toy_knowledge"},
                "toy_kv",
                {4, 8, 12, 16, 20, 24}};
    case tasks::OwnModel::English:
        return {{"word_kv:pairs=4", "word_kv:pairs=8", "word_kv:pairs=16", "passage_mc", "ioi", "induction", "facts"},
                "word_kv",
                {4, 8, 16, 32, 64}};
    case tasks::OwnModel::None: break;
    }
    return {{"kv_retrieval:pairs=10", "mmlu", "knowledge", "lambada_openai"}, "kv_retrieval", {10, 20, 30, 40, 50}};
}

} // namespace

Scoreboard scoreboardOf(const text::Tokenizer& tokenizer, int maxPositions, const tasks::TaskOptions& options)
{
    Scoreboard board = boardOf(tasks::ownModelOf(tokenizer));
    const auto taskOf = [&board](int pairs) { return board.kvTask + ":pairs=" + std::to_string(pairs); };
    // Whether one of the first prompts is too long. Rows that cannot be made say so where they are scored.
    const auto tooLong = [&](int pairs) {
        tasks::TaskOptions few = options;
        few.limit = kKvRowsTried;
        const auto set = tasks::makeTask(taskOf(pairs), few, tokenizer);
        return set.has_value() && std::ranges::any_of(set->examples, [&](const tasks::Example& example) {
                   const auto encoded = engine::encode(example, set->leaves.front().pairing, tokenizer,
                                                       engine::BosPolicy::Never, std::numeric_limits<int>::max() / 2);
                   return std::ranges::any_of(encoded.sequences, [&](const engine::Sequence& sequence) {
                       return std::ssize(sequence.ids) > maxPositions;
                   });
               });
    };
    if (maxPositions == 0 || !tooLong(board.kvSizes.back()))
        return board;
    std::erase_if(board.kvSizes, tooLong);
    std::vector<int> small{2, 3, 5, 7};
    std::erase_if(small, [&](int pairs) { return !board.kvSizes.empty() || tooLong(pairs); });
    board.kvSizes.insert(board.kvSizes.begin(), small.begin(), small.end());
    if (board.kvSizes.empty())
        board.kvSizes = {1};
    std::erase_if(board.benchmarks, [&](const std::string& task) { return task.starts_with(board.kvTask + ':'); });
    board.benchmarks.insert(board.benchmarks.begin(), taskOf(board.kvSizes.front()));
    return board;
}

} // namespace headscope::app
