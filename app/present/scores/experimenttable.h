// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An experiment's rows as a table for people: score, interval, change and corrected p of each. Pure functions; any
// thread.

#include "core/experiments/experimentreport.h"

#include <QStringList>

#include <vector>

namespace headscope::gui {

struct ExperimentTable {
    QStringList titles;
    std::vector<QStringList> rows; ///< one text a title
};

/// The model first. The paper's numbers have columns of their own at the end, named as the paper's.
[[nodiscard]] ExperimentTable experimentTable(const experiments::Report& report);

} // namespace headscope::gui
