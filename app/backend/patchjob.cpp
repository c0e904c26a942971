// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/patchjob.h"

namespace headscope::app {

engine::PatchAsked askedOf(const PatchQuestion& question)
{
    engine::PatchAsked asked;
    switch (question.part) {
    case PatchedPart::Heads:
    case PatchedPart::HeadsByToken: asked.what = engine::PatchWhat::Heads; break;
    case PatchedPart::Stream: asked.what = engine::PatchWhat::Stream; break;
    case PatchedPart::Mixer: asked.what = engine::PatchWhat::Mixer; break;
    case PatchedPart::Mlp: asked.what = engine::PatchWhat::Mlp; break;
    case PatchedPart::State: asked.what = engine::PatchWhat::State; break;
    }
    asked.where = question.part == PatchedPart::Heads ? engine::PatchWhere::All : engine::PatchWhere::Each;
    asked.layer = question.layer;
    asked.direction = question.of.noise ? engine::PatchDirection::Noise : engine::PatchDirection::Denoise;
    return asked;
}

Result<std::size_t> countOf(const AskedPairs& asked, const PatchQuestion& question)
{
    const auto cells = engine::cellsOf(*asked.model->loaded.model, asked.base, askedOf(question),
                                       static_cast<int>(asked.pairs.front().clean.size()));
    return cells.has_value() ? Result<std::size_t>(cells->size()) : Result<std::size_t>(cells.error());
}

Result<void> PatchJob::start(Backend::State& state)
{
    auto asked = askedPairs(state, m_reply.question.of);
    if (!asked.has_value())
        return asked.error();
    m_asked = std::move(*asked);
    m_reply.over = m_asked->told;
    m_run = std::make_unique<engine::PatchRun>(*m_asked->model->loaded.model, m_asked->base, std::move(m_asked->pairs),
                                               askedOf(m_reply.question), m_asked->atOnce);
    return {};
}

Result<bool> PatchJob::step(Backend::State& state, const Control& control)
{
    if (!m_run)
        if (const auto started = start(state); !started.has_value())
            return started.error();
    const auto more = m_run->step(control);
    if (!more.has_value())
        return more;
    m_reply.final = !*more;
    if (static_cast<int>(m_run->pairsDone()) != m_reply.over.pairs)
        fill();
    return more;
}

bool PatchJob::hasNews()
{
    return std::exchange(m_told, m_reply.over.pairs) != m_reply.over.pairs;
}

void PatchJob::fill()
{
    tell(m_reply.over, m_run->over(), *m_asked->model->tokenizer);
    m_reply.cells.clear();
    for (std::size_t i = 0; i < m_run->cells().size(); ++i) {
        const engine::PatchCell& cell = m_run->cells()[i];
        const bool two = m_asked->model->spec().layers[static_cast<std::size_t>(cell.layer)].mixers.size() > 1;
        m_reply.cells.push_back({.head = {cell.layer, two ? cell.site : interventions::Site::Any, cell.head},
                                 .position = cell.position,
                                 .share = m_run->over().normalised(i)});
    }
}

} // namespace headscope::app
