// SPDX-License-Identifier: GPL-3.0-or-later
// What weights say of heads, and what heads do on probe sequences. Worker thread only.

#include "core/why/headweights.h"
#include "app/backend/models.h"
#include "app/backend/values/weightvalues.h"
#include "app/backend/why/promptanalyses.h"
#include "app/workbench/prompt/prompt.h"
#include "core/engine/questions/probetexts.h"
#include "core/why/names.h"

#include <algorithm>
#include <array>

namespace headscope::app {

namespace {

using why::Composition;
using why::LayerFactors;

constexpr std::size_t kComposed = 200; // pairs that are told
constexpr int kDirections = 6, kTokens = 8;
constexpr std::array kKinds = {std::pair(Composition::Query, lm::kQuery), std::pair(Composition::Key, lm::kKey),
                               std::pair(Composition::Value, lm::kValue)};

HeadValue headValue(const lm::ModelSpec& spec, int layer, why::Site site, int head)
{
    const bool two = spec.layers[static_cast<std::size_t>(layer)].mixers.size() > 1;
    return {.head = {layer, two ? site : why::Site::Any, head}, .attention = site == why::Site::Attention};
}

/// One question to the weights of an open model.
class Weighing
{
public:
    Weighing(const Opened& model, const why::ModelFactors& factors, WeightsReply& reply)
        : m_model(*model.loaded.model), m_spec(model.spec()), m_tokenizer(*model.tokenizer), m_factors(factors),
          m_reply(reply)
    {
        const interventions::HeadRef& head = reply.question.head;
        for (const LayerFactors& layer : factors.layers)
            if (layer.layer == head.layer && (head.site == why::Site::Any || head.site == layer.site) && head.head >= 0
                && head.head < static_cast<int>(layer.heads.size()) && !m_layer) {
                m_layer = &layer;
                m_own = {layer.heads[static_cast<std::size_t>(head.head)]};
            }
    }

    // All at once: the product in the middle is one of the whole vocabulary.
    void addCopying()
    {
        std::vector<why::HeadFactors> heads;
        for (const LayerFactors& layer : m_factors.layers)
            for (std::size_t head = 0; head < layer.heads.size(); ++head) {
                const bool own = &layer == m_layer && static_cast<int>(head) == m_reply.question.head.head;
                if (!own && !m_reply.question.allCopying)
                    continue;
                heads.push_back(layer.heads[head]);
                m_reply.copying.push_back(headValue(m_spec, layer.layer, layer.site, static_cast<int>(head)));
            }
        const auto vocabulary = why::vocabularyMap(m_model);
        const std::vector<double> scores = why::copyingScores(*vocabulary, heads);
        for (std::size_t i = 0; i < scores.size(); ++i)
            m_reply.copying[i].value = scores[i];
    }

    void addComposed(const LayerFactors& other)
    {
        if (!m_layer || other.layer == m_layer->layer)
            return;
        const bool sends = other.layer < m_layer->layer; // to the head that is asked about
        const LayerFactors& receiver = sends ? *m_layer : other;
        for (const auto& [kind, part] : kKinds) {
            const auto scores = sends ? why::compositionScores(other.heads, m_own, kind)
                                      : why::compositionScores(m_own, other.heads, kind);
            if (!scores.has_value()) {
                addUndefined(scores.error().message);
                continue;
            }
            for (std::size_t i = 0; i < other.heads.size(); ++i) {
                const std::string name = why::headName(m_spec, other.layer, other.site, static_cast<int>(i));
                m_reply.composed.push_back({.sender = sends ? name : ownName(),
                                            .receiver = sends ? ownName() : name,
                                            .through = why::partName(receiver.kind, part),
                                            .value = sends ? (*scores)[i][0] : (*scores)[0][i]});
            }
        }
    }

    void sortComposed()
    {
        std::ranges::stable_sort(m_reply.composed, std::greater(), &ComposedHeads::value);
        m_reply.composed.resize(std::min(m_reply.composed.size(), kComposed));
        m_reply.random = why::randomComposition(m_model);
    }

    void addDirections()
    {
        if (!m_layer)
            return;
        for (const auto& [matrix, name] :
             {std::pair(why::HeadMatrix::OutputValue, "OV"), std::pair(why::HeadMatrix::QueryKey, "QK")}) {
            const auto found = why::singularDirections(m_model, m_own.front(), matrix, kDirections, kTokens);
            if (!found.has_value()) {
                addUndefined(found.error().message);
                continue;
            }
            for (const why::SingularDirection& one : *found)
                m_reply.directions.push_back(
                    {.matrix = name, .value = one.value, .read = texts(one.read), .write = texts(one.write)});
        }
    }

    /// Of the head that is asked about; as it was asked where its weights cannot be read so.
    [[nodiscard]] std::string ownName() const
    {
        const interventions::HeadRef& head = m_reply.question.head;
        return m_layer ? why::headName(m_spec, m_layer->layer, m_layer->site, head.head) : toText(head);
    }

