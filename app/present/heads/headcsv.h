// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads a user's metrics of heads from a file. Any thread.

#include "app/backend/values.h"
#include "core/base/result.h"
#include "core/interventions/intervention.h"

#include <QString>

namespace headscope::gui {

struct HeadColumn {
    QString name;
    std::vector<std::pair<interventions::HeadRef, double>> values;
};

/// Parses lines "L2H5, 0.31, ..." separated by commas, semicolons or tabs; a first line that names no head contains the
/// column names. Empty fields are heads without a value. Fails with the line of an invalid head, number or count of
/// fields.
[[nodiscard]] Result<std::vector<HeadColumn>> readHeadColumns(const QString& text);
/// The same from a file of at most 64 MB.
[[nodiscard]] Result<std::vector<HeadColumn>> readHeadColumnFile(const QString& path);
/// Returns the column for the map of this model. Fails for heads that the model does not have.
[[nodiscard]] Result<std::vector<app::HeadValue>> headValues(const HeadColumn& column, const app::ModelSummary& model);

} // namespace headscope::gui
