// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/modelheadrows.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostHeads = 4'000'000; // of all layers; each is a cell on the screen

std::int64_t numberOf(const nlohmann::json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

bool isCount(std::int64_t number)
{
    return number >= 0 && number <= kMostHeads;
}

} // namespace

Result<std::vector<std::vector<StoredMixer>>> storedHeads(const ModelRecord& model)
{
    const auto unknown = [&model] {
        return inputError("The session does not say which heads the layers of " + model.name
                          + " have, so it cannot be shown.");
    };
    const nlohmann::json read = nlohmann::json::parse(model.headsJson, nullptr, false);
    if (!read.is_array() || read.empty())
        return unknown();
    std::vector<std::vector<StoredMixer>> layers;
    std::int64_t heads = 0;
    for (const nlohmann::json& layer : read) {
        std::vector<StoredMixer> mixers;
        for (const nlohmann::json& mixer : layer.is_array() ? layer : nlohmann::json::array({layer})) {
            const auto kind = mixer.is_object() ? mixer.find("kind") : mixer.end();
            if (!mixer.is_object() || kind == mixer.end() || !kind->is_string())
                return unknown();
            const std::int64_t numbers[] = {numberOf(mixer, "heads"), numberOf(mixer, "kv_heads"),
                                            numberOf(mixer, "head_dim")};
            if (!isCount(numbers[0]) || !isCount(numbers[1]) || !isCount(numbers[2])
                || (heads += numbers[0]) > kMostHeads)
                return inputError("The session says that " + model.name
                                  + " has more heads than any model, so it cannot be shown.");
            mixers.push_back({kind->get<std::string>(), static_cast<int>(numbers[0]), static_cast<int>(numbers[1]),
                              static_cast<int>(numbers[2])});
        }
        if (mixers.empty())
            return unknown();
        layers.push_back(std::move(mixers));
    }
    return layers;
}

std::vector<bool> layersKeepOwnToken(const std::string& headsJson)
{
    constexpr std::string_view kWithout[] = {"gated_delta_net",     "kimi_delta",       "mlstm",
                                             "lightning_attention", "gated_recurrence", "short_convolution"};
    const auto lacksIt = [&](const nlohmann::json& mixer) {
        const auto kind = mixer.find("kind"); // end() for what is no object
        return kind != mixer.end() && kind->is_string()
               && std::ranges::find(kWithout, kind->get_ref<const std::string&>()) != std::ranges::end(kWithout);
    };
    std::vector<bool> layers;
    const nlohmann::json all = nlohmann::json::parse(headsJson, nullptr, false);
    if (all.is_array())
        for (const nlohmann::json& own : all)
            layers.push_back(!(own.is_array() ? std::ranges::any_of(own, lacksIt) : lacksIt(own)));
    return layers;
}

} // namespace headscope::sessions
