// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rankings of the included models that were measured when this version was built: packaging/results.sh writes them.
// Each belongs to one model, one set of rows and one way of reading them, and answers no other question. Any thread.

#include "core/interventions/intervention.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::app {

/// What the removal of one head costs; the numbers are those of engine::RankedHead and engine::ManyHeads.
struct ShippedHead {
    interventions::HeadRef head;
    double value = 0;
    double delta = 0;
    double low = 0;
    double high = 0;
    double margin = 0;
    double p = 1;
    double holm = 1;
    double falseDiscovery = 1;
    int group = -1;
    int n = 0;
};

/// The ranking with this exactRankingKey() among the files of `folder`; empty: there is none.
[[nodiscard]] std::vector<ShippedHead> shippedRanking(const std::filesystem::path& folder, const std::string& key);

} // namespace headscope::app
