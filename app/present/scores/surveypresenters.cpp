// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/surveypresenters.h"

#include "app/present/heads/headmarks.h"
#include "app/present/heads/headspans.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"
#include "core/analysis/statistics.h"
#include "core/survey/texts/filter.h"
#include "core/text/tokenwords.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace headscope::gui {

namespace {

struct SurveyPresenters {
    Q_DECLARE_TR_FUNCTIONS(SurveyPresenters)
};

using widgets::signedText;

struct GroupName {
    const char* id;
    const char* name;
};

// core/survey/loss.h says what each means.
constexpr GroupName kGroups[] = {
    {"all", QT_TRANSLATE_NOOP("SurveyPresenters", "all tokens")},
    {"new", QT_TRANSLATE_NOOP("SurveyPresenters", "new in the text")},
    {"repeated", QT_TRANSLATE_NOOP("SurveyPresenters", "seen before, after another token")},
    {"continued", QT_TRANSLATE_NOOP("SurveyPresenters", "seen before, after the same token")},
    {"early", QT_TRANSLATE_NOOP("SurveyPresenters", "position below 16")},
    {"middle", QT_TRANSLATE_NOOP("SurveyPresenters", "position 16 to 63")},
    {"late", QT_TRANSLATE_NOOP("SurveyPresenters", "position from 64 on")},
    {"frequent", QT_TRANSLATE_NOOP("SurveyPresenters", "the 10 most frequent")},
    {"usual", QT_TRANSLATE_NOOP("SurveyPresenters", "the next 90")},
    {"rare", QT_TRANSLATE_NOOP("SurveyPresenters", "less frequent ones")},
};

QString groupName(const std::string& id)
{
    for (const GroupName& group : kGroups)
        if (id == group.id)
            return SurveyPresenters::tr(group.name);
    return text(id);
}

const app::GroupLoss* groupIn(const app::HeadFacts& head, const char* id)
{
    const auto found = std::ranges::find(head.losses, id, &app::GroupLoss::tokens);
    return found == head.losses.end() ? nullptr : &*found;
}

QString changeText(const app::GroupLoss* group)
{
    if (!group)
        return QStringLiteral("–");
    QString change = signedText(group->change, 3);
    if (group->interval && group->interval->known())
        change +=
            QStringLiteral(" [%1, %2]").arg(signedText(group->interval->low, 3), signedText(group->interval->high, 3));
    return change;
}

QString correlationOf(const std::vector<double>& x, const std::vector<double>& y)
{
    const auto correlation = analysis::spearman(x, y);
    if (!correlation.has_value())
        return SurveyPresenters::tr("no correlation: too few heads, or all alike");
    QString sentence = SurveyPresenters::tr("Rank correlation over %1 heads: %2")
                           .arg(correlation->n)
                           .arg(widgets::scoreText(correlation->rho, 2));
    if (const auto interval = analysis::rankInterval(*correlation))
        sentence += QStringLiteral(" [%1, %2]")
                        .arg(widgets::scoreText(interval->low, 2), widgets::scoreText(interval->high, 2));
    return sentence;
}

// Without what was measured on other texts.
app::FactSheet ofTexts(app::FactSheet sheet, const std::string& texts)
{
    if (sheet.texts == texts)
        return sheet;
    sheet.texts = texts;
    for (app::HeadFacts& head : sheet.heads) {
        head.frequent.clear();
        head.losses.clear();
        head.rises.clear();
    }
    return sheet;
}

// In the place of what is known of the same benchmark, or in front.
void setCost(app::HeadFacts& head, app::HeadCost cost)
{
    const auto same = std::ranges::find(head.costs, cost.task, &app::HeadCost::task);
    if (same != head.costs.end())
        *same = std::move(cost);
    else
        head.costs.insert(head.costs.begin(), std::move(cost));
}

} // namespace

std::shared_ptr<const app::HeadFactsReply> withEarlier(std::shared_ptr<const app::HeadFactsReply> reply,
                                                       const app::HeadFactsReply* earlier)
{
    if (!earlier || earlier->ablation != reply->ablation)
        return reply;
    auto joined = std::make_shared<app::HeadFactsReply>(*reply);
    joined->sheet.addEarlier(earlier->sheet);
    return joined;
}

