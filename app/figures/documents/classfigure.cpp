// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/documents/classfigure.h"

#include "app/figures/figurewords.h"
#include "app/figures/offscreen.h"
#include "core/analysis/statistics.h"
#include "sessions/results/classtally.h"
#include "widgets/figures/figurerenderer.h"

namespace headscope::figures {

using namespace Qt::StringLiterals;

namespace {

widgets::Figure figureOf(const sessions::ClassTally& tally)
{
    widgets::BarFigure bars{
        .xTitle = FigureText::tr("share of right answers"), .series = {FigureText::tr("right")}, .bars = {}};
    for (const sessions::QuestionTally& question : tally.questions) {
        if (question.kind == sessions::AnswerKind::Open)
            continue;
        const analysis::Interval interval = analysis::wilsonInterval(question.right, question.n);
        bars.bars.push_back({QString::fromStdString(question.id + " (n = " + std::to_string(question.n) + ")"),
                             {{static_cast<double>(question.right) / question.n, interval.low, interval.high}}});
    }
    return {.title = FigureText::tr("Answers of the class"),
            .caption = FigureText::tr("Share of right answers to each question, first answers; bars: 95 % intervals."),
            .provenance = u"%1 sessions"_s.arg(tally.students.size()),
            .panels = {{{}, bars}}};
}

} // namespace

Result<void> checkClassChart(const std::string& path)
{
    const auto format = widgets::figureFormatOf(QString::fromStdString(path));
    return format.has_value() ? Result<void>() : Result<void>(format.error());
}

Result<void> writeClassChart(const sessions::ClassTally& tally, const std::string& path)
{
    const OffscreenQt qt;
    const widgets::Figure figure = figureOf(tally);
    if (std::get<widgets::BarFigure>(figure.panels.front().content).bars.empty())
        return inputError("None of the sessions has an answer that is right or wrong, so there is no chart to draw.");
    return widgets::writeFigure(figure, *widgets::stylePreset(u"page"_s), QString::fromStdString(path));
}

} // namespace headscope::figures
