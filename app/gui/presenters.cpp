// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/presenters.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::gui {

using interventions::HeadRef;
using interventions::Site;
using widgets::HeadKind;
using widgets::HeadSpan;

namespace {

struct Presenters {
    Q_DECLARE_TR_FUNCTIONS(Presenters)
};

int pairsOf(const QString& task)
{
    const qsizetype at = task.indexOf(QLatin1String("pairs="));
    return at < 0 ? 0 : task.mid(at + 6).toInt();
}

HeadKind kindOf(const app::MixerSummary& mixer)
{
    return mixer.channels ? HeadKind::Channels : mixer.attention ? HeadKind::Attention : HeadKind::Ssm;
}

const std::vector<app::MixerSummary>& mixersOf(const app::ModelSummary& model, int layer)
{
    return model.layers[static_cast<std::size_t>(layer)];
}

// The row of the map that a mixer has: rows follow layers, and mixers within a layer.
std::size_t rowOf(const app::ModelSummary& model, int layer, bool attention)
{
    std::size_t row = 0;
    for (int l = 0; l < layer; ++l)
        row += mixersOf(model, l).size();
    const auto& mixers = mixersOf(model, layer);
    for (std::size_t i = 0; i < mixers.size(); ++i)
        if (mixers[i].attention == attention)
            return row + i;
    return row;
}

const app::MixerSummary* mixerOf(const app::ModelSummary& model, int layer, Site site)
{
    if (layer < 0 || layer >= static_cast<int>(model.layers.size()))
        return nullptr;
    for (const app::MixerSummary& mixer : mixersOf(model, layer))
        if (site == Site::Any || mixer.attention == (site == Site::Attention))
            return &mixer;
    return nullptr;
}

QString pText(double p)
{
    if (p >= 0.001)
        return QStringLiteral("p = %1").arg(p, 0, 'f', 3);
    return p > 0 ? QStringLiteral("p = %1").arg(p, 0, 'e', 0) : QStringLiteral("p < 1e-300");
}

} // namespace

QString taskTitle(const QString& task)
{
    const int pairs = pairsOf(task);
    if (task.startsWith(QLatin1String("toy_kv")) || task.startsWith(QLatin1String("kv_retrieval")))
        return pairs > 0 ? Presenters::tr("KV-Retrieval n=%1").arg(pairs) : Presenters::tr("KV-Retrieval");
    if (task == QLatin1String("toy_mc"))
        return Presenters::tr("MC (4 options)");
    if (task == QLatin1String("toy_knowledge"))
        return Presenters::tr("knowledge");
    if (task == QLatin1String("mmlu"))
        return Presenters::tr("MMLU");
    if (task == QLatin1String("lambada_openai"))
        return Presenters::tr("LAMBADA");
    return task;
}

QString taskShortName(const QString& task)
{
    if (task.contains(QLatin1String("kv")))
        return QStringLiteral("KV%1").arg(pairsOf(task));
    if (task == QLatin1String("toy_mc"))
        return QStringLiteral("MC");
    return task.contains(QLatin1String("knowledge")) ? QStringLiteral("know") : taskTitle(task);
}

std::vector<widgets::HeadRow> headRows(const app::ModelSummary& model)
{
    std::vector<widgets::HeadRow> rows;
    for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
        for (const app::MixerSummary& mixer : model.layers[layer]) {
            widgets::HeadRow row{.layer = static_cast<int>(layer), .kind = kindOf(mixer), .heads = mixer.heads};
            row.block = mixer.channels ? std::max(1, mixer.heads / 32) : 1;
            row.shared = mixer.sharedBlock;
            if (mixer.sharedBlock >= 0)
                row.note = Presenters::tr("shared block %1").arg(mixer.sharedBlock);
            const int share = mixer.kvHeads > 0 && !mixer.channels ? mixer.heads / mixer.kvHeads : 1;
            if (share > 1)
                for (int head = 0; head < mixer.heads; ++head)
                    row.groups.append(mixer.attention ? Presenters::tr("kv head %1").arg(head / share)
                                                      : Presenters::tr("B/C group %1").arg(head / share));
            rows.push_back(row);
        }
    return rows;
}

