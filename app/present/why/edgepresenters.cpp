// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/edgepresenters.h"

#include "app/present/text.h"
#include "app/present/why/pairpresenters.h"
#include "app/state/modelheads.h"
#include "core/base/csv.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace headscope::gui {

namespace {

struct EdgePresenters {
    Q_DECLARE_TR_FUNCTIONS(EdgePresenters)
};

using app::CircuitPart;
using PartKind = CircuitPart::Kind;

constexpr std::size_t kEdgesNamed = 2; // edges that a sentence names, into the part and from it

int headsOf(const app::ModelSummary& model, int layer)
{
    int heads = 0;
    for (const app::MixerSummary& mixer : model.layers[static_cast<std::size_t>(layer)])
        heads += mixer.heads;
    return heads;
}

// Heads from the left, attention before SSM as the layer has them; the MLP behind them.
widgets::GraphPart graphPart(const CircuitPart& part, const std::string& name, const app::ModelSummary& model)
{
    const int layers = static_cast<int>(model.layers.size());
    switch (part.kind) {
    case PartKind::Embedding: return {text(name), 0, -1};
    case PartKind::Logits: return {text(name), layers + 1, -1};
    case PartKind::Mlp: return {text(name), part.head.layer + 1, headsOf(model, part.head.layer)};
    case PartKind::Head: break;
    }
    int column = part.head.head;
    const bool attention = siteOf(model, part.head) == interventions::Site::Attention;
    for (const app::MixerSummary& mixer : model.layers[static_cast<std::size_t>(part.head.layer)]) {
        if (mixer.attention == attention)
            break;
        column += mixer.heads;
    }
    return {text(name), part.head.layer + 1, column};
}

widgets::GraphEdge graphEdge(const app::FoundEdge& edge)
{
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {.from = 0,
            .to = 0,
            .through = text(edge.reads),
            .share = edge.share.value,
            .low = edge.share.interval ? edge.share.interval->low : none,
            .high = edge.share.interval ? edge.share.interval->high : none,
            .change = edge.change.value};
}

std::string receiverOf(const app::FoundEdge& edge)
{
    return edge.reads.empty() ? edge.toName : edge.toName + "." + edge.reads;
}

// The strongest edges into the part, "L1H2 (k) 0.93; ...", or from it, "L3.mlp 0.39; ...".
QString strongest(const app::EdgeReply& reply, bool into)
{
    std::vector<const app::FoundEdge*> most;
    for (const app::FoundEdge& edge : reply.edges)
        if (std::isfinite(edge.share.value) && ((into ? edge.toName : edge.fromName) == reply.name))
            most.push_back(&edge);
    std::ranges::stable_sort(most, std::greater(),
                             [](const app::FoundEdge* edge) { return std::abs(edge->share.value); });
    most.resize(std::min(most.size(), kEdgesNamed));
    QStringList names;
    for (const app::FoundEdge* edge : most) {
        const QString share = QString::number(edge->share.value, 'f', 2).replace(u'-', u'−');
        names.append(!into                 ? text(receiverOf(*edge)) + u' ' + share
                     : edge->reads.empty() ? text(edge->fromName) + u' ' + share
                                           : text(edge->fromName + " (" + edge->reads + ") ") + share);
    }
    return names.join(QStringLiteral("; "));
}

} // namespace

widgets::EdgeData edgeData(const app::EdgeReply& reply, const app::ModelSummary& model)
{
    widgets::EdgeData data;
    data.pair = promptPair(reply.over);
    data.rows.append(QString());
    data.cells.push_back(0);
    for (int layer = 0; layer < static_cast<int>(model.layers.size()); ++layer) {
        data.rows.append(QStringLiteral("L%1").arg(layer));
        data.cells.push_back(headsOf(model, layer));
    }
    data.rows.append(QString());
    data.cells.push_back(0);
    std::map<std::string, int> known;
    const auto place = [&](const CircuitPart& part, const std::string& name) {
        const auto [found, fresh] = known.try_emplace(name, static_cast<int>(data.parts.size()));
        if (fresh) {
            data.parts.push_back(graphPart(part, name, model));
            if (part.kind == PartKind::Mlp) // a layer has the cell that its MLP is seen in
                data.cells[static_cast<std::size_t>(part.head.layer) + 1] = headsOf(model, part.head.layer) + 1;
        }
        return found->second;
    };
    data.asked = place(reply.question.part, reply.name);
    for (const app::FoundEdge& edge : reply.edges) {
        widgets::GraphEdge drawn = graphEdge(edge);
        drawn.from = place(edge.from, edge.fromName);
        drawn.to = place(edge.to, edge.toName);
        data.edges.push_back(drawn);
    }
    std::ranges::stable_sort(data.edges, std::greater(),
                             [](const widgets::GraphEdge& edge) { return std::abs(edge.share); });
    return data;
}

