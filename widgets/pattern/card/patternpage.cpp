// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/card/patternpage.h"

#include "widgets/look/boxes/iconchoice.h"
#include "widgets/look/icons.h"
#include "widgets/look/labels/elidedlabel.h"

#include <QAction>
#include <QGridLayout>
#include <QToolBar>
#include <QToolButton>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kIcon = 18; // px

} // namespace

PatternPage::PatternPage(QWidget* parent)
    : QWidget(parent), m_a(new PatternCard(Side::A)), m_b(new PatternCard(Side::B)), m_pair(new QWidget(this)),
      m_tools(new QWidget(this)), m_caption(new ElidedLabel(m_tools)), m_strip(new HeadStrip(this)),
      m_all(new QWidget(this)), m_every{new HeadStrip(m_all), new HeadStrip(m_all)}, m_grid(new QGridLayout(this)),
      m_bar(new QToolBar(tr("Pattern"), m_tools)), m_show(new IconChoice(u"layers", tr("View of the maps"))),
      m_scale(new IconChoice(u"palette", tr("Colour scale of the patterns"))),
      m_strips(new IconChoice(u"gallery-thumbnails", tr("Thumbnails of heads"))),
      m_link(new QAction(icon(u"link-2"), tr("linked"), this)), m_sink(new QAction(tr("without sink"), this)),
      m_signed(new QAction(icon(u"diff"), tr("signed"), this)), m_withD(new QAction(tr("with D (skip term)"), this)),
      m_withDt(new QAction(tr("times dt (the step size of each column)"), this)),
      m_withGate(new QAction(tr("times the gate of each row"), this)),
      m_whole(new QAction(icon(u"maximize"), tr("whole map"), this)),
      m_everyHead(new QAction(icon(u"grid-3x3"), tr("&Maps of all heads"), this))
{
    makePage(this);
    view(Side::A)->setAccessibleName(tr("Pattern of model A"));
    view(Side::B)->setAccessibleName(tr("Pattern of model B"));
    m_b->hide();
    auto* pair = new QHBoxLayout(m_pair);
    pair->setContentsMargins(0, 0, 0, 0);
    pair->setSpacing(6);
    pair->addWidget(m_a, 1);
    pair->addWidget(m_b, 1);
    auto* tools = new QHBoxLayout(m_tools);
    tools->setContentsMargins(4, 0, 0, 0);
    tools->addWidget(m_caption, 1);
    tools->addWidget(m_bar);
    m_strip->hide();
    auto* all = new QHBoxLayout(m_all);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_every[0], 1);
    all->addWidget(m_every[1], 1);
    everyHead(Side::A)->setAccessibleName(tr("Maps of all heads of A"));
    everyHead(Side::B)->setAccessibleName(tr("Maps of all heads of B"));
    m_all->hide();
    m_grid->setContentsMargins(2, 2, 2, 2);
    m_grid->setSpacing(2);
    buildChoices();
    buildBar();
    buildMore();
    connectChoices();
    setSsm(false);
    setTwo(false);
}

void PatternPage::buildChoices()
{
    const auto show = [this](const QString& text, PatternShown shown, const QString& hint) {
        m_show->add(text, static_cast<int>(shown), hint);
    };
    show(tr("pattern"), PatternShown::Pattern, tr("The pattern of each token"));
    show(tr("weighted by value norm"), PatternShown::Weighted, tr("Each column times the norm of that token's value"));
    show(tr("now − baseline"), PatternShown::MinusBaseline, tr("Change of this head's pattern by the ablation"));
    show(tr("A − B"), PatternShown::AMinusB, tr("Aligns B to the tokens of A and subtracts it"));
    show(tr("one row, all heads"), PatternShown::RowOfHeads,
         tr("The locked row (or the last one) in every head of every layer, one line per head; click a "
            "line to see its head"));
    // Each row is scaled by its maximum, so that diffuse maps show what each token looks at; the maximum of the whole
    // map would hide it.
    for (const ScaleKind kind : {ScaleKind::Row, ScaleKind::Raw, ScaleKind::MinMax, ScaleKind::Log, ScaleKind::Signed})
        m_scale->add(scaleKindName(kind), static_cast<int>(kind));
    const auto strip = [this](const QString& text, StripShown shown, const QString& hint) {
        m_strips->add(text, static_cast<int>(shown), hint);
    };
    strip(tr("this layer"), StripShown::Layer, tr("All heads of the chosen head's layer"));
    strip(tr("all layers"), StripShown::Column, tr("The head of the same number in every layer"));
    strip(tr("top heads by metric"), StripShown::Top, tr("The top heads by the metric that colours the head map"));
    strip(tr("all heads"), StripShown::All,
          tr("Every head of every layer, in place of the maps; click one to see its map (G)"));
    strip(tr("all heads by metric"), StripShown::AllByMetric,
          tr("Every head, sorted by the metric that colours the head map"));
    strip(tr("none"), StripShown::None, {});
}

