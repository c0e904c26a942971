// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes a web page of a session or of models, for the commands with this function. Main thread.

#include "app/cli/runs/scoringmodel.h"

#include <cstddef>
#include <string>
#include <vector>

namespace headscope::cli {

struct PageArguments {
    std::string first;  ///< a session or a model
    std::string second; ///< a model; empty: none
    std::string output;
    std::string title;
    std::string heads = "all";
    std::vector<std::string> stories; ///< names of tours and exercises, or files
    std::vector<std::string> tasks;   ///< for a model; empty: those of the window's scoreboard
    std::string tokenizer;
    TaskArguments rows;
    int samples = 3;
    double limitMb = 15;
    bool exam = false; ///< the story comes first, and the rest of the page does not reveal its answers
};

/// The content of a written page.
struct PageSummary {
    std::size_t bytes = 0;
    std::size_t heads = 0; ///< with at least one pattern
    std::size_t states = 0;
    std::size_t samples = 0;
    std::size_t analyses = 0;
    std::size_t rankings = 0;
    std::size_t questions = 0; ///< in its stories
    std::vector<std::string> models;
    std::vector<std::string> leftOut;        ///< one sentence each
    std::vector<std::string> names, folders; ///< as in page::Data
};

[[nodiscard]] Result<PageSummary> makePage(const Context& context, const PageArguments& arguments);

} // namespace headscope::cli
