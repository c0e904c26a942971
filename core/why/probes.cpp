// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/probes.h"

#include "core/base/shuffle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace headscope::why {

namespace {

// Matrices of so many numbers are made at one time.
constexpr std::int64_t kMapNumbers = std::int64_t{1} << 23;

Matrix hostMatrix(const at::Tensor& matrix)
{
    const at::Tensor host = matrix.to(at::kCPU, at::kFloat).contiguous();
    Matrix out(static_cast<int>(host.size(0)), static_cast<int>(host.size(1)));
    std::memcpy(out.values.data(), host.data_ptr<float>(), out.values.size() * sizeof(float));
    return out;
}

/// Every head's matrix on one text, a few heads at a time.
class Matrices
{
public:
    Matrices(const lm::Model& model, const lm::Edits& base, const Recording& run)
        : m_layers(model, base, run.embedding), m_run(run)
    {
    }

    template <typename See> bool forEach(const Control& control, const See& see) const
    {
        std::size_t index = 0;
        for (const auto& [where, z] : m_run.z) {
            const int heads = m_layers.mixer(where.first, where.second).heads;
            const int step =
                static_cast<int>(std::clamp<std::int64_t>(kMapNumbers / (m_run.length() * m_run.length()), 1, heads));
            for (int first = 0; first < heads; first += step) {
                if (control.stopped())
                    return false;
                lm::Capture capture;
                lm::SiteCapture& wanted = capture.sites[where];
                wanted.wantMatrix = wanted.matrixOnly = true;
                for (int head = first; head < std::min(heads, first + step); ++head)
                    wanted.heads.push_back(head);
                (void)m_layers.step(m_run.streams[static_cast<std::size_t>(where.first)], where.first,
                                    m_layers.edits(where.first), &capture);
                for (std::size_t i = 0; i < wanted.heads.size(); ++i)
                    see(index++, hostMatrix(wanted.matrix[0][static_cast<std::int64_t>(i)]));
            }
        }
        return true;
    }

private:
    LayerRun m_layers;
    const Recording& m_run;
};

} // namespace

Result<std::vector<std::vector<int>>> repeatedSequences(const lm::Model& model, const RepeatedTokens& tokens)
{
    const int most = model.spec().maxPositions;
    const int repeat = most > 0 ? std::min(tokens.repeat, (most - 1) / 2) : tokens.repeat;
    if (repeat < 2 || tokens.sequences < 1 || tokens.drawn.empty())
        return inputError("Probe sequences need at least two tokens to repeat and one to draw from.");
    std::vector<std::vector<int>> sequences;
    std::mt19937_64 random(tokens.seed);
    for (int i = 0; i < tokens.sequences; ++i) {
        std::vector<int> order = tokens.drawn;
        shuffle(order, random);
        std::vector<int> ids{tokens.start};
        for (int t = 0; t < repeat; ++t)
            ids.push_back(order[static_cast<std::size_t>(t) % order.size()]);
        ids.insert(ids.end(), ids.begin() + 1, ids.begin() + 1 + repeat);
        sequences.push_back(std::move(ids));
    }
    return sequences;
}

Result<std::vector<HeadProbe>> probeHeads(const lm::Model& model, const lm::Edits& base,
                                          const std::vector<std::vector<int>>& repeated,
                                          const std::vector<RetrievalRow>& rows, const Control& control)
{
    if (const auto same = lm::checkSameHeads(base, model.spec()); !same.has_value())
        return same.error();
    std::vector<HeadProbe> heads;
    for (int layer = 0; layer < base.layerCount; ++layer)
        for (const Site site : interventions::kMixerSites) {
            const lm::LayerEdits* edits = base.find(layer);
            const lm::MixerSpec* mixer = model.spec().layers[static_cast<std::size_t>(layer)].find(site);
            if (!mixer || (edits && edits->skips(site)))
                continue;
            for (int head = 0; head < mixer->heads; ++head)
                heads.push_back({layer, site, head, {}, std::numeric_limits<double>::quiet_NaN()});
        }
    const auto total = static_cast<std::int64_t>(repeated.size() + rows.size());
    std::int64_t done = 0;
    const auto see = [&](const std::vector<int>& ids, const auto& add) -> Result<void> {
        const auto run = record(model, ids, base, control);
        if (!run.has_value())
            return run.error();
        if (!Matrices(model, base, *run).forEach(control, [&](std::size_t i, const Matrix& matrix) {
                add(heads[i], matrix);
            }))
            return cancelledError();
        control.progress("probing", ++done, total);
        return {};
    };
    const double share = 1.0 / static_cast<double>(std::max<std::size_t>(repeated.size(), 1));
    for (const std::vector<int>& ids : repeated) {
        const auto seen = see(ids, [&](HeadProbe& head, const Matrix& matrix) {
            const auto scores = analysis::repeatScores(matrix, (matrix.rows - 1) / 2);
            head.repeat.induction += scores.induction * share;
            head.repeat.duplicate += scores.duplicate * share;
            head.repeat.previous += scores.previous * share;
            head.repeat.sink += scores.sink * share;
        });
        if (!seen.has_value())
            return seen.error();
    }
    std::vector<int> counted(heads.size(), 0);
    for (const RetrievalRow& row : rows) {
        const auto seen = see(row.ids, [&](HeadProbe& head, const Matrix& matrix) {
            const double score = analysis::retrievalScore(matrix, row.ids, row.answerBegin, row.segments);
            if (std::isnan(score))
                return;
            int& count = counted[static_cast<std::size_t>(&head - heads.data())];
            head.retrieval = ((count > 0 ? head.retrieval * count : 0.0) + score) / (count + 1);
            ++count;
        });
        if (!seen.has_value())
            return seen.error();
    }
    return heads;
}

double scoreOf(const HeadProbe& head, const std::string& method)
{
    return method == "induction"   ? head.repeat.induction
           : method == "previous"  ? head.repeat.previous
           : method == "duplicate" ? head.repeat.duplicate
           : method == "sink"      ? head.repeat.sink
                                   : head.retrieval;
}

std::string labelOf(const HeadProbe& head, const std::vector<std::string>& methods, double threshold)
{
    std::string label;
    double best = threshold;
    for (const std::string& method : methods)
        if (const double score = scoreOf(head, method); score >= best) {
            best = score;
            label = method;
        }
    return label;
}

} // namespace headscope::why
