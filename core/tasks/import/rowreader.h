// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads one row of a file field by field, with the reason if it is rejected. Internal to core/tasks (it names the JSON
// library). Any thread.

#include "core/tasks/import/rows.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::tasks {

/// Reads fields of one row; the first problem rejects the row, later ones are not checked.
class RowReader
{
public:
    RowReader(const Row& row, const std::string& file);

    [[nodiscard]] const nlohmann::json& row() const { return m_row.value; }
    [[nodiscard]] bool has(const char* field) const;
    /// Returns a string field, or "" after rejecting (missing_field, wrong_type).
    [[nodiscard]] std::string text(const char* field);
    /// Returns the same, and also rejects a blank field.
    [[nodiscard]] std::string filledText(const char* field);
    /// Returns an integer, also from a string of digits as in CSV files and some mirrors; nullopt after rejecting.
    [[nodiscard]] std::optional<int> integer(const char* field);

    void reject(std::string code, std::string field, std::string reason);
    void warn(std::string code, std::string field, std::string reason);

    [[nodiscard]] bool ok() const { return !m_rejected; }
    [[nodiscard]] const std::optional<RowIssue>& rejection() const { return m_rejected; }
    [[nodiscard]] const std::vector<RowIssue>& warnings() const { return m_warnings; }
    [[nodiscard]] const std::string& id() const { return m_id; }

private:
    [[nodiscard]] RowIssue issue(std::string code, std::string field, std::string reason) const;
    const Row& m_row;
    const std::string& m_file;
    std::string m_id;
    std::optional<RowIssue> m_rejected;
    std::vector<RowIssue> m_warnings;
};

} // namespace headscope::tasks
