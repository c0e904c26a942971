// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/why/patchjob.h"

namespace headscope::app {

engine::PatchRequest patchRequestOf(const PatchQuestion& question)
{
    engine::PatchRequest asked;
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

Result<std::size_t> countOf(const PairedPrompts& asked, const PatchQuestion& question)
{
    const auto cells = engine::cellsOf(*asked.model->loaded.model, asked.base, patchRequestOf(question),
                                       static_cast<int>(asked.pairs.front().clean.size()));
    return cells.has_value() ? Result<std::size_t>(cells->size()) : Result<std::size_t>(cells.error());
}

Result<std::unique_ptr<engine::PatchRun>> PatchJob::makeRun(PairedPrompts& asked)
{
    return std::make_unique<engine::PatchRun>(*asked.model->loaded.model, asked.base, std::move(asked.pairs),
                                              patchRequestOf(m_reply.question), asked.atOnce);
}

sessions::AnalysisRecord PatchJob::record() const
{
    return patchRecord(asked(), m_run->pairs(), m_run->over(), patchRequestOf(m_reply.question), m_run->cells());
}

void PatchJob::fill()
{
    m_reply.cells.clear();
    for (std::size_t i = 0; i < m_run->cells().size(); ++i) {
        const engine::PatchCell& cell = m_run->cells()[i];
        const bool two = m_asked->model->spec().layers[static_cast<std::size_t>(cell.layer)].mixers.size() > 1;
        m_reply.cells.push_back({.head = {cell.layer, two ? cell.site : interventions::Site::Any, cell.head},
                                 .position = cell.position,
                                 .share = m_run->over().normalised(i)});
    }
}

Job<PatchReply> jobOf(const PatchQuestion& request)
{
    return inSteps<PatchReply>(engine::Urgency::Score, std::make_shared<PatchJob>(request));
}

} // namespace headscope::app
