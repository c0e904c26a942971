// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the rankings of a session say of a model's heads. On the thread of the session.

#include "app/figures/source.h"

#include <map>
#include <set>
#include <string>

namespace headscope::figures {

struct HeadRoles {
    std::set<std::string> needed;      ///< removing them costs much of KV retrieval, by the last exact ranking
    std::map<std::string, char> roles; ///< of them: 'G' gathers, 'A' aggregates; empty without rankings by both
};

[[nodiscard]] HeadRoles headRoles(Source& source, const sessions::ModelRecord& model);

} // namespace headscope::figures