void PatternPage::buildBar()
{
    m_bar->setIconSize(QSize(kIcon, kIcon));
    m_link->setCheckable(true);
    m_link->setChecked(true);
    m_link->setToolTip(tr("Link crosshair, locked row and zoom of A and B by their text"));
    m_sink->setCheckable(true);
    m_sink->setToolTip(tr("Exclude the first token, often a sink, from the colour scale"));
    m_whole->setToolTip(tr("Show the whole map (R in the map)"));
    m_link->setShortcut(QKeySequence(tr("Ctrl+Shift+L")));
    m_sink->setShortcut(QKeySequence(tr("Ctrl+Shift+K")));
    m_signed->setCheckable(true);
    m_signed->setShortcut(QKeySequence(u"V"_s));
    m_signed->setToolTip(tr("Show signed values of SSM heads, red and blue, instead of shares of each row (V)"));
    m_everyHead->setCheckable(true);
    m_everyHead->setShortcut(QKeySequence(u"G"_s));
    m_actions = {m_link, m_sink, m_signed, m_whole, m_withD, m_withDt, m_withGate, m_everyHead};
    for (IconChoice* choice : {m_show, m_scale})
        m_bar->addWidget(choice);
    for (QAction* action : {m_signed, m_link}) {
        m_bar->addAction(action);
        m_bar->widgetForAction(action)->setFocusPolicy(Qt::TabFocus); // tool bars leave their buttons to the mouse
    }
    m_bar->addWidget(m_strips);
    connect(m_whole, &QAction::triggered, view(Side::A), &PatternView::resetViewport);
    connect(m_whole, &QAction::triggered, view(Side::B), &PatternView::resetViewport);
}

void PatternPage::connectChoices()
{
    connect(m_show, &IconChoice::valueChanged, this, [this] {
        arrange();
        Q_EMIT shownChanged();
    });
    connect(m_strips, &IconChoice::valueChanged, this, [this] {
        m_stripChosen = true;
        m_everyHead->setChecked(showsEveryHead());
        arrange();
        Q_EMIT stripChanged();
    });
    connect(m_everyHead, &QAction::toggled, this, &PatternPage::toggleEveryHead);
    for (const Side side : kSides)
        view(side)->setScale(scale());
    const auto rescale = [this] {
        for (const Side side : kSides)
            view(side)->setScale(scale());
        Q_EMIT scaleChanged();
    };
    connect(m_scale, &IconChoice::valueChanged, this, rescale);
    connect(m_sink, &QAction::toggled, this, rescale);
    connect(m_signed, &QAction::toggled, this, &PatternPage::signedChanged);
    connect(m_link, &QAction::toggled, this, &PatternPage::linkedChanged);
}

void PatternPage::toggleEveryHead(bool on)
{
    if (on == showsEveryHead())
        return;
    if (on)
        m_before = stripShown();
    setStripShown(on ? StripShown::All : m_before);
}

// Choices that are rarely made. The convention holds for all SSM heads.
void PatternPage::buildMore()
{
    auto* button = new QToolButton;
    button->setIcon(icon(u"ellipsis"));
    button->setAccessibleName(tr("More about the maps"));
    button->setToolTip(tr("Whole map, first token, and the factors in the matrix of an SSM head"));
    button->setPopupMode(QToolButton::InstantPopup);
    button->addActions({m_whole, m_sink});
    for (QAction* action : {m_withD, m_withDt, m_withGate}) {
        action->setCheckable(true);
        action->setChecked(action != m_withGate);
        connect(action, &QAction::toggled, this, &PatternPage::conventionChanged);
        button->addAction(action);
    }
    m_bar->addWidget(button);
}

analysis::MatrixConvention PatternPage::convention() const
{
    return {.withD = m_withD->isChecked(), .withDt = m_withDt->isChecked(), .withGate = m_withGate->isChecked()};
}

