// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patternpage.h"

#include <QAction>
#include <QComboBox>
#include <QSplitter>
#include <QStandardItemModel>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::widgets {

PatternPage::PatternPage(QWidget* parent)
    : QWidget(parent), m_a(new PatternView), m_b(new PatternView), m_strip(new HeadStrip),
      m_bar(new QToolBar(tr("Pattern"))), m_show(new QComboBox), m_scale(new QComboBox), m_strips(new QComboBox),
      m_link(new QAction(tr("linked"), this)), m_sink(new QAction(tr("without sink"), this)),
      m_withD(new QAction(tr("with D (what a token keeps of itself)"), this)),
      m_withDt(new QAction(tr("times dt (the step size of each column)"), this)),
      m_withGate(new QAction(tr("times the gate of each row"), this))
{
    makePage(this);
    m_a->setAccessibleName(tr("Pattern of model A"));
    m_b->setAccessibleName(tr("Pattern of model B"));
    m_b->hide();
    m_strip->hide();
    buildBar();
    auto* pair = new QSplitter(Qt::Horizontal);
    pair->addWidget(m_a);
    pair->addWidget(m_b);
    pair->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 2, 6, 4);
    layout->setSpacing(2);
    layout->addWidget(m_bar);
    layout->addWidget(pair, 1);
    layout->addWidget(m_strip);
    setTwo(false);
}

void PatternPage::buildBar()
{
    m_show->setAccessibleName(tr("What the maps show"));
    m_show->addItem(tr("show: pattern"), static_cast<int>(PatternShown::Pattern));
    m_show->addItem(tr("show: weighted by value norm"), static_cast<int>(PatternShown::Weighted));
    m_show->addItem(tr("show: now − baseline"), static_cast<int>(PatternShown::MinusBaseline));
    m_show->addItem(tr("show: A − B"), static_cast<int>(PatternShown::AMinusB));
    m_show->addItem(tr("show: one row, all heads"), static_cast<int>(PatternShown::RowOfHeads));
    const char* const hints[] = {
        QT_TR_NOOP("What each token looks at"),
        QT_TR_NOOP("Each column times the length of the vector that is taken from that token: what really arrives"),
        QT_TR_NOOP("What switching heads off changed in this head"),
        QT_TR_NOOP("B is moved to the tokens of A and taken away"),
        QT_TR_NOOP("The locked row (else the last) in every head of every layer: a line a head; click a line to see "
                   "its head")};
    for (int i = 0; i < m_show->count(); ++i)
        m_show->setItemData(i, tr(hints[i]), Qt::ToolTipRole);
    m_scale->setAccessibleName(tr("Colour scale of the patterns"));
    for (const ScaleKind kind : {ScaleKind::Raw, ScaleKind::Row, ScaleKind::MinMax, ScaleKind::Log, ScaleKind::Signed})
        m_scale->addItem(tr("scale: %1").arg(scaleKindName(kind)), static_cast<int>(kind));
    m_strips->setAccessibleName(tr("Small pictures of heads"));
    m_strips->addItem(tr("strip: none"), static_cast<int>(StripShown::None));
    m_strips->addItem(tr("strip: this layer"), static_cast<int>(StripShown::Layer));
    m_strips->addItem(tr("strip: all layers"), static_cast<int>(StripShown::Column));
    m_strips->setCurrentIndex(1);
    m_strips->setItemData(1, tr("All heads of the chosen head's layer"), Qt::ToolTipRole);
    m_strips->setItemData(2, tr("The head of the same number in every layer"), Qt::ToolTipRole);
    for (QComboBox* box : {m_show, m_scale, m_strips}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(box == m_show ? 13 : 9);
        m_bar->addWidget(box);
    }
    m_link->setCheckable(true);
    m_link->setChecked(true);
    m_link->setToolTip(tr("Crosshair, locked row and zoom of A and B follow the same piece of text"));
    m_sink->setCheckable(true);
    m_sink->setToolTip(tr("Leave the first token, where much attention is parked, out of the colour scale"));
    auto* whole = new QAction(tr("whole map"), this);
    whole->setToolTip(tr("Show the whole map (R in the map)"));
    m_link->setShortcut(QKeySequence(tr("Ctrl+Shift+L")));
    m_sink->setShortcut(QKeySequence(tr("Ctrl+Shift+K")));
    m_actions = {m_link, m_sink, whole};
    m_bar->addActions(m_actions);
    buildConventions();

    connect(m_show, &QComboBox::currentIndexChanged, this, [this] {
        arrange();
        Q_EMIT shownChanged();
    });
    connect(m_strips, &QComboBox::currentIndexChanged, this, [this] {
        m_stripChosen = true;
        arrangeStrip();
        Q_EMIT stripChanged();
    });
    // Each row by its largest: what each token looks at is seen in signed maps too, whose one largest value hides the
    // rest.
    m_scale->setCurrentIndex(m_scale->findData(static_cast<int>(ScaleKind::Row)));
    for (PatternView* each : {m_a, m_b})
        each->setScale(scale());
    const auto rescale = [this] {
        for (PatternView* each : {m_a, m_b})
            each->setScale(scale());
        Q_EMIT scaleChanged();
    };
    connect(m_scale, &QComboBox::currentIndexChanged, this, rescale);
    connect(m_sink, &QAction::toggled, this, rescale);
    connect(m_link, &QAction::toggled, this, &PatternPage::linkedChanged);
    connect(whole, &QAction::triggered, m_a, &PatternView::resetViewport);
    connect(whole, &QAction::triggered, m_b, &PatternView::resetViewport);
}