app::FactSheet knownFacts(const SideState& side, const app::SurveyReply& survey, const app::HeadFactsReply* facts)
{
    app::FactSheet sheet = survey.costs;
    if (facts && facts->ablation == survey.ablation) {
        sheet = ofTexts(facts->sheet, survey.costs.texts);
        sheet.addEarlier(survey.costs);
    }
    // The window's ranking is of the model with all heads on.
    if (!side.effects || side.effectsMethod != app::RankMethod::Exact || !survey.ablation.empty() || !side.model)
        return sheet;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < sheet.heads.size(); ++i)
        places.emplace(sheet.heads[i].head, i);
    for (const app::HeadValue& effect : *side.effects) {
        const std::string name = headName(*side.model, effect.head);
        const auto [place, fresh] = places.try_emplace(name, sheet.heads.size());
        if (fresh)
            sheet.heads.push_back({.head = name});
        app::HeadFacts& head = sheet.heads[place->second];
        if (side.found)
            head.role = retrievalRole(*side.found, effect.head);
        for (app::HeadCost& shown : shownCosts(side, effect))
            setCost(head, std::move(shown));
    }
    return sheet;
}

std::vector<app::HeadColumn> knownColumns(const SideState& side, const app::SurveyReply& survey,
                                          const app::FactSheet& facts, const app::DirectReply* direct)
{
    auto columns = app::headColumns(survey.survey, &facts);
    if (!side.model)
        return columns;
    if (side.headScores)
        for (const auto& [id, heads] : side.headScores->scores) {
            std::vector<std::pair<std::string, double>> values;
            for (const app::HeadValue& head : heads)
                values.emplace_back(headName(*side.model, head.head), head.value);
            columns.push_back(app::headColumn(survey.survey, "prompt_" + app::columnName(id), values));
        }
    if (direct) {
        std::vector<std::pair<std::string, double>> values;
        for (const app::DirectValue& part : direct->values)
            if (part.kind == app::DirectValue::Kind::Head)
                values.emplace_back(part.name, part.mean.value);
        columns.push_back(app::headColumn(survey.survey, "direct", values));
    }
    return columns;
}

std::pair<QStringList, std::vector<widgets::SurveyRow>> surveyRows(std::span<const SurveyedSide> sides)
{
    QStringList names;
    for (const SurveyedSide& one : sides)
        for (const app::HeadColumn& column : one.columns)
            if (const QString name = text(column.name); !names.contains(name))
                names << name;
    std::vector<widgets::SurveyRow> rows;
    for (const SurveyedSide& one : sides) {
        std::vector<std::size_t> places; // of its columns among all
        for (const app::HeadColumn& column : one.columns)
            places.push_back(static_cast<std::size_t>(names.indexOf(text(column.name))));
        for (std::size_t i = 0; i < one.reply->survey.heads.size(); ++i) {
            widgets::SurveyRow row{
                text(one.reply->survey.heads[i].head),
                std::vector<double>(static_cast<std::size_t>(names.size()), std::numeric_limits<double>::quiet_NaN()),
                one.side};
            for (std::size_t column = 0; column < places.size(); ++column)
                row.values[places[column]] = one.columns[column].values[i];
            rows.push_back(std::move(row));
        }
    }
    return {std::move(names), std::move(rows)};
}

QString surveySentence(const app::SurveyReply& reply)
{
    const sessions::SurveyRecord& record = reply.survey.record;
    QString sentence = record.finished ? SurveyPresenters::tr("Means over %1 tokens of %2.")
                                       : SurveyPresenters::tr("Means over the first %1 tokens of %2.");
    sentence = sentence.arg(record.tokens).arg(text(record.source));
    if (reply.uniform.gather && reply.uniform.aggregate)
        sentence +=
            u' '
            + SurveyPresenters::tr("A head that reads all tokens alike: gather %1, aggregate %2.")
                  .arg(widgets::numberText(*reply.uniform.gather), widgets::numberText(*reply.uniform.aggregate));
    if (reply.unknownShare > 0)
        sentence += u' '
                    + SurveyPresenters::tr("%1 % of the first words are not in the vocabulary.")
                          .arg(100 * reply.unknownShare, 0, 'f', 1);
    return sentence;
}

