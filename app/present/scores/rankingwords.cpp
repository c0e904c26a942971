// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/rankingwords.h"

#include "app/present/heads/headspans.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>
#include <QMap>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <functional>

namespace headscope::gui {

namespace {

struct RankingWords {
    Q_DECLARE_TR_FUNCTIONS(RankingWords)
};

constexpr double kLevel = 0.05;
constexpr int kNamed = 6;
constexpr int kFirstNamed = 3; // of one prompt

QString named(const QStringList& heads)
{
    const QString some = heads.mid(0, kNamed).join(QStringLiteral(", "));
    return heads.size() <= kNamed ? some : RankingWords::tr("%1 and %2 more").arg(some).arg(heads.size() - kNamed);
}

} // namespace

QString certaintyText(const app::HeadValue& head)
{
    return RankingWords::tr("n = %1 · p = %2, %3 by Holm, %4 by Benjamini-Hochberg")
        .arg(head.n)
        .arg(widgets::pText(head.p), widgets::pText(head.holm), widgets::pText(head.falseDiscovery));
}

QString rankingSentence(const QString& side, const app::ModelSummary& model, const std::vector<app::HeadValue>& heads)
{
    std::vector<app::HeadValue> sorted = heads;
    std::ranges::stable_sort(sorted, {}, &app::HeadValue::delta);
    QStringList sure;
    int tested = 0, discovered = 0;
    QMap<int, QStringList> groups;
    for (const app::HeadValue& head : sorted) {
        if (std::isnan(head.p))
            continue;
        ++tested;
        const QString name = QString::fromStdString(headName(model, head.head));
        if (head.holm < kLevel)
            sure.append(name);
        discovered += head.falseDiscovery < kLevel ? 1 : 0;
        if (head.group >= 0)
            groups[head.group].append(name);
    }
    if (tested == 0)
        return {};
    QStringList sentences;
    sentences << (sure.isEmpty()
                      ? RankingWords::tr("%1: no head of %2 changes the score (Holm, 5 %).").arg(side).arg(tested)
                      : RankingWords::tr("%1: %2 of %3 heads change the score (Holm, 5 %): %4.")
                            .arg(side)
                            .arg(sure.size())
                            .arg(tested)
                            .arg(named(sure)));
    if (discovered != sure.size())
        sentences << RankingWords::tr("By Benjamini-Hochberg %1.").arg(discovered);
    QStringList alike;
    for (const QStringList& group : std::as_const(groups))
        if (group.size() > 1)
            alike << named(group);
    if (!alike.isEmpty())
        sentences << RankingWords::tr("Not distinguishable: %1.").arg(alike.join(QStringLiteral("; ")));
    return sentences.join(QLatin1Char(' '));
}

QString promptRankingSentence(const QString& side, const app::ModelSummary& model, std::vector<app::HeadValue> heads)
{
    std::erase_if(heads, [](const app::HeadValue& head) { return head.estimate || !(head.value > 0); });
    std::ranges::stable_sort(heads, std::greater(), &app::HeadValue::value);
    QStringList first;
    for (const app::HeadValue& head : heads)
        if (first.size() < kFirstNamed)
            first.append(QStringLiteral("%1 (%2)").arg(QString::fromStdString(headName(model, head.head)),
                                                       widgets::compactText(head.value)));
    return first.isEmpty() ? QString()
                           : RankingWords::tr("%1, on this prompt: the answer depends most on %2 (logits lost without "
                                              "the head).")
                                 .arg(side, first.join(QStringLiteral(", ")));
}

} // namespace headscope::gui
