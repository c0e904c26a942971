// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/why/edgejob.h"

#include "core/why/names.h"

namespace headscope::app {

namespace {

using Kind = CircuitPart::Kind;

// The part as the engine counts it, its site named. Fails for a part that the model does not have.
Result<why::Sender> senderOf(const lm::ModelSpec& spec, const lm::Edits& base, const CircuitPart& part)
{
    switch (part.kind) {
    case Kind::Embedding: return why::Sender{};
    case Kind::Logits: return why::Sender{base.layerCount, why::Site::Any, -1};
    case Kind::Mlp:
        if (part.head.layer < 0 || part.head.layer >= static_cast<int>(spec.layers.size()))
            return inputError("There is no layer L" + std::to_string(part.head.layer) + " in this model.");
        return why::Sender{part.head.layer, why::Site::Any, -1};
    case Kind::Head: break;
    }
    const auto mixer = lm::findMixer(spec, part.head);
    if (!mixer.has_value())
        return mixer.error();
    return why::Sender{part.head.layer, (*mixer)->site(), part.head.head};
}

// A sender and a receiver name a part by the same three numbers.
template <typename End> CircuitPart partOf(const lm::ModelSpec& spec, const lm::Edits& base, const End& end)
{
    if (end.layer < 0)
        return {Kind::Embedding, {}};
    if (end.layer >= base.layerCount)
        return {Kind::Logits, {}};
    const bool two = spec.layers[static_cast<std::size_t>(end.layer)].mixers.size() > 1;
    return {end.head < 0 ? Kind::Mlp : Kind::Head,
            {end.layer, two && end.head >= 0 ? end.site : interventions::Site::Any, std::max(end.head, 0)}};
}

FoundEdge described(const lm::ModelSpec& spec, const lm::Edits& base, const why::Edge& edge)
{
    FoundEdge found{.from = partOf(spec, base, edge.sender),
                    .to = partOf(spec, base, edge.receiver),
                    .fromName = why::nameOf(spec, edge.sender),
                    .toName = "logits",
                    .reads = {},
                    .change = {},
                    .share = {}};
    if (found.to.kind == Kind::Logits)
        return found;
    const why::Receiver& to = edge.receiver;
    found.toName = why::nameOf(spec, why::Sender{to.layer, to.site, to.head});
    if (found.to.kind == Kind::Head)
        found.reads = why::partName(spec.layers[static_cast<std::size_t>(to.layer)].find(to.site)->kind, to.parts);
    return found;
}

engine::EdgeRequest edgeRequest(const EdgeQuestion& question, const why::Sender& part)
{
    return {.part = part,
            .feeding = question.around != EdgesAround::Listening,
            .listening = question.around != EdgesAround::Feeding,
            .direction = question.of.noise ? engine::PatchDirection::Noise : engine::PatchDirection::Denoise};
}

} // namespace

Result<std::size_t> countOf(const PairedPrompts& asked, const EdgeQuestion& question)
{
    const auto part = senderOf(asked.model->spec(), asked.base, question.part);
    if (!part.has_value())
        return part.error();
    return engine::possibleEdges(*asked.model->loaded.model, asked.base, edgeRequest(question, *part)).size();
}

Result<std::unique_ptr<engine::EdgeRun>> EdgeJob::makeRun(PairedPrompts& asked)
{
    const lm::ModelSpec& spec = asked.model->spec();
    const auto part = senderOf(spec, asked.base, m_reply.question.part);
    if (!part.has_value())
        return part.error();
    m_reply.name = part->layer >= asked.base.layerCount ? "logits" : why::nameOf(spec, *part);
    return std::make_unique<engine::EdgeRun>(*asked.model->loaded.model, asked.base, std::move(asked.pairs),
                                             edgeRequest(m_reply.question, *part), asked.atOnce);
}

sessions::AnalysisRecord EdgeJob::record() const
{
    TracedEdges traced; // of what was asked for, what there is
    for (const FoundEdge& edge : m_reply.edges)
        (edge.toName == m_reply.name ? traced.receiver : traced.sender) = m_reply.name;
    return edgesRecord(asked(), m_run->pairs(), m_run->over(), traced, m_run->edges());
}

void EdgeJob::fill()
{
    m_reply.silent = m_run->silent();
    m_reply.edges.clear();
    for (std::size_t i = 0; i < m_run->edges().size(); ++i) {
        FoundEdge found = described(m_asked->model->spec(), m_asked->base, m_run->edges()[i]);
        found.change = m_run->over().effect(i);
        found.share = m_run->over().normalised(i);
        m_reply.edges.push_back(std::move(found));
    }
}

Job<EdgeReply> jobOf(const EdgeQuestion& request)
{
    return inSteps<EdgeReply>(engine::Urgency::Score, std::make_shared<EdgeJob>(request));
}

} // namespace headscope::app
