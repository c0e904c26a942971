// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Evaluates a small English network on the benchmarks' examples and on held-out prose. Training thread; no
// gradients.

#include "core/train/english/material.h"
#include "core/train/learningcurve.h"
#include "core/train/measurements.h"

#include <array>
#include <vector>

namespace headscope::train {

/// The benchmarks of the small English models, in the order of tables.
inline constexpr std::array<const char*, 8> kEnglishTasks = {"word_kv:pairs=4",  "word_kv:pairs=8",
                                                             "word_kv:pairs=16", "word_kv_plain:pairs=8",
                                                             "passage_mc",       "ioi",
                                                             "induction",        "facts"};
/// Longer dictionaries, evaluated only for the whole model.
inline constexpr std::array<const char*, 2> kLongDictionaries = {"word_kv:pairs=32", "word_kv:pairs=64"};
enum EnglishCell { Kv4, Kv8, Kv16, Plain8, PassageMc, Ioi, Induction, Facts };

struct EnglishScores {
    std::array<double, kEnglishTasks.size()> accuracy{}; ///< every token of the answer is the model's first choice
    double prose = 0;                                    ///< nats per token of held-out text
    [[nodiscard]] NamedScores named() const;             ///< for the log and the learning curve
};

class EnglishTests
{
public:
    /// Uses the first `prompts` examples of each task with its default seed (facts: all) and the first `proseTokens`
    /// held-out tokens, in rows of `proseRow`.
    EnglishTests(std::shared_ptr<const EnglishMaterial> material, int proseRow, int prompts, std::int64_t proseTokens);

    [[nodiscard]] EnglishScores evaluate(const Network& network, const HeadScales& scales) const;
    /// Evaluates a single task.
    [[nodiscard]] double accuracy(const Network& network, const HeadScales& scales, EnglishCell cell) const;
    /// Evaluates the whole network on the first `prompts` examples of kLongDictionaries[size].
    [[nodiscard]] double longDictionaries(const Network& network, std::size_t size, int prompts) const;
    /// Returns nats per token of the held-out rows, without the first of each row.
    [[nodiscard]] double prose(const Network& network, const HeadScales& scales) const;
    /// Returns the tokens that prose() reads: rows one after the other.
    [[nodiscard]] const std::vector<std::int64_t>& proseTokens() const { return m_prose; }
    /// Returns the last row of every head on dictionaries of 8 pairs: its location and width, mean over examples.
    [[nodiscard]] std::vector<HeadBehaviour> behaviours(const Network& network) const;

private:
    struct Prompt {
        std::vector<std::int64_t> ids;              ///< context and answer
        std::size_t answer = 0;                     ///< index at which the answer begins
        std::size_t sourceBegin = 0, sourceEnd = 0; ///< tokens of the segment that contains it
    };
    [[nodiscard]] std::vector<Prompt> prompts(const char* task, int limit) const;
    [[nodiscard]] static double accuracy(const Network& network, const HeadScales& scales,
                                         const std::vector<Prompt>& prompts);

    std::shared_ptr<const EnglishMaterial> m_material;
    std::array<std::vector<Prompt>, kEnglishTasks.size()> m_prompts;
    std::vector<std::int64_t> m_prose; ///< [rows, proseRow]
    int m_proseRow = 0;
};

} // namespace headscope::train
