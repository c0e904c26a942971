// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/memoryreport.h"

#include "core/lm/device/forecast.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::cli {

using lm::sizeText;

namespace {

// The lowest layer that the set changes; nothing where it changes none.
std::optional<int> firstLayer(const OpenModel& open, const interventions::InterventionSet& set)
{
    const auto edits = lm::resolve(set, open.spec(), open.donors, lm::Others::Examples);
    if (!edits.has_value()) // the run itself says what is wrong
        return 0;
    return edits->layers.empty() ? std::nullopt : std::optional(edits->layers.begin()->first);
}

} // namespace

MemoryReport::MemoryReport(const Context& context, const OpenModel& open,
                           const std::vector<std::shared_ptr<const engine::Benchmark>>& benchmarks,
                           const interventions::InterventionSet& set, const PortionsOf& portionsOf)
    : m_context(context), m_weights(open.loaded.resident)
{
    const auto free = lm::availableMemory(open.loaded.model->device());
    const bool large = free && m_weights + engine::ScorerOptions().cacheBytes > *free / 2;
    if (!benchmarks.empty() && (context.json || context.settings.memory > 0 || large)) {
        const std::optional<int> first = firstLayer(open, set);
        engine::RunMemory most;
        for (const auto& benchmark : benchmarks) {
            const auto portions = portionsOf ? portionsOf(*benchmark) : std::vector<engine::Portion>(1);
            // Each forecast runs some layers; the portions are of like size.
            const auto largest = std::ranges::max_element(portions, {}, &engine::Portion::tokens);
            if (const engine::RunMemory needed = open.scorer->forecast(
                    benchmark->workload(), first, largest == portions.end() ? std::vector<bool>() : largest->rows);
                needed.total() > most.total())
                most = needed;
        }
        m_forecast = most.total();
        if (context.settings.memory > 0 || large)
            context.note("memory: " + sizeText(most.total()) + " forecast (weights " + sizeText(most.weights)
                         + ", kept between passes " + sizeText(most.kept) + ", the largest batch "
                         + sizeText(most.working) + ")"
                         + (context.settings.memory > 0 ? " of " + sizeText(context.settings.memory) : std::string()));
    }
    m_meter.emplace(open.loaded.model->device());
}

nlohmann::json MemoryReport::toJson() const
{
    const std::int64_t measured = m_weights + m_meter->peak();
    if (m_context.settings.memory > 0)
        m_context.note("memory: " + sizeText(measured) + " measured");
    return {{"budget", m_context.settings.memory > 0 ? nlohmann::json(m_context.settings.memory) : nlohmann::json()},
            {"forecast", m_forecast ? nlohmann::json(*m_forecast) : nlohmann::json()},
            {"measured", measured}};
}

} // namespace headscope::cli
