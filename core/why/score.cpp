// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/score.h"

#include "core/lm/mixers/attention.h"
#include "core/why/names.h"
#include "core/why/writers.h"

#include <algorithm>
#include <cmath>

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

class SideReader
{
public:
    SideReader(const lm::Model& model, const lm::Block& block, const lm::Attention& attention, const Recording& run,
               const AttentionScoreRequest& asked, const Writers& writers)
        : m_model(model), m_norm(*block.reader(Site::Attention).norm), m_attention(attention), m_run(run),
          m_asked(asked), m_writers(writers)
    {
    }

    /// positions: those of the writers.
    [[nodiscard]] Vectors at(lm::ScoreSide side, const at::Tensor& rows, const at::Tensor& positions) const
    {
        const std::int64_t width = m_attention.scoreWidth(), count = positions.size(0);
        const auto each = [&](const at::Tensor& x) { return x.repeat_interleave(width, 0); };
        const at::Tensor all = m_run.streams[static_cast<std::size_t>(m_asked.where.first)][0];
        const at::Tensor stream = all.index_select(0, positions).narrow(1, 0, m_run.embedding.size(2));
        const at::Tensor input = m_norm(stream.unsqueeze(0))[0];
        const at::Tensor basis =
            at::eye(width, at::TensorOptions(at::kFloat).device(m_model.device())).repeat({count, 1});
        const lm::Along read =
            *m_attention.scoreAlong(side, m_asked.head, each(input), each(positions), m_run.length(), basis);
        const lm::Along seen = lm::alongNorm(m_norm, each(stream), read.direction);
        WrittenParts written = m_writers.along(each(rows), seen.direction);
        written.parts.push_back({.kind = DirectPart::Kind::Constant});
        const at::Tensor rest = (seen.constant + read.constant).to(at::kDouble).cpu().unsqueeze(0);
        const at::Tensor whole =
            (each(input).to(at::kDouble) * read.direction.to(at::kDouble)).sum(-1) + read.constant.to(at::kDouble);
        return {std::move(written.parts), at::cat({written.values, rest}).view({-1, count, width}),
                whole.cpu().view({count, width})};
    }

private:
    const lm::Model& m_model;
    const lm::Norm& m_norm;
    const lm::Attention& m_attention;
    const Recording& m_run;
    const AttentionScoreRequest& m_asked;
    const Writers& m_writers;
};

Result<const lm::Attention*> attentionOf(const lm::Model& model, const LayerRun& layers,
                                         const AttentionScoreRequest& asked)
{
    const auto [layer, site] = asked.where;
    const std::string head = headName(model.spec(), layer, site, asked.head);
    const lm::SiteReader reader = layers.block(layer).reader(site);
    const auto* attention = dynamic_cast<const lm::Attention*>(reader.mixer);
    if (site != Site::Attention || (reader.mixer && !attention))
        return inputError("Head " + head
                          + " has no softmax scores that writers add up to; expected a head of softmax attention.");
    if (!reader.norm)
        return inputError("Head " + head + " reads more than the stream, so its scores are not a sum over writers.");
    return attention;
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

double ScoreAttribution::residue() const
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
    const auto [layer, site] = asked.where;
    const auto attention = attentionOf(model, layers, asked);
    if (!attention.has_value())
        return attention.error();
    const int window = (*attention)->window(), first = window > 0 ? std::max(0, asked.query - window + 1) : 0;
    if (asked.query < 0 || asked.query >= run.length() || asked.key < first || asked.key > asked.query)
        return inputError("Position " + std::to_string(asked.query) + " does not see position "
                          + std::to_string(asked.key) + " through " + headName(model.spec(), layer, site, asked.head)
                          + "; expected a key from " + std::to_string(first) + " to the query, of a text of "
                          + std::to_string(run.length()) + " tokens.");
    std::vector<std::int64_t> keys;
    for (int key = first; key <= asked.query; ++key)
        keys.push_back(key);
    const auto writers = Writers::before(model, base, run, layer, keys, control);
    if (!writers.has_value())
        return writers.error();
    const SideReader side(model, layers.block(layer), **attention, run, asked, *writers);
    const at::Tensor positions = at::tensor(keys, at::kLong).to(model.device()), rows = positions - first;
    const std::int64_t count = positions.size(0), own = asked.key - first;
    const Vectors query =
        side.at(lm::ScoreSide::Query, rows.narrow(0, count - 1, 1), positions.narrow(0, count - 1, 1));

    // Keys, some at a time: the one that is asked for less the mean of all, by writer.
    at::Tensor weights = at::zeros({count}, at::kDouble);
    weights[own] += 1.0;
    if (asked.centred)
        weights -= 1.0 / static_cast<double>(count);
    ScoreAttribution all;
    at::Tensor written, whole; // [parts, Q], [Q]
    std::vector<at::Tensor> scores;
    const std::int64_t atOnce = std::max<std::int64_t>(1, kRowsAtOnce / (*attention)->scoreWidth());
    for (std::int64_t at = 0; at < count; at += atOnce) {
        if (control.stopped())
            return cancelledError();
        const std::int64_t some = std::min(atOnce, count - at);
        Vectors key = side.at(lm::ScoreSide::Key, rows.narrow(0, at, some), positions.narrow(0, at, some));
        const at::Tensor weight = weights.narrow(0, at, some).unsqueeze(-1);
        const at::Tensor newWritten = (key.written * weight).sum(1), newWhole = (key.whole * weight).sum(0);
        written = written.defined() ? written + newWritten : newWritten;
        whole = whole.defined() ? whole + newWhole : newWhole;
        scores.push_back(at::matmul(key.whole, query.whole[0]));
        if (all.key.empty())
            all.key = std::move(key.parts);
        control.progress("keys", at + some, count);
    }
    const double scale = (*attention)->scale();
    const at::Tensor places = (*attention)->positionScores(asked.head, positions).to(at::kDouble).cpu();
    const at::Tensor row = at::cat(scores) * scale + places;
    all.mean = row.mean().item<double>();
    all.score = row[own].item<double>() - (asked.centred ? all.mean : 0.0);
    all.position = (places * weights).sum().item<double>();
    all.share = at::softmax(row, 0)[own].item<double>();
    all.normed = (*attention)->normsScores();
    all.capped = (*attention)->capsScores();
    all.query = query.parts;
    const at::Tensor queries = query.written.select(1, 0); // [parts, Q]
    setParts(all.query, at::matmul(queries, whole) * scale);
    setParts(all.key, at::matmul(written, query.whole[0]) * scale);
    all.pairs = largestPairs(at::matmul(queries, written.t()) * scale);
    return all;
}

} // namespace headscope::why
