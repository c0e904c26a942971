// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/scores/sharing.h"

#include "app/workbench/models/openmodel.h"
#include "core/base/hash.h"
#include "core/base/words/counted.h"
#include "core/io/textfiles/quote.h"
#include "sessions/parts.h"
#include "sessions/results/chunkresults.h"
#include "sessions/results/resultwriter.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

namespace headscope::app {

namespace {

/// Results of a long chunk are stored this often, so that they survive the process.
constexpr std::chrono::seconds kBetweenCommits(5);

/// A process that finds no free chunk looks again when the session has changed, and now and then for processes that are
/// gone. It says once for whom it waits, unless that takes no time.
struct Waiting {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    std::string said;

    [[nodiscard]] Result<void> untilSomethingChanges(sessions::SessionStore& session,
                                                     const sessions::Claims::Turn& turn, const std::stop_token& stop,
                                                     const std::function<void(const std::string&)>& notify)
    {
        constexpr std::chrono::milliseconds kPoll(20), kLookAnyway(1000), kNoTime(2000);
        const auto before = session.dataVersion();
        if (!before.has_value())
            return before.error();
        for (std::chrono::milliseconds waited{}; waited < kLookAnyway && !stop.stop_requested(); waited += kPoll) {
            std::this_thread::sleep_for(kPoll);
            const auto now = session.dataVersion();
            if (!now.has_value())
                return now.error();
            if (*now != *before)
                break;
        }
        std::string others;
        for (const std::string& other : turn.others)
            others += (others.empty() ? "" : ", ") + other;
        const int left = turn.total - turn.done;
        if (!others.empty() && others != said && std::chrono::steady_clock::now() - since > kNoTime) {
            notify("Waiting for " + others + ": " + counted(left, "chunk") + " of " + std::to_string(turn.total)
                   + (left == 1 ? " is" : " are") + " not finished.");
            said = others;
        }
        return {};
    }
};

/// The processors, among as many processes as are at work.
struct Divided {
    OpenModel& open;
    int processes = 1;

    void among(int count)
    {
        if (count != processes)
            open.shareProcessors(processes = count);
    }
    ~Divided() { among(1); }
};

} // namespace

Result<WorkPart> parseWorkPart(const std::string& text)
{
    WorkPart part;
    const char* const end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, part.number);
    const bool slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
    const auto count = slash ? std::from_chars(number.ptr + 1, end, part.count) : number;
    if (!slash || count.ec != std::errc() || count.ptr != end || part.count < 1 || part.count > sessions::kMostParts
        || part.number < 0 || part.number >= part.count)
        return inputError(
            "--part is " + io::inQuotes(text)
            + "; expected K/N, the number of the part from 0 to N-1 and the number of parts, such as 0/4.");
    return part;
}

namespace {

// What is measured again is not shared: others of its kind take what is stored.
Result<void> measureAgain(const Sharing& sharing, const SharedChunks& work, const std::string& stage,
                          const Control& control)
{
    sessions::ResultWriter results(sharing.session, {.interval = kBetweenCommits});
    for (std::size_t i = 0; i < work.chunks.size(); ++i) {
        if (control.stopped())
            return cancelledError();
        const int chunk = work.chunks[i].number;
        const auto ran = work.run(chunk, results);
        if (!ran.has_value())
            return ran.error();
        if (*ran)
            if (const auto put = sessions::putChunk(sharing.session, work.key, chunk, **ran); !put.has_value())
                return put;
        control.progress(stage, static_cast<std::int64_t>(i + 1), std::ssize(work.chunks));
    }
    return results.flush();
}

} // namespace

Result<void> shareChunks(const Sharing& sharing, const SharedChunks& work, const std::string& stage,
                         const Control& control)
{
    if (std::ranges::all_of(work.chunks, &sessions::WorkChunk::done))
        return {};
    if (sharing.session.again())
        return measureAgain(sharing, work, stage, control);
    sessions::Claims claims(sharing.session, work.key);
    sessions::ResultWriter results(sharing.session, {.interval = kBetweenCommits});
    if (const auto begun = claims.offer(work.chunks); !begun.has_value())
        return begun;
    Waiting waiting;
    std::optional<std::string> found;
    Divided processors{sharing.open};
    while (!control.stopped()) {
        const auto turn = claims.next(results, std::exchange(found, {}));
        if (!turn.has_value())
            return turn.error();
        control.progress(stage, turn->done, turn->total);
        if (turn->chunk) {
            processors.among(turn->here + 1);
            auto ran = work.run(*turn->chunk, results);
            if (!ran.has_value())
                return ran.error();
            found = std::move(*ran);
            waiting = {};
        } else if (turn->done == turn->total) {
            return {};
        } else if (const auto waited =
                       waiting.untilSomethingChanges(sharing.session, *turn, control.stop, sharing.notify);
                   !waited.has_value()) {
            return waited;
        }
    }
    return cancelledError();
}

namespace {

Result<std::vector<std::string>> sharePieces(const Sharing& sharing, const std::string& key, const PiecedWork& work,
                                             const Control& control)
{
    SharedChunks shared{
        .key = sha256Hex(key + '\n' + work.name + '\n' + std::to_string(work.first) + ' ' + std::to_string(work.count)),
        .chunks = {},
        .run = [&](int piece, sessions::ResultWriter&) -> Result<std::optional<std::string>> {
            auto measured = work.measure(piece, {control.stop, {}});
            return measured.has_value() ? Result<std::optional<std::string>>(std::optional(std::move(*measured)))
                                        : Result<std::optional<std::string>>(measured.error());
        }};
    const auto stored = sessions::storedChunks(sharing.session, shared.key);
    if (!stored.has_value())
        return stored.error();
    const bool again = sharing.session.again();
    std::vector<int> wanted;
    for (int piece = work.first; piece < work.first + work.count; ++piece)
        if (!sharing.part || sharing.part->has(piece)) {
            wanted.push_back(piece);
            shared.chunks.push_back({piece, piece, !again && std::ranges::binary_search(*stored, piece)});
        }
    const auto ran = shareChunks(sharing, shared, work.stage, control);
    if (!ran.has_value() && (again || ran.error().kind != Error::Kind::Cancelled))
        return ran.error();
    auto known = sessions::chunkResults(sharing.session, shared.key, wanted);
    if (!known.has_value())
        return known.error();
    std::vector<std::string> results;
    for (const int piece : wanted) {
        const auto found = known->find(piece);
        if (found == known->end())
            break;
        results.push_back(std::move(found->second));
    }
    if (ran.has_value() ? results.size() < wanted.size() : results.empty())
        return ran.has_value() ? Error{Error::Kind::Internal, "A shared work has lost a chunk.", {}} : ran.error();
    return results;
}

} // namespace

MeasurePieces sharedPieces(Sharing sharing, std::string key)
{
    return [sharing = std::move(sharing), key = std::move(key)](const PiecedWork& work, const Control& control) {
        return sharePieces(sharing, key, work, control);
    };
}

} // namespace headscope::app
