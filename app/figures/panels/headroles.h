// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The roles of a model's heads by the rankings in a session. On the thread of the session.

#include "app/figures/source.h"

#include <map>
#include <set>
#include <string>

namespace headscope::figures {

struct HeadRoles {
    std::set<std::string> needed;      ///< large cost of removal for KV retrieval, by the last exact ranking of each
    std::map<std::string, char> roles; ///< of these heads: 'G' gathers, 'A' aggregates; empty without rankings by both
};

[[nodiscard]] HeadRoles headRoles(Source& source, const sessions::ModelRecord& model);

} // namespace headscope::figures
