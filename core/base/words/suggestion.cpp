// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/words/suggestion.h"

#include <algorithm>
#include <cstddef>

namespace headscope {

namespace {

constexpr std::size_t kLongestWord = 60; ///< longer ones are not misspelt names
constexpr std::size_t kSwap = 1;
constexpr std::size_t kEdit = 2;

// Letters in lower case and digits: kv_curve, KV-Curve and kvcurve are the same.
std::string comparable(std::string_view word)
{
    std::string letters;
    for (const char c : word) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            letters += c;
        else if (c >= 'A' && c <= 'Z')
            letters += static_cast<char>(c - 'A' + 'a');
    }
    return letters;
}

// Optimal string alignment: the edit distance in which two swapped letters, the likeliest slip, count half.
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = kEdit * (i + j);
                continue;
            }
            cost[i][j] = std::min({cost[i - 1][j] + kEdit, cost[i][j - 1] + kEdit,
                                   cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : kEdit)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + kSwap);
        }
    }
    return cost[a.size()][b.size()];
}

} // namespace

std::string didYouMean(std::string_view word, const std::vector<std::string>& known)
{
    const std::string wanted = comparable(word);
    if (wanted.empty() || wanted.size() > kLongestWord)
        return {};
    std::size_t least = kEdit * ((wanted.size() + 1) / 3) + 1;
    std::string_view closest;
    for (const std::string& name : known) {
        const std::string candidate = comparable(name);
        if (candidate.empty() || candidate.size() > kLongestWord || name == word)
            continue;
        if (const std::size_t found = distance(wanted, candidate); found < least) {
            least = found;
            closest = name;
        }
    }
    return closest.empty() ? std::string() : " (did you mean '" + std::string(closest) + "'?)";
}

} // namespace headscope
