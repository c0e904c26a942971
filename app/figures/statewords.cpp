// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/statewords.h"

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
    return span.first == span.last ? u"token %1"_s.arg(span.first)
                                   : u"tokens %1 to %2"_s.arg(span.first).arg(span.last);
}

QString layerOf(Site site, const QString& layer)
{
    return (site == Site::Ssm ? u"SSM of %1"_s : site == Site::Attention ? u"attention of %1"_s : u"%1"_s).arg(layer);
}

QString words(const EditHead& edit)
{
    QString text = nameOf(edit.head);
    switch (edit.replacement) {
    case Replacement::Zero: text += u" ablated"_s; break;
    case Replacement::Mean: text += u" replaced by its mean"_s; break;
    case Replacement::Resample: text += u" replaced by its output on another prompt"_s; break;
    case Replacement::Scale: text += u" scaled by %1"_s.arg(edit.factor); break;
    }
    if (edit.lastOnly)
        text += u" at the last token only"_s;
    if (edit.span)
        text += u" at "_s + tokensOf(*edit.span);
    if (edit.preNorm)
        text += u" before gate and norm"_s;
    return edit.shared ? text + u" in every layer that shares its weights"_s : text;
}

QString words(const KeepHeads& keep)
{
    QStringList heads;
    for (const int head : keep.heads)
        heads.append(nameOf({keep.layer, keep.site, head}));
    const QString kept = heads.isEmpty()         ? u"no head"_s
                         : heads.size() <= kMost ? u"only "_s + heads.join(u", "_s)
                                                 : u"%1 heads"_s.arg(heads.size());
    return u"%1 kept in layer %2"_s.arg(kept).arg(keep.layer);
}

QString words(const MinimalModel& minimal)
{
    return u"only layers 0 to %1"_s.arg(minimal.lastLayer);
}

QString words(const SkipLayer& skip)
{
    const QString layer = u"layer %1"_s.arg(skip.layer);
    switch (skip.part) {
    case LayerPart::Whole: return layer + u" skipped"_s;
    case LayerPart::Mlp: return u"MLP of %1 skipped"_s.arg(layer);
    case LayerPart::Mixer: break;
    }
    return (skip.site == Site::Any ? u"mixer of "_s + layer : layerOf(skip.site, layer)) + u" skipped"_s;
}

QString words(const MaskLastRow& mask)
{
    const QString where = mask.layer ? u"layer %1"_s.arg(*mask.layer) : u"every layer"_s;
    if (mask.kind != RowMask::Zero)
        return u"last token of %1 reads only itself"_s.arg(where);
    return layerOf(mask.site == Site::Ssm ? Site::Ssm : Site::Attention, where) + u" blocked from the last token"_s;
}

QString words(const MaskEntry& mask)
{
    return u"%1: token %2 may not read token %3"_s.arg(nameOf(mask.head)).arg(mask.query).arg(mask.key);
}

QString words(const MaskSpan& mask)
{
    const QString layers = mask.lastLayer > mask.layer ? u"layers %1 to %2"_s.arg(mask.layer).arg(mask.lastLayer)
                                                       : u"layer %1"_s.arg(mask.layer);
    const QString where = mask.head >= 0 ? nameOf({mask.layer, mask.site, mask.head}) : layerOf(mask.site, layers);
    return u"%1: %2 may not read %3"_s.arg(where, tokensOf(mask.queries), tokensOf(mask.keys))
           + (mask.beforeSoftmax ? u" (before the softmax)"_s : QString());
}

QString words(const Steer& steer)
{
    return u"%1 times %2 added before layer %3"_s.arg(steer.factor)
        .arg(QString::fromStdString(steer.direction))
        .arg(steer.layer);
}

QString words(const SwapLayer& swap)
{
    return u"layer %1 of %2"_s.arg(swap.layer).arg(QString::fromStdString(swap.model));
}

} // namespace

QString stateWords(const InterventionSet& set)
{
    if (set.empty())
        return u"all heads on"_s;
    QStringList heads, parts;
    for (const Intervention& item : set.items())
        if (const auto* edit = std::get_if<EditHead>(&item); edit && isPlain(*edit))
            heads.append(nameOf(edit->head));
        else
            parts.append(std::visit([](const auto& one) { return words(one); }, item));
    if (parts.size() > kMost)
        parts = QStringList{u"%1 changes"_s.arg(parts.size())};
    if (heads.size() > kMost)
        parts.prepend(u"%1 heads ablated"_s.arg(heads.size()));
    else if (!heads.isEmpty())
        parts.prepend(u"without "_s + heads.join(u", "_s));
    return parts.join(u", "_s);
}

} // namespace headscope::figures