    [[nodiscard]] WeighedModel weighed() const
    {
        WeighedModel weighed{.copying = {}, .composed = {}, .random = m_reply.random, .directions = {}};
        for (const HeadValue& one : m_reply.copying) {
            const why::Site site = one.attention ? why::Site::Attention : why::Site::Ssm;
            weighed.copying.emplace_back(why::headName(m_spec, one.head.layer, site, one.head.head), one.value);
        }
        for (const ComposedHeads& pair : m_reply.composed)
            weighed.composed.push_back({pair.sender, pair.receiver + "." + pair.through, pair.value});
        for (const HeadDirection& one : m_reply.directions)
            weighed.directions.push_back({ownName(), one.matrix, one.value, one.read, one.write});
        return weighed;
    }

private:
    void addUndefined(const std::string& sentence)
    {
        if (std::ranges::find(m_reply.undefined, sentence) == m_reply.undefined.end())
            m_reply.undefined.push_back(sentence);
    }
    [[nodiscard]] std::vector<std::pair<std::string, double>>
    texts(const std::vector<std::pair<int, double>>& ends) const
    {
        std::vector<std::pair<std::string, double>> named;
        for (const auto& [id, value] : ends)
            named.emplace_back(engine::tokenText(m_tokenizer, id), value);
        return named;
    }

    const lm::Model& m_model;
    const lm::ModelSpec& m_spec;
    const text::Tokenizer& m_tokenizer;
    const why::ModelFactors& m_factors;
    WeightsReply& m_reply;
    const LayerFactors* m_layer = nullptr; ///< of the head that is asked about; null: its weights cannot be read so
    std::vector<why::HeadFactors> m_own;   ///< of this head alone
};

Result<std::vector<why::RetrievalRow>> rowsOf(Models& models, const Opened& model, const std::string& task)
{
    if (task.empty())
        return std::vector<why::RetrievalRow>();
    const auto set = models.taskSet(task, &model);
    if (!set.has_value())
        return set.error();
    constexpr std::size_t kRows = 20; // each is a run of its own
    tasks::TaskSet some = **set;
    some.examples.resize(std::min(some.examples.size(), kRows));
    return engine::retrievalRows(some, {*model.tokenizer, startOf(model.startToken, originOf(some, 0))});
}

Result<WeightsReply> readWeights(Models& models, const WeightsQuestion& question, const Control& control)
{
    const auto model = models.opened(question.side);
    if (!model.has_value())
        return model.error();
    const auto factors = why::modelFactors(*(*model)->loaded.model, control);
    if (!factors.has_value())
        return factors.error();
    WeightsReply reply{
        .question = question, .record = {}, .modelHash = (*model)->summary.hash, .undefined = factors->undefined};
    Weighing weighing(**model, *factors, reply);
    weighing.addCopying();
    for (std::size_t i = 0; i < factors->layers.size(); ++i) {
        if (control.stopped())
            return cancelledError();
        weighing.addComposed(factors->layers[i]);
        control.progress("composing heads", static_cast<std::int64_t>(i + 1),
                         static_cast<std::int64_t>(factors->layers.size()));
    }
    weighing.sortComposed();
    weighing.addDirections();
    const interventions::InterventionSet none; // the model's own weights, whatever is ablated
    const std::string head = weighing.ownName();
    reply.record = std::make_shared<sessions::AnalysisRecord>(
        weightsRecord(questionState(**model, none),
                      {.copying = question.allCopying ? kAllHeads : head, .composed = head, .directions = {head}},
                      weighing.weighed()));
    return reply;
}

Result<ProbeReply> readProbes(Models& models, const ProbeQuestion& question, const Control& control)
{
    const auto model = models.opened(question.state.side);
    if (!model.has_value())
        return model.error();
    const auto base = lm::resolve(question.state.ablation, (*model)->spec(), (*model)->donors);
    if (!base.has_value())
        return base.error();
    why::RepeatedTokens tokens = engine::repeatedTokens(*(*model)->tokenizer, (*model)->spec(), question.seed);
    tokens.sequences = question.sequences;
    const auto sequences = why::repeatedSequences(*(*model)->loaded.model, tokens);
    if (!sequences.has_value())
        return sequences.error();
    const auto rows = rowsOf(models, **model, question.task);
    if (!rows.has_value())
        return rows.error();
    const auto heads = why::probeHeads(*(*model)->loaded.model, *base, *sequences, *rows, control);
    if (!heads.has_value())
        return heads.error();
    std::vector<std::string> methods{"induction", "previous", "duplicate", "sink"};
    if (!rows->empty())
        methods.emplace_back("retrieval");
    ProbeReply reply{
        .question = question,
        .record = std::make_shared<sessions::AnalysisRecord>(probeRecord(
            questionState(**model, question.state.ablation),
            {.sequences = *sequences, .rows = *rows, .seed = question.seed, .task = question.task, .methods = methods},
            *heads)),
        .modelHash = (*model)->summary.hash,
        .sequences = static_cast<int>(sequences->size()),
        .repeat = static_cast<int>((sequences->front().size() - 1) / 2),
        .rows = static_cast<int>(rows->size())};
    for (const why::HeadProbe& head : *heads)
        reply.heads.push_back({.head = headValue((*model)->spec(), head.layer, head.site, head.head),
                               .name = why::headName((*model)->spec(), head.layer, head.site, head.head),
                               .induction = head.repeat.induction,
                               .previous = head.repeat.previous,
                               .duplicate = head.repeat.duplicate,
                               .sink = head.repeat.sink,
                               .retrieval = head.retrieval});
    return reply;
}

} // namespace

Job<WeightsReply> jobOf(const WeightsQuestion& request)
{
    return inOneGo(engine::Urgency::Background, readWeights, request);
}

Job<ProbeReply> jobOf(const ProbeQuestion& request)
{
    return inOneGo(engine::Urgency::Background, readProbes, request);
}

} // namespace headscope::app
