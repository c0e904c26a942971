// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/replacements.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>

namespace headscope::engine {

at::Tensor paddedIds(const std::vector<const Sequence*>& sequences, std::int64_t length, const at::Device& device)
{
    at::Tensor ids = at::zeros({static_cast<std::int64_t>(sequences.size()), length}, at::kLong);
    auto access = ids.accessor<std::int64_t, 2>();
    for (std::size_t b = 0; b < sequences.size(); ++b)
        for (std::size_t t = 0; t < sequences[b]->ids.size(); ++t)
            access[static_cast<std::int64_t>(b)][static_cast<std::int64_t>(t)] = sequences[b]->ids[t];
    return ids.to(device);
}

namespace {

bool replaces(const interventions::InterventionSet& set, std::initializer_list<interventions::Replacement> kinds)
{
    return std::ranges::any_of(set.items(), [&](const auto& item) {
        const auto* edit = std::get_if<interventions::EditHead>(&item);
        return edit && std::ranges::find(kinds, edit->replacement) != kinds.end();
    });
}

} // namespace

bool dependsOnAllExamples(const interventions::InterventionSet& set)
{
    return replaces(set, {interventions::Replacement::Mean, interventions::Replacement::Resample});
}

Result<void> checkOthers(const interventions::InterventionSet& set, const Workload& workload)
{
    if (!replaces(set, {interventions::Replacement::Resample}))
        return {};
    const auto usable =
        std::ranges::count_if(workload.examples(), [](const auto& one) { return !one.sequences.empty(); });
    if (usable < 2)
        return inputError("'=resample' takes a head's output on another example; expected at least 2 examples, got "
                          + std::to_string(usable) + ".");
    return {};
}

bool Replacements::needed(const lm::Edits& edits)
{
    for (const auto& [layer, edit] : edits.layers)
        for (const lm::SiteEdits* site : {&edit.attention, &edit.ssm})
            if (std::any_of(site->replace.begin(), site->replace.end(),
                            [](const lm::ReplaceHead& r) { return !r.value.defined(); }))
                return true;
    return false;
}

lm::Edits Replacements::fill(lm::Edits edits, const Workload::Batch& batch)
{
    for (auto& [layer, edit] : edits.layers)
        for (const lm::Site which : {lm::Site::Attention, lm::Site::Ssm}) {
            const lm::MixerSpec* mixer = m_model.spec().layers[static_cast<std::size_t>(layer)].find(which);
            for (lm::ReplaceHead& replace : edit.site(which).replace) {
                if (replace.value.defined())
                    continue;
                const at::Tensor z =
                    replace.resampleSeed ? donors({layer, which}, batch, *replace.resampleSeed) : mean({layer, which});
                if (z.defined())
                    replace.value = z.narrow(-1, std::int64_t{replace.head} * mixer->headDim, mixer->headDim);
            }
        }
    return edits;
}

at::Tensor Replacements::run(const Where& where, const std::vector<const Sequence*>& sequences, std::int64_t length)
{
    lm::Capture capture;
    capture.sites[where].wantZ = true;
    const at::Tensor ids = paddedIds(sequences, length, m_model.device());
    const at::Tensor embedding = m_model.embed(ids, {});
    const at::Tensor stream =
        m_model.runLayers(embedding, 0, where.first + 1, embedding, {.capture = &capture, .stop = m_stop});
    return stream.defined() ? capture.sites[where].z : at::Tensor();
}

at::Tensor Replacements::mean(const Where& where)
{
    if (const auto it = m_means.find(where); it != m_means.end())
        return it->second;
    at::Tensor sum;
    std::int64_t count = 0;
    for (const Workload::Batch& batch : m_workload.batches()) {
        // A row that several sequences share counts once for each of them.
        std::vector<double> uses(static_cast<std::size_t>(batch.tree->rows()), 0.0);
        for (const auto& rows : batch.rowOf)
            for (const std::int64_t row : rows)
                uses[static_cast<std::size_t>(row)] += 1;
        lm::Capture capture;
        capture.sites[where].wantZ = true;
        const lm::DeviceTree tree(batch.tree, m_model.device());
        const lm::RunOptions options{.capture = &capture, .tree = &tree, .stop = m_stop};
        const at::Tensor embedding = m_model.embed(tree.ids(), options);
        if (!m_model.runLayers(embedding, 0, where.first + 1, embedding, options).defined())
            return {};
        const at::Tensor z = capture.sites[where].z[0].to(at::kDouble); // [N, H*P]
        const at::Tensor part = (z * at::tensor(uses, at::kDouble).to(z.device()).unsqueeze(1)).sum(0);
        sum = sum.defined() ? sum + part : part;
        count += std::accumulate(
            batch.rowOf.begin(), batch.rowOf.end(), std::int64_t{0},
            [](std::int64_t n, const auto& rows) { return n + static_cast<std::int64_t>(rows.size()); });
    }
    return m_means[where] = (sum / static_cast<double>(std::max<std::int64_t>(count, 1))).to(at::kFloat);
}

at::Tensor Replacements::donors(const Where& where, const Workload::Batch& batch, std::uint64_t seed)
{
    // Another example's sequence, the same one however the examples are batched.
    const auto& examples = m_workload.examples();
    std::vector<int> usable;
    for (std::size_t i = 0; i < examples.size(); ++i)
        if (!examples[i].sequences.empty())
            usable.push_back(static_cast<int>(i));
    std::vector<const Sequence*> sequences;
    std::int64_t longest = 1;
    for (const auto& member : batch.members) {
        const auto self =
            static_cast<std::size_t>(std::lower_bound(usable.begin(), usable.end(), member.example) - usable.begin());
        const std::uint64_t others = std::max<std::uint64_t>(usable.size() - 1, 1);
        const std::size_t other =
            (self + 1 + (seed * 0x9E3779B97F4A7C15u + self * 0xBF58476D1CE4E5B9u) % others) % usable.size();
        sequences.push_back(&examples[static_cast<std::size_t>(usable[other])].sequences.front());
        longest = std::max<std::int64_t>(longest, static_cast<std::int64_t>(sequences.back()->ids.size()));
    }
    const at::Tensor z = run(where, sequences, longest);
    if (!z.defined())
        return {};
    at::Tensor positions = at::zeros({static_cast<std::int64_t>(sequences.size()), batch.length}, at::kLong);
    for (std::size_t b = 0; b < sequences.size(); ++b)
        positions[static_cast<std::int64_t>(b)] =
            at::arange(batch.length, at::kLong).clamp_max(static_cast<std::int64_t>(sequences[b]->ids.size()) - 1);
    return lm::gatherRows(z, positions.to(z.device()));
}

} // namespace headscope::engine
