// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/documents/sessionfigure.h"

#include "app/figures/paperfigures.h"
#include "app/figures/scalename.h"
#include "app/figures/source.h"
#include "app/figures/statewords.h"
#include "core/analysis/convention.h"
#include "core/analysis/patternchange.h"
#include "core/analysis/patternscores.h"
#include "core/base/words/suggestion.h"
#include "widgets/pattern/matrixwords.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::figures {

using namespace Qt::StringLiterals;

namespace {

QStringList tokenTexts(const sessions::PatternRecord& pattern)
{
    QStringList tokens;
    for (const std::string& token : pattern.tokens)
        tokens << text(token);
    return tokens;
}

std::vector<widgets::TokenSpan> spansOf(const sessions::PatternRecord& pattern)
{
    std::vector<widgets::TokenSpan> spans;
    for (const sessions::PatternSegment& segment : pattern.segments)
        spans.push_back({segment.role, segment.begin, segment.end, segment.target});
    return spans;
}

// The prompt, and the tokens of it that its answer comes from.
void notePrompt(Source& source, const sessions::PatternRecord& pattern)
{
    std::string answer;
    for (const sessions::PatternSegment& segment : pattern.segments)
        if (segment.target && (segment.role == Role::Value || segment.role == Role::Option))
            for (int i = std::max(0, segment.begin); i < std::min(segment.end, static_cast<int>(pattern.tokens.size()));
                 ++i)
                answer += pattern.tokens[static_cast<std::size_t>(i)];
    if (const QString prompt = promptWords(text(pattern.prompt)); answer.empty())
        source.note(FigureText::tr("Prompt: “%1”.").arg(prompt));
    else
        source.note(FigureText::tr("Prompt: “%1”. Answer: “%2”.").arg(prompt, promptWords(text(answer).trimmed())));
}

widgets::PatternFigure mapPanel(Source& source, const PanelRecipe& panel)
{
    const sessions::PatternRecord pattern = source.pattern(panel.pattern);
    notePrompt(source, pattern);
    widgets::PatternFigure figure;
    auto values = std::make_shared<Matrix>(pattern.values);
    figure.data.head = text(source.model(pattern.modelHash).name + " " + pattern.head);
    figure.data.meaning =
        pattern.earlierWords.empty() ? widgets::matrixWords(pattern.convention) : text(pattern.earlierWords);
    figure.data.isSigned = !analysis::rowsSumToOne(pattern.convention);
    if (panel.minus) {
        const sessions::PatternRecord other = source.pattern(*panel.minus);
        if (other.values.rows != values->rows || other.values.cols != values->cols)
            throw Missing("The patterns of " + pattern.head + " and " + other.head + " cannot be subtracted: one has "
                          + std::to_string(values->cols) + " tokens, the other " + std::to_string(other.values.cols)
                          + ".");
        for (std::size_t i = 0; i < values->values.size(); ++i)
            values->values[i] -= other.values.values[i];
        figure.data.isSigned = true;
        figure.data.meaning =
            FigureText::tr("minus %1 %2%3")
                .arg(text(source.model(other.modelHash).name), text(other.head),
                     other.ablation == pattern.ablation ? QString() : u", "_s + source.nameOf(other.ablation));
    }
    if (panel.shares && figure.data.isSigned && !panel.minus) {
        *values = analysis::rowShares(std::move(*values));
        for (float& value : values->values)
            value = std::abs(value);
        figure.data.isSigned = false;
        figure.data.meaning = widgets::sharesWords(figure.data.meaning, false);
    }
    figure.row = panel.row;
    figure.data.values = std::move(values);
    figure.data.tokens = tokenTexts(pattern);
    figure.data.segments = spansOf(pattern);
    figure.scale = {.kind = scaleNamed(panel.scale).value_or(widgets::ScaleKind::Raw),
                    .withoutSink = panel.withoutSink,
                    .sequential = panel.colours == "cividis" ? widgets::ColorMap::Cividis : widgets::ColorMap::Viridis};
    figure.labelEvery = panel.labelEvery;
    figure.brackets = panel.brackets;
    figure.colorBar = panel.colourBar;
    figure.diverging = panel.colours == "blue-red" ? widgets::ColorMap::BlueRed : widgets::ColorMap::Cividis;
    return figure;
}

widgets::RowFigure rowPanel(Source& source, const PanelRecipe& panel)
{
    const sessions::PatternRecord pattern = source.pattern(panel.pattern);
    const int row = panel.row < 0 ? pattern.values.rows - 1 : panel.row;
    if (row >= pattern.values.rows)
        throw Missing("The pattern of " + pattern.head + " has no row " + std::to_string(row) + ": expected 0 to "
                      + std::to_string(pattern.values.rows - 1) + ".");
    notePrompt(source, pattern);
    const auto values = pattern.values.row(row);
    const analysis::RowScores scores = analysis::rowScores(values, row);
    widgets::RowFigure figure{.side = panel.side == "B" ? Side::B : Side::A, .labelEvery = panel.labelEvery};
    figure.profile = {.head = text(source.model(pattern.modelHash).name + " " + pattern.head),
                      .row = row,
                      .tokens = tokenTexts(pattern),
                      .values = analysis::rowsSumToOne(pattern.convention)
                                    ? std::vector<float>(values.begin(), values.end())
                                    : analysis::rowShare(values),
                      .effectiveTokens = scores.effectiveTokens,
                      .entropy = scores.entropy,
                      .sinkMass = scores.sinkMass};
    figure.segments = spansOf(pattern);
    if (panel.shares && !analysis::rowsSumToOne(pattern.convention))
        for (float& value : figure.profile.values)
            value = std::abs(value);
    widgets::setTarget(figure.profile, values, pattern.segments);
    return figure;
}

widgets::FigureContent contentOf(Source& source, const PanelRecipe& panel)
{
    switch (panel.kind) {
    case PanelKind::Pattern: return mapPanel(source, panel);
    case PanelKind::Row: return rowPanel(source, panel);
    case PanelKind::HeadMap: return headMapPanel(source, panel);
    case PanelKind::Ranking: return rankingPanel(source, panel);
    case PanelKind::Scores: return scoresPanel(source, panel);
    case PanelKind::Curve: return curvePanel(source, panel);
    case PanelKind::Layers: return layersPanel(source, panel);
    case PanelKind::Experiment: return experimentPanel(source, panel);
    case PanelKind::Dots: return dotsPanel(source, panel);
    case PanelKind::Analysis: return analysisPanel(source, panel);
    }
    throw Missing("The recipe has a panel of a kind that is not known.");
}

void shareAxis(widgets::Figure& figure)
{
    std::vector<const widgets::RowProfile*> rows;
    for (const widgets::FigurePanel& panel : figure.panels)
        if (const auto* row = std::get_if<widgets::RowFigure>(&panel.content))
            rows.push_back(&row->profile);
    for (widgets::FigurePanel& panel : figure.panels)
        if (auto* row = std::get_if<widgets::RowFigure>(&panel.content))
            row->axis = widgets::commonAxis(rows);
}

bool sameQuantity(const widgets::PatternFigure& a, const widgets::PatternFigure& b)
{
    return a.scale == b.scale && a.data.isSigned == b.data.isSigned && a.data.meaning == b.data.meaning;
}

// Maps beside each other are compared by their colours: those of one quantity have one scale.
void shareScales(widgets::Figure& figure)
{
    std::vector<widgets::PatternFigure*> maps;
    for (widgets::FigurePanel& panel : figure.panels)
        if (auto* map = std::get_if<widgets::PatternFigure>(&panel.content))
            maps.push_back(map);
    for (widgets::PatternFigure* map : maps) {
        float low = std::numeric_limits<float>::infinity(), high = -low;
        for (const widgets::PatternFigure* other : maps) {
            if (!sameQuantity(*map, *other))
                continue;
            const Matrix& values = *other->data.values;
            for (int row = 0; row < values.rows; ++row)
                for (int col = other->scale.withoutSink ? 1 : 0; col <= std::min(row, values.cols - 1); ++col)
                    if (const float value = values.at(row, col); std::isfinite(value)) {
                        low = std::min(low, value);
                        high = std::max(high, value);
                    }
        }
        if (low > high)
            continue;
        auto extremes = std::make_shared<Matrix>(1, 3); // the first column may be left out of a scale
        extremes->at(0, 0) = low;
        extremes->at(0, 1) = low;
        extremes->at(0, 2) = high;
        map->extremes = std::move(extremes);
    }
}

// And maps of heads: zero has one colour in all of them.
void shareMetric(widgets::Figure& figure)
{
    std::vector<widgets::HeadMapFigure*> maps;
    for (widgets::FigurePanel& panel : figure.panels)
        if (auto* map = std::get_if<widgets::HeadMapFigure>(&panel.content))
            maps.push_back(map);
    for (widgets::HeadMapFigure* map : maps) {
        float low = std::numeric_limits<float>::infinity(), high = -low;
        bool isSigned = false;
        for (const widgets::HeadMapFigure* other : maps) {
            if (other->metric != map->metric)
                continue;
            isSigned = isSigned || other->isSigned;
            for (const auto& line : other->lines)
                for (const float value : line.values)
                    if (std::isfinite(value)) {
                        low = std::min(low, value);
                        high = std::max(high, value);
                    }
        }
        if (low <= high)
            map->extremes = {low, high};
        map->isSigned = isSigned;
    }
}

} // namespace

