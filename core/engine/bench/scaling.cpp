// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/scaling.h"

#include "core/engine/bench/bench.h"
#include "core/engine/bench/calibration.h"
#include "core/engine/bench/drawnrequest.h"
#include "core/engine/processes/chunkqueue.h"
#include "core/engine/processes/connection.h"
#include "core/engine/processes/parts.h"
#include "core/engine/processes/processes.h"
#include "core/engine/ranking/rank.h"
#include "core/io/quote.h"
#include "core/lm/load.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

namespace headscope::engine {

using nlohmann::json;

namespace {

constexpr int kItems = 200, kRowsOfItem = 89; ///< as drawnRequest() has them for kv-click
constexpr double kLinear = 0.9;               ///< share of a linear gain from which on it counts as linear
constexpr int kRanksOfNode = 8;
constexpr int kBatchRows = 640;     ///< of a batch of such models on a processor; eight times as many on an accelerator
constexpr double kSealed = 24 + 32; ///< header and seal of a message
constexpr double kClaim = kSealed + 32 + 4 + 32, kReceipt = 32;
// Assumed, as nothing of it is here: told beside the result.
constexpr double kBetweenNodes = 50e-6, kNetwork = 1.25e9, kReading = 2e9, kAccelerator = 4e14;

struct Shape {
    const char* name;
    int layers, heads;
    double weights;
};
constexpr std::array kShapes = {Shape{"8B shape", 32, 32, 8.03e9}, Shape{"70B shape", 80, 64, 70.6e9}};

/// What is handed over of a head.
std::string rowsOfHead(int items)
{
    const OutcomeRow row{0, {.logLikelihoods = {0.0}, .greedy = {true}}};
    return packRows(std::vector<OutcomeRow>(static_cast<std::size_t>(items), row));
}

double bytesOfHead(int items)
{
    return static_cast<double>(rowsOfHead(items).size());
}

/// A click cuts one head of a layer somewhere: half of the layers run again in the mean, from none to all of them.
ScalingWork workOf(const Shape& shape, double rate, int batchRows, const char* device, const ProcessCosts& messages)
{
    const double pass = 2 * shape.weights * kItems * kRowsOfItem / rate;
    ScalingWork work{.name = std::string(shape.name) + ", " + device, .heads = shape.layers * shape.heads};
    work.batches = std::max(kItems * kRowsOfItem / batchRows, 1);
    work.costs = messages;
    work.costs.start = 2 * shape.weights / kReading;
    work.costs.baseline = pass;
    work.costs.chunk = pass / 2;
    work.costs.chunkSpread = 1;
    work.headBytes = bytesOfHead(kItems);
    work.assumptions = "200 prompts of 95 tokens; two bytes a weight read at 2 GB/s; every process holds the whole "
                       "model";
    return work;
}

json costsJson(const ScalingWork& work)
{
    return {{"start", work.costs.start},
            {"baseline", work.costs.baseline},
            {"head", work.costs.chunk},
            {"head_spread", work.costs.chunkSpread},
            {"batches", work.batches},
            {"busy", work.crowding.busy},
            {"shared", work.crowding.shared},
            {"claim_bytes", work.costs.claimBytes},
            {"result_bytes", work.costs.resultBytes},
            {"head_bytes", work.headBytes},
            {"serve", work.costs.serve}};
}

/// One work on one cluster.
struct Case {
    const ScalingWork& work;
    const ScalingOptions& options;
    int ranks = 1;

