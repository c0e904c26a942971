// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of one analysis as the session keeps it: the lens as words by layer and token, patches as a grid, parts as
// bars, edges as a circuit, a knockout by layer and a series as lines, changed heads as dots or a map.
#include "app/figures/curvefigure.h"
#include "app/figures/source.h"
#include "app/figures/statewords.h"

#include "core/base/foldernames.h"
#include "core/base/hash.h"
#include "sessions/analyses.h"
#include "sessions/rows/modelheadrows.h"
#include "widgets/pattern/patterndata.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::figures {

using namespace Qt::StringLiterals;
using sessions::AnalysisRecord;
using sessions::AnalysisValue;
using sessions::ModelRecord;

namespace {

constexpr int kMostTokens = 24; // rows of a grid
constexpr std::size_t kMostParts = 16;
constexpr double kWorthARow = 0.02; // of the way to the other run

QString shareWords()
{
    return FigureText::tr("effect of this patch alone (1: the other run)");
}

/// "L3" as 3; -1 for anything else.
int layerNumber(const std::string& part)
{
    bool number = false;
    const int layer = text(part).mid(1).toInt(&number);
    return part.starts_with('L') && number ? layer : -1;
}

/// The prompt's tokens by position, where they were kept.
std::map<int, QString> tokensByPosition(const AnalysisRecord& record)
{
    std::map<int, QString> tokens;
    for (const AnalysisValue& value : record.values)
        if (value.part == "prompt" && value.measure == "token")
            tokens[value.position] = widgets::tokenLabel(text(value.words));
    return tokens;
}

QString rowName(const std::map<int, QString>& tokens, int position)
{
    const auto token = tokens.find(position);
    return token == tokens.end() ? QString::number(position) : u"%1 %2"_s.arg(token->second).arg(position);
}

/// Positions as rows, so that words have room; what is not measured stays empty.
widgets::Plot gridOf(const std::vector<int>& positions, const std::map<int, QString>& tokens,
                     const QStringList& columns)
{
    widgets::Plot plot{.grid = {.columns = columns}};
    for (const int position : positions)
        plot.grid.rows.append(rowName(tokens, position));
    plot.grid.values.assign(static_cast<std::size_t>(plot.grid.rows.size() * columns.size()), widgets::kUnknown);
    return plot;
}

std::size_t placeIn(const widgets::PlotGrid& grid, const std::vector<int>& positions, int position, qsizetype column)
{
    const auto row = std::ranges::find(positions, position) - positions.begin();
    return static_cast<std::size_t>(row * grid.columns.size() + column);
}

// Both prompts and the compared tokens, of several pairs those of the first.
void notePair(Source& source, const AnalysisRecord& record)
{
    std::map<std::string, QString> first;
    int pairs = 0;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "pair") {
            pairs = std::max(pairs, value.position + 1);
            first.try_emplace(value.part, text(value.words));
        }
    if (pairs == 0)
        return;
    source.note(FigureText::tr("Clean prompt: “%1”. Corrupt prompt: “%2”. Answer “%3” against “%4”.")
                    .arg(promptWords(first["clean"]), promptWords(first["corrupt"]),
                         widgets::tokenLabel(first["answer"]), widgets::tokenLabel(first["distractor"]))
                + (pairs > 1 ? u' ' + FigureText::tr("The first of %1 pairs.").arg(pairs) : QString()));
}

widgets::Plot lensPanel(Source& source, const AnalysisRecord& record)
{
    const int most = source.model(record.key.modelHash).layers + 1; // a file may speak of any
    int layers = 0, last = 0;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "probability" && layerNumber(value.part) < most) {
            layers = std::max(layers, layerNumber(value.part) + 1);
            last = std::max(last, value.position);
        }
    std::vector<int> positions;
    for (int position = std::max(0, last + 1 - kMostTokens); position <= last; ++position)
        positions.push_back(position);
    if (last + 1 > kMostTokens)
        source.leaveOut(FigureText::tr("the first %1 tokens").arg(last + 1 - kMostTokens));
    QStringList columns;
    for (int layer = 0; layer < layers; ++layer)
        columns.append(layer + 1 < layers ? u"L%1"_s.arg(layer) : FigureText::tr("output"));
    widgets::Plot plot = gridOf(positions, tokensByPosition(record), columns);
    plot.title = FigureText::tr("most likely token by the stream before each layer; colour: its probability");
    plot.grid.most = 1;
    for (std::size_t i = 0; i < plot.grid.values.size(); ++i)
        plot.grid.words.append(QString());
    for (const AnalysisValue& value : record.values)
        if (value.measure == "probability" && layerNumber(value.part) >= 0 && layerNumber(value.part) < layers
            && value.position >= positions.front()) {
            const std::size_t at = placeIn(plot.grid, positions, value.position, layerNumber(value.part));
            plot.grid.values[at] = value.value;
            plot.grid.words[static_cast<qsizetype>(at)] = widgets::tokenLabel(text(value.words));
        }
    return plot;
}

