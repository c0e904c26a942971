// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Material for training and evaluating a small English model, made from a corpus: tokenizer, tokens, words. Immutable
// once made: any thread.

#include "core/base/result.h"
#include "core/tasks/english/englishtexts.h"
#include "core/text/tokenizer.h"
#include "core/train/english/corpus.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope::train {

/// Name of a run's own tokenizer file in its folder of training states.
inline constexpr const char* kTokenizerFile = "tokenizer.json";
inline constexpr std::int64_t kStart = 0; ///< the start token of every trained vocabulary

struct EnglishMaterial {
    std::shared_ptr<const text::Tokenizer> tokenizer;
    std::string tokenizerJson;
    tasks::english::Pools pools;             ///< for training: without words and names used by benchmarks
    std::vector<std::string> benchmarkWords; ///< Headscope's list, from which benchmarks draw
    std::vector<std::int32_t> prose;         ///< the corpus, with an empty line after each paragraph
    std::vector<std::int32_t> heldOut;
    std::size_t heldOutBytes = 0;
    int corpusFiles = 0;
    std::string corpusHash;
};

/// Trains the tokenizer of `vocabulary` tokens on the corpus and on the numbers 10 to 99 (absent from stories but
/// needed by dictionaries), writes it into `folder`, and tokenizes the corpus. Takes about a minute for 30 MB. With
/// `tokenizerJson`, that of a model to start from, none is trained; it must have `vocabulary` tokens.
[[nodiscard]] Result<std::shared_ptr<const EnglishMaterial>> prepareEnglish(const Corpus& corpus, int vocabulary,
                                                                            std::vector<std::string> benchmarkWords,
                                                                            const std::filesystem::path& folder,
                                                                            std::string tokenizerJson = {});

} // namespace headscope::train
