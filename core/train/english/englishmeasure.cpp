// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/english/englishmeasure.h"

#include "core/tasks/english/english.h"
#include "core/train/printedtext.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace headscope::train {

namespace {

constexpr std::size_t kTogether = 32; ///< texts in one forward pass

} // namespace

NamedScores EnglishScores::named() const
{
    return {{"KV4", accuracy[Kv4]},
            {"KV8", accuracy[Kv8]},
            {"KV16", accuracy[Kv16]},
            {"plain KV8", accuracy[Plain8]},
            {"letters", accuracy[PassageMc]},
            {"names", accuracy[Ioi]},
            {"induction", accuracy[Induction]},
            {"facts", accuracy[Facts]},
            {"prose nats", prose}};
}

EnglishTests::EnglishTests(std::shared_ptr<const EnglishMaterial> material, int proseRow, int prompts,
                           std::int64_t proseTokens)
    : m_material(std::move(material)), m_proseRow(proseRow)
{
    for (std::size_t task = 0; task < kEnglishTasks.size(); ++task)
        m_prompts[task] = this->prompts(kEnglishTasks[task], task == Facts ? 0 : prompts);
    const std::int64_t tokens = std::min(proseTokens, static_cast<std::int64_t>(m_material->heldOut.size()));
    m_prose.assign(m_material->heldOut.begin(), m_material->heldOut.begin() + tokens / proseRow * proseRow);
}

std::vector<EnglishTests::Prompt> EnglishTests::prompts(const char* task, int limit) const
{
    std::vector<Prompt> out;
    const std::vector<tasks::Example> examples =
        tasks::englishExamples(task, m_material->benchmarkWords, limit).value();
    for (const tasks::Example& example : examples) {
        const text::Encoding context = m_material->tokenizer->encode(example.context, false).value();
        const text::Encoding answer = m_material->tokenizer->encode(example.continuations.front(), false).value();
        Prompt& prompt = out.emplace_back();
        prompt.ids = {kStart};
        prompt.ids.insert(prompt.ids.end(), context.ids.begin(), context.ids.end());
        prompt.answer = prompt.ids.size();
        prompt.ids.insert(prompt.ids.end(), answer.ids.begin(), answer.ids.end());
        for (const tasks::Segment& segment : example.segments) {
            if (!segment.target || segment.role != Role::Value)
                continue;
            for (std::size_t i = 0; i < context.offsets.size(); ++i) {
                const bool inside = context.offsets[i].second > segment.begin && context.offsets[i].first < segment.end;
                if (inside && prompt.sourceEnd == 0)
                    prompt.sourceBegin = i + 1; // behind the start token
                if (inside)
                    prompt.sourceEnd = i + 2;
            }
        }
    }
    return out;
}

double EnglishTests::accuracy(const Network& network, const HeadScales& scales, EnglishCell cell) const
{
    return accuracy(network, scales, m_prompts[cell]);
}

double EnglishTests::longDictionaries(const Network& network, std::size_t size, int prompts) const
{
    return accuracy(network, fullScales(network), this->prompts(kLongDictionaries[size], prompts));
}

double EnglishTests::accuracy(const Network& network, const HeadScales& scales, const std::vector<Prompt>& all)
{
    const c10::NoGradGuard noGradients;
    const std::vector<at::Tensor> factors = toTensors(scales, network.device());
    std::size_t right = 0;
    for (std::size_t begin = 0; begin < all.size(); begin += kTogether) {
        const std::size_t end = std::min(all.size(), begin + kTogether);
        std::size_t length = 0;
        for (std::size_t i = begin; i < end; ++i)
            length = std::max(length, all[i].ids.size());
        // What stands behind a text cannot be seen from it.
        std::vector<std::int64_t> ids((end - begin) * length, 0), flat;
        for (std::size_t i = begin; i < end; ++i) {
            std::copy(all[i].ids.begin(), all[i].ids.end(),
                      ids.begin() + static_cast<std::ptrdiff_t>((i - begin) * length));
            for (std::size_t k = all[i].answer; k < all[i].ids.size(); ++k)
                flat.push_back(static_cast<std::int64_t>((i - begin) * length + k - 1));
        }
        const at::Tensor rows = toTensor(flat, {static_cast<std::int64_t>(flat.size())}, network.device());
        const at::Tensor texts = toTensor(
            ids, {static_cast<std::int64_t>(end - begin), static_cast<std::int64_t>(length)}, network.device());
        const at::Tensor greedy =
            network.logits(texts, {.headScale = factors, .flat = rows}).argmax(-1).cpu().contiguous();
        const std::int64_t* found = greedy.data_ptr<std::int64_t>();
        for (std::size_t i = begin; i < end; ++i) {
            bool same = true;
            for (std::size_t k = all[i].answer; k < all[i].ids.size(); ++k)
                same = (*found++ == all[i].ids[k]) && same;
            right += same ? 1 : 0;
        }
    }
    return static_cast<double>(right) / static_cast<double>(all.size());
}

