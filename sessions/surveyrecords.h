// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey of many texts as stored in a session, as plain values. Any thread.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope::sessions {

/// Everything that determines the results of a survey. The model must be in the session.
struct SurveyKey {
    std::string modelHash;
    std::string tokenizerHash;
    std::string dtype;
    std::string device;       ///< kind: "cpu", "cuda"
    std::string ablation;     ///< canonical; empty is the baseline
    std::string texts;        ///< SHA-256 of the collection
    std::string settingsJson; ///< window, tokens, seed, places kept, start token, heads
    int version = 0;          ///< version of the metrics

    bool operator==(const SurveyKey&) const = default;
};

struct SurveyRecord {
    SurveyKey key;
    std::string source;           ///< description of the texts, for people
    std::string stateJson = "{}"; ///< progress
    std::int64_t tokens = 0;      ///< measured so far
    bool finished = false;
    std::string created{}; ///< set when it is first stored

    bool operator==(const SurveyRecord&) const = default;
};

/// The distribution of a metric of one head over all positions.
struct SurveyValue {
    std::string metric;
    std::int64_t n = 0;
    double mean = 0, deviation = 0, q05 = 0, q25 = 0, median = 0, q75 = 0, q95 = 0, largest = 0;

    bool operator==(const SurveyValue&) const = default;
};

struct SurveyHead {
    std::string head;            ///< "L2H5"
    std::vector<double> profile; ///< mean share by distance: 0, 1, 2-3, 4-7 ...
    std::vector<SurveyValue> values;
    std::string data{}; ///< everything needed to resume

    bool operator==(const SurveyHead&) const = default;
};

/// A position of a text with one of the largest values of a metric, or an ordinary one.
struct SurveyPlace {
    std::string head;
    std::string metric;
    bool ordinary = false;
    int rank = 0; ///< from 0; for ordinary ones by value, smallest first
    double value = 0;
    int text = 0;                                ///< index into the survey's texts
    int position = 0;                            ///< of the query
    std::vector<std::pair<int, double>> reads{}; ///< token and share of |row|, largest first

    bool operator==(const SurveyPlace&) const = default;
};

struct SurveyText {
    std::string source; ///< file and byte or line
    std::vector<std::string> tokens;

    bool operator==(const SurveyText&) const = default;
};

struct StoredSurvey {
    SurveyRecord record;
    std::vector<SurveyHead> heads;
    std::vector<SurveyPlace> places;
    std::vector<SurveyText> texts;

    bool operator==(const StoredSurvey&) const = default;
};

} // namespace headscope::sessions
