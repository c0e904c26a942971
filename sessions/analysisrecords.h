// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a session holds of an analysis of a model (attribution, patches, edges, weights, probes ...), as plain values.
// Any thread.

#include <limits>
#include <string>
#include <vector>

namespace headscope::sessions {

/// All that decides the numbers of an analysis. The model must be in the session.
struct AnalysisKey {
    std::string modelHash;
    std::string kind; ///< "lens", "attribution", "patching", "edges", "knockout", "weights", "probe", "why-score",
                      ///< "removal", "compare", "series"
    std::string dtype;
    std::string device;       ///< kind: "cpu", "cuda"
    std::string ablation;     ///< canonical; empty is the baseline
    std::string questionJson; ///< prompts, what is patched, seeds ...

    bool operator==(const AnalysisKey&) const = default;
};

/// One number of an analysis.
struct AnalysisValue {
    std::string part;       ///< "L2H5", "L2.mlp", "embed", "L3"; of an edge its sender
    std::string receiver{}; ///< of an edge: "L2H5.k"; of a token of a collection its text
    int position = -1;      ///< token of the prompt; -1: of no single one
    std::string measure;    ///< "share", "adds", "copying", "induction" ...
    double value = 0;       ///< NaN: not defined
    double low = std::numeric_limits<double>::quiet_NaN(); ///< 95 % interval; NaN: none
    double high = std::numeric_limits<double>::quiet_NaN();
    std::string words{}; ///< a token, task or group of tokens that belongs to it; may be empty
};

struct AnalysisRecord {
    AnalysisKey key;
    std::string source;    ///< which prompts, for people
    std::string summary;   ///< what it says, in a sentence
    std::string created{}; ///< set when it is stored
    std::vector<AnalysisValue> values{};
};

} // namespace headscope::sessions
