// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/weightpresenters.h"

#include "app/present/heads/headgrid.h"
#include "app/present/heads/headspans.h"
#include "app/present/scores/tasknames.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::gui {

namespace {

struct WeightPresenters {
    Q_DECLARE_TR_FUNCTIONS(WeightPresenters)
};

struct Method {
    const char* id;
    const char* name;    ///< of the column and the label
    const char* letters; ///< in the cells of the map, in every language
};

constexpr Method kMethods[] = {
    {"induction", QT_TRANSLATE_NOOP("WeightPresenters", "induction"), "In"},
    {"previous", QT_TRANSLATE_NOOP("WeightPresenters", "previous token"), "Pr"},
    {"duplicate", QT_TRANSLATE_NOOP("WeightPresenters", "duplicate token"), "Du"},
    {"sink", QT_TRANSLATE_NOOP("WeightPresenters", "sink"), "Si"},
    {"retrieval", QT_TRANSLATE_NOOP("WeightPresenters", "retrieval"), "Re"},
};

QString endText(const std::vector<std::pair<std::string, double>>& ends)
{
    QStringList words;
    for (const auto& [token, product] : ends)
        words.append(widgets::tokenLabel(text(token)));
    return words.join(QLatin1Char(' '));
}

/// The highest score that reaches the threshold; null: none does.
const Method* labelOf(const app::ProbedHead& head, double threshold)
{
    const Method* label = nullptr;
    double best = threshold;
    for (const Method& method : kMethods)
        if (const double score = probeScore(head, QLatin1String(method.id)); score >= best) {
            best = score;
            label = &method;
        }
    return label;
}

} // namespace

widgets::WeightsData weightsData(const app::WeightsReply& reply, const std::shared_ptr<const app::ModelSummary>& model)
{
    widgets::WeightsData data{
        .copying = headGrid(model, WeightPresenters::tr("copying"), reply.copying, 1, widgets::GridScale::Signed),
        .copies = {.columns = {WeightPresenters::tr("head"), WeightPresenters::tr("copying")}, .rows = {}, .of = {}},
        .pairs = {.columns = {WeightPresenters::tr("sender"), WeightPresenters::tr("receiver"),
                              WeightPresenters::tr("through"), WeightPresenters::tr("composition"),
                              WeightPresenters::tr("above random")},
                  .rows = {},
                  .of = {}},
        .directions = {.columns = {WeightPresenters::tr("matrix"), WeightPresenters::tr("singular value"),
                                   WeightPresenters::tr("reads"), WeightPresenters::tr("writes")},
                       .rows = {},
                       .of = {}}};
    std::vector<app::HeadValue> copying = reply.copying;
    std::ranges::stable_sort(copying, std::greater(), [](const app::HeadValue& head) { return std::abs(head.value); });
    for (const app::HeadValue& head : copying)
        data.copies.rows.push_back({text(headName(*model, head.head)), head.value});
    const std::string own = headName(*model, reply.question.head);
    std::map<std::string, std::vector<app::HeadValue>> through; // the other heads, by what the receiver reads through
    for (const app::ComposedHeads& pair : reply.composed) {
        data.pairs.rows.push_back(
            {text(pair.sender), text(pair.receiver), text(pair.through), pair.value, pair.value - reply.random});
        if (const auto other = interventions::parseHead(pair.sender == own ? pair.receiver : pair.sender);
            other.has_value())
            through[pair.through].push_back(
                {.head = siteNamed(*model, *other), .attention = true, .value = pair.value});
    }
    for (const auto& [part, heads] : through) {
        const QString title = WeightPresenters::tr("composition with %1 through %2").arg(text(own), text(part));
        data.parts.append(WeightPresenters::tr("through %1").arg(text(part)));
        data.composed.push_back(headGrid(model, title, heads, reply.composed.front().value));
    }
    for (const app::HeadDirection& one : reply.directions)
        data.directions.rows.push_back({text(one.matrix), one.value, endText(one.read), endText(one.write)});
    return data;
}

