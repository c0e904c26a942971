// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A small Llama with a tokenizer of words for the scoring tests, and the plain way to score: one forward pass a choice.

#include "core/engine/scoring/benchmark.h"
#include "core/lm/load.h"
#include "tests/support/tokenizerfixture.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace scoringfixture {

using namespace headscope;

constexpr int kWords = 58; ///< "w0" to "w57", ids 3 to 60; the model has 64 ids

inline std::filesystem::path llamaFolder()
{
    return std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama";
}

/// Words and signs apart from each other, white space nowhere; "<s>" is 1 and "</s>" 2. `salt` changes only the hash.
inline nlohmann::json wordsFile(const std::string& salt = {})
{
    nlohmann::json vocab = {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}, {".", 61}, {":", 62}};
    for (int i = 0; i < kWords; ++i)
        vocab["w" + std::to_string(i)] = 3 + i;
    vocab["x" + salt] = 63;
    return {
        {"version", "1.0"},
        {"added_tokens", nlohmann::json::array({tokenizerfixture::added("<unk>", 0), tokenizerfixture::added("<s>", 1),
                                                tokenizerfixture::added("</s>", 2)})},
        {"pre_tokenizer", {{"type", "Whitespace"}}},
        {"post_processor",
         {{"type", "TemplateProcessing"},
          {"single",
           {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
          {"pair", {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "B"}, {"type_id", 0}}}}}},
          {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {1}}, {"tokens", {"<s>"}}}}}}}},
        {"model", {{"type", "WordLevel"}, {"unk_token", "<unk>"}, {"vocab", vocab}}}};
}

/// "w3 w17 w5": the same text for the same number.
inline std::string words(int count, int number)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += (text.empty() ? "w" : " w") + std::to_string((number * 31 + i * i * 7 + i * 13) % kWords);
    return text;
}

inline tasks::Example choiceRow(int row, std::string context, std::vector<std::string> continuations)
{
    tasks::Example example;
    example.task = "words";
    example.file = "generated";
    example.row = row;
    example.context = std::move(context);
    example.continuations = std::move(continuations);
    for (const std::string& text : example.continuations)
        example.normLengths.push_back(static_cast<int>(text.size()));
    example.gold = row % static_cast<int>(example.continuations.size());
    return example;
}

/// One leaf task of these rows, measured by acc (and exact match for generated ones).
inline tasks::TaskSet setOf(std::vector<tasks::Example> examples,
                            tasks::PairEncoding pairing = tasks::PairEncoding::Harness)
{
    tasks::TaskSet set;
    set.name = "words";
    tasks::LeafTask leaf;
    leaf.name = "words";
    leaf.version = "1";
    leaf.split = "generated";
    leaf.pairing = pairing;
    leaf.scoring = examples.front().scoring;
    tasks::Metric metric;
    metric.kind =
        leaf.scoring == tasks::Scoring::Generation ? tasks::Metric::Kind::ExactMatch : tasks::Metric::Kind::Acc;
    leaf.metrics = {metric};
    leaf.end = examples.size();
    set.examples = std::move(examples);
    set.leaves = {leaf};
    return set;
}

/// The plain path: context and continuation tokenized by hand, cut from the left, one forward pass, log-softmax in
/// fp32. `context` holds no white space at its end.
inline tasks::Outcome plain(const lm::Model& model, const text::Tokenizer& tokenizer, const tasks::Example& example,
                            int maxLength)
{
    const at::NoGradGuard noGrad;
    tasks::Outcome outcome;
    for (std::size_t c = 0; c < example.continuations.size(); ++c) {
        const std::string& context = example.contexts.empty() ? example.context : example.contexts[c];
        std::vector<int> ids = tokenizer.encode(context, false)->ids;
        const std::size_t known = ids.size();
        const std::vector<int> whole = tokenizer.encode(context + example.continuations[c], false)->ids;
        ids.insert(ids.end(), whole.begin() + static_cast<std::ptrdiff_t>(known), whole.end());
        const auto scored = static_cast<std::int64_t>(whole.size() - known);
        if (static_cast<int>(ids.size()) > maxLength + 1)
            ids.erase(ids.begin(), ids.end() - (maxLength + 1));
        const auto length = static_cast<std::int64_t>(ids.size()) - 1;
        const at::Tensor input =
            at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end() - 1), at::kLong).unsqueeze(0);
        const at::Tensor logits = model.logits(input)[0]; // [T, V]
        const at::Tensor logProbabilities = at::log_softmax(logits, -1);
        double sum = 0;
        bool greedy = true;
        for (std::int64_t i = 0; i < scored; ++i) {
            const std::int64_t at = length - scored + i;
            const int token = ids[static_cast<std::size_t>(at + 1)];
            sum += logProbabilities[at][token].item<double>();
            greedy = greedy && logits[at].argmax().item<std::int64_t>() == token;
        }
        outcome.logLikelihoods.push_back(sum);
        outcome.greedy.push_back(greedy);
    }
    return outcome;
}

/// Sums of several tokens' log-likelihoods differ by the rounding of fp32, which grows with them.
inline double tolerance(double expected)
{
    return 1e-5 * std::max(1.0, std::abs(expected));
}

constexpr int kPositions = 128; // of the model

/// 24 rows of a kind: "single tokens", "several tokens", "a context a choice", "one continuation", "cut from the left".
inline std::vector<tasks::Example> rowsOf(std::string_view kind)
{
    std::vector<tasks::Example> rows;
    for (int i = 0; i < 24; ++i) {
        const std::string context = words(4 + i * 3 % 17, i);
        if (kind == "single tokens") {
            rows.push_back(choiceRow(i, context + " :", {" w1", " w2", " w3", " w4"}));
        } else if (kind == "several tokens") {
            rows.push_back(choiceRow(i, context, {" w1 w2 w3", " w9", " " + words(5 + i % 4, i + 3), " w1 w2 w4"}));
        } else if (kind == "a context a choice") {
            rows.push_back(choiceRow(i, {}, {" is w8 w9.", " is w8 w9."}));
            rows.back().contexts = {context + " w5", context + " w6"};
        } else if (kind == "one continuation") {
            rows.push_back(choiceRow(i, context, {" w" + std::to_string(i)}));
            rows.back().scoring = tasks::Scoring::LogLikelihood;
        } else { // cut from the left
            rows.push_back(choiceRow(i, words(kPositions - 6 + i, i), {" w1", " w2 w3 w4", " " + words(20, i + 1)}));
        }
    }
    return rows;
}

} // namespace scoringfixture
