// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/surveypresenters.h"

#include "app/present/text.h"
#include "core/analysis/rankinterval.h"
#include "core/base/csv.h"
#include "core/survey/filter.h"
#include "core/survey/metric.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::gui {

namespace {

struct SurveyPresenters {
    Q_DECLARE_TR_FUNCTIONS(SurveyPresenters)
};

double meanOf(const sessions::SurveyHead& head, const char* metric)
{
    const auto found = std::ranges::find(head.values, metric, &sessions::SurveyValue::metric);
    return found == head.values.end() ? std::numeric_limits<double>::quiet_NaN() : found->mean;
}

} // namespace

QStringList surveyMetrics()
{
    QStringList names;
    for (const char* name : survey::kMetricNames)
        names << QString::fromLatin1(name);
    return names;
}

std::vector<widgets::SurveyRow> surveyRows(const app::SurveyReply& reply)
{
    std::vector<widgets::SurveyRow> rows;
    for (const sessions::SurveyHead& head : reply.survey.heads) {
        widgets::SurveyRow row{text(head.head), {}};
        for (const char* metric : survey::kMetricNames)
            row.values.push_back(meanOf(head, metric));
        rows.push_back(std::move(row));
    }
    return rows;
}

QString surveySentence(const app::SurveyReply& reply)
{
    const sessions::SurveyRecord& record = reply.survey.record;
    QString sentence = record.finished ? SurveyPresenters::tr("Means over %1 tokens of %2.")
                                       : SurveyPresenters::tr("Means over the first %1 tokens of %2.");
    sentence = sentence.arg(record.tokens).arg(text(record.source));
    if (reply.unknownShare > 0)
        sentence += u' '
                    + SurveyPresenters::tr("%1 % of the first words are not in the vocabulary.")
                          .arg(100 * reply.unknownShare, 0, 'f', 1);
    return sentence;
}

Result<std::optional<std::set<int>>> rowsWhere(const QString& condition, const std::vector<widgets::SurveyRow>& rows)
{
    const std::vector<std::string_view> names(survey::kMetricNames.begin(), survey::kMetricNames.end());
    const auto filter = survey::Filter::parse(condition.toStdString(), names);
    if (!filter.has_value())
        return filter.error();
    if (condition.trimmed().isEmpty())
        return std::optional<std::set<int>>();
    std::set<int> shown;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (filter->matches([&](std::string_view name) -> std::optional<double> {
                const auto at = std::ranges::find(names, name) - names.begin();
                return rows[i].values[static_cast<std::size_t>(at)];
            }))
            shown.insert(static_cast<int>(i));
    return std::optional(std::move(shown));
}

QString correlationSentence(const std::vector<widgets::SurveyRow>& rows, int x, int y)
{
    std::vector<double> first, second;
    for (const widgets::SurveyRow& row : rows) {
        const double a = row.values[static_cast<std::size_t>(x)], b = row.values[static_cast<std::size_t>(y)];
        if (std::isfinite(a) && std::isfinite(b)) {
            first.push_back(a);
            second.push_back(b);
        }
    }
    const auto correlation = analysis::spearman(first, second);
    if (!correlation.has_value())
        return SurveyPresenters::tr("No correlation: too few heads, or all alike.");
    QString sentence =
        SurveyPresenters::tr("Rank correlation over %1 heads: %2").arg(correlation->n).arg(correlation->rho, 0, 'f', 2);
    if (const auto interval = analysis::rankInterval(*correlation))
        sentence += QStringLiteral(" [%1, %2]").arg(interval->low, 0, 'f', 2).arg(interval->high, 0, 'f', 2);
    return sentence;
}

std::string surveyCsv(const app::SurveyReply& reply)
{
    std::string csv = "head";
    for (const char* metric : survey::kMetricNames)
        csv += std::string(",") + metric;
    csv += '\n';
    for (const sessions::SurveyHead& head : reply.survey.heads) {
        csv += csvCell(head.head);
        for (const char* metric : survey::kMetricNames) {
            const double mean = meanOf(head, metric);
            csv += ',' + (std::isnan(mean) ? std::string() : QByteArray::number(mean, 'g', 17).toStdString());
        }
        csv += '\n';
    }
    return csv + "# " + csvCell(reply.provenance + ", " + reply.survey.record.source) + '\n';
}

} // namespace headscope::gui
