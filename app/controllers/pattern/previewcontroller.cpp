// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/previewcontroller.h"

#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"
#include "app/present/prompt/patternpresenters.h"
#include "app/state/modelheads.h"

#include <algorithm>
#include <utility>

namespace headscope::gui {

using interventions::HeadRef;
using widgets::HeadSpan;
using widgets::PatternPage;
using widgets::StripShown;

namespace {

constexpr int kHoverMs = 120;
constexpr int kMostInStrip = 64;
constexpr int kMostOfAll = 1024, kAllSide = 120; ///< pictures of every head, and pixels of each
constexpr int kTop = 16;
constexpr int kRestMs = 500;
constexpr int kLateMs = 1000; ///< pictures that are not there then are announced

// The strip shows the chosen one, where it is among them, and those beside it: they come first.
std::vector<HeadRef> fromTheChosenOn(const std::vector<HeadRef>& heads, const HeadRef& chosen)
{
    const auto middle = std::ranges::find(heads, chosen);
    if (middle == heads.end())
        return heads;
    auto before = std::make_reverse_iterator(middle);
    auto after = middle;
    std::vector<HeadRef> ordered;
    while (ordered.size() < heads.size()) {
        if (after != heads.end())
            ordered.push_back(*after++);
        if (before != heads.rend())
            ordered.push_back(*before++);
    }
    return ordered;
}

} // namespace

PreviewController::PreviewController(WindowState& state, app::Door& door, PatternPage& page,
                                     std::array<widgets::HeadMapPanel*, 2> maps, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page), m_maps(maps)
{
    m_top.setSingleShot(true);
    m_top.setInterval(kRestMs);
    connect(&m_top, &QTimer::timeout, this, &PreviewController::askStrip);
    m_hover.setSingleShot(true);
    m_hover.setInterval(kHoverMs);
    connect(&m_hover, &QTimer::timeout, this, &PreviewController::requestHovered);
    m_late.setSingleShot(true);
    m_late.setInterval(kLateMs);
    connect(&m_late, &QTimer::timeout, this, &PreviewController::updateStrip);
    connect(&page, &PatternPage::conventionChanged, this, [this] {
        for (const Side side : kSides)
            heads(side)->clearThumbnails();
        askStrip();
    });
    connect(&page, &PatternPage::stripChanged, this, &PreviewController::askStrip);
    connect(&page, &PatternPage::scaleChanged, this, &PreviewController::askStrip);
    connect(&page, &PatternPage::signedChanged, this, [this] {
        for (const Side side : kSides)
            heads(side)->clearThumbnails();
        askStrip();
    });
    connect(page.strip(), &widgets::HeadStrip::headChosen, this,
            [this](const HeadSpan& head) { look(m_state.activeSide(), head); });
    const auto arrives = [this](Side side, const auto& preview) { arrived(side, *preview); };
    door.on<app::PreviewsRequest>(this, arrives);
    door.on<app::HoverRequest>(this, arrives);
    for (const Side side : kSides)
        connectMap(side);
    connectState();
}

void PreviewController::connectMap(Side side)
{
    connect(m_maps[indexOf(side)]->view(), &widgets::HeadMapView::headHovered, this,
            [this, side](const HeadSpan& head) { hover(side, head); });
    connect(m_page.everyHead(side), &widgets::HeadStrip::headChosen, this, [this, side](const HeadSpan& head) {
        look(side, head);
        m_page.leaveEveryHead();
    });
    connect(heads(side), &QAbstractItemModel::dataChanged, this, [this] {
        if (m_page.stripShown() == StripShown::Top || m_page.stripShown() == StripShown::AllByMetric)
            m_top.start();
    });
}

void PreviewController::connectState()
{
    connect(&m_state, &WindowState::modelChanged, this, &PreviewController::changed);
    connect(&m_state, &WindowState::ablationChanged, this, &PreviewController::changed);
    connect(&m_state, &WindowState::promptChanged, this, [this](bool reread) {
        for (const Side side : kSides) {
            if (reread)
                forget(side); // the same text is asked about again
            if (reread || !m_state.side(side).keptPrompt)
                changed(side);
        }
    });
    connect(&m_state, &WindowState::headChanged, this, [this](Side side) {
        if (side == m_state.activeSide() || m_page.showsEveryHead())
            askStrip();
    });
    connect(&m_state, &WindowState::activeSideChanged, this, &PreviewController::askStrip);
}

void PreviewController::changed(Side side)
{
    m_door.withdraw<app::HoverRequest>(side);
    heads(side)->clearThumbnails();
    if (side == m_state.activeSide() || m_page.showsEveryHead())
        askStrip();
}

void PreviewController::look(Side side, const HeadSpan& head)
{
    if (m_state.hasModel(side))
        m_state.setHead(side, headRef(*m_state.side(side).model, head));
}

widgets::HeadStrip& PreviewController::stripOf(Side side) const
{
    return m_page.showsEveryHead() ? *m_page.everyHead(side) : *m_page.strip();
}

app::PatternRequest PreviewController::request(Side side) const
{
    return patternRequest(m_state.side(side), widgets::PatternShown::Pattern, m_page.convention());
}

// Of thousands of channels the first of each layer.
std::vector<HeadRef> PreviewController::everyHead(Side side) const
{
    const app::ModelSummary& model = *m_state.side(side).model;
    std::vector<HeadRef> every;
    if (m_page.stripShown() == StripShown::AllByMetric)
        for (const HeadSpan& head : heads(side)->strongest(kMostOfAll))
            every.push_back(headRef(model, head));
    const std::vector<widgets::HeadRow> rows = headRows(model);
    const int most = kMostOfAll / std::max(static_cast<int>(rows.size()), 1);
    for (const widgets::HeadRow& row : rows)
        for (int head = 0; head < std::min(row.heads, most); ++head)
            if (const HeadRef ref = headRef(model, {row.layer, row.kind, head, 1});
                m_page.stripShown() == StripShown::All || std::ranges::find(every, ref) == every.end())
                every.push_back(ref); // those without a number last
    return every;
}

std::vector<HeadRef> PreviewController::stripHeads(Side side) const
{
    if (m_page.showsEveryHead())
        return everyHead(side);
    const SideState& now = m_state.side(side);
    const HeadSpan chosen = headSpan(*now.model, now.head);
    std::vector<HeadRef> heads;
    if (m_page.stripShown() == StripShown::Top)
        for (const HeadSpan& head : this->heads(side)->strongest(kTop))
            heads.push_back(headRef(*now.model, head));
    for (const widgets::HeadRow& row : headRows(*now.model)) {
        const auto add = [&](int head) { heads.push_back(headRef(*now.model, {row.layer, row.kind, head, 1})); };
        if (m_page.stripShown() == StripShown::Column && chosen.first < row.heads)
            add(chosen.first);
        if (m_page.stripShown() == StripShown::Layer && row.layer == chosen.layer && row.kind == chosen.kind) {
            // Of thousands of channels those around the chosen one.
            const int first = std::clamp(chosen.first - kMostInStrip / 2, 0, std::max(0, row.heads - kMostInStrip));
            for (int head = first; head < std::min(row.heads, first + kMostInStrip); ++head)
                add(head);
        }
    }
    return heads;
}

QString PreviewController::stripCaption(const HeadSpan& chosen) const
{
    const QString letter = letterOf(m_state.activeSide());
    switch (m_page.stripShown()) {
    case StripShown::Layer: return tr("Layer %1 of %2").arg(chosen.layer).arg(letter);
    case StripShown::Column: return tr("Head %1 in every layer of %2").arg(chosen.first).arg(letter);
    case StripShown::Top: return tr("Top heads of %1 by this metric").arg(letter);
    case StripShown::All:
    case StripShown::AllByMetric:
        return m_state.hasModel(Side::B) ? tr("All heads of A and B") : tr("All heads of %1").arg(letter);
    case StripShown::None: break;
    }
    return {};
}

// A long text is read to its end before the first small picture of it can be made.
void PreviewController::updateStrip()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    if (!m_asked[indexOf(side)] || !now.model)
        return;
    const QString caption = stripCaption(headSpan(*now.model, now.head));
    const bool late = !m_late.isActive() && !stripOf(side).hasAllPictures();
    m_page.setStripCaption(late ? QStringList{tr("%1 · reading the text for thumbnails").arg(caption),
                                              tr("%1 · reading the text …").arg(caption), caption}
                                : QStringList{caption});
}

