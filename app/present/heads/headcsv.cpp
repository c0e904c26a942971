// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/headcsv.h"

#include "app/state/modelheads.h"
#include "core/io/textfiles/textfile.h"

#include <QRegularExpression>

namespace headscope::gui {

namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;

QStringList fieldsOf(const QString& line)
{
    static const QRegularExpression clear(QStringLiteral("[;\t]")), comma(QStringLiteral(","));
    QStringList fields;
    for (QString field : line.split(line.contains(clear) ? clear : comma)) {
        field = field.trimmed();
        if (field.size() >= 2 && field.startsWith(QLatin1Char('"')) && field.endsWith(QLatin1Char('"')))
            field = field.mid(1, field.size() - 2);
        fields.append(field);
    }
    return fields;
}

Error lineError(qsizetype line, const QString& what)
{
    return inputError(QStringLiteral("Line %1 of the table %2.").arg(line + 1).arg(what).toStdString());
}

} // namespace

Result<std::vector<HeadColumn>> readHeadColumns(const QString& text)
{
    std::vector<HeadColumn> columns;
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (lines[i].trimmed().isEmpty())
            continue;
        const QStringList fields = fieldsOf(lines[i]);
        const auto head = interventions::parseHead(fields.first().toStdString());
        if (columns.empty()) {
            if (fields.size() < 2)
                return lineError(i, QStringLiteral("has one field; expected a head and its numbers, as in L2H5,0.31"));
            for (qsizetype c = 1; c < fields.size(); ++c)
                columns.push_back({head.has_value() ? QStringLiteral("column %1").arg(c) : fields[c], {}});
            if (!head.has_value())
                continue;
        }
        if (!head.has_value())
            return lineError(i, QStringLiteral("begins with '%1'; expected a head such as L2H5").arg(fields.first()));
        if (fields.size() != static_cast<qsizetype>(columns.size()) + 1)
            return lineError(i,
                             QStringLiteral("has %1 fields; expected %2").arg(fields.size()).arg(columns.size() + 1));
        for (qsizetype c = 1; c < fields.size(); ++c) {
            if (fields[c].isEmpty())
                continue;
            bool good = false;
            const double value = QString(fields[c]).replace(u',', u'.').toDouble(&good); // a decimal comma
            if (!good)
                return lineError(i, QStringLiteral("has '%1' where a number is expected").arg(fields[c]));
            columns[static_cast<std::size_t>(c - 1)].values.emplace_back(*head, value);
        }
    }
    if (columns.empty())
        return inputError("The table is empty; expected lines such as L2H5,0.31.");
    return columns;
}

Result<std::vector<HeadColumn>> readHeadColumnFile(const QString& path)
{
    const auto text = io::readTextFile(path.toStdString(), kMostBytes);
    return text.has_value() ? readHeadColumns(QString::fromStdString(*text))
                            : Result<std::vector<HeadColumn>>(text.error());
}

Result<std::vector<app::HeadValue>> headValues(const HeadColumn& column, const app::ModelSummary& model)
{
    std::vector<app::HeadValue> values;
    for (const auto& [head, value] : column.values) {
        const app::MixerSummary* found = mixerOf(model, head);
        if (!found)
            return inputError("The table names " + toText(head) + ", which " + model.name + " does not have.");
        values.push_back({.head = siteNamed(model, head), .attention = found->attention, .value = value});
    }
    return values;
}

} // namespace headscope::gui
