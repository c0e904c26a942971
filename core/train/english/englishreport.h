// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a finished small English model can do, what its heads are worth, and what it should show. Training thread.

#include "core/base/progress.h"
#include "core/train/english/englishmeasure.h"
#include "core/train/trainer.h"
#include "core/train/trainingreport.h"

#include <string>
#include <vector>

namespace headscope::train {

/// One head off.
struct EnglishHeadRow {
    HeadBehaviour behaviour; ///< its last row on dictionaries of 8 pairs
    EnglishScores scores;
    bool live = false; ///< it costs at least 0.05 of a task, or 0.01 nats of prose
};

struct EnglishReport {
    std::string layers;
    int prompts = 0;     ///< a cell of the whole model
    int headPrompts = 0; ///< a cell with heads off
    EnglishScores base;
    std::array<double, kLongDictionaries.size()> longDictionaries{}; ///< accuracies of the whole model
    EnglishScores headBase; ///< the whole model on the texts that heads are measured on
    double fiveGram = 0;    ///< nats a token of the same held-out tokens, by counting the corpus
    double bitsPerByte = 0;
    std::vector<EnglishHeadRow> heads; ///< all, the most needed for dictionaries of 8 pairs first
    /// Heads of which each is the one whose removal costs most of these dictionaries beside those before it: three,
    /// attention heads where there are any; of an SSM as many as it takes to bring them below 0.2, up to eight.
    std::vector<HeadId> together;
    std::vector<EnglishScores> withoutTogether; ///< after one of them, two and so on
    std::vector<HeadId> letters;                ///< the same for letters of options, where there is attention
    std::vector<EnglishScores> withoutLetters;
    std::vector<Requirement> acceptance;

    /// The head whose last row lies most on the value asked for.
    [[nodiscard]] const EnglishHeadRow& reader() const;
};

/// What this kind of model has to reach, from all but `acceptance`.
[[nodiscard]] std::vector<Requirement> judgeEnglish(const EnglishReport& report);

/// Removes every head in turn, then several together. Stops between heads.
[[nodiscard]] Result<EnglishReport> measureEnglish(const Network& network,
                                                   const std::shared_ptr<const EnglishMaterial>& material, int proseRow,
                                                   int prompts, int headPrompts, const Control& control = {});

/// README.md of the model.
[[nodiscard]] std::string englishCard(const Recipe& recipe, const TrainingState& run, const EnglishReport& report,
                                      const EnglishMaterial& material, std::int64_t parameters,
                                      const std::string& version);

} // namespace headscope::train
