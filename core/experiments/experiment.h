// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table or figure of the paper as a declared recipe: what it needs, how its rows are measured, what the paper found,
// and what can be said of the rows. Values; any thread.

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
    std::string number; ///< "E4"; empty where the paper has no such thing
    std::string id;     ///< "kv-curve"
    std::string title;
    std::string question;                 ///< the same as a question: "Do two heads carry multiple choice?"
    std::string claim;                    ///< what the paper says to it, one sentence; empty: the paper only asks
    std::string source;                   ///< where in the paper
    std::string rule;                     ///< when the verdict is "appears", "in part", "does not appear"
    std::string setting;                  ///< the paper's, in words
    std::string scaled;                   ///< what takes its place on the shipped models; empty: the same
    std::string assumed;                  ///< where the paper leaves something open; empty: nothing
    std::string study;                    ///< the JSON of your own study; empty: part of the program
    int examples = 0;                     ///< of each benchmark; 0: the benchmark's usual number
    std::vector<std::string> needs;       ///< benchmarks of the paper's setting
    std::vector<std::string> models;      ///< run without --model
    std::vector<std::string> paperModels; ///< the paper's, as named in the Hugging Face hub
    std::vector<Column> columns;          ///< the first is "model"
    std::vector<Chart> charts;
    std::vector<PaperRow> paper;
    std::function<Result<void>(Lab& lab)> run;              ///< adds the rows, one after the other
    std::function<std::string(const Table& table)> finding; ///< one paragraph computed from the rows, complete or not
    std::function<Judgement(const Table& table)> judge;     ///< the rule, applied to the rows of a complete run
};

/// All, in the paper's order, then those beyond it.
[[nodiscard]] const std::vector<Experiment>& allExperiments();
/// By id or number ("kv-curve", "E4"); fails with the list of ids.
[[nodiscard]] Result<const Experiment*> findExperiment(std::string_view name);

} // namespace headscope::experiments
