// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/statewords.h"

#include "app/figures/figurewords.h"
#include "core/base/foldernames.h"
#include "widgets/pattern/patterndata.h"

#include <QStringList>

namespace headscope::figures {

using namespace interventions;
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMost = 3; // named one by one

bool isPlain(const EditHead& edit)
{
    return edit.replacement == Replacement::Zero && !edit.lastOnly && !edit.span && !edit.preNorm && !edit.shared;
}

QString nameOf(const HeadRef& head)
{
    return QString::fromStdString(toText(head));
}

QString tokensOf(const PositionSpan& span)
{
    return span.first == span.last ? FigureText::tr("token %1").arg(span.first)
                                   : FigureText::tr("tokens %1 to %2").arg(span.first).arg(span.last);
}

QString layerOf(Site site, const QString& layer)
{
    return (site == Site::Ssm         ? FigureText::tr("SSM of %1")
            : site == Site::Attention ? FigureText::tr("attention of %1")
                                      : u"%1"_s)
        .arg(layer);
}

QString words(const EditHead& edit)
{
    QString text = nameOf(edit.head);
    switch (edit.replacement) {
    case Replacement::Zero: text += FigureText::tr(" ablated"); break;
    case Replacement::Mean: text += FigureText::tr(" replaced by its mean"); break;
    case Replacement::Resample: text += FigureText::tr(" replaced by its output on another prompt"); break;
    case Replacement::Scale: text += FigureText::tr(" scaled by %1").arg(edit.factor); break;
    }
    if (edit.lastOnly)
        text += FigureText::tr(" at the last token only");
    if (edit.span)
        text += FigureText::tr(" at ") + tokensOf(*edit.span);
    if (edit.preNorm)
        text += FigureText::tr(" before gate and norm");
    return edit.shared ? text + FigureText::tr(" in every layer that shares its weights") : text;
}

QString words(const KeepHeads& keep)
{
    QStringList heads;
    for (const int head : keep.heads)
        heads.append(nameOf({keep.layer, keep.site, head}));
    const QString kept = heads.isEmpty()         ? FigureText::tr("no head")
                         : heads.size() <= kMost ? FigureText::tr("only ") + heads.join(u", "_s)
                                                 : FigureText::tr("%1 heads").arg(heads.size());
    return FigureText::tr("%1 kept in layer %2").arg(kept).arg(keep.layer);
}

QString words(const MinimalModel& minimal)
{
    return FigureText::tr("only layers 0 to %1").arg(minimal.lastLayer);
}

QString words(const SkipLayer& skip)
{
    const QString layer = FigureText::tr("layer %1").arg(skip.layer);
    switch (skip.part) {
    case LayerPart::Whole: return layer + FigureText::tr(" skipped");
    case LayerPart::Mlp: return FigureText::tr("MLP of %1 skipped").arg(layer);
    case LayerPart::Mixer: break;
    }
    return (skip.site == Site::Any ? FigureText::tr("mixer of ") + layer : layerOf(skip.site, layer))
           + FigureText::tr(" skipped");
}

QString words(const MaskLastRow& mask)
{
    const QString where = mask.layer ? FigureText::tr("layer %1").arg(*mask.layer) : FigureText::tr("every layer");
    if (mask.kind != RowMask::Zero)
        return FigureText::tr("last token of %1 reads only itself").arg(where);
    return layerOf(mask.site == Site::Ssm ? Site::Ssm : Site::Attention, where)
           + FigureText::tr(" blocked from the last token");
}

QString words(const MaskEntry& mask)
{
    return FigureText::tr("%1: token %2 may not read token %3").arg(nameOf(mask.head)).arg(mask.query).arg(mask.key);
}

QString words(const MaskSpan& mask)
{
    const QString layers = mask.lastLayer > mask.layer
                               ? FigureText::tr("layers %1 to %2").arg(mask.layer).arg(mask.lastLayer)
                               : FigureText::tr("layer %1").arg(mask.layer);
    const QString where = mask.head >= 0 ? nameOf({mask.layer, mask.site, mask.head}) : layerOf(mask.site, layers);
    return FigureText::tr("%1: %2 may not read %3").arg(where, tokensOf(mask.queries), tokensOf(mask.keys))
           + (mask.beforeSoftmax ? FigureText::tr(" (before the softmax)") : QString());
}

QString words(const Steer& steer)
{
    return FigureText::tr("%1 times %2 added before layer %3")
        .arg(steer.factor)
        .arg(QString::fromStdString(nameWithoutFolders(steer.direction)))
        .arg(steer.layer);
}

QString words(const ExchangeWords& exchange)
{
    return FigureText::tr("“%1” and “%2” exchanged before layer %3")
        .arg(QString::fromStdString(exchange.first), QString::fromStdString(exchange.second))
        .arg(exchange.layer);
}

QString words(const SwapLayer& swap)
{
    return FigureText::tr("layer %1 of %2").arg(swap.layer).arg(QString::fromStdString(nameWithoutFolders(swap.model)));
}

} // namespace

QString stateWords(const InterventionSet& set)
{
    if (set.empty())
        return FigureText::tr("all heads on");
    QStringList heads, parts;
    for (const Intervention& item : set.items())
        if (const auto* edit = std::get_if<EditHead>(&item); edit && isPlain(*edit))
            heads.append(nameOf(edit->head));
        else
            parts.append(std::visit([](const auto& one) { return words(one); }, item));
    if (parts.size() > kMost)
        parts = QStringList{FigureText::tr("%1 changes").arg(parts.size())};
    if (heads.size() > kMost)
        parts.prepend(FigureText::tr("%1 heads ablated").arg(heads.size()));
    else if (!heads.isEmpty())
        parts.prepend(FigureText::tr("without ") + heads.join(u", "_s));
    return parts.join(u", "_s);
}

QString promptWords(const QString& prompt)
{
    constexpr qsizetype kFront = 80, kEnd = 140; // letters
    return widgets::tokenLabel(
        prompt.size() <= kFront + kEnd ? prompt : prompt.left(kFront) + QChar(0x2026) + prompt.right(kEnd));
}

} // namespace headscope::figures