    [[nodiscard]] Cluster cluster() const
    {
        const int nodes = (ranks + kRanksOfNode - 1) / kRanksOfNode;
        return {.nodes = nodes,
                .ranksPerNode = ranks / nodes,
                .coresPerNode = options.coresPerNode,
                .crowding = work.crowding,
                .network = {.latency = work.costs.serve, .latencyBetween = kBetweenNodes, .bytesPerSecond = kNetwork}};
    }
    [[nodiscard]] Cut cut() const
    {
        return cutWork(work.heads, std::min(work.batches, mostPortions(work.heads, ranks)), ranks);
    }
    [[nodiscard]] int chunks() const { return cut().chunks(); }
    /// Of a chunk of several heads: what they differ by evens out.
    [[nodiscard]] ProcessCosts costs() const
    {
        const Cut own = cut();
        ProcessCosts costs = work.costs;
        costs.baseline /= own.portions;
        costs.together = own.together;
        costs.chunk *= static_cast<double>(work.heads) / own.chunks();
        costs.chunkSpread /= std::sqrt(own.each);
        costs.resultBytes += (static_cast<double>(own.each) / own.portions - 1) * work.headBytes;
        return costs;
    }
    [[nodiscard]] Result<SimulationResult> run(const Disturbances& disturbances) const
    {
        return simulate(chunks(), costs(), cluster(), disturbances, options.seed);
    }
};

double aloneOf(const ScalingWork& work)
{
    return work.costs.start + work.costs.baseline + work.heads * work.costs.chunk;
}

/// What happens to 64 processes, with stealing and without.
Result<json> disturbed(const ScalingWork& work, const ScalingOptions& options)
{
    const Case all{work, options, 8 * kRanksOfNode};
    const auto calm = all.run({});
    if (!calm.has_value())
        return calm.error();
    struct Named {
        const char* what;
        Disturbances disturbances;
    };
    const std::array cases = {Named{"nothing happens", {}},
                              Named{"one process takes four times as long", {.slow = {{9, 4}}}},
                              Named{"eight processes take twice as long",
                                    {.slow = {{8, 2}, {16, 2}, {24, 2}, {32, 2}, {40, 2}, {48, 2}, {56, 2}, {63, 2}}}},
                              Named{"a node of eight is lost half-way", {.lost = {{7, calm->seconds / 2}}}}};
    json told = json::array();
    for (const Named& one : cases) {
        Disturbances without = one.disturbances;
        without.stealing = false;
        const auto stolen = all.run(one.disturbances), dealt = all.run(without);
        if (!stolen.has_value() || !dealt.has_value())
            return stolen.has_value() ? dealt.error() : stolen.error();
        told.push_back({{"what", one.what},
                        {"seconds", stolen->seconds},
                        {"against_calm", stolen->seconds / calm->seconds},
                        {"run_twice", stolen->runTwice},
                        {"dealt_out_seconds", dealt->seconds}});
    }
    return told;
}

Result<json> told(const ScalingWork& work, const ScalingOptions& options)
{
    json rows = json::array();
    int linearUntil = 1;
    std::string why;
    for (const int ranks : {1, 2, 3, 4, 5, 6, 8, 16, 24, 32, 48, 64}) {
        const Case one{work, options, ranks};
        const auto result = one.run({});
        if (!result.has_value())
            return result.error();
        const double gain = aloneOf(work) / result->seconds, share = gain / ranks;
        const std::string reason = whyNotLinear(*result, one.chunks(), one.costs(), one.cluster());
        if (share >= kLinear && why.empty())
            linearUntil = ranks;
        else if (share < kLinear && why.empty())
            why = reason;
        rows.push_back({{"processes", ranks},
                        {"nodes", one.cluster().nodes},
                        {"chunks", one.chunks()},
                        {"seconds", result->seconds},
                        {"gain", gain},
                        {"of_linear", share},
                        {"first_busy", result->served / result->seconds},
                        {"why", reason}});
    }
    auto happened = disturbed(work, options);
    if (!happened.has_value())
        return happened.error();
    return json{{"name", work.name},
                {"heads", work.heads},
                {"costs", costsJson(work)},
                {"assumptions", work.assumptions},
                {"alone_seconds", aloneOf(work)},
                {"processes", rows},
                {"linear_until", linearUntil},
                {"why", why.empty() ? json() : json(why)},
                {"disturbed", *happened}};
}

} // namespace

Result<ProcessCosts> measureMessages(int items)
{
    constexpr int kMessages = 400;
    const std::string part = rowsOfHead(items);
    ProcessOptions options{.size = 2, .host = "127.0.0.1", .secret = "of this measurement alone"};
    {
        const auto listening = listenOn(options.host, 0);
        if (!listening.has_value())
            return listening.error();
        options.port = portOf(*listening);
    }
    const auto first = Processes::join(options);
    if (!first.has_value())
        return first.error();
    options.rank = 1;
    const auto second = Processes::join(options);
    if (!second.has_value())
        return second.error();
    std::vector<std::chrono::steady_clock::time_point>
        calls; // between two of them: a result, its receipt, a claim, its answer
    std::jthread other([&] {
        static_cast<void>((*second)->share({.chunks = kMessages},
                                           [&](int) {
                                               calls.push_back(std::chrono::steady_clock::now());
                                               return Result<std::string>(part);
                                           },
                                           {}));
    });
    const auto shared = (*first)->share({.chunks = kMessages},
                                        [&](int) {
                                            if (other.joinable()) // what is left is the other one's
                                                other.join();
                                            return Result<std::string>(part);
                                        },
                                        {});
    if (!shared.has_value())
        return shared.error();
    if (calls.size() < 2)
        return ioError("Two processes of this machine cannot send each other messages.");
    const double seconds = std::chrono::duration<double>(calls.back() - calls.front()).count();
    ProcessCosts costs;
    // Two messages; half of each is at the other end.
    costs.serve = seconds / static_cast<double>(calls.size() - 1) / 4;
    costs.claimBytes = kClaim;
    costs.resultBytes = kSealed + static_cast<double>(part.size()) + kReceipt;
    return costs;
}

Result<std::vector<ScalingWork>> measureScaling(const ScalingOptions& options, const Control& control)
{
    const auto messages = measureMessages(kItems);
    if (!messages.has_value())
        return messages.error();
    const auto model = lm::inspect(options.model, {.device = "cpu", .dtype = "fp32"});
    if (!model.has_value())
        return model.error();
    const auto request = drawnRequest("kv-click", model->model->spec(), kItems);
    if (!request.has_value())
        return request.error();
    const auto line = bench({.workload = "kv-click", .model = options.model, .threads = options.threads, .repeat = 3},
                            *request, {control.stop, {}});
    if (!line.has_value())
        return line.error();
    ScalingWork own{.name = options.model.filename().string() + ", here"};
    own.costs = *messages;
    own.costs.start = line->at("load_seconds").get<double>();
    own.costs.baseline = line->at("prepare_seconds").get<double>();
    own.costs.chunk = line->at("seconds").at("mean").get<double>();
    own.costs.chunkSpread = 1;
    own.headBytes = bytesOfHead(kItems);
    own.heads = static_cast<int>(allHeads(model->model->spec()).size());
    const Calibration calibration;
    const double rate = Calibration::kOperations / calibration.fastest().seconds;
    std::vector<ScalingWork> works = {own};
    for (const Shape& shape : kShapes) {
        works.push_back(workOf(shape, rate, kBatchRows, "a core of this processor a process", *messages));
        works.push_back(workOf(shape, kAccelerator, 8 * kBatchRows, "an accelerator a process", *messages));
        works.back().assumptions += "; 400 TFLOP/s, not measured";
    }
    return works;
}

Result<ScalingWork> scalingWork(std::string_view text, const std::string& where)
{
    const auto broken = [&](const std::string& why) {
        return inputError("Cannot read the costs " + io::inQuotes(where) + ": " + why + ".");
    };
    const json body = json::parse(text, nullptr, false);
    if (!body.is_object())
        return broken("they are not a whole JSON object");
    ScalingWork work;
    try {
        work.name = body.at("name").get<std::string>();
        work.heads = body.at("heads").get<int>();
        work.costs.start = body.at("start").get<double>();
        work.costs.baseline = body.at("baseline").get<double>();
        work.costs.chunk = body.at("head").get<double>();
        work.costs.chunkSpread = body.value("head_spread", 0.0);
        work.batches = body.value("batches", 1);
        work.crowding = {.busy = body.value("busy", 1.0), .shared = body.value("shared", 1.0)};
    } catch (const json::exception& error) {
        const std::string what = error.what();
        return broken(what.substr(std::min(what.size(), what.find("] ") + 2)));
    }
    if (work.heads < 1 || work.heads > 1'000'000)
        return broken("their heads are " + body.at("heads").dump() + "; expected 1 to 1000000");
    if (work.batches < 1)
        return broken("expected a batch or more");
    if (!(work.costs.chunk > 0) || work.costs.start < 0 || work.costs.baseline < 0)
        return broken("expected seconds above 0");
    if (std::max({work.costs.chunk * work.heads, work.costs.start, work.costs.baseline}) > kMostSeconds)
        return broken("expected 1e9 seconds at the most");
    if (std::min(work.crowding.busy, work.crowding.shared) < 1
        || std::max(work.crowding.busy, work.crowding.shared) > kMostCrowding)
        return broken("expected busy and shared of 1 to 1000");
    const auto messages = measureMessages(kItems);
    if (!messages.has_value())
        return messages.error();
    work.costs.serve = messages->serve;
    work.costs.claimBytes = messages->claimBytes;
    work.costs.resultBytes = messages->resultBytes;
    work.headBytes = bytesOfHead(kItems);
    return work;
}

Result<json> scalingLine(const std::vector<ScalingWork>& works, const ScalingOptions& options)
{
    json all = json::array();
    for (const ScalingWork& work : works) {
        auto one = told(work, options);
        if (!one.has_value())
            return one.error();
        all.push_back(std::move(*one));
    }
    return json{{"format", "headscope-bench-scaling/1"},
                {"version", HEADSCOPE_VERSION},
                {"cores_of_node", options.coresPerNode},
                {"seed", options.seed},
                {"assumptions",
                 "eight processes a node; 50 us and 1.25 GB/s between nodes; cores that take nothing from "
                 "each other where busy and shared are 1; not measured"},
                {"works", all}};
}

} // namespace headscope::engine
