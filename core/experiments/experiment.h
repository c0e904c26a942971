// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table or figure of the paper as a declared recipe: its requirements, how its rows are measured, the paper's result,
// and the conclusions from the rows. Values; any thread.

#include "core/base/result.h"
#include "core/experiments/evidence/verdict.h"
#include "core/experiments/words/table.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

class Lab;

struct Experiment {
    std::string number; ///< "E4"; empty if it is not in the paper
    std::string id;     ///< "kv-curve"
    std::string title;
    std::string question;                 ///< the title as a question: "Do two heads carry multiple choice?"
    std::string claim;                    ///< the paper's answer, one sentence; empty: the paper only asks
    std::string source;                   ///< place in the paper
    std::string rule;                     ///< conditions of the verdicts "appears", "in part", "does not appear"
    std::string setting;                  ///< the paper's setting, in words
    std::string scaled;                   ///< its replacement on the included models; empty: the same
    std::string assumed;                  ///< assumptions where the paper leaves something open; empty: none
    std::string study;                    ///< JSON of a user's study; empty: part of the program
    int examples = 0;                     ///< number per benchmark; 0: the benchmark's default
    std::vector<std::string> needs;       ///< benchmarks of the paper's setting
    std::vector<std::string> models;      ///< default without --model
    std::vector<std::string> paperModels; ///< the paper's models, as named on the Hugging Face hub
    std::vector<Column> columns;          ///< the first is "model"
    std::vector<Chart> charts;
    std::vector<PaperRow> paper;
    std::function<Result<void>(Lab& lab)> run;              ///< adds the rows one after the other
    std::function<std::string(const Table& table)> finding; ///< one paragraph computed from the rows, complete or not
    std::function<Judgement(const Table& table)> judge;     ///< the rule, applied to the rows of a complete run
};

/// Returns all experiments, in the paper's order, then those beyond it.
[[nodiscard]] const std::vector<Experiment>& allExperiments();
/// Finds an experiment by id or number ("kv-curve", "E4"); fails with the list of ids.
[[nodiscard]] Result<const Experiment*> findExperiment(std::string_view name);

} // namespace headscope::experiments