void PatternPage::setSsm(bool ssm)
{
    for (QAction* action : {m_signed, m_withD, m_withDt, m_withGate})
        action->setVisible(ssm);
}

bool PatternPage::isSigned() const
{
    return m_signed->isChecked();
}

void PatternPage::setProfile(Side side, const RowProfile& profile)
{
    card(side)->setProfile(profile);
    fitAxes();
}

void PatternPage::clearProfile(Side side)
{
    card(side)->clearProfile();
    fitAxes();
}

void PatternPage::fitAxes()
{
    std::vector<const RowProfile*> shares;
    for (const Side side : kSides)
        if (profile(side)->filled() && !profile(side)->profile().isChange)
            shares.push_back(&profile(side)->profile());
    for (const Side side : kSides) {
        const RowProfile& own = profile(side)->profile();
        profile(side)->setAxis(commonAxis(own.isChange ? std::vector<const RowProfile*>{&own} : shares));
    }
}

void PatternPage::setStripCaption(const QStringList& forms)
{
    m_caption->setForms(forms);
    setMuted(m_caption);
}

void PatternPage::setTwo(bool two)
{
    m_two = two;
    m_link->setVisible(two);
    m_show->setPossible(static_cast<int>(PatternShown::AMinusB), two);
    if (!two && shown() == PatternShown::AMinusB)
        setShown(PatternShown::Pattern);
    arrange();
}

// One map alone is as high as the page: what belongs to both stands beside it then, in the room that it leaves.
bool PatternPage::beside() const
{
    return !showsEveryHead() && m_b->isHidden() && width() > height() * 11 / 10;
}

void PatternPage::arrange()
{
    m_b->setVisible(m_two && shown() != PatternShown::AMinusB);
    const bool column = beside();
    for (QWidget* each : {m_pair, m_all, m_tools, static_cast<QWidget*>(m_strip)})
        m_grid->removeWidget(each);
    m_strip->setWrapped(column);
    m_pair->setVisible(!showsEveryHead());
    m_all->setVisible(showsEveryHead());
    everyHead(Side::B)->setVisible(m_two);
    m_grid->addWidget(showsEveryHead() ? m_all : m_pair, 0, 0, column ? 3 : 1, 1);
    m_grid->addWidget(m_tools, column ? 0 : 1, column ? 1 : 0, column ? Qt::AlignTop : Qt::Alignment());
    m_grid->addWidget(m_strip, column ? 1 : 2, column ? 1 : 0);
    m_grid->setRowStretch(0, column ? 0 : 1);
    m_grid->setRowStretch(1, column ? 1 : 0);
    m_grid->setColumnStretch(0, column ? 3 : 1);
    m_grid->setColumnStretch(1, column ? 1 : 0);
    arrangeStrip();
}

// Pictures that nobody asked for must not take the room that the maps need: they are shown where the maps are as large
// without them.
void PatternPage::arrangeStrip()
{
    const int across = m_two && !m_b->isHidden() ? (width() - m_grid->spacing()) / 2 : width();
    const int whole = m_a->minimumSizeHint().height() + across - m_a->minimumSizeHint().width();
    const int spare = height() - m_tools->sizeHint().height() - m_strip->sizeHint().height() - whole;
    const bool visible = stripShown() != StripShown::None && (m_stripChosen || beside() || spare >= 0);
    m_strip->setVisible(visible && !showsEveryHead());
    m_caption->setVisible(visible);
}

QRect PatternPage::belowHeadings() const
{
    return m_pair->geometry().adjusted(0, view(Side::A)->roomAbove(), 0, 0);
}

void PatternPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

PatternShown PatternPage::shown() const
{
    return static_cast<PatternShown>(m_show->value());
}

void PatternPage::setShown(PatternShown shown)
{
    m_show->setValue(static_cast<int>(shown));
}

StripShown PatternPage::stripShown() const
{
    return static_cast<StripShown>(m_strips->value());
}

void PatternPage::setStripShown(StripShown shown)
{
    m_strips->setValue(static_cast<int>(shown));
}

bool PatternPage::linked() const
{
    return m_link->isChecked();
}

ScaleOptions PatternPage::scale() const
{
    return {.kind = static_cast<ScaleKind>(m_scale->value()), .withoutSink = m_sink->isChecked()};
}

} // namespace headscope::widgets
