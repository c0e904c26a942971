// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"

#include "core/experiments/words/language.h"

#include <fmt/format.h>

namespace headscope::experiments {

Evidence::Evidence(Table table) : m_table(std::move(table)), m_p(correctedP(m_table)) {}

std::optional<double> Evidence::corrected(const Row& row, std::string_view key) const
{
    return m_p[static_cast<std::size_t>(&row - m_table.rows.data())][m_table.column(key)];
}

bool Evidence::carries(const Row& row, std::string_view key) const
{
    const Cell& cell = m_table.cell(row, key);
    return cell.value && cell.n >= kLeastRows && !cell.samples;
}

bool Evidence::answers(const Row& row, std::string_view key) const
{
    const Cell& cell = m_table.cell(row, key);
    return carries(row, key) && cell.interval && cell.interval->low > cell.chance.value_or(0);
}

bool Evidence::falls(const Row& row, std::string_view key) const
{
    const auto p = corrected(row, key);
    return p && *p < kLevel && m_table.cell(row, key).contrast->difference < 0;
}

bool Evidence::rises(const Row& row, std::string_view key) const
{
    const auto p = corrected(row, key);
    return p && *p < kLevel && m_table.cell(row, key).contrast->difference > 0 && answers(row, key);
}

bool Evidence::collapses(const Row& before, const Row& row, std::string_view key) const
{
    const auto whole = m_table.value(before, key), now = m_table.value(row, key);
    const double chance = m_table.cell(before, key).chance.value_or(0);
    return whole && now && falls(row, key) && *now - chance <= (*whole - chance) / 2;
}

bool Evidence::keeps(const Row& row, std::string_view key) const
{
    const Cell& cell = m_table.cell(row, key);
    return carries(row, key) && cell.contrast && cell.contrast->interval.low > -kMargin;
}

bool Evidence::below(const Row& low, const Row& high, std::string_view key) const
{
    const Cell &a = m_table.cell(low, key), &b = m_table.cell(high, key);
    return a.interval && b.interval && a.interval->high < b.interval->low;
}

std::vector<std::string> Evidence::answered(const std::vector<std::string>& keys) const
{
    std::vector<std::string> found;
    for (const std::string& key : keys)
        if (answers(first(), key))
            found.push_back(key);
    return found;
}

std::string Evidence::change(const Row& from, const Row& to, std::string_view key) const
{
    const Cell &before = m_table.cell(from, key), &after = m_table.cell(to, key);
    const std::string then = fmt::format("{:.2f}", before.value.value_or(0)),
                      now = fmt::format("{:.2f}", after.value.value_or(0)), name = heading(m_table, key);
    return before.chance
               ? translated("{} {} to {} (guessing {})", name, then, now, fmt::format("{:.2f}", *before.chance))
               : translated("{} {} to {}", name, then, now);
}

std::function<Judgement(const Table&)> byModel(std::function<Judgement(const Evidence&)> rule)
{
    return [rule = std::move(rule)](const Table& table) {
        Judgement all;
        std::vector<Verdict> verdicts;
        for (const std::string& model : table.distinct("model")) {
            const Judgement one = rule(Evidence(table.only("model", model)));
            verdicts.push_back(one.verdict);
            all.why += (all.why.empty() ? "" : " ") + model + ": " + one.why + ".";
        }
        all.verdict = together(verdicts);
        return all;
    };
}

} // namespace headscope::experiments