Result<std::optional<std::set<int>>> rowsWhere(const QString& condition, const QStringList& names,
                                               const std::vector<widgets::SurveyRow>& rows)
{
    std::vector<std::string> words;
    for (const QString& name : names)
        words.push_back(name.toStdString());
    const std::vector<std::string_view> known(words.begin(), words.end());
    const auto filter = survey::Filter::parse(condition.toStdString(), known);
    if (!filter.has_value())
        return filter.error();
    if (condition.trimmed().isEmpty())
        return std::optional<std::set<int>>();
    std::set<int> shown;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (filter->matches([&](std::string_view name) -> std::optional<double> {
                const auto at = std::ranges::find(known, name) - known.begin();
                return rows[i].values[static_cast<std::size_t>(at)];
            }))
            shown.insert(static_cast<int>(i));
    return std::optional(std::move(shown));
}

QString correlationSentence(const std::vector<widgets::SurveyRow>& rows, int x, int y)
{
    QStringList sentences;
    for (const Side side : kSides) {
        std::vector<double> first, second;
        bool any = false;
        for (const widgets::SurveyRow& row : rows) {
            if (row.side != side)
                continue;
            any = true;
            const double a = row.values[static_cast<std::size_t>(x)], b = row.values[static_cast<std::size_t>(y)];
            if (std::isfinite(a) && std::isfinite(b)) {
                first.push_back(a);
                second.push_back(b);
            }
        }
        if (any || (side == Side::A && rows.empty()))
            sentences << (side == Side::A ? QString() : QStringLiteral("B: ")) + correlationOf(first, second);
    }
    if (sentences.size() == 2)
        sentences.front().prepend(QStringLiteral("A: "));
    return sentences.join(u'\n');
}

QString lossSentence(std::span<const app::HeadFacts* const> heads)
{
    QStringList sentences;
    for (const app::HeadFacts* head : heads)
        if (app::lossOf(*head))
            sentences << SurveyPresenters::tr("Without %1 the loss of next tokens rises by %2 nats; of tokens that "
                                              "follow the same token as before by %3, of new ones by %4.")
                             .arg(text(head->head), changeText(groupIn(*head, "all")),
                                  changeText(groupIn(*head, "continued")), changeText(groupIn(*head, "new")));
    constexpr qsizetype kMost = 3;
    return sentences.mid(0, kMost).join(u'\n');
}

widgets::LossView::Table lossGroups(std::span<const app::HeadFacts* const> heads)
{
    widgets::LossView::Table table{{SurveyPresenters::tr("Head"), SurveyPresenters::tr("Tokens"),
                                    SurveyPresenters::tr("Change, 95 %"), SurveyPresenters::tr("Loss"),
                                    SurveyPresenters::tr("Without it"), SurveyPresenters::tr("n")},
                                   {}};
    for (const app::HeadFacts* head : heads)
        for (const app::GroupLoss& group : head->losses)
            table.rows.push_back({text(head->head), groupName(group.tokens), changeText(&group),
                                  QString::number(group.before, 'f', 3),
                                  QString::number(group.before + group.change, 'f', 3), QString::number(group.n)});
    return table;
}

widgets::LossView::Table lossRises(std::span<const app::HeadFacts* const> heads)
{
    widgets::LossView::Table table{{SurveyPresenters::tr("Head"), SurveyPresenters::tr("Rise"),
                                    SurveyPresenters::tr("Token"), SurveyPresenters::tr("After"),
                                    SurveyPresenters::tr("Source")},
                                   {}};
    for (const app::HeadFacts* head : heads)
        for (const app::LossRise& rise : head->rises) {
            table.rows.push_back({text(head->head), signedText(rise.rise, 2), text(rise.token),
                                  text(headscope::text::asText(rise.before)).replace(u'\n', QChar(0x23CE)),
                                  text(rise.source)});
        }
    return table;
}

} // namespace headscope::gui
