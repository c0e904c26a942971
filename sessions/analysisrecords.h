// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An analysis of a model (attribution, patching, edges, weights, probes ...) as stored in a session, as plain values.
// Any thread.

#include <limits>
#include <string>
#include <vector>

namespace headscope::sessions {

/// Everything that determines the results of an analysis. The model must be in the session.
struct AnalysisKey {
    std::string modelHash;
    std::string kind; ///< "lens", "attribution", "patching", "edges", "knockout", "weights", "probe", "why-score",
                      ///< "removal", "compare", "series"
    std::string dtype;
    std::string device;       ///< kind: "cpu", "cuda"
    std::string ablation;     ///< canonical; empty is the baseline
    std::string questionJson; ///< prompts, patched parts, seeds ...

    bool operator==(const AnalysisKey&) const = default;
};

/// One value of an analysis.
struct AnalysisValue {
    std::string part;       ///< "L2H5", "L2.mlp", "embed", "L3"; for an edge its sender
    std::string receiver{}; ///< for an edge: "L2H5.k"; for a token of a collection its text
    int position = -1;      ///< token of the prompt; -1: no single one
    std::string measure;    ///< "share", "adds", "copying", "induction" ...
    double value = 0;       ///< NaN: not defined
    double low = std::numeric_limits<double>::quiet_NaN(); ///< 95 % confidence interval; NaN: none
    double high = std::numeric_limits<double>::quiet_NaN();
    std::string words{}; ///< a token, task or group of tokens that the value belongs to; may be empty
};

struct AnalysisRecord {
    AnalysisKey key;
    std::string source;    ///< description of the prompts, for people
    std::string summary;   ///< the result in one sentence
    std::string created{}; ///< set when it is stored
    std::vector<AnalysisValue> values{};
};

} // namespace headscope::sessions
