// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A folder of plain texts that a small English model reads: never part of the program, named by its hash. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::train {

struct Corpus {
    std::vector<std::string> paragraphs; ///< without line ends, in the order of the files' names
    std::vector<std::string> heldOut;    ///< never trained on
    int files = 0;                       ///< without held-out ones
    std::string sha256;                  ///< of the files' names and contents
};

/// Reads every *.txt of a folder: paragraphs are separated by empty lines. Held out is what is in a text called
/// "heldout", or every twentieth paragraph where there is none. Fails for a folder that is missing, has no texts, or
/// has text that is not UTF-8.
[[nodiscard]] Result<Corpus> readCorpus(const std::filesystem::path& folder);

/// Words of 3 to 10 lower-case letters that come at least `least` times, in alphabetical order, without those of
/// `except`.
[[nodiscard]] std::vector<std::string> commonWords(const Corpus& corpus, int least,
                                                   const std::vector<std::string>& except);

} // namespace headscope::train
