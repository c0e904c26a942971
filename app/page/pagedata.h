// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one web page shows of a session, as plain values: what pagejson.h writes and the page's modules read. Any
// thread.

#include "app/page/pagescores.h"
#include "core/base/role.h"
#include "sessions/analysisrecords.h"
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
    std::map<std::string, std::string> labels; ///< names that a person gave to heads
};

/// A prompt of which patterns are shown.
struct Sample {
    std::string source; ///< "toy_kv:pairs=8, sample 3"
    std::string task;   ///< of a benchmark's example; else empty, as gold is
    std::string prompt;
    std::string gold;    ///< the right answer
    std::string example; ///< its hash
    std::vector<std::string> tokens;
    std::vector<sessions::PatternSegment> segments;
    std::string identity; ///< sessions::promptHash
};

/// The map of a head, its numbers in 8 bits a cell: a cell is its byte times the scale of its row.
struct Pattern {
    int model = 0;
    int sample = 0;
    std::string head;
    std::string ablation;
    std::string meaning; ///< "softmax attention (rows sum to 1)"
    bool isSigned = false;
    int rows = 0;
    int cols = 0;
    double maxError = 0; ///< of the session's own numbers
    std::vector<float> scales;
    std::vector<float> lastRow; ///< as the session has it
    std::string cells;          ///< rows * cols bytes; of a signed map two's complement
    // Of the last row.
    double effectiveTokens = 0;
    double sink = 0;
    std::optional<double> target; ///< share on the pieces that answer; none: the prompt names none
};

struct Analysis {
    int model = 0;
    std::string kind; ///< "lens", "attribution", "patching", "edges", ...
    std::string ablation;
    std::string source;
    std::string summary;
    std::size_t stored = 0; ///< values of it in the session
    std::vector<sessions::AnalysisValue> values;
};

/// What a step of a story shows, by the names that the page's address uses.
struct Scene {
    std::string sample;   ///< source of a sample; empty: stays
    std::string heads[2]; ///< of A and B that are looked at
    std::string off[2];   ///< ablated
    bool reveals = false; ///< another state once the question is answered
    std::string revealOff[2];
};

/// One thing that an exercise asks for.
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
    std::vector<std::string> cover; ///< parts that would give the answer away
    std::vector<Condition> conditions;
    Scene scene;
    std::string solution[2]; ///< ablations with which the conditions hold; measured, and not written into the page
};

struct Story {
    std::string id, title, summary;
    std::vector<std::string> models;
    std::vector<Step> steps;
};

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
    std::vector<Story> stories;       ///< in English and in German, under "en" and "de"
    std::vector<Story> german;        ///< the same stories; empty where there is no translation
    bool exam = false;                ///< the story comes first, and what it asks is not shown besides
    std::vector<std::string> leftOut; ///< what of the session is not on the page, a sentence each
    // For the maker of the page; not in its file.
    std::vector<std::string> names;   ///< that a person gave and readers see: of heads and runs, and notes
    std::vector<std::string> folders; ///< texts of the session that name folders of this machine, shown without them
};

} // namespace headscope::page
