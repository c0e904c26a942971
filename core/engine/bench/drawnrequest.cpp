// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/drawnrequest.h"

#include <set>

namespace headscope::engine {

namespace {

constexpr int kSmallestVocabulary = 64;

/// Of what stands at `place` of the text `text`: splitmix64, which needs no state.
int drawn(std::uint64_t text, std::uint64_t place, int below)
{
    std::uint64_t z = text * 1'000'003U + place + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<int>((z ^ (z >> 31)) % static_cast<std::uint64_t>(below));
}

struct Form {
    int shared = 6, own = 0; ///< tokens of a context
    int sharing = 0;         ///< items that share their beginning; 0: all
    int choices = 0, length = 1;
};

Form formOf(const std::string& workload)
{
    if (workload == "kv-click")
        return {.own = 16 * 5 + 9, .choices = 16};
    if (workload == "mc-letter")
        return {.shared = 600, .own = 80, .sharing = 20, .choices = 4};
    return {.own = 674, .choices = 4, .length = 8};
}

} // namespace

Result<BenchRequest> drawnRequest(const std::string& workload, const lm::ModelSpec& spec, int items)
{
    if (spec.vocabulary < kSmallestVocabulary)
        return inputError("The model has " + std::to_string(spec.vocabulary) + " tokens; a request is drawn from "
                          + std::to_string(kSmallestVocabulary) + " or more.");
    const int first = 3, words = spec.vocabulary - first; // 0 to 2 may be marks of beginning and end
    BenchRequest request{.workload = workload};
    if (workload == "maps") {
        for (int i = 0; i < items; ++i)
            request.prompt.push_back(first + drawn(0, static_cast<std::uint64_t>(i), words));
        return request;
    }
    const Form form = formOf(workload);
    for (int item = 0; item < items; ++item) {
        const auto text = static_cast<std::uint64_t>(item);
        const auto group = static_cast<std::uint64_t>(form.sharing ? item / form.sharing : 0);
        std::vector<int> context;
        for (int i = 0; i < form.shared; ++i)
            context.push_back(first + drawn(1'000'000 + group, static_cast<std::uint64_t>(i), words));
        for (int i = 0; i < form.own; ++i)
            context.push_back(first + drawn(text, static_cast<std::uint64_t>(i), words));
        std::vector<std::vector<int>> choices;
        for (int choice = 0; choice < form.choices; ++choice) {
            choices.push_back({first + (drawn(text, 999'000, words) + choice) % words}); // each another token
            for (int i = 1; i < form.length; ++i)
                choices.back().push_back(first
                                         + drawn(text, static_cast<std::uint64_t>(900'000 + 100 * choice + i), words));
        }
        request.gold.push_back(drawn(text, 999'001, form.choices));
        request.items.push_back(encodeItem(context, choices, static_cast<int>(context.size())));
    }
    const int layers = static_cast<int>(spec.layers.size());
    for (const int layer : std::set{0, layers / 4, layers / 2, 3 * layers / 4, layers - 1})
        if (layer >= 0 && layer < layers && !spec.layers[static_cast<std::size_t>(layer)].mixers.empty()) {
            const int heads = spec.layers[static_cast<std::size_t>(layer)].mixers.front().heads;
            request.ablations.push_back(
                {layer, interventions::Site::Any, drawn(7, static_cast<std::uint64_t>(layer), heads)});
        }
    if (request.ablations.empty())
        return inputError("The model has no heads to ablate.");
    return request;
}

} // namespace headscope::engine
