// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/own/conditions.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

/// Only these heads stay in a layer.
InterventionSet keepOnly(const lm::ModelSpec& spec, int layer, const std::vector<HeadRef>& heads)
{
    const interventions::Site site = heads.empty() || spec.layers[static_cast<std::size_t>(layer)].mixers.size() < 2
                                         ? interventions::Site::Any
                                         : heads.front().site;
    if (heads.empty())
        return without({{layer, site, -1}});
    std::vector<int> kept;
    for (const HeadRef& head : heads)
        kept.push_back(head.head);
    return InterventionSet({interventions::KeepHeads{layer, site, kept}});
}

bool holds(const std::vector<HeadChoice>& choices, HeadChoice::Kind kind)
{
    return std::any_of(choices.begin(), choices.end(), [&](const HeadChoice& choice) { return choice.kind == kind; });
}

std::string layerName(const std::string& name, int layer)
{
    const std::size_t place = name.find('%');
    return name.substr(0, place) + "L" + std::to_string(layer) + name.substr(place + 1);
}

} // namespace

Result<std::vector<State>> Conditions::states()
{
    const auto base = this->base();
    if (!base.has_value())
        return base.error();
    std::vector<State> all;
    for (const Condition& condition : m_study.conditions) {
        const auto set = setOf(condition);
        if (!set.has_value())
            return set.error();
        const InterventionSet whole = joined(*base, *set);
        if (!condition.eachLayer) {
            all.push_back({&condition, condition.name, whole});
            continue;
        }
        const int layers = base->empty() ? m_bench.layers() : base->layersNeeded();
        for (int layer = 0; layer < layers; ++layer)
            all.push_back({&condition, layerName(condition.name, layer),
                           joined(whole, InterventionSet({interventions::SkipLayer{.layer = layer}}))});
    }
    return all;
}

Result<const GatherAggregate*> Conditions::pair()
{
    if (!m_pair) {
        auto found = gatherAggregate(m_lab, m_bench);
        if (!found.has_value())
            return found.error();
        m_pair = std::move(*found);
    }
    return &*m_pair;
}

Result<const Ranked*> Conditions::ranking()
{
    if (!m_ranking) {
        auto ranked = m_lab.rank(m_bench, m_bench.suite.kv(m_bench.suite.pairs()));
        if (!ranked.has_value())
            return ranked.error();
        m_ranking = std::move(*ranked);
    }
    return &*m_ranking;
}

Result<InterventionSet> Conditions::base()
{
    // A shipped model stays whole: its last layer turns what was fetched into an answer.
    if (!m_study.minimal || m_bench.suite.toy)
        return InterventionSet();
    const auto heads = pair();
    if (!heads.has_value())
        return heads.error();
    return (*heads)->lastLayer == m_bench.layers() - 1 ? InterventionSet() : minimalModel((*heads)->lastLayer);
}

Result<InterventionSet> Conditions::setOf(const Condition& condition)
{
    std::vector<HeadRef> removed;
    for (const HeadChoice& choice : condition.removed)
        if (const auto added = addHeads(choice, removed); !added.has_value())
            return added.error();
    const InterventionSet set = without(removed, condition.ablated);
    if (!condition.kept)
        return set;
    const auto kept = keeping(*condition.kept);
    return kept.has_value() ? Result<InterventionSet>(joined(set, *kept)) : kept;
}

Result<InterventionSet> Conditions::keeping(const std::vector<HeadChoice>& kept)
{
    const auto heads = pair();
    if (!heads.has_value())
        return heads.error();
    const auto layer = [&](HeadChoice::Kind kind, int index, const std::vector<HeadRef>& own) {
        return keepOnly(m_bench.spec(), index, holds(kept, kind) ? own : std::vector<HeadRef>());
    };
    return joined(layer(HeadChoice::Kind::Gather, (*heads)->gatherLayer(), (*heads)->gather),
                  layer(HeadChoice::Kind::Aggregate, (*heads)->lastLayer, (*heads)->aggregate));
}

Result<void> Conditions::addHeads(const HeadChoice& choice, std::vector<HeadRef>& heads)
{
    std::vector<HeadRef> chosen = {choice.head};
    if (choice.kind == HeadChoice::Kind::Gather || choice.kind == HeadChoice::Kind::Aggregate) {
        const auto found = pair();
        if (!found.has_value())
            return found.error();
        chosen = choice.kind == HeadChoice::Kind::Gather ? (*found)->gather : (*found)->aggregate;
    } else if (choice.kind != HeadChoice::Kind::Named) {
        const auto ranked = ranking();
        if (!ranked.has_value())
            return ranked.error();
        if (std::ssize((*ranked)->heads) < choice.count)
            return inputError("The study needs " + std::to_string(choice.count) + " heads, and " + m_bench.name
                              + " has " + std::to_string((*ranked)->heads.size()) + "; expected fewer.");
        chosen = firstOf((*ranked)->heads, static_cast<std::size_t>(choice.count));
        if (choice.kind == HeadChoice::Kind::Random) {
            auto drawn = randomOthers(choice.count, chosen);
            if (!drawn.has_value())
                return drawn.error();
            chosen = std::move(*drawn);
        }
    }
    heads.insert(heads.end(), chosen.begin(), chosen.end());
    return {};
}

// Among heads that change anything, outside the first of the ranking: a control of the same size.
Result<std::vector<HeadRef>> Conditions::randomOthers(int count, const std::vector<HeadRef>& taken)
{
    std::vector<HeadRef> others;
    for (const HeadRef& head : m_ranking->live)
        if (std::find(taken.begin(), taken.end(), head) == taken.end())
            others.push_back(head);
    if (std::ssize(others) < count)
        return inputError("The study needs " + std::to_string(count) + " random heads, and beside the first "
                          + std::to_string(taken.size()) + " of its ranking " + m_bench.name + " has only "
                          + std::to_string(others.size()) + " that change anything; expected fewer.");
    return randomHeads(others, count, m_lab.settings().seed + static_cast<std::uint64_t>(100 * count + ++m_draws));
}

} // namespace headscope::experiments