double EnglishTests::prose(const Network& network, const HeadScales& scales) const
{
    const c10::NoGradGuard noGradients;
    const std::vector<at::Tensor> factors = toTensors(scales, network.device());
    const std::int64_t rows = static_cast<std::int64_t>(m_prose.size()) / m_proseRow;
    const at::Tensor all = toTensor(m_prose, {rows, m_proseRow}, network.device());
    double sum = 0;
    for (std::int64_t begin = 0; begin < rows; begin += kTogether) {
        const at::Tensor ids = all.narrow(0, begin, std::min<std::int64_t>(kTogether, rows - begin));
        const at::Tensor logits = network.logits(ids, {.headScale = factors}).narrow(1, 0, m_proseRow - 1);
        sum += at::cross_entropy_loss(logits.flatten(0, 1), ids.narrow(1, 1, m_proseRow - 1).flatten()).item<double>()
               * static_cast<double>(ids.size(0));
    }
    return rows > 0 ? sum / static_cast<double>(rows) : 0.0;
}

EnglishScores EnglishTests::evaluate(const Network& network, const HeadScales& scales) const
{
    EnglishScores scores;
    for (std::size_t cell = 0; cell < kEnglishTasks.size(); ++cell)
        scores.accuracy[cell] = accuracy(network, scales, static_cast<EnglishCell>(cell));
    scores.prose = prose(network, scales);
    return scores;
}

std::vector<HeadBehaviour> EnglishTests::behaviours(const Network& network) const
{
    const c10::NoGradGuard noGradients;
    const auto heads = static_cast<std::size_t>(network.shape().heads);
    std::vector<HeadBehaviour> all;
    for (int layer = 0; layer < network.layerCount(); ++layer)
        for (int head = 0; head < network.shape().heads; ++head)
            all.push_back({.head = {layer, head}});
    const std::vector<Prompt>& prompts = m_prompts[Kv8];
    for (const Prompt& prompt : prompts) {
        const auto length = static_cast<std::int64_t>(prompt.answer);
        const at::Tensor ids =
            toTensor(prompt.ids, {1, static_cast<std::int64_t>(prompt.ids.size())}, network.device());
        std::vector<at::Tensor> patterns;
        const at::Tensor unused = network.logits(ids.narrow(1, 0, length), {.patterns = &patterns});
        for (std::size_t layer = 0; layer < patterns.size(); ++layer) {
            const at::Tensor last = patterns[layer][0].select(1, length - 1); // [H, T]
            const auto begin = static_cast<std::int64_t>(prompt.sourceBegin);
            const auto end = static_cast<std::int64_t>(prompt.sourceEnd);
            const at::Tensor mass = last.narrow(1, begin, end - begin).sum(-1);
            const at::Tensor most = last.argmax(-1);
            const at::Tensor hit = at::logical_and(most.ge(begin), most.lt(end));
            const at::Tensor entropy = -(last * (last + 1e-30).log()).sum(-1);
            for (std::size_t head = 0; head < heads; ++head) {
                HeadBehaviour& b = all[layer * heads + head];
                const auto h = static_cast<std::int64_t>(head);
                const auto share = 1.0 / static_cast<double>(prompts.size());
                b.massOnTarget += mass[h].item<double>() * share;
                b.argMaxOnTarget += (hit[h].item<bool>() ? 1.0 : 0.0) * share;
                b.entropy += entropy[h].item<double>() * share;
            }
        }
    }
    return all;
}

} // namespace headscope::train
