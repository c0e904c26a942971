// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of one web page, as plain values: written by pagejson.cpp and read by the page's modules. Any
// thread.

#include "app/page/pagescores.h"
#include "core/base/role.h"
#include "sessions/analyses.h"
#include "sessions/records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope::page {

struct Head {
    std::string name; ///< "L2H5"
    std::string kind; ///< of its mixer: "attention", "mamba2"
};

struct Model {
    std::string name;
    std::string hash;
    std::string family;
    std::string dtype;
    std::string device;
    std::int64_t parameters = 0;
    std::vector<std::vector<Head>> layers;
    std::map<std::string, std::string> roles;  ///< of heads: "G" gathers, "A" aggregates
    std::map<std::string, std::string> labels; ///< names that the user gave to heads
};

/// A prompt with patterns on the page.
struct Sample {
    std::string source; ///< "toy_kv:pairs=8, sample 3"
    std::string task;   ///< for a benchmark's example; otherwise empty, like gold
    std::string prompt;
    std::string gold;    ///< the right answer
    std::string example; ///< hash of the example
    std::vector<std::string> tokens;
    std::vector<sessions::PatternSegment> segments;
    std::string identity; ///< sessions::promptHash
};

/// The map of a head with 8 bits per cell: the value of a cell is its byte times the scale of its row.
struct Pattern {
    int model = 0;
    int sample = 0;
    std::string head;
    std::string ablation;
    std::string meaning; ///< "softmax attention (rows sum to 1)"
    bool isSigned = false;
    int rows = 0;
    int cols = 0;
    double maxError = 0; ///< relative to the values in the session
    std::vector<float> scales;
    std::vector<float> lastRow; ///< as in the session
    std::string cells;          ///< rows * cols bytes; two's complement for a signed map
    // Of the last row.
    double effectiveTokens = 0;
    double sink = 0;
    std::optional<double> target; ///< share on the segments with the answer; none: the prompt marks none
};

struct Analysis {
    int model = 0;
    std::string kind; ///< "lens", "attribution", "patching", "edges", ...
    std::string ablation;
    std::string source;
    std::string summary;
    std::size_t stored = 0; ///< number of its values in the session
    std::vector<sessions::AnalysisValue> values;
};

/// The view of a story step, by the names used in the page's address.
struct Scene {
    std::string sample;   ///< source of a sample; empty: unchanged
    std::string heads[2]; ///< shown heads of A and B
    std::string off[2];   ///< ablated
    bool reveals = false; ///< another state is shown once the question is answered
    std::string revealOff[2];
};

/// A condition of an exercise.
struct Condition {
    std::string kind; ///< "score", "heads", "target", "effective"
    std::string task; ///< of a score
    int side = 0;
    double low = 0;
    double high = 0;
    std::optional<int> layer; ///< of ablated heads
};

struct Step {
    std::string title, text, question, explanation;
    std::vector<std::string> choices, why;
    int right = -1;
    bool write = false;
    std::vector<std::string> cover; ///< parts that would reveal the answer
    std::vector<Condition> conditions;
    Scene scene;
    std::string solution[2]; ///< ablations that meet the conditions; measured, but not written into the page
};

struct Story {
    std::string id, title, summary;
    std::vector<std::string> models;
    std::vector<Step> steps;
};

/// Data of the session that is not on the page: a sentence with {0}, {1} for its parts, since the page translates it.
struct LeftOut {
    std::string text;
    std::vector<std::string> parts;

    bool operator==(const LeftOut&) const = default;
};

/// Texts that name files are the session's own until readPage() ends; then they are without folders and still differ.
struct Data {
    std::string title;
    std::string version; ///< of the program
    std::vector<Model> models;
    std::vector<Sample> samples;
    std::vector<Pattern> patterns;
    std::vector<Task> tasks;
    std::vector<Example> examples;
    std::vector<State> states;
    std::vector<Ranking> rankings;
    std::vector<Analysis> analyses;
    std::vector<Story> stories; ///< in English and in German, under "en" and "de"
    std::vector<Story> german;  ///< the same stories; empty without a translation
    bool exam = false;          ///< the story comes first, and its subject is not shown otherwise
    std::vector<LeftOut> leftOut;
    // For the maker of the page; not in its file.
    std::vector<std::string> names;   ///< texts by the user that readers see: names of heads and runs, and notes
    std::vector<std::string> folders; ///< texts of the session that contain folders of this machine, shown without them
};

} // namespace headscope::page
