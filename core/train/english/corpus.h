// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A folder of plain texts for training a small English model: never part of the program, named by its hash. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::train {

struct Corpus {
    std::vector<std::string> paragraphs; ///< without line ends, in the order of file names
    std::vector<std::string> heldOut;    ///< never trained on
    int files = 0;                       ///< without held-out ones
    std::string sha256;                  ///< hash of the files' names and contents
};

/// Reads every *.txt of a folder: paragraphs are separated by empty lines. The held-out part is a text called
/// "heldout", or every twentieth paragraph if there is none. Fails for a missing folder, one without texts, or text
/// that is not UTF-8.
[[nodiscard]] Result<Corpus> readCorpus(const std::filesystem::path& folder);

/// Returns words of 3 to 10 lower-case letters that occur at least `least` times, in alphabetical order, excluding
/// those of `except`.
[[nodiscard]] std::vector<std::string> commonWords(const Corpus& corpus, int least,
                                                   const std::vector<std::string>& except);

} // namespace headscope::train