// A convention is chosen once and for all heads of SSMs: it belongs into a menu.
void PatternPage::buildConventions()
{
    auto* button = new QToolButton;
    button->setText(tr("SSM matrix"));
    button->setToolTip(tr("What the matrix of an SSM head holds; the title of the map says it"));
    button->setPopupMode(QToolButton::InstantPopup);
    for (QAction* action : {m_withD, m_withDt, m_withGate}) {
        action->setCheckable(true);
        action->setChecked(action != m_withGate);
        connect(action, &QAction::toggled, this, &PatternPage::conventionChanged);
        button->addAction(action);
        m_actions.append(action);
    }
    m_conventions = m_bar->addWidget(button);
    setSsm(false);
}

SsmConvention PatternPage::convention() const
{
    return {m_withD->isChecked(), m_withDt->isChecked(), m_withGate->isChecked()};
}

void PatternPage::setSsm(bool ssm)
{
    m_conventions->setVisible(ssm);
}

void PatternPage::setTwo(bool two)
{
    m_two = two;
    m_link->setVisible(two);
    const int difference = m_show->findData(static_cast<int>(PatternShown::AMinusB));
    qobject_cast<QStandardItemModel*>(m_show->model())->item(difference)->setEnabled(two);
    if (!two && shown() == PatternShown::AMinusB)
        setShown(PatternShown::Pattern);
    arrange();
}

void PatternPage::arrange()
{
    m_b->setVisible(m_two && shown() != PatternShown::AMinusB);
}

// Pictures that nobody asked for must not take the room that the maps need.
void PatternPage::arrangeStrip()
{
    constexpr int kRoomForBoth = 480;
    m_strip->setVisible(stripShown() != StripShown::None && (m_stripChosen || height() >= kRoomForBoth));
}

void PatternPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrangeStrip();
}

PatternShown PatternPage::shown() const
{
    return static_cast<PatternShown>(m_show->currentData().toInt());
}

void PatternPage::setShown(PatternShown shown)
{
    m_show->setCurrentIndex(m_show->findData(static_cast<int>(shown)));
}

StripShown PatternPage::stripShown() const
{
    return static_cast<StripShown>(m_strips->currentData().toInt());
}

void PatternPage::setStripShown(StripShown shown)
{
    m_strips->setCurrentIndex(m_strips->findData(static_cast<int>(shown)));
}

bool PatternPage::linked() const
{
    return m_link->isChecked();
}

ScaleOptions PatternPage::scale() const
{
    return {.kind = static_cast<ScaleKind>(m_scale->currentData().toInt()), .withoutSink = m_sink->isChecked()};
}

} // namespace headscope::widgets
