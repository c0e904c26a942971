// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The results of an experiment as a table: score, interval, change and corrected p-value of each row. Pure functions;
// any thread.

#include "core/experiments/experimentreport.h"

#include <QStringList>

#include <vector>

namespace headscope::gui {

struct ExperimentTable {
    QStringList titles;
    std::vector<QStringList> rows; ///< one text per title
};

/// Returns the measured columns, followed by the paper's numbers in columns of their own, titled "paper: …".
[[nodiscard]] ExperimentTable experimentTable(const experiments::Report& report);

} // namespace headscope::gui
