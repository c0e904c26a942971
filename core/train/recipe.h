// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A training recipe: everything that decides a run besides its seed, read from a small JSON file. Values; any thread.

#include "core/base/result.h"
#include "core/train/models/network.h"

#include <filesystem>
#include <string>

namespace headscope::train {

/// AdamW with warm-up, a constant rate and a linear decay to zero at the end.
struct OptimizerRecipe {
    double rate = 1e-3;     ///< for phases 2 and 3
    double copyRate = 2e-3; ///< for phase 1
    int warmup = 100;
    int decay = 200; ///< steps of the linear decay
    double beta1 = 0.9, beta2 = 0.98, eps = 1e-9;
    double weightDecay = 0.1; ///< for matrices
    double clip = 1.0;        ///< maximum norm of the whole gradient
    double allTokens = 0.1;   ///< weight of the loss on all tokens relative to that on scored ones (not for copying)
    bool bf16 = false;        ///< products in bf16, weights and moments in fp32
};

/// Phase 1: copying alone, with a dense loss, until it works.
struct CopyingRecipe {
    int texts = 64;
    double until = 0.95; ///< running accuracy at which the phase ends
    int maxSteps = 3000;
    int fewestWords = 8, mostWords = 16, repeats = 3;
    bool growing = false; ///< start with 3 to 6 words, 5 times, and lengthen the texts whenever copying works
};

/// Phase 2: the tasks.
struct TasksRecipe {
    int copyTexts = 8; ///< copying continues until key-value retrieval passes copyUntil
    double copyUntil = 0.9;
    int kvTexts = 16, kvQueries = 8;
    double kvShort = 0.5; ///< share of short queries
    int kvFirstPairs = 4, kvLastPairs = 16;
    double kvRaiseAt =
        0.85; ///< running accuracy at which the vocabulary doubles and, once complete, dictionaries grow by half
    int kvFirstKeyWords = 48, kvFirstValues = 100; ///< initial vocabulary of dictionaries
    int mcTexts = 40, mcQuestions = 3;
    double mcNameAttribute = 0.33; ///< share of questions that end with "Answer is <attribute>"
    int completionTexts = 16, completionStatements = 6;
};

/// Phase 3: idle and duplicate heads are removed by rules that name none.
struct PruningRecipe {
    double startAt = 0.93;     ///< running accuracies of KV (at the last size) and MC at which the phase starts
    int startPairs = 0;        ///< dictionary size at which it starts, whatever MC is; 0: the last one, MC too
    int steps = 600;           ///< length of the phase; removals can make it longer
    double strength = 4.0;     ///< strength of the shrinking of head slices; 0: no pruning
    std::string layers = "AS"; ///< kinds of layers whose heads may be removed
    int keep = 0;       ///< small English models: heads left in all these layers together, at least one in each; 0: all
    double power = 2.0; ///< how much more strongly it shrinks heads that are small in their layer
    int strongSteps = 250;
    double weakShare = 0.1;   ///< strength after that
    double headDropout = 0.3; ///< for every head, in completion texts
    double fullDropout = 0.0; ///< small English models: share of prose and facts read without the heads of layers A
    double ssmDropout = 0.0;  ///< for every SSM head, in all texts: shared abilities must not depend on one head
    double sharedDropout =
        0.0; ///< for every head that is not the last one in its layer, in KV and MC texts, for the same reason
    // Duplicates: heads with the same measured behaviour. The one whose removal costs least is faded out.
    int duplicatesFrom = 100, duplicatesEvery = 30; ///< steps after the start, and between searches
    double massAbove = 0.5;                         ///< attention mass that counts as a behaviour
    double accuracyAbove = 0.9;                     ///< no removal while KV or MC is below
    double aggregateCost = 4.0, gatherCost = 1.5;   ///< nats (KV + MC + completion) above which a duplicate stays
    double togetherBelow = 0.2;                     ///< nats below which several duplicates leave at the same time
    double fadePerNat = 100.0;                      ///< steps of the fade per nat that an immediate removal would cost
    int fadeLeast = 10, fadeMost = 250;
    int stepsAfter = 300; ///< the run continues for at least this long after a fade
};

/// Texts of a small English model in one step of phase 2, in tokens of each kind; 0: none.
struct EnglishMix {
    int proseTokens = 2048;
    double proseWeight = 1.0; ///< weight of the loss on them
    int kvTokens = 1536;      ///< dictionaries; they grow as in TasksRecipe
    int mcTokens = 1152;
    double mcSteps = 0.5; ///< share of questions that ask for only one step
    double mcLists = 0.3; ///< share of texts that have only options
    int mcToldQuestions =
        0; ///< in texts with only options, number of questions for which the network is given the word; 0: none
    double mcTold = 0.0; ///< share of letters for which the network is given the passage's word (halfwayLayers)
    int ioiTokens = 288;
    int listTokens = 0; ///< repeated lists of words, beside the names
    int factTokens = 256;
    int copyTokens = 256; ///< repeated random tokens, for as long as TasksRecipe specifies
};

/// Settings that make a recipe one for a small English model.
struct EnglishRecipe {
    int vocabulary = 0;    ///< vocabulary size of the byte-level BPE; 0: a recipe for a tiny model, on the toy tasks
    int copyTokens = 3072; ///< in phase 1, per step
    int copyRow = 64, proseRow = 128, mcRow = 144, ioiRow = 96, factRow = 64; ///< tokens in one row
    int mcQuestions = 7;                                                      ///< per passage
    /// Number of layers after which the word named by the passage must be readable, before its letter is looked up; 0:
    /// not required.
    int halfwayLayers = 0;
    double halfwayWeight = 1.0; ///< weight of the loss on that
    int mcFirstWords = 0;       ///< number of words from which options are drawn at first; 0: all
    double otherWeight = 0.5;   ///< weight of the losses on names, lists, facts and copying in phase 2
    EnglishMix mix;
    int laterAt = 0; ///< training step from which the other mix is used; 0: never
    EnglishMix later;
};

struct Recipe {
    std::string name;
    std::string about;
    std::string from; ///< a small English model: the included Transformer from which its weights start; empty: noise
    std::uint64_t seed = 0;
    int maxSteps = 5000;
    int expectedSteps = 2000; ///< usual length, for the estimated time left
    int evaluateEvery = 200;  ///< also writes the training state
    NetworkShape network;
    OptimizerRecipe optimizer;
    CopyingRecipe copying;
    TasksRecipe tasks;
    EnglishRecipe english;
    PruningRecipe pruning;

    /// Parses strictly: an unknown key, a wrong type or a value out of range is an error that names the key.
    [[nodiscard]] static Result<Recipe> parse(const std::string& json, const std::string& where);
    [[nodiscard]] static Result<Recipe> load(const std::filesystem::path& file);
    /// Returns all values, including defaults.
    [[nodiscard]] std::string toJson() const;
};

} // namespace headscope::train
