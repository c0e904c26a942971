// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/prompt/mapfiles.h"

#include "core/base/writefile.h"
#include "core/io/numpy/npywriter.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/io/textfiles/matrixcsv.h"

#include <QFileInfo>

namespace headscope::gui {

namespace {

std::vector<std::string> texts(const QStringList& list)
{
    std::vector<std::string> out;
    for (const QString& text : list)
        out.push_back(text.toStdString());
    return out;
}

std::string csv(const widgets::PatternData& map)
{
    io::MatrixAxes axes{.columns = texts(map.tokens), .rows = texts(map.rowNames())};
    if (map.rowLabels.isEmpty())
        axes.rowTokens = texts(map.spellings);
    return io::matrixCsv(matrixOf(map), axes);
}

/// Of matrixOf().
QString meaningOfMatrix(const widgets::PatternData& map)
{
    return map.raw ? map.rawMeaning : map.meaning;
}

Result<void> checkWhole(const widgets::PatternData& map)
{
    if (map.empty())
        return inputError("There is no map.");
    if (map.pool > 1)
        return inputError(
            "Of a prompt of more than 4,096 tokens the window holds no whole map; `headscope-cli pattern` "
            "writes single rows of it.");
    return {};
}

} // namespace

const Matrix& matrixOf(const widgets::PatternData& map)
{
    return map.raw ? *map.raw : *map.values;
}

QString mapName(const widgets::PatternData& map)
{
    const QStringList words = QString(map.head).replace(u'−', QStringLiteral("minus")).split(QLatin1Char(' '));
    return words.size() > 2 ? words.join(QLatin1Char('_')) : words.last();
}

Result<QString> valuesText(const widgets::PatternData& map)
{
    if (const auto there = checkWhole(map); !there.has_value())
        return there.error();
    const Matrix& matrix = matrixOf(map);
    QString out = QStringLiteral("query");
    for (const QString& token : map.tokens)
        out += QLatin1Char('\t') + widgets::tokenQuoted(token);
    out += QLatin1Char('\n');
    for (int row = 0; row < matrix.rows; ++row) {
        out += widgets::tokenQuoted(map.rowNames().value(row));
        for (const float value : matrix.row(row))
            out += QLatin1Char('\t') + QString::number(static_cast<double>(value), 'g', 9);
        out += QLatin1Char('\n');
    }
    const QStringList about{map.head, meaningOfMatrix(map), map.provenance};
    return out + about.join(QLatin1Char('\t')) + QLatin1Char('\n');
}

Result<void> saveMatrix(const widgets::PatternData& map, const QString& path)
{
    if (const auto there = checkWhole(map); !there.has_value())
        return there;
    const QString suffix = QFileInfo(path).suffix().toLower();
    const Matrix& matrix = matrixOf(map);
    const std::string file = path.toStdString();
    if (suffix == QLatin1String("npy"))
        return io::writeNpy(file, matrix);
    if (suffix == QLatin1String("safetensors")) {
        const io::TensorToWrite tensor{mapName(map).toStdString(),
                                       io::Dtype::F32,
                                       {matrix.rows, matrix.cols},
                                       std::as_bytes(std::span(matrix.values))};
        return io::writeSafetensors(file, std::span(&tensor, 1),
                                    {{"format", "pt"},
                                     {"head", map.head.toStdString()},
                                     {"meaning", meaningOfMatrix(map).toStdString()},
                                     {"headscope", map.provenance.toStdString()}});
    }
    if (suffix != QLatin1String("csv"))
        return inputError("The file '" + file + "' has a suffix that is not known; expected npy, safetensors or csv.");
    return writeFile(file, csv(map));
}

} // namespace headscope::gui
