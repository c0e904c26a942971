// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/benchrequest.h"

#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace headscope::engine {

using nlohmann::json;

namespace {

constexpr std::uint64_t kLargestRequest = 1'000'000'000; // bytes

using Ids = std::vector<int>;

Error broken(const std::filesystem::path& file, const std::string& what)
{
    return inputError("The request file '" + file.string() + "' cannot be used: " + what);
}

// Reads whatever the workload needs; returns what makes no sense before memory is spent on it. json::exception says
// what is missing or of another kind.
std::string readScoring(const json& body, BenchRequest& request)
{
    if (request.ofSweep()) {
        constexpr std::int64_t kMostCuts = 1'000'000;
        const int layers = body.at("layers").get<int>(), heads = body.at("heads").get<int>();
        if (layers < 1 || heads < 1 || std::int64_t{layers} * heads > kMostCuts)
            return "its " + std::to_string(layers) + " layers of " + std::to_string(heads) + " heads are not 1 to "
                   + std::to_string(kMostCuts) + " cuts.";
        for (int layer = 0; layer < layers; ++layer)
            for (int head = 0; head < heads; ++head)
                request.ablations.push_back({layer, interventions::Site::Any, head});
    } else {
        for (const json& cut : body.at("ablations"))
            request.ablations.push_back(
                {cut.at("layer").get<int>(), interventions::Site::Any, cut.at("head").get<int>()});
    }
    for (const json& item : body.at("items")) {
        request.items.push_back(encodeItem(item.at("context").get<Ids>(),
                                           item.at("continuations").get<std::vector<Ids>>(),
                                           item.at("score_from").get<int>()));
        request.gold.push_back(item.at("gold").get<int>());
    }
    return {};
}

// The sentence that says why a request makes no sense; empty: it does.
std::string fault(const BenchRequest& request)
{
    for (std::size_t i = 0; i < request.items.size(); ++i) {
        if (!request.items[i].rejected.empty())
            return "item " + std::to_string(i) + ": " + request.items[i].rejected;
        if (request.gold[i] < 0 || request.gold[i] >= request.items[i].choices)
            return "item " + std::to_string(i) + ": its gold is " + std::to_string(request.gold[i]) + " of "
                   + std::to_string(request.items[i].choices) + " continuations.";
    }
    const auto negative = [](const Ids& ids) {
        return std::any_of(ids.begin(), ids.end(), [](int id) { return id < 0; });
    };
    if (negative(request.prompt) || std::any_of(request.sequences.begin(), request.sequences.end(), negative))
        return "it contains a token id below 0.";
    if (request.scores() && (request.items.empty() || request.ablations.empty()))
        return "it has no items or no ablations.";
    if (request.workload == "prefill") {
        const bool alike = std::all_of(request.sequences.begin(), request.sequences.end(),
                                       [&](const Ids& s) { return s.size() == request.sequences.front().size(); });
        if (request.sequences.empty() || request.sequences.front().empty() || !alike)
            return "expected sequences of one length.";
    } else if (!request.scores() && request.prompt.empty())
        return "its prompt is empty.";
    return {};
}

} // namespace

EncodedExample encodeItem(const std::vector<int>& context, const std::vector<std::vector<int>>& continuations,
                          int scoreFrom)
{
    EncodedExample example;
    example.choices = static_cast<int>(continuations.size());
    for (int choice = 0; choice < example.choices; ++choice) {
        Ids whole = context;
        const Ids& continuation = continuations[static_cast<std::size_t>(choice)];
        whole.insert(whole.end(), continuation.begin(), continuation.end());
        if (continuation.empty() || scoreFrom < 1 || scoreFrom >= static_cast<int>(whole.size())
            || std::any_of(whole.begin(), whole.end(), [](int id) { return id < 0; })) {
            example.rejected =
                "expected ids from 0, continuations of at least one id and a score_from after the first id.";
            return example;
        }
        const Ids ids(whole.begin(), whole.end() - 1);
        auto found = std::find_if(example.sequences.begin(), example.sequences.end(),
                                  [&](const Sequence& s) { return s.ids == ids; });
        if (found == example.sequences.end())
            found = example.sequences.insert(example.sequences.end(), Sequence{ids, {}});
        for (std::size_t j = static_cast<std::size_t>(scoreFrom); j < whole.size(); ++j)
            found->targets.push_back({choice, static_cast<int>(j) - 1, whole[j]});
    }
    if (example.choices == 0)
        example.rejected = "it has no continuations.";
    return example;
}

int BenchRequest::largestId() const
{
    int largest = 0;
    const auto look = [&](const Ids& ids) {
        largest = ids.empty() ? largest : std::max(largest, *std::max_element(ids.begin(), ids.end()));
    };
    look(prompt);
    std::for_each(sequences.begin(), sequences.end(), look);
    for (const EncodedExample& item : items)
        for (const Sequence& sequence : item.sequences) {
            look(sequence.ids);
            for (const Sequence::Target& target : sequence.targets)
                largest = std::max(largest, target.token);
        }
    return largest;
}

Result<BenchRequest> readBenchRequest(const std::filesystem::path& file, const std::string& workload)
{
    static const std::set<std::string> known = {"kv-click", "kv-sweep", "mc-letter", "mc-text", "maps",    "prefill",
                                                "decode",   "startup",  "control",   "race",    "estimate"};
    if (!known.contains(workload))
        return inputError("The workload '" + workload
                          + "' is not known; expected kv-click, kv-sweep, mc-letter, mc-text, maps, prefill, decode, "
                            "startup, control, race or estimate.");
    const auto text = io::readTextFile(file, kLargestRequest);
    if (!text.has_value())
        return text.error();
    const json body = json::parse(*text, nullptr, false);
    if (!body.is_object())
        return broken(file, "it is not a JSON object.");
    if (body.value("format", json()) != json("headscope-bench-request/1"))
        return broken(file, "its format is " + body.value("format", json()).dump()
                                + "; expected \"headscope-bench-request/1\".");
    BenchRequest request{.workload = workload};
    std::string why;
    const std::string wanted = request.ofSweep() ? "kv-sweep" : workload;
    if (body.value("workload", json()) != json(wanted))
        return broken(file, "it is for the workload " + body.value("workload", json()).dump() + "; expected \"" + wanted
                                + "\".");
    try {
        request.model = body.at("model").get<std::string>();
        if (request.scores())
            why = readScoring(body, request);
        else if (workload == "prefill")
            request.sequences = body.at("sequences").get<std::vector<Ids>>();
        else
            request.prompt = body.at("prompt").get<Ids>();
        if (workload == "maps")
            request.probes = body.at("probes").get<std::vector<std::array<int, 4>>>();
        if (workload == "decode")
            request.newTokens = body.at("new_tokens").get<int>();
    } catch (const json::exception& error) {
        const std::string what = error.what();
        return broken(file, what.substr(std::min(what.size(), what.find("] ") + 2)) + ".");
    }
    if (why.empty())
        why = fault(request);
    if (!why.empty())
        return broken(file, why);
    return request;
}

} // namespace headscope::engine
