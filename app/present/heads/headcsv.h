// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A person's own numbers of heads, from a file. Any thread.

#include "app/backend/values.h"
#include "core/base/result.h"
#include "core/interventions/intervention.h"

#include <QString>

namespace headscope::gui {

struct HeadColumn {
    QString name;
    std::vector<std::pair<interventions::HeadRef, double>> values;
};

/// Lines "L2H5, 0.31, ..." comma-separated, semicolons or tabs; a first line that names no head gives the columns'
/// names. Empty fields are heads without a value. Fails with the line for a head, a number or a count of fields that is
/// none.
[[nodiscard]] Result<std::vector<HeadColumn>> readHeadColumns(const QString& text);
/// Same from a file of at most 64 MB.
[[nodiscard]] Result<std::vector<HeadColumn>> readHeadColumnFile(const QString& path);
/// The column for the map of this model; heads that the model does not have are an error.
[[nodiscard]] Result<std::vector<app::HeadValue>> headValues(const HeadColumn& column, const app::ModelSummary& model);

} // namespace headscope::gui
