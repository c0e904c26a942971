// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/paths/score.h"

#include "core/lm/device/transfer.h"
#include "core/lm/mixers/attention.h"
#include "core/why/names.h"
#include "core/why/paths/writers.h"

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace headscope::why {

namespace {

constexpr std::int64_t kRowsAtOnce = 512; // directions: several for each position
constexpr std::size_t kPairs = 20;

/// One side of the score at some positions: vectors of the head, each the sum of what writers add and a constant.
struct Vectors {
    std::vector<DirectPart> parts; ///< the last is what no writer adds: biases of norms and maps
    at::Tensor written;            ///< fp64 [parts, positions, Q]
    at::Tensor whole;              ///< fp64 [positions, Q], of the stream itself
};

at::Device deviceOf(const lm::Mixer& mixer)
{
    return mixer.output().weight.device();
}

/// What a layer reads at some positions, [positions, H].
at::Tensor streamOf(const Recording& run, int layer, const at::Tensor& positions)
{
    const at::Tensor all = run.streams[static_cast<std::size_t>(layer)][0];
    return all.index_select(0, positions.flatten()).narrow(1, 0, run.embedding.size(2));
}

/// What a mixer that scans reads of it, fp32.
at::Tensor scanInput(const lm::Norm& norm, const at::Tensor& stream)
{
    return norm(stream.unsqueeze(0))[0].to(at::kFloat);
}

/// How one head comes to its scores.
class ScoreReader
{
public:
    ScoreReader(const lm::Mixer& mixer, const lm::Norm& norm, const Recording& run, const AttentionScoreRequest& asked,
                const Writers& writers)
        : m_norm(norm), m_run(run), m_asked(asked), m_writers(writers), m_device(deviceOf(mixer))
    {
    }
    virtual ~ScoreReader() = default;
    ScoreReader(const ScoreReader&) = delete;
    ScoreReader& operator=(const ScoreReader&) = delete;

    /// Q: numbers in a query or key.
    [[nodiscard]] virtual std::int64_t width() const = 0;
    /// Directions for each position.
    [[nodiscard]] virtual std::int64_t directions() const { return width(); }
    /// rows: of the positions that the writers tell of.
    [[nodiscard]] virtual Vectors at(lm::ScoreSide side, const at::Tensor& rows) const = 0;
    /// What the products of the query with keys 0 to `count` - 1 of the writers are weighed by, fp64 [count, 1 or Q].
    [[nodiscard]] virtual at::Tensor factors(std::int64_t count) const = 0;
    /// What each key's place adds, fp64 [count].
    [[nodiscard]] virtual at::Tensor places(std::int64_t count) const { return at::zeros({count}, at::kDouble); }
    virtual void describe(ScoreAttribution& all) const = 0;

protected:
    [[nodiscard]] at::Tensor stream(const at::Tensor& positions) const
    {
        return lm::onDevice(streamOf(m_run, m_asked.where.first, positions), m_device);
    }
    /// What the writers put there, seen along directions on the head's device.
    [[nodiscard]] WrittenParts along(const at::Tensor& rows, const at::Tensor& directions) const
    {
        return m_writers.along(rows, lm::onDevice(directions, rows.device()));
    }
    [[nodiscard]] at::Tensor basis(std::int64_t count) const
    {
        return at::eye(width(), at::TensorOptions(at::kFloat).device(m_device)).repeat({count, 1});
    }

    const lm::Norm& m_norm;
    const Recording& m_run;
    const AttentionScoreRequest& m_asked;
    const Writers& m_writers;
    const at::Device m_device; ///< of the head's layer
};

class SoftmaxReader final : public ScoreReader
{
public:
    SoftmaxReader(const lm::Attention& attention, int first, const lm::Norm& norm, const Recording& run,
                  const AttentionScoreRequest& asked, const Writers& writers)
        : ScoreReader(attention, norm, run, asked, writers), m_attention(attention), m_first(first)
    {
    }

    [[nodiscard]] std::int64_t width() const override { return m_attention.scoreWidth(); }
    [[nodiscard]] Vectors at(lm::ScoreSide side, const at::Tensor& rows) const override
    {
        const std::int64_t count = rows.size(0);
        const auto each = [&](const at::Tensor& x) { return x.repeat_interleave(width(), 0); };
        const at::Tensor positions = rows + m_first, there = stream(positions);
        const at::Tensor input = m_norm(there.unsqueeze(0))[0];
        const lm::Along read = *m_attention.scoreAlong(
            side, m_asked.head, each(input), each(lm::onDevice(positions, m_device)), m_run.length(), basis(count));
        const lm::Along seen = lm::alongNorm(m_norm, each(there), read.direction);
        WrittenParts written = along(each(rows), seen.direction);
        written.parts.push_back({.kind = DirectPart::Kind::Constant});
        const at::Tensor rest = (seen.constant + read.constant).to(at::kDouble).cpu().unsqueeze(0);
        const at::Tensor whole =
            (each(input).to(at::kDouble) * read.direction.to(at::kDouble)).sum(-1) + read.constant.to(at::kDouble);
        return {std::move(written.parts), at::cat({written.values, rest}).view({-1, count, width()}),
                whole.cpu().view({count, width()})};
    }
    [[nodiscard]] at::Tensor factors(std::int64_t count) const override
    {
        return at::full({count, 1}, m_attention.scale(), at::kDouble);
    }
    [[nodiscard]] at::Tensor places(std::int64_t count) const override
    {
        const at::Tensor rows = at::arange(count, at::TensorOptions(at::kLong).device(m_device));
        return m_attention.positionScores(m_asked.head, rows + m_first).to(at::kDouble).cpu();
    }
    void describe(ScoreAttribution& all) const override
    {
        all.normed = m_attention.normsScores();
        all.capped = m_attention.capsScores();
    }

private:
    const lm::Attention& m_attention;
    int m_first; ///< position that the writers tell of
};

class ScanReader final : public ScoreReader
{
public:
    /// `terms`: of the text up to the query.
    ScanReader(const lm::Mixer& mixer, lm::ScanScores terms, const lm::Norm& norm, const Recording& run,
               const AttentionScoreRequest& asked, const Writers& writers)
        : ScoreReader(mixer, norm, run, asked, writers), m_mixer(mixer), m_terms(std::move(terms))
    {
    }

    [[nodiscard]] std::int64_t width() const override { return m_terms.query.size(2); }
    [[nodiscard]] std::int64_t directions() const override { return width() * m_terms.taps; }
    [[nodiscard]] Vectors at(lm::ScoreSide side, const at::Tensor& rows) const override
    {
        const at::Tensor within = rows.cpu().clamp_max(m_terms.taps - 1) + 1; // before the text there is nothing
        Vectors all;
        for (std::int64_t from = 0, some = 1; from < rows.size(0); from += some) {
            const auto reach = within[from].item<std::int64_t>();
            for (some = 1; from + some < rows.size(0) && within[from + some].item<std::int64_t>() == reach;)
                ++some;
            Vectors part = atSome(side, rows.narrow(0, from, some), reach);
            if (all.parts.empty()) {
                all = std::move(part);
                continue;
            }
            all.written = at::cat({all.written, part.written}, 1);
            all.whole = at::cat({all.whole, part.whole});
        }
        return all;
    }
    [[nodiscard]] at::Tensor factors(std::int64_t count) const override
    {
        const at::Tensor sums = m_terms.logDecay[0].to(at::kDouble).cumsum(0); // [T, 1 or N]
        const at::Tensor decay = at::exp(sums[count - 1] - sums);
        return (m_terms.weight.defined() ? decay * m_terms.weight[0].to(at::kDouble).unsqueeze(-1) : decay).cpu();
    }
    void describe(ScoreAttribution& all) const override { all.linearised = true; }

private:
    // Of rows that see `reach` positions: how a query or key goes with what is read at each of them.
    [[nodiscard]] Vectors atSome(lm::ScoreSide side, const at::Tensor& rows, std::int64_t reach) const
    {
        const std::int64_t count = rows.size(0);
        const at::Tensor taps = (rows.unsqueeze(-1) + at::arange(1 - reach, 1, rows.options()))
                                    .repeat_interleave(width(), 0); // [count N, K]
        const at::Tensor directions = basis(count);
        at::Tensor value, slope;
        {
            const c10::InferenceMode allowGraphs(false);
            const c10::AutoGradMode withGraph(true);
            const at::Tensor input =
                scanInput(m_norm, stream(taps)).view({taps.size(0), reach, -1}).detach().clone().requires_grad_();
            const lm::ScanScores terms = *m_mixer.scanScores(m_asked.head, input);
            const at::Tensor& vector = side == lm::ScoreSide::Query ? terms.query : terms.key;
            value = (vector.select(1, reach - 1) * directions).sum(-1);
            slope = torch::autograd::grad({value.sum()}, {input})[0].flatten(0, 1);
        }
        const lm::Along seen = lm::alongNorm(m_norm, stream(taps), slope);
        WrittenParts written = along(taps.flatten(), seen.direction);
        const auto overTaps = [&](const at::Tensor& x) { return x.view({-1, count, width(), reach}).sum(-1); };
        const at::Tensor whole = value.detach().to(at::kDouble).cpu().view({count, width()});
        const at::Tensor firstOrder = overTaps(written.values);
        written.parts.push_back({.kind = DirectPart::Kind::Residue});
        return {std::move(written.parts), at::cat({firstOrder, (whole - firstOrder.sum(0)).unsqueeze(0)}), whole};
    }

    const lm::Mixer& m_mixer;
    const lm::ScanScores m_terms;
};

/// What the score of a head is made with, where it is a product.
struct Scored {
    const lm::Mixer* mixer = nullptr;
    const lm::Attention* attention = nullptr; ///< null: the mixer scans
    const lm::Norm* norm = nullptr;
    int first = 0;                      ///< position that the query sees
    std::optional<lm::ScanScores> scan; ///< of the text up to the query
};

/// A causal head sees nothing behind the query, nor before `first`.
Result<void> checkSeen(const AttentionScoreRequest& asked, const std::string& head, int first, std::int64_t length)
{
    if (asked.query >= 0 && asked.query < length && asked.key >= first && asked.key <= asked.query)
        return {};
    return inputError("Position " + std::to_string(asked.query) + " does not see position " + std::to_string(asked.key)
                      + " through " + head + "; expected a key from " + std::to_string(first)
                      + " to the query, of a text of " + std::to_string(length) + " tokens.");
}

Result<Scored> scoredBy(const lm::Model& model, const LayerRun& layers, const Recording& run,
                        const AttentionScoreRequest& asked)
{
    const auto [layer, site] = asked.where;
    const std::string head = headName(model.spec(), layer, site, asked.head);
    if (!run.z.contains(asked.where))
        return inputError("Head " + head + " does not run under this ablation, so it has no scores.");
    const lm::SiteReader reader = layers.block(layer).reader(site);
    // Where the heads of another mixer feed this one, it reads them beside the stream.
    const bool fed = std::ranges::any_of(interventions::kMixerSites, [&](Site other) {
        return other != site && layers.block(layer).inputParts(other) != 0 && !layers.block(layer).writes(other);
    });
    if (!reader.norm || fed)
        return inputError("Head " + head + " reads more than the stream, so its scores are not a sum over writers.");
    Scored scored{
        .mixer = reader.mixer, .attention = dynamic_cast<const lm::Attention*>(reader.mixer), .norm = &*reader.norm};
    const int window = scored.attention ? scored.attention->window() : 0;
    scored.first = window > 0 ? std::max(0, asked.query - window + 1) : 0;
    if (const auto seen = checkSeen(asked, head, scored.first, run.length()); !seen.has_value())
        return seen.error();
    if (reader.mixer && !scored.attention) {
        const at::Tensor text = at::arange(asked.query + 1, at::TensorOptions(at::kLong).device(model.device()));
        const at::Tensor input =
            scanInput(*reader.norm, lm::onDevice(streamOf(run, layer, text), deviceOf(*reader.mixer)));
        scored.scan = reader.mixer->scanScores(asked.head, input.unsqueeze(0));
    }
    if (!scored.attention && !scored.scan)
        return inputError("Head " + head
                          + " has no scores that writers add up to; expected a head of softmax attention, Mamba or "
                            "lightning attention.");
    return scored;
}

// Of softmax attention as it is in the run: a cap, sinks and edits change the row behind the scores.
double weightInRun(const LayerRun& layers, const Recording& run, const AttentionScoreRequest& asked)
{
    const int layer = asked.where.first;
    lm::Capture capture;
    lm::SiteCapture& wanted = capture.sites[asked.where];
    wanted.wantMatrix = wanted.matrixOnly = true;
    wanted.heads = {asked.head};
    wanted.row = asked.query;
    (void)layers.step(run.streams[static_cast<std::size_t>(layer)], layer, layers.edits(layer), &capture);
    return wanted.matrix[0][0][0][asked.key].item<double>();
}

// Of the scores' magnitudes, where there is no softmax.
double shareOfRow(const at::Tensor& scores, std::int64_t key)
{
    const at::Tensor sizes = scores.abs();
    return sizes[key].item<double>() / std::max(sizes.sum().item<double>(), std::numeric_limits<double>::min());
}

void setParts(std::vector<DirectPart>& parts, const at::Tensor& values)
{
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].value = values[static_cast<std::int64_t>(i)].item<double>();
}

std::vector<ScoreAttribution::Pair> largestPairs(const at::Tensor& products)
{
    const at::Tensor flat = products.contiguous().flatten();
    const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(kPairs), flat.size(0));
    const at::Tensor order = std::get<1>(flat.abs().topk(count));
    std::vector<ScoreAttribution::Pair> pairs;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = order[i].item<std::int64_t>();
        pairs.push_back({static_cast<std::size_t>(at / products.size(1)),
                         static_cast<std::size_t>(at % products.size(1)), flat[at].item<double>()});
    }
    return pairs;
}

} // namespace

