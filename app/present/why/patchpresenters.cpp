// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/patchpresenters.h"

#include "app/present/heads/headspans.h"
#include "app/present/prompt/patternpresenters.h"
#include "app/present/text.h"
#include "app/present/why/pairpresenters.h"
#include "app/state/modelheads.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

namespace headscope::gui {

namespace {

struct PatchPresenters {
    Q_DECLARE_TR_FUNCTIONS(PatchPresenters)
};

using app::PatchedPart;

constexpr std::size_t kCellsNamed = 3; // cells that a sentence names
constexpr double kMuch = 0.5;          // of the way to the other run

QString cellName(const app::PatchedCell& cell, PatchedPart part, const app::ModelSummary& model)
{
    const QString layer = QString::number(cell.head.layer), position = QString::number(cell.position);
    switch (part) {
    case PatchedPart::Heads: return QString::fromStdString(headName(model, cell.head));
    case PatchedPart::HeadsByToken:
        return PatchPresenters::tr("%1, token %2").arg(QString::fromStdString(headName(model, cell.head)), position);
    case PatchedPart::State: return PatchPresenters::tr("state of layer %1 after token %2").arg(layer, position);
    case PatchedPart::Stream: return PatchPresenters::tr("stream before layer %1, token %2").arg(layer, position);
    case PatchedPart::Mixer: return PatchPresenters::tr("attention or SSM of layer %1, token %2").arg(layer, position);
    case PatchedPart::Mlp: break;
    }
    return PatchPresenters::tr("MLP of layer %1, token %2").arg(layer, position);
}

/// The row of a cell: its layer, the mixer where a layer has two, and the head where columns are tokens.
using RowKey = std::tuple<int, interventions::Site, int>;

/// Where the cells of a map stand.
struct Grid {
    std::map<RowKey, int> rows;
    int columns = 0;
    bool heads = false, headRows = false;

    explicit Grid(const app::PatchReply& reply)
        : heads(reply.question.part == PatchedPart::Heads), headRows(reply.question.part == PatchedPart::HeadsByToken)
    {
        for (const app::PatchedCell& cell : reply.cells) {
            rows.emplace(key(cell), 0);
            columns = std::max(columns, column(cell) + 1);
        }
        int next = 0;
        for (auto& [key, row] : rows) // in the order of layers
            row = next++;
    }

