// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores and answers of a model's states on a web page, as plain values. Any thread.

#include "core/analysis/statistics.h"
#include "sessions/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope::page {

/// An example whose answer an ablation made right or wrong.
struct Flip {
    int example = 0; ///< index into Data::examples
    bool gained = false;
    std::string before, now;                   ///< the answers, if their texts are in the session
    std::optional<double> goldBefore, goldNow; ///< probability of the right answer
};

struct Example {
    std::string task;
    int row = 0;
    std::string prompt;
    std::string gold;
};

struct Change : analysis::PairedChange {
    double baseline = 0;
    std::int64_t n = 0; ///< examples that both states were scored on
    std::int64_t lost = 0;
    std::int64_t gained = 0;
    double holm = 1; ///< p-value corrected over the benchmarks of the state
};

struct Score {
    int task = 0; ///< index into Data::tasks
    std::int64_t n = 0;
    double value = 0;
    analysis::Interval interval; ///< 95 %, Wilson
    std::string dtype, device;
    std::optional<Change> change; ///< none: the baseline, or a state whose baseline was not measured
    std::vector<Flip> flips;      ///< only the first ones
};

/// A model's answer to a sample.
struct Answer {
    int sample = 0;
    std::string token; ///< the most probable token; empty: only the right answer's probability is stored
    std::optional<double> probability;
    std::optional<double> gold; ///< probability of the right answer
    std::optional<bool> correct;
};

/// A model with an intervention.
struct State {
    int model = 0;
    std::string ablation;           ///< empty: none
    std::vector<std::string> heads; ///< zeroed heads, if there are no other interventions
    std::string name, note;         ///< of a saved run
    std::vector<Score> scores;
    std::vector<Answer> answers;
};

struct Task {
    std::string name; ///< "toy_kv:pairs=8"
    std::string kind; ///< "toy_kv"
    int pairs = 0;    ///< size of the dictionary; 0: none
};

struct Ranking {
    int model = 0;
    std::string task;
    std::string method;
    std::string ablation;
    int n = 0;
    std::vector<sessions::RankedHead> heads;
};

} // namespace headscope::page
