// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/patternfigure.h"

#include "app/figures/offscreen.h"
#include "app/figures/scalename.h"
#include "core/analysis/patternchange.h"
#include "core/analysis/patternscores.h"
#include "widgets/figures/figurerenderer.h"

#include <algorithm>
#include <memory>

namespace headscope::figures {

using namespace Qt::StringLiterals;

namespace {

constexpr double kFontPt = 7;

QStringList textsOf(const std::vector<std::string>& tokens)
{
    QStringList texts;
    for (const std::string& token : tokens)
        texts << QString::fromStdString(token);
    return texts;
}

widgets::PatternFigure mapOf(const PatternPicture& picture, widgets::ScaleKind scale)
{
    widgets::PatternData data;
    data.values = std::make_shared<const Matrix>(picture.matrix);
    data.tokens = textsOf(picture.tokens);
    for (const TokenRange& range : picture.segments)
        data.segments.push_back({range.role, range.begin, range.end, range.target});
    data.head = QString::fromStdString(picture.head);
    data.meaning = QString::fromStdString(picture.meaning);
    data.isSigned = picture.isSigned;
    widgets::PatternFigure figure{.data = std::move(data)};
    figure.scale.kind = scale;
    return figure;
}

widgets::RowFigure barsOf(const PatternPicture& picture)
{
    const auto row = picture.matrix.row(0);
    const analysis::RowScores scores = analysis::rowScores(row, picture.row);
    widgets::RowProfile profile;
    profile.head = QString::fromStdString(picture.head);
    profile.row = picture.row;
    profile.tokens = textsOf(picture.tokens);
    profile.values = picture.isSigned ? analysis::rowShare(row) : std::vector<float>(row.begin(), row.end());
    profile.effectiveTokens = scores.effectiveTokens;
    profile.entropy = scores.entropy;
    profile.sinkMass = scores.sinkMass;
    widgets::setTarget(profile, row, picture.segments);
    const widgets::ValueAxis axis = widgets::commonAxis({&profile});
    return {.profile = std::move(profile), .axis = axis};
}

} // namespace

Result<void> writePatterns(std::span<const PatternPicture> pictures)
{
    const OffscreenQt qt;
    for (const PatternPicture& picture : pictures) {
        const auto scale = scaleNamed(picture.scale);
        if (!scale)
            return inputError("The scale '" + picture.scale
                              + "' is not known; expected raw, row, minmax, log or signed.");
        widgets::Figure figure;
        figure.title = QString::fromStdString(picture.title);
        figure.caption = QString::fromStdString(picture.caption);
        figure.provenance = QString::fromStdString(picture.provenance);
        if (picture.matrix.rows == 1 && picture.row >= 0)
            figure.panels = {{{}, barsOf(picture)}};
        else
            figure.panels = {{{}, mapOf(picture, *scale)}};
        widgets::FigureStyle style;
        // Wide enough for a label a token up to about sixty tokens; what does not fit is skipped.
        style.widthMm = std::clamp(45.0 + 2.6 * picture.matrix.cols, 90.0, 200.0);
        style.fontPt = kFontPt;
        if (const auto written = widgets::writeFigure(figure, style, QString::fromStdString(picture.path));
            !written.has_value())
            return written;
    }
    return {};
}

} // namespace headscope::figures