    [[nodiscard]] RowKey key(const app::PatchedCell& cell) const
    {
        return {cell.head.layer, cell.head.site, headRows ? cell.head.head : -1};
    }
    [[nodiscard]] int column(const app::PatchedCell& cell) const { return heads ? cell.head.head : cell.position; }
    [[nodiscard]] std::pair<int, int> place(const app::PatchedCell& cell) const
    {
        return {rows.at(key(cell)), column(cell)};
    }
};

widgets::GridCell patchedCell(double share)
{
    constexpr double kAgainst = -0.05; // less is not noise around nothing
    if (!std::isfinite(share))
        return {};
    return {.value = share,
            .strength = static_cast<float>(std::clamp(std::abs(share), 0.0, 1.0)),
            .marks = share < kAgainst ? widgets::GridCell::Hatched : widgets::GridCell::None};
}

QString cellWords(const app::PatchReply& reply, const app::PatchedCell& cell, const app::ModelSummary& model)
{
    const QString name = cellName(cell, reply.question.part, model);
    if (!std::isfinite(cell.share.value))
        return PatchPresenters::tr("%1: the model has no such part").arg(name);
    const auto& interval = cell.share.interval;
    const QString share = widgets::numberText(cell.share.value);
    const double into = reply.question.of.noise ? reply.over.clean : reply.over.corrupt,
                 whole = reply.over.clean + reply.over.corrupt - 2 * into;
    return PatchPresenters::tr("%1; logit difference %2")
        .arg(interval ? PatchPresenters::tr("%1: effect %2, 95 % interval %3 to %4")
                            .arg(name, share, widgets::numberText(interval->low), widgets::numberText(interval->high))
                      : PatchPresenters::tr("%1: effect %2").arg(name, share),
             widgets::signedText(into + cell.share.value * whole));
}

/// Heads, or the tokens of the prompt; emphasised where the other prompt has another.
widgets::GridLine patchColumn(const app::PatchReply& reply, bool heads, int column)
{
    const auto at = static_cast<std::size_t>(column);
    if (heads || at >= reply.over.tokens.size())
        return {.name = heads ? QStringLiteral("H%1").arg(column) : QString::number(column)};
    const QString token = widgets::tokenLabel(text(reply.over.tokens[at]));
    const bool differs = at < reply.over.otherTokens.size() && reply.over.tokens[at] != reply.over.otherTokens[at];
    return {.name = token,
            .words = differs ? PatchPresenters::tr("%1: here the two prompts differ").arg(token) : QString(),
            .strong = differs};
}

std::vector<const app::PatchedCell*> largestFirst(const app::PatchReply& reply)
{
    std::vector<const app::PatchedCell*> most;
    for (const app::PatchedCell& cell : reply.cells)
        if (std::isfinite(cell.share.value))
            most.push_back(&cell);
    std::ranges::stable_sort(most, std::greater(), [](const app::PatchedCell* cell) { return cell->share.value; });
    return most;
}

} // namespace

widgets::GridData patchGrid(const std::shared_ptr<const app::PatchReply>& reply,
                            const std::shared_ptr<const app::ModelSummary>& model, const QString& of)
{
    constexpr int kFewHeads = 16, kLetters = 6; // of a number
    const Grid places(*reply);
    widgets::GridData grid{.corner = PatchPresenters::tr("layer"),
                           .letters = places.heads && places.columns <= kFewHeads ? 0 : kLetters,
                           .of = of};
    for (const auto& [key, row] : places.rows)
        grid.rows.push_back(
            {.name = places.headRows ? text(headName(*model, {std::get<0>(key), std::get<1>(key), std::get<2>(key)}))
                                     : QStringLiteral("L%1").arg(std::get<0>(key))});
    for (int column = 0; column < places.columns; ++column)
        grid.columns.push_back(patchColumn(*reply, places.heads, column));
    grid.cells.resize(grid.rows.size() * grid.columns.size());
    std::vector<const app::PatchedCell*> cells(grid.cells.size());
    for (const app::PatchedCell& cell : reply->cells) {
        const auto [row, column] = places.place(cell);
        cells[grid.at(row, column)] = &cell;
        grid.cells[grid.at(row, column)] = patchedCell(cell.share.value);
    }
    grid.words = [reply, model, cells, columns = places.columns](int row, int column) {
        const app::PatchedCell* cell = cells[static_cast<std::size_t>(row * columns + column)];
        return cell ? cellWords(*reply, *cell, *model) : PatchPresenters::tr("The model has no such part.");
    };
    return grid;
}

std::vector<app::PatchedCell> cellsAt(const app::PatchReply& reply, const QList<std::pair<int, int>>& places)
{
    const Grid grid(reply);
    std::vector<app::PatchedCell> cells;
    for (const app::PatchedCell& cell : reply.cells)
        if (places.contains(grid.place(cell)))
            cells.push_back(cell);
    return cells;
}

std::vector<app::HeadValue> patchValues(const app::PatchReply& reply, const app::ModelSummary& model)
{
    std::vector<app::HeadValue> values;
    if (reply.question.part == PatchedPart::Heads)
        for (const app::PatchedCell& cell : reply.cells)
            values.push_back({.head = cell.head,
                              .attention = siteOf(model, cell.head) == interventions::Site::Attention,
                              .value = cell.share.value});
    return values;
}

widgets::PatchedRunData patchedRunData(const app::PatchedRunReply& reply, const app::ModelSummary& model,
                                       const QString& side, const QString& provenance)
{
    QStringList names;
    for (const app::PatchedCell& cell : reply.look.cells)
        names.append(cellName(cell, reply.look.question.part, model));
    constexpr qsizetype kNamed = 3;
    const qsizetype more = names.size() - kNamed;
    QString what = names.mid(0, kNamed).join(QStringLiteral("; "));
    if (more > 0)
        what += PatchPresenters::tr(" and %L1 more").arg(more);
    widgets::PatchedRunData data;
    data.sentence = PatchPresenters::tr("%1 patched together: effect %2 (1 is the other "
                                        "run); the logit of “%3” minus “%4” becomes %5.")
                        .arg(what, widgets::numberText(reply.share), text(reply.over.answer),
                             text(reply.over.distractor), widgets::signedText(reply.patched));
    const auto words = [](const app::PatchedRunReply::Likely& tokens) {
        QStringList all;
        for (const auto& [token, probability] : tokens)
            all.append(QStringLiteral("“%1” %2").arg(text(token), widgets::numberText(probability)));
        return all.join(QStringLiteral("  "));
    };
    data.output = PatchPresenters::tr("next token without: %1").arg(words(reply.without)) + u'\n'
                  + PatchPresenters::tr("with the patch: %1").arg(words(reply.with)) + u'\n'
                  + PatchPresenters::tr("in the other run: %1").arg(words(reply.other));
    data.noMap = text(reply.noMap);
    const auto map = [&](const Matrix& matrix) {
        if (matrix.rows == 0)
            return widgets::PatternData();
        auto pattern = std::make_shared<app::PatternReply>();
        pattern->request = {.head = reply.look.head, .ablation = reply.look.question.of.state.ablation};
        const app::MixerSummary* mixer = mixerOf(model, reply.look.head);
        pattern->convention.kind = mixer && mixer->attention  ? analysis::MatrixKind::Attention
                                   : mixer && mixer->channels ? analysis::MatrixKind::HiddenChannel
                                                              : analysis::MatrixKind::Hidden;
        pattern->prompt.tokens = reply.tokens;
        pattern->prompt.ids.resize(reply.tokens.size());
        pattern->matrix = matrix;
        return patternData(std::shared_ptr<const app::PatternReply>(pattern), model, side, provenance);
    };
    data.before = map(reply.before);
    data.after = map(reply.after);
    return data;
}

QString patchHeadline(const app::PatchReply& reply, const app::ModelSummary& model)
{
    if (reply.cells.empty())
        return {};
    QStringList names;
    for (const app::PatchedCell* cell : largestFirst(reply))
        if (cell->share.value > kMuch)
            names.append(cellName(*cell, reply.question.part, model));
    const bool noise = reply.question.of.noise, heads = reply.question.part == PatchedPart::Heads;
    const qsizetype count = names.size();
    const QString first = names.mid(0, kCellsNamed).join(QStringLiteral("; "));
    if (count == 0)
        return noise ? (heads ? PatchPresenters::tr("No head alone takes away half of the answer.")
                              : PatchPresenters::tr("No place alone takes away half of the answer."))
                     : (heads ? PatchPresenters::tr("No head alone brings back half of the answer.")
                              : PatchPresenters::tr("No place alone brings back half of the answer."));
    if (count == 1)
        return (noise ? PatchPresenters::tr("Only %1 takes away more than half of the answer.")
                      : PatchPresenters::tr("Only %1 brings back more than half of the answer."))
            .arg(first);
    return (noise ? PatchPresenters::tr("%1: each takes away more than half of the answer.")
                  : PatchPresenters::tr("%1: each brings back more than half of the answer."))
        .arg(count > static_cast<qsizetype>(kCellsNamed) ? first + QStringLiteral("; …") : first);
}

QString patchSentence(const app::PatchReply& reply, const app::ModelSummary& model)
{
    if (reply.cells.empty())
        return {};
    QString sentence =
        pairSentence(reply.question.of.noise ? PatchPresenters::tr("Noise: corrupted activations into the clean run")
                                             : PatchPresenters::tr("Denoise: clean activations into the corrupted run"),
                     reply.over);
    std::vector<const app::PatchedCell*> most = largestFirst(reply);
    most.resize(std::min(most.size(), kCellsNamed));
    QStringList names;
    for (const app::PatchedCell* cell : most)
        names.append(QStringLiteral("%1 %2").arg(cellName(*cell, reply.question.part, model),
                                                 QString::number(cell->share.value, 'f', 2)));
    sentence += u' ' + PatchPresenters::tr("Largest effects: %1.").arg(names.join(QStringLiteral("; ")));
    return sentence + leftOutSentence(reply.over);
}

} // namespace headscope::gui