/// Tokens where anything is to be seen, the strongest of them, in the prompt's order.
std::vector<int> tokensWorthARow(const AnalysisRecord& record)
{
    std::map<int, double> most;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "share" && value.position >= 0 && std::isfinite(value.value))
            most[value.position] = std::max(most[value.position], std::abs(value.value));
    std::vector<int> positions;
    for (const auto& [position, share] : most)
        if (share >= kWorthARow)
            positions.push_back(position);
    if (positions.empty() && !most.empty())
        positions.push_back(most.rbegin()->first);
    std::ranges::stable_sort(positions, std::greater(), [&most](int position) { return most[position]; });
    positions.resize(std::min<std::size_t>(positions.size(), kMostTokens));
    std::ranges::sort(positions);
    return positions;
}

// A map of heads, or a bar a layer.
widgets::FigureContent wholePanel(Source& source, const PanelRecipe& panel, const AnalysisRecord& record)
{
    const ModelRecord& model = source.model(record.key.modelHash);
    if (const auto heads = headsOf(record, "share", "patching"); !heads.heads.empty())
        return headMapOf(source, panel, model, heads);
    widgets::BarFigure figure{.xTitle = shareWords(), .reference = 0};
    figure.series << text(model.name);
    for (const AnalysisValue& value : record.values)
        if (value.measure == "share")
            figure.bars.push_back({text(value.part), {{value.value, value.low, value.high}}});
    return figure;
}

// Shares by token and part, where there are some.
widgets::Plot sharesPanel(const AnalysisRecord& record, const std::vector<int>& positions, const QString& title)
{
    QStringList columns;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "share" && !columns.contains(text(value.part)))
            columns.append(text(value.part));
    widgets::Plot plot = gridOf(positions, tokensByPosition(record), columns);
    plot.title = title;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "share" && std::ranges::binary_search(positions, value.position))
            plot.grid.values[placeIn(plot.grid, positions, value.position, columns.indexOf(text(value.part)))] =
                value.value;
    return plot;
}

widgets::FigureContent patchPanel(Source& source, const PanelRecipe& panel, const AnalysisRecord& record)
{
    const std::vector<int> positions = tokensWorthARow(record);
    if (positions.empty()) // all tokens together
        return wholePanel(source, panel, record);
    source.leaveOut(FigureText::tr("tokens without a change"));
    return sharesPanel(record, positions, shareWords());
}

// What each head reads from one token.
widgets::Plot headsPanel(Source& source, const AnalysisRecord& record)
{
    const auto question = nlohmann::json::parse(record.key.questionJson, nullptr, false);
    const bool known = question.is_object() && question.contains("row") && question["row"].is_number_integer();
    const int row = known ? question["row"].get<int>() : 0;
    for (const AnalysisValue& value : record.values)
        if (value.part == "prompt" && value.measure == "text")
            source.note(FigureText::tr("Prompt: “%1”.").arg(promptWords(text(value.words))));
    const std::vector<int> positions = tokensWorthARow(record);
    if (positions.empty())
        throw Missing("The session has no shares of the row of heads.");
    source.leaveOut(FigureText::tr("tokens that no head reads"));
    return sharesPanel(
        record, positions,
        FigureText::tr("share of the row “%1” of each head").arg(rowName(tokensByPosition(record), row)));
}

widgets::BarFigure partsPanel(Source& source, const AnalysisRecord& record)
{
    std::vector<AnalysisValue> parts;
    widgets::BarFigure figure{.xTitle = FigureText::tr("adds to the answer's logit over the other's"), .reference = 0};
    figure.series << text(source.model(record.key.modelHash).name);
    std::optional<AnalysisValue> sum;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "adds" && value.part == "sum")
            sum = value;
        else if (value.measure == "adds")
            parts.push_back(value);
    std::ranges::stable_sort(parts, std::greater(), [](const AnalysisValue& part) { return std::abs(part.value); });
    double rest = 0;
    for (std::size_t i = kMostParts; i < parts.size(); ++i)
        rest += parts[i].value;
    const bool cut = parts.size() > kMostParts;
    const auto others = cut ? parts.size() - kMostParts : 0;
    parts.resize(std::min(parts.size(), kMostParts));
    for (const AnalysisValue& part : parts)
        figure.bars.push_back({text(part.part), {{part.value, part.low, part.high}}});
    if (cut)
        figure.bars.push_back({FigureText::tr("%1 others").arg(others), {{rest}}});
    if (sum)
        figure.bars.push_back({FigureText::tr("sum"), {{sum->value, sum->low, sum->high}}});
    return figure;
}

