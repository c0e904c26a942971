// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/gradientsums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace headscope::engine {

std::string packGradients(const at::Tensor& gradients)
{
    const at::Tensor wide = gradients.to(at::kDouble).contiguous();
    return {reinterpret_cast<const char*>(wide.const_data_ptr<double>()),
            static_cast<std::size_t>(wide.numel()) * sizeof(double)};
}

Result<at::Tensor> unpackGradients(const std::string& bytes, std::int64_t heads)
{
    const auto row = static_cast<std::size_t>(heads) * sizeof(double);
    if (bytes.size() % row != 0)
        return inputError("Stored gradients have " + std::to_string(bytes.size())
                          + " bytes, which are not those of whole examples; the session is damaged.");
    at::Tensor wide = at::empty({static_cast<std::int64_t>(bytes.size() / row), heads}, at::kDouble);
    std::memcpy(wide.mutable_data_ptr<double>(), bytes.data(), bytes.size());
    return wide;
}

GradientSums::GradientSums(std::int64_t heads)
    : m_halves{at::zeros({heads}, at::kDouble), at::zeros({heads}, at::kDouble)},
      m_squares(at::zeros({heads}, at::kDouble))
{
}

void GradientSums::add(const at::Tensor& gradients)
{
    const at::Tensor wide = gradients.to(at::kDouble);
    for (std::int64_t e = 0; e < wide.size(0); ++e) {
        const at::Tensor one = wide[e];
        if (!at::isfinite(one).all().item<bool>())
            continue;
        m_halves[static_cast<std::size_t>(m_n % 2)] += one;
        m_squares += one * one;
        ++m_n;
    }
}

std::optional<double> GradientSums::agreement() const
{
    const auto values = [](const at::Tensor& x) {
        return std::span<const double>(x.data_ptr<double>(), static_cast<std::size_t>(x.numel()));
    };
    const auto found = analysis::spearman(values(m_halves[0]), values(m_halves[1]));
    return found.has_value() && found->rho > -1 ? std::optional(2 * found->rho / (1 + found->rho)) : std::nullopt;
}

std::vector<RankedHead> GradientSums::ranked(const lm::ModelSpec& spec) const
{
    const auto n = static_cast<double>(m_n);
    const double quantile = m_n > 1 ? analysis::studentQuantile(n - 1) : 0; // once: channels are many
    std::vector<RankedHead> heads;
    const auto first = m_halves[0].accessor<double, 1>(), second = m_halves[1].accessor<double, 1>(),
               squares = m_squares.accessor<double, 1>();
    std::int64_t index = 0;
    for (const interventions::HeadRef& head : allHeads(spec)) {
        const double mean = -(first[index] + second[index]) / n; // removing moves the gate from 1 to 0
        const double variance = m_n > 1 ? std::max(squares[index] - n * mean * mean, 0.0) / (n - 1) : 0;
        const double wide = quantile * std::sqrt(variance / n);
        heads.push_back({.head = head,
                         .value = mean,
                         .interval = {mean - wide, mean + wide},
                         .margin = mean,
                         .n = static_cast<int>(m_n),
                         .estimate = true});
        ++index;
    }
    std::stable_sort(heads.begin(), heads.end(),
                     [](const RankedHead& a, const RankedHead& b) { return a.margin < b.margin; });
    return heads;
}

} // namespace headscope::engine