void PreviewController::forget(Side side)
{
    if (std::exchange(m_asked[indexOf(side)], {}))
        m_door.withdraw<app::PreviewsRequest>(side);
}

void PreviewController::askStrip()
{
    for (const Side side : kSides) {
        const SideState& now = m_state.side(side);
        const bool shown = m_page.showsEveryHead() || side == m_state.activeSide();
        if (shown && m_page.stripShown() != StripShown::None && now.model && !now.isStored()
            && !m_state.promptOf(side).text.empty())
            askOf(side);
        else
            forget(side);
    }
    if (!m_asked[0] && !m_asked[1])
        m_late.stop();
}

void PreviewController::askOf(Side side)
{
    const SideState& now = m_state.side(side);
    const app::Prompt& prompt = m_state.promptOf(side);
    widgets::HeadStrip& strip = stripOf(side);
    const HeadSpan chosen = headSpan(*now.model, now.head);
    strip.setCurrentHead(chosen);
    // The same pictures with another one chosen: nothing to ask for.
    PreviewKey wanted{m_page.stripShown(), now.model->hash,          prompt.text,    stripHeads(side),
                      now.ablation,        request(side).convention, m_page.scale(), m_page.isSigned()};
    std::optional<PreviewKey>& asked = m_asked[indexOf(side)];
    if (asked == wanted)
        return;
    asked = std::move(wanted);
    QList<HeadSpan> spans;
    for (const HeadRef& head : asked->heads)
        spans.append(headSpan(*now.model, head));
    if (m_page.showsEveryHead()) {
        int across = 1;
        for (const widgets::HeadRow& row : headRows(*now.model))
            across = std::max(across, std::min(row.heads, kMostInStrip));
        strip.setAcross(across);
    }
    strip.setHeads(spans, offHeads(*now.model, now.ablation));
    strip.setCurrentHead(chosen);
    m_late.start();
    updateStrip();
    m_door.ask(app::PreviewsRequest{side, prompt, fromTheChosenOn(asked->heads, now.head), request(side)});
}