/// Where parts of a model stand in a circuit.
class Places
{
public:
    Places(const ModelRecord& model, widgets::EdgeData& data)
        : m_layers(need(sessions::storedHeads(model))), m_data(data)
    {
        data.rows.append(QString());
        data.cells.push_back(0);
        for (std::size_t layer = 0; layer < m_layers.size(); ++layer) {
            data.rows.append(u"L%1"_s.arg(layer));
            data.cells.push_back(headsOf(layer));
        }
        data.rows.append(QString());
        data.cells.push_back(0);
    }

    int operator()(const std::string& name)
    {
        const auto [found, fresh] = m_known.try_emplace(name, static_cast<int>(m_data.parts.size()));
        if (fresh)
            m_data.parts.push_back(partOf(name));
        return found->second;
    }

private:
    [[nodiscard]] int headsOf(std::size_t layer) const
    {
        int heads = 0;
        for (const sessions::StoredMixer& mixer : m_layers[layer])
            heads += mixer.heads;
        return heads;
    }

    widgets::GraphPart partOf(const std::string& name)
    {
        const int layers = static_cast<int>(m_layers.size());
        if (name == "embed")
            return {text(name), 0, -1};
        const std::size_t dot = name.find(".mlp");
        const int mlp = dot == std::string::npos ? -1 : layerNumber(name.substr(0, dot));
        if (mlp >= 0 && mlp < layers) {
            const int column = headsOf(static_cast<std::size_t>(mlp));
            m_data.cells[static_cast<std::size_t>(mlp) + 1] = column + 1;
            return {text(name), mlp + 1, column};
        }
        const auto head = interventions::parseHead(name);
        if (!head.has_value() || head->layer >= layers)
            return {text(name), layers + 1, -1}; // the logits
        int column = head->head;
        for (const sessions::StoredMixer& mixer : m_layers[static_cast<std::size_t>(head->layer)]) {
            if (head->site == interventions::Site::Any
                || (mixer.kind == "attention") == (head->site == interventions::Site::Attention))
                break;
            column += mixer.heads;
        }
        return {text(name), head->layer + 1, column};
    }

    std::vector<std::vector<sessions::StoredMixer>> m_layers;
    widgets::EdgeData& m_data;
    std::map<std::string, int> m_known;
};

widgets::EdgeFigure edgePanel(Source& source, const PanelRecipe& panel, const AnalysisRecord& record)
{
    widgets::EdgeFigure figure{.side = panel.side == "B" ? Side::B : Side::A};
    Places place(source.model(record.key.modelHash), figure.data);
    const auto question = nlohmann::json::parse(record.key.questionJson, nullptr, false);
    if (question.is_object() && question.contains("part") && question["part"].is_string())
        figure.data.asked = place(question["part"].get<std::string>());
    std::map<std::pair<std::string, std::string>, double> changes;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "change of the logit difference")
            changes[{value.part, value.receiver}] = value.value;
    for (const AnalysisValue& value : record.values) {
        if (value.measure != "share")
            continue;
        // "L2H5.k" is a head and its door, "L2.mlp" a part of its own.
        const std::size_t dot = value.receiver.ends_with(".mlp") ? std::string::npos : value.receiver.find('.');
        figure.data.edges.push_back(
            {.from = place(value.part),
             .to = place(value.receiver.substr(0, dot)),
             .through = dot == std::string::npos ? QString() : text(value.receiver.substr(dot + 1)),
             .share = value.value,
             .low = value.low,
             .high = value.high,
             .change = changes[{value.part, value.receiver}]});
    }
    std::ranges::stable_sort(figure.data.edges, std::greater(), [](const widgets::GraphEdge& edge) {
        return std::isfinite(edge.share) ? std::abs(edge.share) : -1.0;
    });
    // Where no edge goes far alone the strongest are drawn all the same, and the picture says from which share on.
    if (!figure.data.edges.empty() && std::isfinite(figure.data.edges.front().share))
        figure.threshold = std::min(figure.threshold, std::abs(figure.data.edges.front().share) / 2);
    return figure;
}