QString weightsSentence(const app::WeightsReply& reply, const app::ModelSummary& model)
{
    const QString head = text(headName(model, reply.question.head));
    QString sentence =
        reply.composed.empty()
            ? WeightPresenters::tr("No other head composes with %1.").arg(head)
            : WeightPresenters::tr("Strongest with %1: %2 into %3 through %4, %5; random matrices of "
                                   "this width give %6.")
                  .arg(head, text(reply.composed.front().sender), text(reply.composed.front().receiver),
                       text(reply.composed.front().through), widgets::numberText(reply.composed.front().value, 3),
                       widgets::numberText(reply.random, 3));
    for (const std::string& why : reply.undefined)
        sentence += u' ' + text(why);
    return sentence;
}

double probeScore(const app::ProbedHead& head, const QString& method)
{
    return method == QLatin1String("induction")   ? head.induction
           : method == QLatin1String("previous")  ? head.previous
           : method == QLatin1String("duplicate") ? head.duplicate
           : method == QLatin1String("sink")      ? head.sink
                                                  : head.retrieval;
}

QStringList probeMethods(const app::ProbeReply& reply)
{
    QStringList methods;
    for (const Method& method : kMethods)
        if (reply.rows > 0 || QLatin1String(method.id) != QLatin1String("retrieval"))
            methods.append(QLatin1String(method.id));
    return methods;
}

widgets::Numbers probeNumbers(const app::ProbeReply& reply, double threshold)
{
    const QStringList methods = probeMethods(reply);
    widgets::Numbers numbers{.columns = {WeightPresenters::tr("head")}, .rows = {}, .of = {}};
    for (const QString& id : methods)
        numbers.columns.append(probeName(id));
    numbers.columns.append(WeightPresenters::tr("label"));
    for (const app::ProbedHead& head : reply.heads) {
        QVariantList row{text(head.name)};
        for (const QString& method : methods)
            row.append(probeScore(head, method));
        const Method* label = labelOf(head, threshold);
        row.append(label ? WeightPresenters::tr(label->name) : QString());
        numbers.rows.push_back(row);
    }
    return numbers;
}

QString probeName(const QString& method)
{
    const auto known = std::ranges::find(kMethods, method, [](const Method& each) { return QLatin1String(each.id); });
    return known == std::end(kMethods) ? method : WeightPresenters::tr(known->name);
}

std::vector<app::HeadValue> probeValues(const app::ProbeReply& reply, const QString& method)
{
    std::vector<app::HeadValue> values;
    for (const app::ProbedHead& head : reply.heads) {
        values.push_back(head.head);
        values.back().value = probeScore(head, method);
    }
    return values;
}

QList<widgets::HeadTag> probeTags(const app::ProbeReply& reply, const app::ModelSummary& model, double threshold)
{
    QList<widgets::HeadTag> tags;
    for (const app::ProbedHead& head : reply.heads)
        if (const Method* label = labelOf(head, threshold))
            tags.append({headSpan(model, head.head.head), QLatin1String(label->letters),
                         WeightPresenters::tr("%1 %2 (a label from %3 on)")
                             .arg(WeightPresenters::tr(label->name),
                                  widgets::numberText(probeScore(head, QLatin1String(label->id))),
                                  widgets::numberText(threshold))});
    return tags;
}

QString probeSentence(const app::ProbeReply& reply, double threshold)
{
    std::map<QString, int> counts; // by what the map writes, and what it means
    for (const app::ProbedHead& head : reply.heads)
        if (const Method* label = labelOf(head, threshold))
            ++counts[QStringLiteral("%1 = %2").arg(QLatin1String(label->letters), WeightPresenters::tr(label->name))];
    QStringList labels;
    for (const auto& [name, count] : counts)
        labels.append(QStringLiteral("%1: %2").arg(name).arg(count));
    return WeightPresenters::tr("%1 sequences: a start token, then %2 random tokens, twice; seed %3; %4.")
               .arg(reply.sequences)
               .arg(reply.repeat)
               .arg(reply.question.seed)
               .arg(reply.rows > 0 ? WeightPresenters::tr("%1 rows of %2 for retrieval")
                                         .arg(reply.rows)
                                         .arg(taskTitle(text(reply.question.task)))
                                   : WeightPresenters::tr("no rows for retrieval"))
           + u' '
           + (labels.isEmpty() ? WeightPresenters::tr("No head reaches %1.").arg(widgets::numberText(threshold))
                               : WeightPresenters::tr("Heads from %1 on, in the map: %2.")
                                     .arg(widgets::numberText(threshold), labels.join(QStringLiteral(", "))));
}

} // namespace headscope::gui