Result<widgets::Figure> makeFigure(sessions::SessionStore& session, const Recipe& recipe)
{
    try {
        Source source(session);
        widgets::Figure figure{.title = text(recipe.title),
                               .caption = text(recipe.caption),
                               .provenance = {},
                               .panels = {},
                               .columns = recipe.columns,
                               .together = recipe.together,
                               .letters = recipe.letters};
        for (const std::string& part : recipe.parts)
            figure.parts << text(part);
        for (const PanelRecipe& panel : recipe.panels) {
            if (panel.part > 0 && recipe.letters)
                source.setPart(widgets::partLetter(panel.part - 1));
            figure.panels.push_back({text(panel.heading), contentOf(source, panel), panel.part});
        }
        shareAxis(figure);
        shareScales(figure);
        shareMetric(figure);
        figure.provenance = source.provenance();
        if (const QString rest = source.captionEnd(); !rest.isEmpty())
            figure.caption = figure.caption.isEmpty() ? rest : figure.caption + u' ' + rest;
        return figure;
    } catch (const Missing& missing) {
        return missing.error;
    }
}

widgets::FigureStyle styleOf(const StyleRecipe& style)
{
    return {.widthMm = style.widthMm,
            .heightMm = style.heightMm,
            .fontPt = style.fontPt,
            .fontFamily = text(style.font),
            .dark = style.background == "dark",
            .transparent = style.background == "transparent",
            .printProvenance = style.printProvenance,
            .dpi = style.dpi};
}

Result<Recipe> findComposed(sessions::SessionStore& session, const std::vector<std::string>& names)
{
    std::vector<Recipe> figures;
    for (const std::string& name : names) {
        auto found = findRecipe(session, name);
        if (!found.has_value())
            return found.error();
        figures.push_back(std::move(*found));
    }
    return compose(figures);
}

Result<Recipe> findRecipe(sessions::SessionStore& session, const std::string& name)
{
    const auto stored = session.figures();
    if (!stored.has_value())
        return stored.error();
    std::vector<std::string> known;
    for (const sessions::FigureRecipe& figure : *stored) {
        if (figure.name == name)
            return parseRecipe(figure.recipeJson);
        known.push_back(figure.name);
    }
    const auto paper = paperFigures(session);
    if (!paper.has_value())
        return paper.error();
    for (const PaperFigure& figure : *paper) {
        if (figure.name == name)
            return figure.recipe;
        known.push_back(figure.name);
    }
    return inputError("The session has no figure '" + name + "'" + didYouMean(name, known)
                      + "; --list prints their names.");
}

} // namespace headscope::figures