HeadRef headRef(const app::ModelSummary& model, const HeadSpan& span, int offset)
{
    const bool two = mixersOf(model, span.layer).size() > 1;
    const Site site = !two ? Site::Any : span.kind == HeadKind::Attention ? Site::Attention : Site::Ssm;
    return {span.layer, site, span.first + offset};
}

std::string headName(const app::ModelSummary& model, const HeadSpan& span)
{
    std::string name = toText(headRef(model, span));
    if (span.kind == HeadKind::Channels)
        name[name.find_first_of("HS")] = 'C';
    return name;
}

HeadSpan headSpan(const app::ModelSummary& model, const HeadRef& head)
{
    const app::MixerSummary* mixer = mixerOf(model, head.layer, head.site);
    return {head.layer, mixer ? kindOf(*mixer) : HeadKind::Attention, head.head, 1};
}

QList<HeadSpan> offHeads(const app::ModelSummary& model, const interventions::InterventionSet& set)
{
    QList<HeadSpan> off;
    const auto whole = [&](int layer, Site site) {
        if (layer >= static_cast<int>(model.layers.size()))
            return;
        for (const app::MixerSummary& mixer : mixersOf(model, layer))
            if (site == Site::Any || mixer.attention == (site == Site::Attention))
                off.append({layer, kindOf(mixer), 0, mixer.heads});
    };
    for (const auto& item : set.items()) {
        if (const auto* edit = std::get_if<interventions::EditHead>(&item)) {
            const app::MixerSummary* mixer = mixerOf(model, edit->head.layer, edit->head.site);
            if (mixer && edit->head.head < 0)
                off.append({edit->head.layer, kindOf(*mixer), 0, mixer->heads});
            else if (mixer)
                off.append(headSpan(model, edit->head));
        } else if (const auto* keep = std::get_if<interventions::KeepHeads>(&item)) {
            const app::MixerSummary* mixer = mixerOf(model, keep->layer, keep->site);
            for (int head = 0; mixer && head < mixer->heads; ++head)
                if (!std::binary_search(keep->heads.begin(), keep->heads.end(), head))
                    off.append({keep->layer, kindOf(*mixer), head, 1});
        } else if (const auto* skip = std::get_if<interventions::SkipLayer>(&item)) {
            if (skip->part != interventions::LayerPart::Mlp)
                whole(skip->layer, skip->site);
        } else if (const auto* minimal = std::get_if<interventions::MinimalModel>(&item)) {
            for (int layer = minimal->lastLayer + 1; layer < static_cast<int>(model.layers.size()); ++layer)
                whole(layer, Site::Any);
        }
    }
    return off;
}