void PreviewController::hover(Side side, const HeadSpan& head)
{
    if (head == m_hovered && side == m_hoverSide)
        return;
    m_hovered = {head.layer, head.kind, head.first, 1};
    m_hoverSide = side;
    if (!heads(side)->hasThumbnail(m_hovered))
        m_hover.start();
}

void PreviewController::requestHovered()
{
    const SideState& now = m_state.side(m_hoverSide);
    const app::Prompt& prompt = m_state.promptOf(m_hoverSide);
    if (now.model && !now.isStored() && !prompt.text.empty())
        m_door.ask(app::HoverRequest{{m_hoverSide, prompt, {headRef(*now.model, m_hovered)}, request(m_hoverSide)}});
}

void PreviewController::arrived(Side side, const app::PatternPreview& preview)
{
    const SideState& now = m_state.side(side);
    if (!now.model || preview.request.ablation != now.ablation
        || preview.request.convention != request(side).convention)
        return;
    const HeadSpan head = headSpan(*now.model, preview.request.head);
    const QImage picture = previewImage(preview, m_page.scale(), widgets::HeadStrip::kSide, m_page.isSigned());
    heads(side)->setThumbnail(head, picture);
    if (m_page.showsEveryHead())
        stripOf(side).setPicture(head, previewImage(preview, m_page.scale(), kAllSide, m_page.isSigned()));
    else if (side == m_state.activeSide())
        m_page.strip()->setPicture(head, picture);
    if (!m_late.isActive() && stripOf(m_state.activeSide()).hasAllPictures())
        updateStrip();
}

} // namespace headscope::gui
