// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One benchmark example as plain text, and how it is scored. Made by importers and generators, used by the engine.
// Values only; any thread.

#include "core/base/role.h"

#include <string>
#include <vector>

namespace headscope::tasks {

/// How an example is scored; the names are lm-evaluation-harness's output types.
enum class Scoring {
    MultipleChoice, ///< log-likelihood of each continuation, the largest wins (first on a tie)
    LogLikelihood,  ///< one continuation: its log-likelihood and whether it is the greedy one
    Generation      ///< greedy text up to a stop string, compared with `target`
};

/// A byte range [begin, end) of the context.
struct Segment {
    Role role = Role::Key;
    std::size_t begin = 0;
    std::size_t end = 0;
    int group = 0;       ///< segments that belong together share it: a key and its value, an option and its letter
    bool target = false; ///< the segment that contains the right answer
};

struct Example {
    std::string task; ///< the harness's name or Headscope's: "mmlu_anatomy", "toy_kv:pairs=8"
    std::string file; ///< relative to the data folder; "generated" for generators
    int row = 0;      ///< zero-based in that file, or the index of a generated example

    Scoring scoring = Scoring::MultipleChoice;
    std::string context;                    ///< shared by all continuations, unless `contexts` is set
    std::vector<std::string> contexts;      ///< one per continuation (WinoGrande's partial scoring)
    std::vector<std::string> continuations; ///< MultipleChoice: one per choice; LogLikelihood: exactly one
    std::vector<int> normLengths;           ///< characters (code points) of each choice, for acc_norm
    int gold = -1;                          ///< index of the right choice; -1 if there is none

    std::string target;             ///< Generation: compared with the filtered text
    std::vector<std::string> until; ///< Generation: stop strings
    int maxNewTokens = 0;           ///< Generation

    std::vector<Segment> segments;
};

/// Returns a SHA-256 of every field that can change a score, the identity of an example in sessions.
[[nodiscard]] std::string contentHash(const Example& example);

[[nodiscard]] const char* name(Scoring scoring);

} // namespace headscope::tasks
