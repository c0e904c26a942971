// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/sharedrun.h"

#include "app/cli/output.h"
#include "core/base/elapsed.h"
#include "sessions/parts.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>

namespace headscope::cli {

using nlohmann::json;

sessions::OpenOptions waitingForWriters(const Context& context)
{
    return {.again = context.again,
            .notify = [&context](const std::string& line) { context.note(line); },
            .stop = Context::stopToken()};
}

Result<void> checkSharing(const Context& context)
{
    for (const char* name : {"HEADSCOPE_SECRET", "HEADSCOPE_SECRET_FILE", "HEADSCOPE_PORT", "HEADSCOPE_PATIENCE"})
        if (std::getenv(name))
            return inputError(std::string(name)
                              + " is set, but processes no longer connect to each other: give those of one machine the "
                                "same --session FILE, and those of several machines --part K/N.");
    const char* size = std::getenv("WORLD_SIZE");
    if (size && std::atoi(size) > 1 && context.session.empty())
        return inputError("WORLD_SIZE is " + std::to_string(std::atoi(size))
                          + ", but the processes have no session to share the work through: give all of them the same "
                            "--session FILE.");
    return {};
}

Result<void> shareStates(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                         const std::vector<interventions::InterventionSet>& states, const std::string& stage)
{
    if (!open.store())
        return {};
    return app::SharedWork(open, *open.store(), benchmark, states)
        .run(stage, context.control(), [&](const std::string& line) { context.note(line); });
}

engine::Prepare sharedRound(const Context& context, OpenModel& open, std::string stage)
{
    if (!open.store())
        return {};
    return [&context, &open, stage = std::move(stage)](const engine::Benchmark& benchmark,
                                                       const std::vector<interventions::InterventionSet>& states) {
        return shareStates(context, open, benchmark, states, stage);
    };
}

PortionsOf sharedPortions(OpenModel& open, std::vector<interventions::InterventionSet> states)
{
    if (!open.store())
        return {};
    return [&open, states = std::move(states)](const engine::Benchmark& benchmark) {
        return app::SharedWork(open, *open.store(), benchmark, states).portions();
    };
}

Result<std::optional<app::WorkPart>> partOf(const Context& context, const std::string& text)
{
    if (text.empty())
        return std::optional<app::WorkPart>();
    const auto part = app::parseWorkPart(text);
    if (!part.has_value())
        return part.error();
    if (context.session.empty())
        return inputError("--part needs --session FILE, a session that gets the results of this part.");
    return std::optional(*part);
}

app::Sharing sharingOf(const Context& context, OpenModel& open, std::optional<app::WorkPart> part)
{
    return {open, *open.store(), part, [&context](const std::string& line) { context.note(line); }};
}

DividedWork dividedStates(const Context& context, OpenModel& open, std::shared_ptr<const engine::Benchmark> benchmark,
                          std::vector<interventions::InterventionSet> states, const app::WorkPart& part)
{
    const auto work = std::make_shared<app::SharedWork>(open, *open.store(), *benchmark, std::move(states), part);
    return {work->key(), work->what(), [&context, &open, benchmark, work] {
                auto ran = work->run(benchmark->set().name, context.control(),
                                     [&](const std::string& line) { context.note(line); });
                open.scorer->dropCache();
                return ran;
            }};
}

Result<void> measurePart(const Context& context, sessions::SessionStore& session, const app::WorkPart& part,
                         const std::vector<DividedWork>& works)
{
    const auto started = std::chrono::steady_clock::now();
    json reply = {{"part", part.number}, {"parts", part.count}, {"session", context.session}, {"works", json::array()}};
    for (const DividedWork& work : works) {
        sessions::PartRecord record{.work = work.key,
                                    .part = part.number,
                                    .parts = part.count,
                                    .what = work.what,
                                    .version = HEADSCOPE_VERSION};
        if (const auto stored = sessions::putPart(session, record); !stored.has_value())
            return stored;
        if (const auto ran = work.measure(); !ran.has_value())
            return ran;
        record.done = true;
        if (const auto stored = sessions::putPart(session, record); !stored.has_value())
            return stored;
        reply["works"].push_back({{"work", record.work}, {"what", record.what}});
        if (!context.json)
            printText("Part %d of %d is done: %s.\n", part.number, part.count, record.what.c_str());
    }
    reply["seconds"] = secondsSince(started);
    if (context.json)
        Context::print(reply);
    else
        printText(
            "Join the parts with 'headscope-cli session merge', then run the same command without --part on the merged "
            "session, which writes its files.\n");
    return {};
}

} // namespace headscope::cli
