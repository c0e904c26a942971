// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/removals.h"

#include "core/experiments/words/language.h"

#include <algorithm>

namespace headscope::experiments {

std::vector<Column> removalColumns(const std::vector<std::string>& keys)
{
    std::vector<Column> columns = {{"model", "model"},
                                   {"chosen", "heads chosen"},
                                   {"removed", "removed", Unit::Count},
                                   {"heads", "heads"},
                                   {"mixers", "mixers"}};
    const auto battery = batteryColumns(keys);
    columns.insert(columns.end(), battery.begin(), battery.end());
    return columns;
}

std::string mixersOf(const lm::ModelSpec& spec)
{
    bool attention = false, recurrent = false;
    for (const lm::LayerSpec& layer : spec.layers)
        for (const lm::MixerSpec& mixer : layer.mixers)
            (mixer.kind == lm::MixerKind::Attention ? attention : recurrent) = true;
    return attention && recurrent ? "hybrid" : attention ? "attention" : "SSM";
}

Result<void> measureRemovals(Lab& lab, Bench& bench, const Ranked& ranked, const Removals& removals)
{
    Battery battery(lab, removals.keys, Relative::Shown);
    const auto add = [&](const std::string& chosen, const std::vector<HeadRef>& heads,
                         std::size_t step) -> Result<void> {
        const bool counted = chosen == removals.chosen || heads.empty();
        const Row row{
            {bench.name, chosen, static_cast<int>(heads.size()), namesOf(bench.spec(), heads), mixersOf(bench.spec())},
            counted && step < removals.paperRows.size() ? removals.paperRows[step] : -1};
        return battery.add(bench, row, without(heads));
    };
    if (const auto done = add(removals.chosen, {}, 0); !done.has_value())
        return done;
    std::size_t step = 0;
    for (const int count : removals.counts) {
        const auto top = firstOf(ranked.heads, static_cast<std::size_t>(count));
        if (const auto done = add(removals.chosen, top, ++step); !done.has_value())
            return done;
        std::vector<HeadRef> others;
        for (const HeadRef& head : ranked.live)
            if (std::find(top.begin(), top.end(), head) == top.end())
                others.push_back(head);
        for (int draw = 1; draw <= removals.randomDraws && static_cast<int>(others.size()) >= count; ++draw)
            if (const auto done = add(
                    "random " + std::to_string(draw),
                    randomHeads(others, count, lab.settings().seed + static_cast<std::uint64_t>(100 * count + draw)),
                    step);
                !done.has_value())
                return done;
    }
    return {};
}

std::string removalsFinding(const Table& table, const std::vector<std::string>& keys)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        const Row& first = own.rows.front();
        const auto ways = own.distinct("chosen");
        text += (text.empty() ? "" : " ") + model + ":";
        const Row* last = nullptr;
        for (const std::string& way : ways) {
            if (way.starts_with("random"))
                continue;
            last = own.where("chosen", way).back();
            if (last != &first)
                text += " "
                        + translated("without {} ({}) {};", translatedName(own.text(*last, "heads")), translated(way),
                                     changes(own, first, *last, keys));
        }
        for (const std::string& way : ways) {
            const Row* same = way.starts_with("random") ? own.where("chosen", way).back() : nullptr;
            if (same)
                text += " "
                        + translated("without {} ({}) {};", own.text(*same, "heads"), translatedName(way),
                                     changes(own, first, *same, keys));
        }
        text.back() = '.';
    }
    return text;
}

} // namespace headscope::experiments
