// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads the content of a web page from a session. Needs neither model nor display. On the thread of the session.

#include "app/page/pagedata.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::page {

/// The heads whose maps are on the page.
enum class HeadChoice {
    All,
    Ranked, ///< the first eight of each model's rankings
    Named,
};

struct Options {
    std::string title;                ///< empty: the models' names
    std::vector<std::string> models;  ///< hashes, in the order of the page; empty: all
    int samples = 3;                  ///< number of prompts with patterns
    std::vector<std::string> sources; ///< further prompts to show, by their source
    HeadChoice heads = HeadChoice::All;
    std::vector<std::string> named; ///< HeadChoice::Named: "L2H5"
};

/// Returns the English sentence.
[[nodiscard]] std::string sentenceOf(const LeftOut& left);

/// Fails for a session without anything to show, and if it cannot be read.
[[nodiscard]] Result<Data> readPage(sessions::SessionStore& session, const Options& options);

} // namespace headscope::page