QString edgeSentence(const app::EdgeReply& reply)
{
    if (reply.edges.empty())
        return {};
    QString sentence =
        pairSentence(reply.question.of.noise ? EdgePresenters::tr("Noise: one edge at a time from the other run")
                                             : EdgePresenters::tr("Denoise: one edge at a time into the other run"),
                     reply.over);
    if (const QString feeding = strongest(reply, true); !feeding.isEmpty())
        sentence += u' ' + EdgePresenters::tr("Strongest into %1: %2.").arg(text(reply.name), feeding);
    if (const QString listening = strongest(reply, false); !listening.isEmpty())
        sentence += u' ' + EdgePresenters::tr("Strongest from it: %1.").arg(listening);
    if (reply.silent && reply.question.around != app::EdgesAround::Feeding)
        sentence += u' ' + EdgePresenters::tr("It writes nothing into the stream itself, so no part reads it.");
    if (reply.question.part.kind == PartKind::Head && reply.question.part.head.layer == 0
        && reply.question.around != app::EdgesAround::Listening)
        sentence += u' ' + EdgePresenters::tr("Only the embedding writes before a head of the first layer.");
    return sentence + leftOutSentence(reply.over);
}

std::string edgeCsv(const app::EdgeReply& reply)
{
    std::string csv = "sender,receiver,change,share,low,high,pairs,clean,corrupt,answer,distractor\n";
    for (const app::FoundEdge& edge : reply.edges) {
        csv += csvCell(edge.fromName) + ',' + csvCell(receiverOf(edge));
        for (const double value : {edge.change.value, edge.share.value})
            csv += ',' + QString::number(value, 'g', 9).toStdString();
        for (const bool high : {false, true})
            csv += ','
                   + (edge.share.interval
                          ? QString::number(high ? edge.share.interval->high : edge.share.interval->low, 'g', 9)
                                .toStdString()
                          : std::string());
        csv += ',' + std::to_string(reply.over.pairs);
        const app::NamedPair first = reply.over.named.empty() ? app::NamedPair() : reply.over.named.front();
        for (const std::string* words : {&first.clean, &first.corrupt, &first.answer, &first.distractor})
            csv += ',' + csvCell(*words);
        csv += '\n';
    }
    return csv;
}

Result<CircuitPart> circuitPart(const QString& name, const app::ModelSummary& model)
{
    if (name == QLatin1String("embed"))
        return CircuitPart{PartKind::Embedding, {}};
    if (name == QLatin1String("logits"))
        return CircuitPart{PartKind::Logits, {}};
    static const QRegularExpression mlp(QStringLiteral("^L(\\d{1,4})\\.mlp$"));
    if (const auto match = mlp.match(name); match.hasMatch())
        if (const int layer = match.captured(1).toInt(); layer < static_cast<int>(model.layers.size()))
            return CircuitPart{PartKind::Mlp, {layer, interventions::Site::Any, 0}};
    const auto head = interventions::parseHead(name.toStdString());
    if (head.has_value() && mixerOf(model, *head))
        return CircuitPart{PartKind::Head, siteNamed(model, *head)};
    return inputError(EdgePresenters::tr("There is no part “%1” in this model; expected a head such as %2, an MLP such "
                                         "as L0.mlp, embed or logits.")
                          .arg(name.left(40), QStringLiteral("L0H0"))
                          .toStdString());
}

} // namespace headscope::gui