namespace {

struct MetricName {
    const char* id;
    const char* name;
    const char* title;
};

// core/analysis/patternscores.h says what each means.
constexpr MetricName kMetrics[] = {
    {"effect", QT_TRANSLATE_NOOP("Presenters", "effect on KV"),
     QT_TRANSLATE_NOOP("Presenters", "loss of KV-Retrieval when the head is off")},
    {"estimate", QT_TRANSLATE_NOOP("Presenters", "≈ estimated effect on KV (gradients)"),
     QT_TRANSLATE_NOOP("Presenters", "ESTIMATED loss of log odds, nothing removed")},
    {"gather", QT_TRANSLATE_NOOP("Presenters", "gather score"),
     QT_TRANSLATE_NOOP("Presenters", "gather score: what segments' last tokens take from their own segment")},
    {"aggregate", QT_TRANSLATE_NOOP("Presenters", "aggregate score"),
     QT_TRANSLATE_NOOP("Presenters", "aggregate score: what the last token takes from the ends of segments")},
    {"target", QT_TRANSLATE_NOOP("Presenters", "mass on the answer"),
     QT_TRANSLATE_NOOP("Presenters", "share of the last row on the right segment")},
    {"retrieval", QT_TRANSLATE_NOOP("Presenters", "retrieval score"),
     QT_TRANSLATE_NOOP("Presenters", "retrieval score: share of the needle's tokens that the head copies")},
    {"induction", QT_TRANSLATE_NOOP("Presenters", "induction score"),
     QT_TRANSLATE_NOOP("Presenters", "induction score: share on what followed the same token before")},
    {"previous", QT_TRANSLATE_NOOP("Presenters", "previous-token score"),
     QT_TRANSLATE_NOOP("Presenters", "share on the token before")},
    {"diagonal", QT_TRANSLATE_NOOP("Presenters", "diagonal mass"),
     QT_TRANSLATE_NOOP("Presenters", "share on the token itself")},
    {"entropy", QT_TRANSLATE_NOOP("Presenters", "entropy, last row"),
     QT_TRANSLATE_NOOP("Presenters", "entropy of the last row, nats")},
    {"effective", QT_TRANSLATE_NOOP("Presenters", "effective tokens"),
     QT_TRANSLATE_NOOP("Presenters", "effective tokens of the last row")},
    {"sink", QT_TRANSLATE_NOOP("Presenters", "sink mass"),
     QT_TRANSLATE_NOOP("Presenters", "share of the last row on the first token")},
    {"norm", QT_TRANSLATE_NOOP("Presenters", "output norm"),
     QT_TRANSLATE_NOOP("Presenters", "norm of the head's output at the last token")},
    {"distance", QT_TRANSLATE_NOOP("Presenters", "distance to baseline"),
     QT_TRANSLATE_NOOP("Presenters", "how far the pattern moved from the one with everything on")},
};

} // namespace

QList<std::pair<QString, QString>> headMetricChoices()
{
    QList<std::pair<QString, QString>> choices;
    for (const MetricName& metric : kMetrics)
        choices.append({QLatin1String(metric.id), Presenters::tr(metric.name)});
    return choices;
}

QString headMetricTitle(const QString& id)
{
    for (const MetricName& metric : kMetrics)
        if (id == QLatin1String(metric.id))
            return Presenters::tr(metric.title);
    return id;
}

widgets::HeadMetric headMetric(const app::ModelSummary& model, const QString& name, bool isSigned,
                               const std::vector<app::HeadValue>& heads, bool useDelta)
{
    constexpr double kLeastLoss = 0.05; // one example in twenty
    widgets::HeadMetric metric{.name = name, .isSigned = isSigned, .atLeast = useDelta && !isSigned ? kLeastLoss : 0};
    for (const auto& layer : model.layers)
        for (const app::MixerSummary& mixer : layer)
            metric.values.emplace_back(static_cast<std::size_t>(mixer.heads), std::numeric_limits<float>::quiet_NaN());
    for (const app::HeadValue& head : heads) {
        auto& row = metric.values[rowOf(model, head.layer, head.attention)];
        if (head.head < static_cast<int>(row.size()))
            row[static_cast<std::size_t>(head.head)] = static_cast<float>(useDelta ? -head.delta : head.value);
    }
    return metric;
}

widgets::ScoreboardRow scoreRow(const app::BenchmarkScore& line, bool follow, const QString& provenance)
{
    widgets::ScoreboardRow row;
    row.id = QString::fromStdString(line.task);
    row.name = taskTitle(row.id);
    row.metric = QString::fromStdString(line.metric);
    row.follow = follow;
    row.total = line.total;
    row.done = line.n;
    row.running = !line.final;
    row.lowerIsBetter = !line.higherIsBetter;
    row.provenance = provenance;
    row.unavailable = QString::fromStdString(line.problem);
    if (line.hasBaseline) {
        row.baseline = line.baseline;
        row.now = line.now;
        row.delta = line.delta;
        row.low = line.low;
        row.high = line.high;
        row.p = line.p;
    } else if (row.unavailable.isEmpty() && line.final && line.total > 0) {
        row.unavailable = Presenters::tr("no row could be scored");
    }
    return row;
}

