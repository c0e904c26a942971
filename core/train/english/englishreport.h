// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Abilities of a finished small English model, importance of its heads, and acceptance criteria. Training thread.

#include "core/base/progress.h"
#include "core/train/english/englishmeasure.h"
#include "core/train/trainer.h"
#include "core/train/trainingreport.h"

#include <string>
#include <vector>

namespace headscope::train {

/// Results with one head off.
struct EnglishHeadRow {
    HeadBehaviour behaviour; ///< its last row on dictionaries of 8 pairs
    EnglishScores scores;
    bool live = false; ///< its removal costs at least 0.05 of a task, or 0.01 nats of prose
};

struct EnglishReport {
    std::string layers;
    int prompts = 0;     ///< per cell of the whole model
    int headPrompts = 0; ///< per cell with heads off
    EnglishScores base;
    std::array<double, kLongDictionaries.size()> longDictionaries{}; ///< accuracies of the whole model
    EnglishScores headBase; ///< the whole model on the texts on which heads are measured
    double fiveGram = 0;    ///< nats per token on the same held-out tokens, by counting the corpus
    double bitsPerByte = 0;
    std::vector<EnglishHeadRow> heads; ///< all, the most important for dictionaries of 8 pairs first
    /// Heads chosen one by one, each the one whose removal costs most of these dictionaries in addition to the earlier
    /// ones: three, attention heads if there are any; in an SSM as many as needed to bring them below 0.2, up to eight.
    std::vector<HeadId> together;
    std::vector<EnglishScores> withoutTogether; ///< after removing one of them, two and so on
    std::vector<HeadId> letters;                ///< the same for letters of options, if there is attention
    std::vector<EnglishScores> withoutLetters;
    std::vector<Requirement> acceptance;

    /// Returns the head whose last row has the most mass on the requested value.
    [[nodiscard]] const EnglishHeadRow& reader() const;
};

/// Checks the requirements for this kind of model, from everything but `acceptance`.
[[nodiscard]] std::vector<Requirement> judgeEnglish(const EnglishReport& report);

/// Removes every head in turn, then several together. Can be stopped between heads.
[[nodiscard]] Result<EnglishReport> measureEnglish(const Network& network,
                                                   const std::shared_ptr<const EnglishMaterial>& material, int proseRow,
                                                   int prompts, int headPrompts, const Control& control = {});

/// Returns the model's README.md.
[[nodiscard]] std::string englishCard(const Recipe& recipe, const TrainingState& run, const EnglishReport& report,
                                      const EnglishMaterial& material, std::int64_t parameters,
                                      const std::string& version);

} // namespace headscope::train