double ScoreAttribution::rounding() const
{
    double rest = score - position;
    for (const DirectPart& part : query)
        rest -= part.value;
    return rest;
}

Result<ScoreAttribution> scoreAttribution(const lm::Model& model, const lm::Edits& base, const Recording& run,
                                          const AttentionScoreRequest& asked, const Control& control)
{
    const LayerRun layers(model, base, run.embedding);
    auto by = scoredBy(model, layers, run, asked);
    if (!by.has_value())
        return by.error();
    std::vector<std::int64_t> keys;
    for (int key = by->first; key <= asked.query; ++key)
        keys.push_back(key);
    const auto writers = Writers::before(model, base, run, asked.where.first, keys, control);
    if (!writers.has_value())
        return writers.error();
    std::unique_ptr<ScoreReader> reader;
    if (by->attention)
        reader = std::make_unique<SoftmaxReader>(*by->attention, by->first, *by->norm, run, asked, *writers);
    else
        reader = std::make_unique<ScanReader>(*by->mixer, std::move(*by->scan), *by->norm, run, asked, *writers);
    const auto count = static_cast<std::int64_t>(keys.size());
    const std::int64_t own = asked.key - by->first;
    const at::Tensor rows = at::arange(count, at::TensorOptions(at::kLong).device(model.device()));
    const Vectors query = reader->at(lm::ScoreSide::Query, rows.narrow(0, count - 1, 1));

    // Keys, some at a time: the one that is asked for less the mean of all, by writer.
    at::Tensor weights = at::zeros({count}, at::kDouble);
    weights[own] += 1.0;
    if (asked.centred)
        weights -= 1.0 / static_cast<double>(count);
    const at::Tensor factors = reader->factors(count), weighed = weights.unsqueeze(-1) * factors;
    ScoreAttribution all;
    at::Tensor written, whole; // [parts, Q], [Q]
    std::vector<at::Tensor> scores;
    const std::int64_t atOnce = std::max<std::int64_t>(1, kRowsAtOnce / reader->directions());
    for (std::int64_t at = 0; at < count; at += atOnce) {
        if (control.stopped())
            return cancelledError();
        const std::int64_t some = std::min(atOnce, count - at);
        Vectors key = reader->at(lm::ScoreSide::Key, rows.narrow(0, at, some));
        const at::Tensor weight = weighed.narrow(0, at, some);
        const at::Tensor newWritten = (key.written * weight).sum(1), newWhole = (key.whole * weight).sum(0);
        written = written.defined() ? written + newWritten : newWritten;
        whole = whole.defined() ? whole + newWhole : newWhole;
        scores.push_back(at::matmul(key.whole * factors.narrow(0, at, some), query.whole[0]));
        if (all.key.empty())
            all.key = std::move(key.parts);
        control.progress("keys", at + some, count);
    }
    const at::Tensor places = reader->places(count), row = at::cat(scores) + places;
    all.mean = row.mean().item<double>();
    all.score = row[own].item<double>() - (asked.centred ? all.mean : 0.0);
    all.position = (places * weights).sum().item<double>();
    all.share = by->attention ? weightInRun(layers, run, asked) : shareOfRow(row, own);
    reader->describe(all);
    all.query = query.parts;
    const at::Tensor queries = query.written.select(1, 0); // [parts, Q]
    setParts(all.query, at::matmul(queries, whole));
    setParts(all.key, at::matmul(written, query.whole[0]));
    all.pairs = largestPairs(at::matmul(queries, written.t()));
    return all;
}

} // namespace headscope::why
