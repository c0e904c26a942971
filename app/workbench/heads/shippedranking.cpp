// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/shippedranking.h"

#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>

namespace headscope::app {

namespace {

using nlohmann::json;

constexpr std::uint64_t kLongestRanking = 1'000'000; // bytes
constexpr std::size_t kColumns = 9;                  // head, value, delta, low, high, margin, p, holm, bh; then group

/// Nothing where the row is none.
std::optional<ShippedHead> headOf(const json& row, int n)
{
    if (!row.is_array() || row.size() != kColumns + 1 || !row[0].is_string() || !row[kColumns].is_number_integer())
        return std::nullopt;
    const auto head = interventions::parseHead(row[0].get<std::string>());
    if (!head.has_value())
        return std::nullopt;
    std::array<double, kColumns> numbers{};
    for (std::size_t i = 1; i < kColumns; ++i) {
        if (!row[i].is_number())
            return std::nullopt;
        numbers[i] = row[i].get<double>();
    }
    return ShippedHead{.head = *head,
                       .value = numbers[1],
                       .delta = numbers[2],
                       .low = numbers[3],
                       .high = numbers[4],
                       .margin = numbers[5],
                       .p = numbers[6],
                       .holm = numbers[7],
                       .falseDiscovery = numbers[8],
                       .group = row[kColumns].get<int>(),
                       .n = n};
}

} // namespace

std::vector<ShippedHead> shippedRanking(const std::filesystem::path& folder, const std::string& key)
{
    std::error_code failed;
    for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
        const auto text = io::readTextFile(it->path(), kLongestRanking);
        const json ranking = text.has_value() ? json::parse(*text, nullptr, false) : json();
        if (!ranking.is_object() || ranking.value("key", json()) != key || !ranking.contains("heads")
            || !ranking.contains("n") || !ranking["n"].is_number_integer())
            continue;
        std::vector<ShippedHead> heads;
        for (const json& row : ranking["heads"]) {
            auto head = headOf(row, ranking["n"].get<int>());
            if (!head)
                return {};
            heads.push_back(std::move(*head));
        }
        return heads;
    }
    return {};
}

} // namespace headscope::app
