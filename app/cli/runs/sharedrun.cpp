// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/sharedrun.h"

#include "core/lm/device/device.h"

#include <cstdlib>

namespace headscope::cli {

using nlohmann::json;

namespace {

// Whole batches, so that no row's numbers hang on how many processes there are.
std::vector<bool> shareOf(const engine::Benchmark& benchmark, int rank, int size)
{
    const engine::Workload& workload = benchmark.workload();
    std::vector<bool> mine(workload.examples().size());
    for (std::size_t i = 0; i < mine.size(); ++i)
        mine[i] = static_cast<int>(i) % size == rank; // generated answers run one by one
    std::vector<bool> placed(mine.size());
    for (std::size_t b = 0; b < workload.batches().size(); ++b)
        for (const auto& member : workload.batches()[b].members) {
            const auto example = static_cast<std::size_t>(member.example);
            if (!placed[example])
                mine[example] = static_cast<int>(b) % size == rank;
            placed[example] = true;
        }
    return mine;
}

// CBOR keeps every bit of a number, NaN too.
std::string packed(const json& value)
{
    const std::vector<std::uint8_t> bytes = json::to_cbor(value);
    return {bytes.begin(), bytes.end()};
}

json unpacked(const std::string& bytes)
{
    return json::from_cbor(bytes.begin(), bytes.end(), true, false);
}

Error badPart()
{
    return {Error::Kind::Internal,
            "A process handed over a part that can not be read; are all of them the same version?",
            {}};
}

json toJson(std::size_t example, const tasks::Outcome& outcome)
{
    return {example, outcome.logLikelihoods, outcome.greedy, outcome.generated, outcome.truncated, outcome.rejected};
}

Result<void> put(const engine::Benchmark& benchmark, engine::Rows& rows, const json& part)
{
    try {
        for (const json& row : part) {
            tasks::Outcome outcome{row.at(1), row.at(2), row.at(3), row.at(4), row.at(5)};
            if (const auto example = row.at(0).get<std::size_t>(); example < rows.outcomes.size())
                benchmark.put(rows, static_cast<int>(example), outcome);
        }
    } catch (const json::exception&) {
        return badPart();
    }
    return {};
}

} // namespace

Result<std::unique_ptr<engine::Processes>> joinProcesses(Context& context)
{
    const auto options = engine::ProcessOptions::fromEnvironment();
    if (!options.has_value())
        return options.error();
    context.quiet = context.quiet || options->rank > 0;
    const char* local = std::getenv("LOCAL_RANK");
    if (options->size > 1 && local
        && (context.settings.device == "cuda" || (context.settings.device == "auto" && lm::cudaAvailable())))
        context.settings.device = std::string("cuda:") + local;
    return engine::Processes::join(*options);
}

Result<void> evaluateShared(engine::Processes* processes, OpenModel& open, const engine::Benchmark& benchmark,
                            const interventions::InterventionSet& set, engine::Rows& rows, const Control& control)
{
    const auto evaluate = [&] {
        return app::evaluate(open.store(), open.subject, *open.scorer, benchmark, set, open.donors, rows, {}, control);
    };
    if (!processes || !processes->shared())
        return evaluate();

    // 1. The own part: rows of the others look done meanwhile.
    const std::vector<bool> mine = shareOf(benchmark, processes->rank(), processes->size());
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (!mine[i])
            rows.outcomes[i].emplace();
    const auto done = evaluate();
    json part = json::array();
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (!mine[i])
            rows.outcomes[i].reset();
        else if (rows.outcomes[i])
            part.push_back(toJson(i, *rows.outcomes[i]));
    }
    if (!done.has_value())
        return done;

    // 2. All parts, and what is still missing then.
    const auto parts = processes->gather(packed(part), control.stop);
    if (!parts.has_value())
        return parts.error();
    if (!processes->first())
        return {};
    for (std::size_t rank = 1; rank < parts->size(); ++rank)
        if ((*parts)[rank])
            if (const auto taken = put(benchmark, rows, unpacked(*(*parts)[rank])); !taken.has_value())
                return taken;
    return evaluate();
}

Result<std::vector<engine::RankedHead>>
gatherHeads(engine::Processes& processes, const std::vector<engine::RankedHead>& mine, const std::stop_token& stop)
{
    json part = json::array();
    for (const engine::RankedHead& head : mine)
        part.push_back({head.head.layer, static_cast<int>(head.head.site), head.head.head, head.value, head.delta,
                        head.interval.low, head.interval.high, head.p, head.margin, head.n, head.fault});
    const auto parts = processes.gather(packed(part), stop);
    if (!parts.has_value())
        return parts.error();
    std::vector<engine::RankedHead> heads;
    try {
        for (const auto& one : *parts)
            for (const json& h : one ? unpacked(*one) : json::array())
                heads.push_back({{h.at(0), static_cast<lm::Site>(h.at(1).get<int>()), h.at(2)},
                                 h.at(3),
                                 h.at(4),
                                 {h.at(5), h.at(6)},
                                 h.at(7),
                                 h.at(8),
                                 h.at(9),
                                 false,
                                 h.at(10)});
    } catch (const json::exception&) {
        return badPart();
    }
    return heads;
}

} // namespace headscope::cli
