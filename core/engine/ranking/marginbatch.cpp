// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/marginbatch.h"

#include "core/base/shuffle.h"

#include <algorithm>
#include <numeric>

namespace headscope::engine {

namespace {

constexpr double kAbsent = -1e30; // a choice that is not there, finite so that no gradient becomes NaN

std::int64_t longest(const EncodedExample& example)
{
    std::int64_t length = 0;
    for (const Sequence& sequence : example.sequences)
        length = std::max(length, static_cast<std::int64_t>(sequence.ids.size()));
    return length;
}

/// All texts of some examples, each for itself.
Workload::Batch padded(const Benchmark& benchmark, std::span<const int> examples)
{
    Workload::Batch batch;
    for (const int example : examples)
        for (std::size_t s = 0; s < benchmark.workload().examples()[static_cast<std::size_t>(example)].sequences.size();
             ++s)
            batch.members.push_back({example, static_cast<int>(s)});
    return batch;
}

/// The same as one packed row, in which they share what they start with.
Workload::Batch packed(const Benchmark& benchmark, std::span<const int> examples)
{
    Workload::Batch batch = padded(benchmark, examples);
    std::vector<std::size_t> order(batch.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto ids = [&](std::size_t i) -> const std::vector<int>& {
        return benchmark.workload().sequence(batch.members[i]).ids;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids(a) < ids(b); });
    std::vector<const std::vector<int>*> texts;
    for (const std::size_t i : order)
        texts.push_back(&ids(i));
    std::vector<std::vector<std::int64_t>> rowOf;
    batch.tree = std::make_shared<const lm::TokenTree>(texts, &rowOf);
    batch.rowOf.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        batch.rowOf[order[i]] = std::move(rowOf[i]);
    return batch;
}

// Ascending, each once; of texts: shorter lists repeat their last.
at::Tensor rowsTensor(std::vector<std::vector<std::int64_t>>& rows)
{
    std::size_t most = 1;
    for (auto& list : rows) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        most = std::max(most, list.size());
    }
    std::vector<std::int64_t> flat;
    for (const auto& list : rows)
        for (std::size_t r = 0; r < most; ++r)
            flat.push_back(list[std::min(r, list.size() - 1)]);
    return at::tensor(flat, at::kLong).view({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(most)});
}

// A position that several examples share is divided among them.
at::Tensor shareOf(const Workload::Batch& batch, const std::vector<std::size_t>& exampleOf, std::size_t examples)
{
    const auto gates = batch.tree ? batch.tree->rows() : static_cast<std::int64_t>(batch.members.size());
    at::Tensor share = at::zeros({static_cast<std::int64_t>(examples), gates});
    auto entries = share.accessor<float, 2>();
    for (std::size_t b = 0; b < batch.members.size(); ++b) {
        const auto example = static_cast<std::int64_t>(exampleOf[b]);
        if (!batch.tree)
            entries[example][static_cast<std::int64_t>(b)] = 1;
        else
            for (const std::int64_t row : batch.rowOf[b])
                entries[example][row] = 1;
    }
    return share / share.sum(0, true);
}

} // namespace

std::vector<int> examplesWithMargin(const Benchmark& benchmark, std::uint64_t seed)
{
    const auto& encoded = benchmark.workload().examples();
    std::vector<int> order;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        const int choices = encoded[i].choices, gold = benchmark.set().examples[i].gold;
        if (longest(encoded[i]) > 0 && (choices == 1 || (gold >= 0 && gold < choices)))
            order.push_back(static_cast<int>(i));
    }
    shuffle(order, seed);
    return order;
}

std::vector<Workload::Batch> wholeExamples(const Benchmark& benchmark, std::span<const int> examples,
                                           std::int64_t budget, bool mayShare)
{
    struct Sized {
        std::int64_t length = 0; ///< of the longest text
        int example = 0;
        std::int64_t alone = 0, shared = 0; ///< positions of its texts: padded, packed
        auto operator<=>(const Sized&) const = default;
    };
    const auto& encoded = benchmark.workload().examples();
    std::vector<Sized> order;
    std::int64_t alone = 0, shared = 0;
    for (const int example : examples) {
        const std::int64_t length = longest(encoded[static_cast<std::size_t>(example)]);
        const auto texts = static_cast<std::int64_t>(encoded[static_cast<std::size_t>(example)].sequences.size());
        order.push_back(
            {length, example, length * texts, mayShare ? packed(benchmark, std::span(&example, 1)).tree->rows() : 0});
        alone += order.back().alone;
        shared += order.back().shared;
    }
    std::sort(order.begin(), order.end());
    const bool pack = mayShare && 4 * shared < 3 * alone;
    std::vector<std::vector<int>> parts;
    std::vector<Workload::Batch> batches;
    std::int64_t positions = 0;
    for (const Sized& one : order) {
        const std::int64_t own = pack ? one.shared : one.alone;
        if (parts.empty() || positions + own > budget) {
            parts.emplace_back();
            positions = 0;
        }
        parts.back().push_back(one.example);
        positions += own;
    }
    for (const std::vector<int>& part : parts) {
        batches.push_back(pack ? packed(benchmark, part) : padded(benchmark, part));
        batches.back().length = longest(encoded[static_cast<std::size_t>(part.back())]);
    }
    return batches;
}