widgets::Flip flipOf(const app::FlipRow& row, bool before, bool now)
{
    widgets::Flip flip{.exampleId = QString::number(row.sample),
                       .label = Presenters::tr("sample %1").arg(row.sample + 1),
                       .prompt = QString::fromStdString(row.prompt),
                       .kind = widgets::flipKind(before, now),
                       .choices = {}};
    const bool single = row.choices.size() == 1; // right means chosen
    for (std::size_t i = 0; i < row.choices.size(); ++i) {
        const int index = static_cast<int>(i);
        widgets::FlipChoice choice{.text = QString::fromStdString(row.choices[i])};
        if (i < row.logLikelihoodsBefore.size())
            choice.before = row.logLikelihoodsBefore[i];
        if (i < row.logLikelihoodsAfter.size())
            choice.after = row.logLikelihoodsAfter[i];
        choice.gold = single || row.gold == index;
        choice.chosenBefore = single ? before : row.before == index;
        choice.chosenAfter = single ? now : row.after == index;
        flip.choices.push_back(choice);
    }
    return flip;
}

std::vector<widgets::Flip> flips(const std::vector<app::FlipRow>& rows)
{
    std::vector<widgets::Flip> out;
    for (const app::FlipRow& row : rows)
        out.push_back(flipOf(row, row.broken, !row.broken));
    return out;
}

QString verdictSentence(const QString& side, const QString& ablation, const std::vector<app::BenchmarkScore>& lines)
{
    QStringList moved, kept;
    for (const app::BenchmarkScore& line : lines) {
        if (!line.hasNow)
            continue;
        const QString title = taskTitle(QString::fromStdString(line.task));
        const QString numbers = QStringLiteral("%1 → %2").arg(line.baseline, 0, 'f', 2).arg(line.now, 0, 'f', 2);
        if (line.p >= 0.05) {
            kept.append(QStringLiteral("%1 (%2)").arg(title, numbers));
            continue;
        }
        const bool worse = line.higherIsBetter ? line.delta < 0 : line.delta > 0;
        const bool toChance = worse && line.higherIsBetter && line.now <= line.chance + 0.05;
        const QString verb = toChance ? Presenters::tr("fell to chance")
                             : worse  ? Presenters::tr("got worse")
                                      : Presenters::tr("got better");
        moved.append(QStringLiteral("%1 %2 (%3, %4)").arg(title, verb, numbers, pText(line.p)));
    }
    if (moved.size() > 2)
        moved = {moved.first(), Presenters::tr("%1 more moved").arg(moved.size() - 1)};
    QStringList parts;
    if (!moved.isEmpty())
        parts.append(moved.join(QStringLiteral(", ")));
    if (moved.isEmpty() && kept.size() > 1)
        parts.append(Presenters::tr("none of the %1 benchmarks moved").arg(kept.size()));
    else if (!kept.isEmpty())
        parts.append(Presenters::tr("%1 did not move").arg(kept.join(QStringLiteral(", "))));
    return QStringLiteral("%1: %2 — %3.").arg(side, ablation, parts.join(QStringLiteral("; ")));
}

QString scoreSummary(const std::vector<app::BenchmarkScore>& lines)
{
    QStringList parts;
    for (const app::BenchmarkScore& line : lines)
        if (line.hasNow)
            parts.append(
                QStringLiteral("%1 %2").arg(taskShortName(QString::fromStdString(line.task))).arg(line.now, 0, 'f', 2));
    return parts.join(QStringLiteral("  "));
}

QString stateName(const interventions::InterventionSet& set)
{
    if (set.empty())
        return Presenters::tr("baseline");
    const QString text = QString::fromStdString(set.canonical());
    const bool onlyHeads = std::all_of(set.items().begin(), set.items().end(), [](const auto& item) {
        const auto* edit = std::get_if<interventions::EditHead>(&item);
        return edit && edit->replacement == interventions::Replacement::Zero && !edit->lastOnly;
    });
    return onlyHeads ? Presenters::tr("%1 off").arg(text) : text;
}

} // namespace headscope::gui
