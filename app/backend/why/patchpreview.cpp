// SPDX-License-Identifier: GPL-3.0-or-later
// Some cells of a map of patches put in together: what the model says then, and a head's map. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/patch.h"
#include "app/backend/why/patchjob.h"
#include "core/why/paths/patchedmatrix.h"
#include "core/why/states.h"

#include <cstring>
#include <limits>

namespace headscope::app {

namespace {

constexpr int kShownTokens = 5;
constexpr std::int64_t kLongestMap = 2048; // tokens

PatchedRunReply::Likely likeliest(const at::Tensor& logits, const text::Tokenizer& tokenizer)
{
    const auto [values, ids] = at::softmax(logits.to(at::kCPU, at::kFloat), -1).topk(kShownTokens);
    PatchedRunReply::Likely tokens;
    for (int i = 0; i < kShownTokens; ++i)
        tokens.emplace_back(engine::tokenText(tokenizer, static_cast<int>(ids[i].item<std::int64_t>())),
                            values[i].item<double>());
    return tokens;
}

Matrix hostMatrix(const at::Tensor& matrix)
{
    Matrix out(static_cast<int>(matrix.size(0)), static_cast<int>(matrix.size(1)));
    std::memcpy(out.values.data(), matrix.data_ptr<float>(), out.values.size() * sizeof(float));
    return out;
}

/// One look at a pair.
class PatchPreviewJob
{
public:
    PatchPreviewJob(const PairedPrompts& asked, engine::PairRuns runs, PatchedRunReply& reply)
        : m_model(*asked.model->loaded.model), m_spec(asked.model->spec()), m_tokenizer(*asked.model->tokenizer),
          m_base(asked.base), m_runs(std::move(runs)), m_reply(reply),
          m_into(reply.look.question.of.noise ? m_runs.clean : m_runs.corrupt),
          m_from(reply.look.question.of.noise ? m_runs.corrupt : m_runs.clean)
    {
    }

    Result<void> look(const Control& control)
    {
        const auto logits = patched(control);
        if (!logits.has_value())
            return logits.error();
        const why::Metric& metric = m_runs.metric;
        m_reply.patched = (*logits)[metric.answer].item<double>() - (*logits)[metric.distractor].item<double>();
        m_reply.share = why::normalised(m_reply.patched, m_into.difference(metric), m_from.difference(metric))
                            .value_or(std::numeric_limits<double>::quiet_NaN());
        m_reply.without = likeliest(m_into.logits, m_tokenizer);
        m_reply.with = likeliest(*logits, m_tokenizer);
        m_reply.other = likeliest(m_from.logits, m_tokenizer);
        return map(control);
    }

private:
    [[nodiscard]] bool handsOver() const { return m_reply.look.question.part == PatchedPart::State; }

    [[nodiscard]] engine::PatchCell cellOf(const PatchedCell& cell) const
    {
        const lm::MixerSpec* mixer = m_spec.layers[static_cast<std::size_t>(cell.head.layer)].find(cell.head.site);
        return {cell.head.layer, mixer && cell.head.head >= 0 ? mixer->site() : why::Site::Any, cell.head.head,
                cell.position};
    }

    [[nodiscard]] why::PatchSet points() const
    {
        why::PatchSet set;
        for (const PatchedCell& cell : m_reply.look.cells)
            set.push_back(engine::pointOf(patchRequestOf(m_reply.look.question).what, cellOf(cell)));
        return set;
    }

    [[nodiscard]] Result<at::Tensor> patched(const Control& control) const
    {
        if (handsOver()) {
            if (m_reply.look.cells.size() != 1)
                return inputError("States of several layers or tokens cannot be handed over at once; choose one cell.");
            const PatchedCell& cell = m_reply.look.cells.front();
            return why::handedOverLogits(m_model, m_base, m_into, m_from, {cell.head.layer, cell.position}, control);
        }
        const why::PatchSet set = points();
        auto logits = why::patchedLogits(m_model, m_base, m_into, m_from, std::span(&set, 1), control);
        return logits.has_value() ? Result<at::Tensor>((*logits)[0]) : Result<at::Tensor>(logits.error());
    }

    // A head without a map is no failure: what the model says is known.
    Result<void> map(const Control& control)
    {
        const interventions::HeadRef& head = m_reply.look.head;
        const lm::MixerSpec* mixer = m_spec.layers[static_cast<std::size_t>(head.layer)].find(head.site);
        if (handsOver() || m_into.length() > kLongestMap || !mixer) {
            m_reply.noMap = handsOver() ? "A state that is handed over parts the run in two, so that no map of all "
                                          "tokens is made."
                                        : "No map is drawn for that number of tokens.";
            return {};
        }
        const why::Where where(head.layer, mixer->site());
        for (const auto& [set, matrix] :
             {std::pair(why::PatchSet(), &m_reply.before), std::pair(points(), &m_reply.after)}) {
            const auto made = why::patchedMatrix(m_model, m_base, m_into, m_from, set, where, head.head, control);
            if (!made.has_value()) {
                if (made.error().kind == Error::Kind::Cancelled)
                    return made.error();
                m_reply.noMap = made.error().message;
                return {};
            }
            *matrix = hostMatrix(*made);
        }
        return {};
    }

    const lm::Model& m_model;
    const lm::ModelSpec& m_spec;
    const text::Tokenizer& m_tokenizer;
    const lm::Edits& m_base;
    engine::PairRuns m_runs;
    PatchedRunReply& m_reply;
    const why::Recording &m_into, &m_from; ///< of m_runs
};

Result<PatchedRunReply> readPatchedRun(Models& models, const PatchedRunRequest& look, const Control& control)
{
    if (look.cells.empty())
        return inputError("Nothing is chosen to be put in; choose cells of the map.");
    PatchedRunRequest first = look; // more pairs would give one number each, and no output
    first.question.of.pairs = 1;
    const auto asked = pairedPrompts(models, first.question.of);
    if (!asked.has_value())
        return asked.error();
    auto runs = engine::recordPair(*asked->model->loaded.model, asked->base, asked->pairs.front(), {control.stop, {}});
    if (!runs.has_value())
        return runs.error();
    PatchedRunReply reply{.look = look, .over = asked->summary};
    reply.over.pairs = 1;
    reply.over.clean = runs->clean.difference(runs->metric);
    reply.over.corrupt = runs->corrupt.difference(runs->metric);
    reply.over.answer = engine::tokenText(*asked->model->tokenizer, runs->metric.answer);
    reply.over.distractor = engine::tokenText(*asked->model->tokenizer, runs->metric.distractor);
    reply.tokens = look.question.of.noise ? asked->summary.tokens : asked->summary.otherTokens;
    const auto looked = PatchPreviewJob(*asked, std::move(*runs), reply).look(control);
    return looked.has_value() ? Result<PatchedRunReply>(std::move(reply)) : Result<PatchedRunReply>(looked.error());
}

} // namespace

Job<PatchedRunReply> jobOf(const PatchedRunRequest& request)
{
    return inOneGo(engine::Urgency::Preview, readPatchedRun, request);
}

} // namespace headscope::app
