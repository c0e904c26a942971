// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/ablationwords.h"

#include "app/present/heads/headspans.h"
#include "app/state/modelheads.h"
#include "core/base/foldernames.h"
#include "widgets/look/countedtext.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <iterator>
#include <vector>

namespace headscope::gui {

using namespace interventions;

namespace {

constexpr qsizetype kMostNamed = 4; // named one by one
constexpr qsizetype kMostParts = 3;

struct AblationWords {
    Q_DECLARE_TR_FUNCTIONS(AblationWords)
};

/// Says each part of a set.
struct Speaker {
    const app::ModelSummary* model = nullptr; ///< null: heads and channels cannot be told apart

    [[nodiscard]] QString nameOf(const HeadRef& head) const
    {
        return QString::fromStdString(model ? headName(*model, head) : toText(head));
    }
    /// Some heads, some channels, or both, ablated.
    [[nodiscard]] QString ablated(const std::vector<HeadRef>& heads) const;
    [[nodiscard]] QString operator()(const EditHead& edit) const;
    [[nodiscard]] QString operator()(const KeepHeads& keep) const;
    [[nodiscard]] QString operator()(const MinimalModel& minimal) const;
    [[nodiscard]] QString operator()(const SkipLayer& skip) const;
    [[nodiscard]] QString operator()(const MaskLastRow& mask) const;
    [[nodiscard]] QString operator()(const MaskEntry& mask) const;
    [[nodiscard]] QString operator()(const MaskSpan& mask) const;
    [[nodiscard]] QString operator()(const Steer& steer) const;
    [[nodiscard]] QString operator()(const ExchangeWords& exchange) const;
    [[nodiscard]] QString operator()(const SwapLayer& swap) const;
};

QString tokensOf(const PositionSpan& span)
{
    return span.first == span.last ? AblationWords::tr("token %1").arg(span.first)
                                   : AblationWords::tr("tokens %1 to %2").arg(span.first).arg(span.last);
}

bool isPlain(const Intervention& item)
{
    const auto* edit = std::get_if<EditHead>(&item);
    return edit && edit->replacement == Replacement::Zero && !edit->lastOnly && !edit->span && !edit->preNorm
           && !edit->shared;
}

QString Speaker::operator()(const EditHead& edit) const
{
    QString text;
    switch (edit.replacement) {
    case Replacement::Zero: text = AblationWords::tr("%1 ablated"); break;
    case Replacement::Mean: text = AblationWords::tr("%1 replaced by its mean"); break;
    case Replacement::Resample: text = AblationWords::tr("%1 replaced by its output on another prompt"); break;
    case Replacement::Scale:
        // Both at once: an argument that is put in last would fill a %1 that is put in first.
        text = AblationWords::tr("%1 scaled by %2").arg(QStringLiteral("%1"), QString::number(edit.factor));
        break;
    }
    text = text.arg(nameOf(edit.head));
    if (edit.lastOnly)
        text = AblationWords::tr("%1 at the last token only").arg(text);
    if (edit.span)
        text = AblationWords::tr("%1 at %2").arg(text, tokensOf(*edit.span));
    if (edit.preNorm)
        text = AblationWords::tr("%1 before gate and norm").arg(text);
    if (edit.shared)
        text = AblationWords::tr("%1 in every layer that shares its weights").arg(text);
    return text;
}

QString Speaker::operator()(const KeepHeads& keep) const
{
    QStringList heads;
    for (const int head : keep.heads)
        heads.append(nameOf({keep.layer, keep.site, head}));
    const bool experts = keep.site == Site::Expert;
    if (heads.isEmpty())
        return (experts ? AblationWords::tr("no expert kept in layer %1")
                        : AblationWords::tr("no head kept in layer %1"))
            .arg(keep.layer);
    if (heads.size() > kMostNamed && experts)
        return AblationWords::tr("%1 experts kept in layer %2, the others ablated").arg(heads.size()).arg(keep.layer);
    if (heads.size() > kMostNamed)
        return AblationWords::tr("%1 heads kept in layer %2, the others ablated").arg(heads.size()).arg(keep.layer);
    return AblationWords::tr("all of layer %2 ablated except %1").arg(heads.join(QStringLiteral(", "))).arg(keep.layer);
}

QString Speaker::operator()(const MinimalModel& minimal) const
{
    return AblationWords::tr("only layers 0 to %1").arg(minimal.lastLayer);
}

QString Speaker::operator()(const SkipLayer& skip) const
{
    switch (skip.part) {
    case LayerPart::Whole: return AblationWords::tr("layer %1 skipped").arg(skip.layer);
    case LayerPart::Mlp: return AblationWords::tr("MLP of layer %1 skipped").arg(skip.layer);
    case LayerPart::Mixer: break;
    }
    return skip.site == Site::Attention ? AblationWords::tr("attention of layer %1 skipped").arg(skip.layer)
           : skip.site == Site::Ssm     ? AblationWords::tr("SSM of layer %1 skipped").arg(skip.layer)
                                        : AblationWords::tr("mixer of layer %1 skipped").arg(skip.layer);
}

QString Speaker::operator()(const MaskLastRow& mask) const
{
    if (mask.kind != RowMask::Zero)
        return mask.layer ? AblationWords::tr("last token of layer %1 reads only itself").arg(*mask.layer)
                          : AblationWords::tr("last token of every layer reads only itself");
    if (!mask.layer)
        return AblationWords::tr("attention of every layer blocked from the last token");
    return mask.site == Site::Ssm
               ? AblationWords::tr("SSM of layer %1 blocked from the last token").arg(*mask.layer)
               : AblationWords::tr("attention of layer %1 blocked from the last token").arg(*mask.layer);
}

QString Speaker::operator()(const MaskEntry& mask) const
{
    return AblationWords::tr("%1: token %2 may not read token %3").arg(nameOf(mask.head)).arg(mask.query).arg(mask.key);
}

QString Speaker::operator()(const MaskSpan& mask) const
{
    QString where = mask.head >= 0 ? nameOf({mask.layer, mask.site, mask.head})
                    : mask.lastLayer > mask.layer
                        ? AblationWords::tr("layers %1 to %2").arg(mask.layer).arg(mask.lastLayer)
                        : AblationWords::tr("layer %1").arg(mask.layer);
    if (mask.head < 0 && mask.site != Site::Any)
        where =
            (mask.site == Site::Ssm ? AblationWords::tr("SSM of %1") : AblationWords::tr("attention of %1")).arg(where);
    const QString text =
        AblationWords::tr("%1: %2 may not read %3").arg(where, tokensOf(mask.queries), tokensOf(mask.keys));
    return mask.beforeSoftmax ? AblationWords::tr("%1 (before the softmax)").arg(text) : text;
}

QString Speaker::operator()(const Steer& steer) const
{
    return AblationWords::tr("%1 times %2 added before layer %3")
        .arg(QString::number(steer.factor), QString::fromStdString(nameWithoutFolders(steer.direction)),
             QString::number(steer.layer));
}

QString Speaker::operator()(const ExchangeWords& exchange) const
{
    return AblationWords::tr("“%1” and “%2” exchanged before layer %3")
        .arg(QString::fromStdString(exchange.first), QString::fromStdString(exchange.second),
             QString::number(exchange.layer));
}

QString Speaker::operator()(const SwapLayer& swap) const
{
    return AblationWords::tr("layer %1 of %2")
        .arg(QString::number(swap.layer), QString::fromStdString(nameWithoutFolders(swap.model)));
}

QString Speaker::ablated(const std::vector<HeadRef>& heads) const
{
    if (std::ssize(heads) <= kMostNamed) {
        QStringList names;
        for (const HeadRef& head : heads)
            names.append(nameOf(head));
        return AblationWords::tr("%1 ablated").arg(names.join(QStringLiteral(", ")));
    }
    int counts[3] = {}; // heads, channels, experts
    for (const HeadRef& head : heads) {
        const app::MixerSummary* mixer = model ? mixerOf(*model, head) : nullptr;
        const int kind = head.site == Site::Expert ? 2 : mixer && mixer->channels ? 1 : 0;
        counts[kind] += mixer && head.head < 0 ? mixer->heads : 1;
    }
    return AblationWords::tr("%1 ablated").arg(countedHeads(counts[0], counts[1], counts[2]));
}

} // namespace

QString ablatedHeads(const InterventionSet& set, int most, const app::ModelSummary* model)
{
    const auto count = static_cast<int>(set.items().size());
    if (count == 0 || count > most || !std::ranges::all_of(set.items(), isPlain))
        return {};
    QStringList heads;
    for (const Intervention& item : set.items())
        heads.append(Speaker{model}.nameOf(std::get<EditHead>(item).head));
    return heads.join(QStringLiteral(", "));
}

QString ablationWords(const InterventionSet& set, const app::ModelSummary* model)
{
    const Speaker speaker{model};
    std::vector<HeadRef> heads;
    QStringList parts;
    for (const Intervention& item : set.items())
        if (isPlain(item))
            heads.push_back(std::get<EditHead>(item).head);
        else
            parts.append(std::visit(speaker, item));
    if (parts.size() > kMostParts)
        parts = QStringList{AblationWords::tr("%1 changes").arg(parts.size())};
    if (!heads.empty())
        parts.prepend(speaker.ablated(heads));
    return parts.join(QStringLiteral(", "));
}

QString countedHeads(int heads, int channels, int experts)
{
    QStringList parts;
    if (heads > 0)
        parts << widgets::counted(heads, AblationWords::tr("1 head"), AblationWords::tr("%L1 heads"));
    if (channels > 0)
        parts << widgets::counted(channels, AblationWords::tr("1 channel"), AblationWords::tr("%L1 channels"));
    if (experts > 0)
        parts << widgets::counted(experts, AblationWords::tr("1 expert"), AblationWords::tr("%L1 experts"));
    return parts.join(AblationWords::tr(" and "));
}

} // namespace headscope::gui