widgets::ChartFigure sweepPanel(const AnalysisRecord& record)
{
    widgets::ChartFigure figure{.xTitle = FigureText::tr("layers in which attention is blocked"),
                                .yTitle = FigureText::tr("logit difference"),
                                .integerX = true,
                                .share = false};
    widgets::ChartCurve swept{.name = FigureText::tr("knocked out")},
        whole{.name = FigureText::tr("no knockout"), .color = 1};
    whole.style = widgets::ChartCurve::Style::Dotted;
    double none = widgets::kUnknown;
    for (const AnalysisValue& value : record.values) {
        if (value.measure != "logit difference")
            continue;
        if (value.part == "none") {
            none = value.value;
            continue;
        }
        const auto x = static_cast<double>(swept.points.size());
        const QStringList ends = text(value.part).mid(1).split(u'-');
        figure.xLabels.append(ends.size() == 2 && ends[0] == ends[1] ? u"L%1"_s.arg(ends[0]) : text(value.part));
        swept.points.push_back({x, {value.value}});
    }
    for (const widgets::ChartPoint& point : swept.points)
        whole.points.push_back({point.x, {none}});
    figure.curves = {swept, whole};
    return figure;
}

QString changeTitle(const std::string& measure)
{
    return measure == "ov"        ? FigureText::tr("relative change of OV")
           : measure == "qk"      ? FigureText::tr("relative change of QK")
           : measure == "pattern" ? FigureText::tr("distance of the patterns")
                                  : FigureText::tr("change of the ablation effect, nats");
}

// Heads by two of their changes, or a map of one.
widgets::FigureContent comparePanel(Source& source, const PanelRecipe& panel, const AnalysisRecord& record)
{
    const ModelRecord& model = source.model(record.key.modelHash);
    QString other;
    for (const AnalysisValue& value : record.values)
        if (value.measure == "model")
            other = text(nameWithoutFolders(value.words));
        else if (value.measure == "note")
            source.note(text(value.words));
    const auto changes = [&](const std::string& measure) {
        sessions::RankingRecord heads = headsOf(record, measure, "changed " + measure);
        if (heads.heads.empty())
            throw Missing("The comparison of " + model.name + " has no '" + measure.substr(0, 40)
                          + "'; expected ov or qk, and over prompts pattern or effect.");
        return heads;
    };
    if (!panel.view.empty()) {
        widgets::HeadMapFigure map = headMapOf(source, panel, model, changes(panel.view));
        map.metric = changeTitle(panel.view);
        map.isSigned = panel.view == "effect";
        return map;
    }
    widgets::Plot plot{.title = changeTitle(panel.y), .xTitle = changeTitle(panel.x), .joined = false};
    widgets::PlotSeries series{.name = other, .tone = {}, .points = {}};
    std::map<std::string, double> right;
    for (const sessions::RankedHead& head : changes(panel.x).heads)
        right[head.head] = head.value;
    for (const sessions::RankedHead& head : changes(panel.y).heads)
        if (const auto x = right.find(head.head); x != right.end())
            series.points.push_back({x->second, head.value,
                                     std::isfinite(head.low) && std::isfinite(head.high)
                                         ? std::optional(std::pair(head.low, head.high))
                                         : std::nullopt,
                                     text(head.head)});
    plot.series.push_back(std::move(series));
    return plot;
}

} // namespace

std::string questionId(const sessions::AnalysisKey& key)
{
    Sha256 hash;
    for (const std::string* part :
         {&key.modelHash, &key.kind, &key.dtype, &key.device, &key.ablation, &key.questionJson})
        hash.add(*part + '\n');
    return hash.hex().substr(0, kHashDigits);
}

widgets::FigureContent analysisPanel(Source& source, const PanelRecipe& panel)
{
    const auto models = source.models(panel.models);
    if (models.empty())
        throw Missing("The session has no model.");
    const AnalysisRecord record = source.analysisOf(models.front(), panel);
    if (record.values.empty())
        throw Missing("The session has no numbers of the " + panel.analysis + " of " + models.front().name + ".");
    notePair(source, record);
    if (panel.analysis == "lens")
        return lensPanel(source, record);
    if (panel.analysis == "patching")
        return patchPanel(source, panel, record);
    if (panel.analysis == "attribution")
        return partsPanel(source, record);
    if (panel.analysis == kRowOfHeads)
        return headsPanel(source, record);
    if (panel.analysis == "edges")
        return edgePanel(source, panel, record);
    if (panel.analysis == "compare")
        return comparePanel(source, panel, record);
    if (panel.analysis == "series")
        return chartOf(seriesCurves(record));
    return sweepPanel(record);
}

} // namespace headscope::figures
