// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses of a model (attribution, patching, edges, weights, probes ...) as stored in a session, as plain values, and
// the functions that store and read them, on the thread of the store.

#include "core/base/result.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

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

/// Stores an analysis, replacing an earlier one of the same question.
[[nodiscard]] Result<void> putAnalysis(SessionStore& session, const AnalysisRecord& analysis);
/// Returns every analysis in the order of storing, without its values.
[[nodiscard]] Result<std::vector<AnalysisRecord>> analyses(SessionStore& session);
/// Returns an analysis with its values; nothing if there is none.
[[nodiscard]] Result<std::optional<AnalysisRecord>> storedAnalysis(SessionStore& session, const AnalysisKey& key);
/// Returns the latest analysis of a kind; of any model if the hash is empty. Nothing if there is none.
[[nodiscard]] Result<std::optional<AnalysisRecord>> newestAnalysis(SessionStore& session, const std::string& modelHash,
                                                                   const std::string& kind);

} // namespace headscope::sessions
