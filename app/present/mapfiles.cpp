// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/mapfiles.h"

#include "core/io/npywriter.h"
#include "core/io/safetensorswriter.h"

#include <QFileInfo>
#include <QSaveFile>

namespace headscope::gui {

namespace {

QString lines(const widgets::PatternData& map, QChar between, bool quoted)
{
    const Matrix& matrix = matrixOf(map);
    const auto cell = [quoted](QString text) {
        return quoted ? QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"')
                      : widgets::tokenQuoted(text);
    };
    QString out = QStringLiteral("query");
    for (const QString& token : map.tokens)
        out += between + cell(token);
    out += QLatin1Char('\n');
    for (int row = 0; row < matrix.rows; ++row) {
        out += cell(map.rowNames().value(row));
        for (const float value : matrix.row(row))
            out += between + QString::number(static_cast<double>(value), 'g', 9);
        out += QLatin1Char('\n');
    }
    return out;
}

} // namespace

const Matrix& matrixOf(const widgets::PatternData& map)
{
    return map.raw ? *map.raw : *map.values;
}

QString valuesText(const widgets::PatternData& map)
{
    return lines(map, QLatin1Char('\t'), false) + map.head + QLatin1Char('\t') + map.meaning + QLatin1Char('\t')
           + map.provenance + QLatin1Char('\n');
}

Result<void> saveMatrix(const widgets::PatternData& map, const QString& path)
{
    if (map.empty())
        return inputError("There is no map to save.");
    if (map.pool > 1)
        return inputError(
            "Of a prompt of more than 4,096 tokens the window holds no whole map; `headscope-cli pattern` "
            "writes single rows of it.");
    const QString suffix = QFileInfo(path).suffix().toLower();
    const Matrix& matrix = matrixOf(map);
    const std::string file = path.toStdString();
    if (suffix == QLatin1String("npy"))
        return io::writeNpy(file, matrix);
    if (suffix == QLatin1String("safetensors")) {
        const io::TensorToWrite tensor{map.head.section(QLatin1Char(' '), -1).toStdString(),
                                       io::Dtype::F32,
                                       {matrix.rows, matrix.cols},
                                       std::as_bytes(std::span(matrix.values))};
        return io::writeSafetensors(file, std::span(&tensor, 1),
                                    {{"format", "pt"}, {"headscope", map.provenance.toStdString()}});
    }
    if (suffix != QLatin1String("csv"))
        return inputError("The file '" + file + "' has a suffix that is not known; expected npy, safetensors or csv.");
    QSaveFile out(path);
    const QByteArray text = lines(map, QLatin1Char(','), true).toUtf8();
    if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit())
        return ioError("The file '" + file + "' can not be written.");
    return {};
}

} // namespace headscope::gui
