// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/pattern/patternsource.h"

#include "app/notebook/outsideinputs.h"
#include "core/analysis/convention.h"
#include "core/analysis/patternchange.h"
#include "core/analysis/patternpool.h"
#include "core/engine/pattern/headnorms.h"

#include <algorithm>

namespace headscope::app {

using interventions::InterventionSet;

namespace {

constexpr int kBlockCells = 1 << 22; // 17 MB at a time

using analysis::MatrixConvention;
using analysis::MatrixKind;
using analysis::MatrixShown;

MatrixConvention conventionOf(const lm::MixerSpec& mixer, MatrixConvention asked)
{
    if (mixer.kind == lm::MixerKind::Attention)
        return {.kind = MatrixKind::Attention, .shown = asked.shown};
    asked.kind = mixer.channels() ? MatrixKind::HiddenChannel : MatrixKind::Hidden;
    asked.hasD = lm::keepsOwnToken(mixer.kind);
    return asked;
}

} // namespace

Result<PatternSource> PatternSource::open(Models& models, Side side, const Prompt& prompt,
                                          const PatternRequest& request, const Control& control, int beginning)
{
    const auto read = models.read(side, prompt);
    if (!read.has_value())
        return read.error();
    const auto& [model, encoding] = *read;
    std::vector<int> ids = encoding.ids;
    if (beginning > 0)
        ids.resize(std::min(ids.size(), static_cast<std::size_t>(beginning)));
    const lm::DonorLoader donors = model->donors;
    const MatrixConvention& c = request.convention;
    const auto reader = [&](const InterventionSet& ablation) -> Result<engine::PatternReader> {
        auto opened = engine::PatternReader::open(
            model->loaded.model, ids, {.ablation = ablation, .convention = {c.withD, c.withDt, c.withGate}}, donors,
            beginning > 0 ? nullptr : model->streams); // those of the whole are asked for more than once
        if (!opened.has_value())
            return opened.error();
        if (const auto chosen = opened->choose({request.head}, control); !chosen.has_value())
            return chosen.error();
        return std::move(*opened);
    };
    PatternSource source;
    auto now = reader(request.ablation);
    if (!now.has_value())
        return now.error();
    source.m_now.emplace(std::move(*now));
    if (c.shown == MatrixShown::MinusBaseline) {
        auto baseline = reader({});
        if (!baseline.has_value())
            return baseline.error();
        source.m_baseline.emplace(std::move(*baseline));
    }
    if (c.shown == MatrixShown::Weighted) {
        auto norms = engine::valueNorms(*model->loaded.model, ids, request.head, {.ablation = request.ablation}, donors,
                                        control);
        if (!norms.has_value())
            return norms.error();
        source.m_weights = std::move(*norms);
    }
    const auto mixer = lm::findMixer(model->loaded.model->spec(), request.head);
    source.m_convention = conventionOf(**mixer, c);
    source.m_modelHash = model->loaded.contentHash;
    source.m_content = outsideInputs(model->subject, request.ablation);
    source.m_text = prompt.text;
    source.m_task = prompt.task;
    source.m_isConversation = !prompt.turns.empty();
    source.m_request = request;
    source.m_prompt = tokenized(prompt.text, encoding);
    return source;
}

bool PatternSource::serves(const Opened& model, const Prompt& prompt, const PatternRequest& request) const
{
    return model.loaded.contentHash == m_modelHash && prompt.text == m_text && prompt.task == m_task
           && prompt.turns.empty() != m_isConversation && request == m_request
           && outsideInputs(model.subject, request.ablation) == m_content;
}

Result<Matrix> PatternSource::rows(int first, int count, const Control& control) const
{
    auto now = m_now->rows(first, count, control);
    if (!now.has_value())
        return now.error();
    Matrix rows = std::move(now->front());
    if (m_baseline) {
        const auto before = m_baseline->rows(first, count, control);
        if (!before.has_value())
            return before.error();
        rows = analysis::difference(rows, before->front());
    }
    return m_weights.empty() ? std::move(rows) : analysis::weighted(std::move(rows), m_weights);
}

Result<Matrix> PatternSource::pooled(int factor, const Control& control) const
{
    analysis::PatternPool pool(static_cast<int>(m_prompt.ids.size()), factor);
    const auto read = forBlocks([&](int first, const Matrix& rows) { pool.add(first, rows); }, control);
    return read.has_value() ? Result<Matrix>(pool.matrix()) : Result<Matrix>(read.error());
}

Result<void> PatternSource::forBlocks(const std::function<void(int, const Matrix&)>& take, const Control& control) const
{
    const int step = std::max(1, kBlockCells / tokens());
    const bool plain = !m_baseline && m_weights.empty();
    std::vector<Matrix> block(1); // its memory serves every block
    for (int first = 0; first < tokens(); first += step) {
        if (control.stop.stop_requested())
            return cancelledError();
        const int count = std::min(step, tokens() - first);
        if (plain) {
            if (const auto read = m_now->rows(first, count, control, block); !read.has_value())
                return read;
        } else {
            auto shown = rows(first, count, control);
            if (!shown.has_value())
                return shown.error();
            block.front() = std::move(*shown);
        }
        take(first, block.front());
        control.progress("reading the pattern", first, tokens());
    }
    return {};
}

} // namespace headscope::app
