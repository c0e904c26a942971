// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/patterns.h"

#include "app/gui/patternpresenters.h"
#include "app/gui/presenters.h"

#include <algorithm>

namespace headscope::gui {

using Kind = BackendClient::Kind;
using widgets::HeadSpan;
using widgets::PatternShown;
using widgets::PatternView;
using widgets::StripShown;

namespace {

constexpr int kHoverMs = 120;
constexpr int kMostInStrip = 64;

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

QString letter(Side side)
{
    return side == Side::A ? QStringLiteral("A") : QStringLiteral("B");
}

} // namespace

Patterns::Patterns(const Parts& parts, BackendClient& client, QObject* parent)
    : QObject(parent), m_parts(parts), m_client(client)
{
    m_hover.setSingleShot(true);
    m_hover.setInterval(kHoverMs);
    connectView(Side::A);
    connectView(Side::B);
    connect(&m_hover, &QTimer::timeout, this, [this] {
        const SideState& at = stateOf(m_hoverSide);
        if (at.subject.model && !at.subject.prompt.text.empty())
            m_client.requestPreviews(Kind::Hover, m_hoverSide, at.subject.prompt,
                                     {text(toText(headRef(*at.subject.model, m_hovered)))}, request(m_hoverSide));
    });
    auto* page = m_parts.patterns;
    connect(page, &widgets::PatternPage::shownChanged, this, [this] {
        for (const Side side : kSides)
            ask(side);
    });
    connect(page, &widgets::PatternPage::conventionChanged, this, [this] {
        for (const Side side : kSides) {
            (side == Side::A ? m_parts.mapA : m_parts.mapB)->model()->clearThumbnails();
            ask(side);
        }
        m_stripShows.clear();
        askStrip();
    });
    connect(page, &widgets::PatternPage::stripChanged, this, &Patterns::askStrip);
    connect(page, &widgets::PatternPage::scaleChanged, this, &Patterns::askStrip);
    connect(page, &widgets::PatternPage::linkedChanged, this, [this](bool linked) {
        if (linked)
            lockRow(Side::A, stateOf(Side::A).lockedRow);
    });
    connect(page->strip(), &widgets::HeadStrip::headChosen, this,
            [this](const HeadSpan& head) { Q_EMIT headChosen(m_stripSide, head); });
    connect(m_parts.profile, &widgets::RowProfileView::tokenHovered, this, [this](Side side, int token) {
        const int there = m_parts.patterns->linked() ? partner(side, token) : -1;
        m_parts.profile->setMarkedTokens(side == Side::A ? token : there, side == Side::B ? token : there);
        view(side)->setCrosshair(token < 0 ? -1 : profileRow(side), token);
        view(otherSide(side))->setCrosshair(there < 0 ? -1 : profileRow(otherSide(side)), there);
    });
    connect(&m_client, &BackendClient::patternReady, this, &Patterns::arrived);
    connect(&m_client, &BackendClient::rowsReady, this, &Patterns::rowsArrived);
    connect(&m_client, &BackendClient::rowOfHeadsReady, this, [this](Side side, const auto& heads) {
        stateOf(side).heads = heads;
        fill(side);
    });
    connect(&m_client, &BackendClient::previewReady, this, [this](Side side, const auto& preview) {
        const SideState& at = stateOf(side);
        const auto ref = interventions::parseHead(preview->request.head);
        if (!ref.has_value() || !at.subject.model || preview->request.ablation != at.subject.ablation.toStdString()
            || preview->request.convention != request(side).convention)
            return;
        const HeadSpan head = headSpan(*at.subject.model, *ref);
        auto* map = side == Side::A ? m_parts.mapA : m_parts.mapB;
        const QImage picture =
            previewImage(*preview, m_parts.patterns->scale(), map->palette(), widgets::HeadStrip::kSide);
        map->model()->setThumbnail(head, picture);
        if (side == m_stripSide)
            m_parts.patterns->strip()->setPicture(head, picture);
    });
    connect(&m_client, &BackendClient::failed, this, &Patterns::failed);
}

void Patterns::connectView(Side side)
{
    PatternView* one = view(side);
    PatternView* two = view(otherSide(side));
    const auto linked = [this] {
        return m_parts.patterns->linked() && m_parts.patterns->shown() != PatternShown::AMinusB;
    };
    connect(one, &PatternView::viewportChanged, this, [=, this](const widgets::Viewport& viewport) {
        if (linked())
            two->setViewport(
                widgets::PatternGeometry::followed(viewport, one->pattern().cols(), two->pattern().cols(),
                                                   [this, side](int token) { return partner(side, token); }));
    });
    connect(one, &PatternView::cellHovered, this, [=, this](int row, int col) {
        const int there = m_parts.patterns->linked() ? partner(side, col) : -1;
        if (linked()) // lines of all heads have no partner on the other side, tokens have
            two->setCrosshair(m_parts.patterns->shown() == PatternShown::RowOfHeads ? -1 : partner(side, row), there);
        m_parts.profile->setMarkedTokens(side == Side::A ? col : there, side == Side::B ? col : there);
    });
    connect(one, &PatternView::hoverEnded, this, [=, this] {
        two->setCrosshair(-1, -1);
        m_parts.profile->setMarkedTokens(-1, -1);
    });
    connect(one, &PatternView::rowLocked, this, [=, this](int row) { rowClicked(side, row); });
    connect(one, &PatternView::rowsWanted, this, [=, this](int first, int count) {
        if (stateOf(side).reply)
            m_client.requestRows(Kind::Rows, side, stateOf(side).subject.prompt, request(side), first, count);
    });
}

app::PatternRequest Patterns::request(Side side) const
{
    const Subject& subject = stateOf(side).subject;
    app::PatternRequest request{.head = headName(*subject.model, subject.head),
                                .ablation = subject.ablation.toStdString()};
    const PatternShown shown = m_parts.patterns->shown();
    request.show = shown == PatternShown::Weighted        ? app::PatternShow::Weighted
                   : shown == PatternShown::MinusBaseline ? app::PatternShow::MinusBaseline
                                                          : app::PatternShow::Plain;
    const widgets::SsmConvention convention = m_parts.patterns->convention();
    request.convention = {convention.withD, convention.withDt, convention.withGate};
    return request;
}

int Patterns::profileRow(Side side) const
{
    const SideState& at = stateOf(side);
    if (!at.reply)
        return -1;
    const int last = static_cast<int>(at.reply->prompt.ids.size()) - 1;
    return at.lockedRow >= 0 ? std::min(at.lockedRow, last) : last;
}

int Patterns::partner(Side side, int token) const
{
    return side == Side::A ? m_match.bOf(token) : m_match.aOf(token);
}

void Patterns::show(Side side, const Subject& subject)
{
    take(side, subject);
    ask(side);
    if (side == m_stripSide)
        askStrip();
}

void Patterns::showKept(Side side, const Subject& subject, std::shared_ptr<const app::PatternReply> reply)
{
    take(side, subject);
    arrived(side, std::move(reply));
}

void Patterns::take(Side side, const Subject& subject)
{
    SideState& at = stateOf(side);
    if (at.subject.prompt.text != subject.prompt.text)
        at.lockedRow = -1;
    const bool newPictures = at.subject.prompt.text != subject.prompt.text || at.subject.ablation != subject.ablation
                             || at.subject.model != subject.model;
    if (at.subject.model != subject.model) {
        at = {};
        m_match = {};
    }
    at.subject = subject;
    m_parts.patterns->setTwo(stateOf(Side::A).subject.model && stateOf(Side::B).subject.model);
    m_parts.patterns->setSsm(std::any_of(m_sides.begin(), m_sides.end(), [](const SideState& each) {
        return each.subject.model && each.subject.head.kind != widgets::HeadKind::Attention;
    }));
    if (newPictures)
        (side == Side::A ? m_parts.mapA : m_parts.mapB)->model()->clearThumbnails();
}

void Patterns::close(Side side)
{
    stateOf(side) = {};
    m_match = {};
    m_parts.profile->clearProfile(side);
    m_parts.patterns->setTwo(false);
    if (m_stripSide == side)
        setStripSide(otherSide(side));
}

void Patterns::ask(Side side)
{
    const SideState& at = stateOf(side);
    if (!at.subject.model || at.subject.model->stored)
        return;
    if (at.subject.prompt.text.empty()) {
        view(side)->clearPattern(tr("Type a prompt, or choose a benchmark sample above."));
        return;
    }
    view(side)->setStale(true);
    m_client.requestPattern(side, at.subject.prompt, request(side));
}

void Patterns::arrived(Side side, std::shared_ptr<const app::PatternReply> reply)
{
    SideState& at = stateOf(side);
    const bool sameText = at.reply && at.reply->prompt.ids == reply->prompt.ids;
    at.reply = std::move(reply);
    at.profileRow = {};
    const auto& a = stateOf(Side::A).reply;
    const auto& b = stateOf(Side::B).reply;
    if (a && b && !(sameText && m_match.countA() > 0))
        m_match = tokenMatch(*a, *b);
    if (m_parts.patterns->shown() == PatternShown::RowOfHeads)
        askRowOfHeads(side);
    else
        fill(side);
    if (m_parts.patterns->shown() == PatternShown::AMinusB && side == Side::B)
        fill(Side::A);
    showProfile();
    Q_EMIT shown(side);
}

void Patterns::askRowOfHeads(Side side)
{
    const SideState& at = stateOf(side);
    if (at.reply)
        m_client.requestRowOfHeads(side, at.subject.prompt, profileRow(side), at.subject.ablation);
}

void Patterns::fill(Side side)
{
    const SideState& at = stateOf(side);
    if (!at.reply)
        return;
    view(side)->setStale(false);
    switch (m_parts.patterns->shown()) {
    case PatternShown::AMinusB: {
        const auto& b = stateOf(Side::B).reply;
        if (side == Side::B || !b)
            return;
        if (at.reply->pool > 1 || b->pool > 1)
            view(side)->clearPattern(tr("A − B reads whole maps, which prompts of more than 4,096 tokens do not have. "
                                        "Choose another view above."));
        else
            view(side)->setPattern(differenceData(*at.reply, *b, m_match, at.subject.provenance));
        break;
    }
    case PatternShown::RowOfHeads:
        if (at.heads && at.heads->matrix.cols == static_cast<int>(at.reply->prompt.ids.size()))
            view(side)->setPattern(rowOfHeadsData(at.heads, *at.reply, letter(side), at.subject.provenance));
        return;
    default: {
        widgets::PatternData data = patternData(at.reply, letter(side), at.subject.provenance);
        const auto& there = stateOf(otherSide(side)).reply;
        if (side == Side::B && there && there->text != at.reply->text)
            data.meaning = tr("a prompt of its own · %1").arg(data.meaning);
        view(side)->setPattern(data);
    }
    }
    view(side)->setLockedRow(at.lockedRow);
}

void Patterns::rowsArrived(Kind kind, Side side, std::shared_ptr<const app::PatternRows> rows)
{
    SideState& at = stateOf(side);
    if (!at.subject.model || !at.reply || !(rows->request == at.reply->request))
        return;
    const widgets::PatternRowBlock block{rows->first, std::shared_ptr<const Matrix>(rows, &rows->rows)};
    if (kind == Kind::ProfileRow) {
        at.profileRow = block;
        showProfile();
    } else if (m_parts.patterns->shown() != PatternShown::RowOfHeads) {
        view(side)->setExactRows(block);
    }
}

void Patterns::showProfile()
{
    for (const Side side : kSides) {
        const SideState& at = stateOf(side);
        const int row = profileRow(side);
        if (row < 0) {
            m_parts.profile->clearProfile(side);
            continue;
        }
        if (at.reply->pool == 1)
            m_parts.profile->setProfile(side, rowProfile(*at.reply, row, at.reply->matrix.row(row)));
        else if (at.profileRow.holds(row))
            m_parts.profile->setProfile(
                side, rowProfile(*at.reply, row, at.profileRow.values->row(row - at.profileRow.first)));
        else
            m_client.requestRows(Kind::ProfileRow, side, at.subject.prompt, at.reply->request, row, 1);
    }
}

void Patterns::rowClicked(Side side, int row)
{
    if (m_parts.patterns->shown() != PatternShown::RowOfHeads)
        return lockRow(side, row);
    const auto& heads = stateOf(side).heads;
    if (!heads || row < 0 || row >= static_cast<int>(heads->heads.size()))
        return;
    if (const auto ref = interventions::parseHead(heads->heads[static_cast<std::size_t>(row)]); ref.has_value())
        Q_EMIT headChosen(side, headSpan(*stateOf(side).subject.model, *ref));
}

void Patterns::lockRow(Side side, int row)
{
    stateOf(side).lockedRow = row;
    view(side)->setLockedRow(row);
    if (m_parts.patterns->linked()) {
        const int there = row < 0 ? -1 : partner(side, row);
        stateOf(otherSide(side)).lockedRow = there;
        view(otherSide(side))->setLockedRow(there);
    }
    showProfile();
}

void Patterns::setStripSide(Side side)
{
    if (m_stripSide == side)
        return;
    m_stripSide = side;
    askStrip();
}

void Patterns::askStrip()
{
    const SideState& at = stateOf(m_stripSide);
    auto* strip = m_parts.patterns->strip();
    const StripShown shown = m_parts.patterns->stripShown();
    if (shown == StripShown::None || !at.subject.model || at.subject.model->stored || at.subject.prompt.text.empty()) {
        m_client.stop(Kind::Strip, m_stripSide);
        m_stripShows.clear();
        return;
    }
    QList<HeadSpan> heads;
    for (const widgets::HeadRow& row : headRows(*at.subject.model)) {
        if (shown == StripShown::Column && at.subject.head.first < row.heads)
            heads.append({row.layer, row.kind, at.subject.head.first, 1});
        if (shown == StripShown::Layer && row.layer == at.subject.head.layer && row.kind == at.subject.head.kind) {
            // Of thousands of channels those around the chosen one.
            const int first =
                std::clamp(at.subject.head.first - kMostInStrip / 2, 0, std::max(0, row.heads - kMostInStrip));
            for (int h = first; h < std::min(row.heads, first + kMostInStrip); ++h)
                heads.append({row.layer, row.kind, h, 1});
        }
    }
    QStringList names;
    for (const HeadSpan& head : heads)
        names.append(text(toText(headRef(*at.subject.model, head))));
    strip->setCurrentHead(at.subject.head);
    // The same pictures with another one chosen: nothing to ask for.
    const QString wanted = QStringList{letter(m_stripSide),
                                       names.join(QLatin1Char(' ')),
                                       at.subject.ablation,
                                       text(at.subject.model->hash),
                                       text(at.subject.prompt.text),
                                       QString::number(static_cast<int>(m_parts.patterns->scale().kind) * 2
                                                       + m_parts.patterns->scale().withoutSink)}
                               .join(QLatin1Char('\n'));
    if (wanted == m_stripShows)
        return;
    m_stripShows = wanted;
    const auto set = interventions::InterventionSet::parse(at.subject.ablation.toStdString());
    strip->setHeads(heads, set.has_value() ? offHeads(*at.subject.model, *set) : QList<HeadSpan>());
    strip->setCurrentHead(at.subject.head);
    m_client.requestPreviews(Kind::Strip, m_stripSide, at.subject.prompt, names, request(m_stripSide));
}

void Patterns::hover(Side side, const HeadSpan& head)
{
    if (head == m_hovered && side == m_hoverSide)
        return;
    m_hovered = {head.layer, head.kind, head.first, 1};
    m_hoverSide = side;
    if (!(side == Side::A ? m_parts.mapA : m_parts.mapB)->model()->hasThumbnail(m_hovered))
        m_hover.start();
}

void Patterns::failed(Kind kind, Side side, const QString& sentence)
{
    if (kind != Kind::Pattern && kind != Kind::RowOfHeads && kind != Kind::Tokens)
        return;
    stateOf(side).reply.reset();
    view(side)->setStale(false);
    view(side)->clearPattern(sentence);
}

} // namespace headscope::gui