MarginReading marginReading(const Benchmark& benchmark, const Workload::Batch& batch, const at::Device& device)
{
    MarginReading reading;
    const Workload& workload = benchmark.workload();
    const auto where = [&](std::size_t b, const Sequence::Target& target) { // list of rows, row
        const auto position = static_cast<std::int64_t>(target.position);
        return batch.tree ? std::pair(std::size_t{0}, batch.rowOf[b][static_cast<std::size_t>(position)])
                          : std::pair(b, position);
    };
    std::vector<std::vector<std::int64_t>> rows(batch.tree ? 1 : batch.members.size());
    for (std::size_t b = 0; b < batch.members.size(); ++b)
        for (const Sequence::Target& target : workload.sequence(batch.members[b]).targets) {
            const auto [list, row] = where(b, target);
            rows[list].push_back(row);
        }
    const at::Tensor wanted = rowsTensor(rows);
    std::vector<std::int64_t> last, places, tokens, choices, gold;
    std::vector<std::vector<std::int64_t>> others;
    std::vector<std::size_t> exampleOf;
    std::int64_t firstChoice = 0;
    for (std::size_t b = 0; b < batch.members.size(); ++b) {
        const auto example = static_cast<std::size_t>(batch.members[b].example);
        if (batch.members[b].sequence == 0) {
            firstChoice = reading.choiceCount;
            reading.choiceCount += workload.examples()[example].choices;
            const std::int64_t right =
                workload.examples()[example].choices == 1 ? 0 : benchmark.set().examples[example].gold;
            gold.push_back(firstChoice + right);
            others.emplace_back();
            for (std::int64_t c = firstChoice; c < reading.choiceCount; ++c)
                if (c != gold.back())
                    others.back().push_back(c);
        }
        exampleOf.push_back(gold.size() - 1);
        const Sequence& sequence = workload.sequence(batch.members[b]);
        last.push_back(static_cast<std::int64_t>(sequence.ids.size()) - 1);
        for (const Sequence::Target& target : sequence.targets) {
            const auto [list, row] = where(b, target);
            places.push_back(static_cast<std::int64_t>(list) * wanted.size(1)
                             + (std::lower_bound(rows[list].begin(), rows[list].end(), row) - rows[list].begin()));
            tokens.push_back(target.token);
            choices.push_back(firstChoice + target.choice);
        }
    }
    std::size_t width = 1;
    for (const auto& list : others)
        width = std::max(width, list.size());
    std::vector<std::int64_t> flatOthers;
    for (auto& list : others) {
        if (list.empty())
            list.push_back(reading.choiceCount);
        list.resize(width, reading.choiceCount + 1);
        flatOthers.insert(flatOthers.end(), list.begin(), list.end());
    }
    const auto tensor = [&](const std::vector<std::int64_t>& values) {
        return at::tensor(values, at::kLong).to(device);
    };
    reading.rows = wanted.to(device);
    if (!batch.tree)
        reading.last = tensor(last);
    reading.places = tensor(places);
    reading.tokens = tensor(tokens);
    reading.choices = tensor(choices);
    reading.gold = tensor(gold);
    reading.others =
        tensor(flatOthers).view({static_cast<std::int64_t>(others.size()), static_cast<std::int64_t>(width)});
    reading.share = shareOf(batch, exampleOf, gold.size()).to(device);
    return reading;
}

at::Tensor margins(const at::Tensor& logits, const MarginReading& reading)
{
    const at::Tensor rows = logits.reshape({-1, logits.size(2)}).index_select(0, reading.places); // [targets, V]
    const at::Tensor values = rows.gather(1, reading.tokens.unsqueeze(1)).squeeze(1) - rows.logsumexp(-1);
    const at::Tensor likelihoods =
        at::zeros({reading.choiceCount}, values.options()).index_add(0, reading.choices, values);
    const at::Tensor known = at::cat({likelihoods, at::tensor({0.0, kAbsent}, values.options())});
    return known.index_select(0, reading.gold)
           - known.index_select(0, reading.others.reshape(-1)).view(reading.others.sizes()).logsumexp(1);
}

} // namespace headscope::engine
