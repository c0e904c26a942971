// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patternpage.h"

#include "widgets/look/choicebox.h"
#include "widgets/look/elidedlabel.h"

#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QStandardItemModel>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

PatternPage::PatternPage(QWidget* parent)
    : QWidget(parent), m_a(new PatternCard(Side::A)), m_b(new PatternCard(Side::B)), m_pair(new QWidget(this)),
      m_stripBox(new QWidget(this)), m_caption(new ElidedLabel(m_stripBox)), m_strip(new HeadStrip(m_stripBox)),
      m_grid(new QGridLayout(this)), m_bar(new QToolBar(tr("Pattern"), this)), m_show(new ChoiceBox),
      m_scale(new ChoiceBox), m_strips(new ChoiceBox), m_link(new QAction(tr("linked"), this)),
      m_sink(new QAction(tr("without sink"), this)), m_signed(new QAction(tr("signed"), this)),
      m_withD(new QAction(tr("with D (skip term)"), this)),
      m_withDt(new QAction(tr("times dt (the step size of each column)"), this)),
      m_withGate(new QAction(tr("times the gate of each row"), this))
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
    auto* strip = new QVBoxLayout(m_stripBox);
    strip->setContentsMargins(0, 0, 0, 0);
    strip->setSpacing(0);
    strip->addWidget(m_caption);
    strip->addWidget(m_strip, 1);
    m_stripBox->hide();
    m_grid->setContentsMargins(2, 2, 2, 2);
    m_grid->setSpacing(2);
    buildBar();
    buildConventions();
    connectChoices();
    setTwo(false);
}

void PatternPage::buildBar()
{
    m_show->setAccessibleName(tr("View of the maps"));
    m_show->addItem(tr("show: pattern"), static_cast<int>(PatternShown::Pattern));
    m_show->addItem(tr("show: weighted by value norm"), static_cast<int>(PatternShown::Weighted));
    m_show->addItem(tr("show: now − baseline"), static_cast<int>(PatternShown::MinusBaseline));
    m_show->addItem(tr("show: A − B"), static_cast<int>(PatternShown::AMinusB));
    m_show->addItem(tr("show: one row, all heads"), static_cast<int>(PatternShown::RowOfHeads));
    const char* const hints[] = {
        QT_TR_NOOP("The pattern of each token"), QT_TR_NOOP("Each column times the norm of that token's value"),
        QT_TR_NOOP("Change of this head's pattern by the ablation"),
        QT_TR_NOOP("Aligns B to the tokens of A and subtracts it"),
        QT_TR_NOOP("The locked row (or the last one) in every head of every layer, one line per head; click a "
                   "line to see its head")};
    for (int i = 0; i < m_show->count(); ++i)
        m_show->setItemData(i, tr(hints[i]), Qt::ToolTipRole);
    m_scale->setAccessibleName(tr("Colour scale of the patterns"));
    for (const ScaleKind kind : {ScaleKind::Raw, ScaleKind::Row, ScaleKind::MinMax, ScaleKind::Log, ScaleKind::Signed})
        m_scale->addItem(tr("scale: %1").arg(scaleKindName(kind)), static_cast<int>(kind));
    m_strips->setAccessibleName(tr("Thumbnails of heads"));
    m_strips->addItem(tr("strip: none"), static_cast<int>(StripShown::None));
    m_strips->addItem(tr("strip: this layer"), static_cast<int>(StripShown::Layer));
    m_strips->addItem(tr("strip: all layers"), static_cast<int>(StripShown::Column));
    m_strips->addItem(tr("strip: top heads by metric"), static_cast<int>(StripShown::Top));
    m_strips->setCurrentIndex(1);
    m_strips->setItemData(1, tr("All heads of the chosen head's layer"), Qt::ToolTipRole);
    m_strips->setItemData(2, tr("The head of the same number in every layer"), Qt::ToolTipRole);
    m_strips->setItemData(3, tr("The top heads by the metric that colours the head map"), Qt::ToolTipRole);
    for (QComboBox* box : {m_show, m_scale, m_strips})
        m_bar->addWidget(box);
    m_link->setCheckable(true);
    m_link->setChecked(true);
    m_link->setToolTip(tr("Link crosshair, locked row and zoom of A and B by their text"));
    m_sink->setCheckable(true);
    m_sink->setToolTip(tr("Exclude the first token, often a sink, from the colour scale"));
    auto* whole = new QAction(tr("whole map"), this);
    whole->setToolTip(tr("Show the whole map (R in the map)"));
    m_link->setShortcut(QKeySequence(tr("Ctrl+Shift+L")));
    m_sink->setShortcut(QKeySequence(tr("Ctrl+Shift+K")));
    m_signed->setCheckable(true);
    m_signed->setShortcut(QKeySequence(u"V"_s));
    m_signed->setToolTip(tr("Show signed values of SSM heads, red and blue, instead of shares of each row (V)"));
    m_actions = {m_link, m_sink, m_signed, whole};
    m_bar->addActions(m_actions);
    for (QAction* action : std::as_const(m_actions)) // tool bars leave their buttons to the mouse
        m_bar->widgetForAction(action)->setFocusPolicy(Qt::TabFocus);
    connect(whole, &QAction::triggered, view(Side::A), &PatternView::resetViewport);
    connect(whole, &QAction::triggered, view(Side::B), &PatternView::resetViewport);
}

void PatternPage::connectChoices()
{
    connect(m_show, &QComboBox::currentIndexChanged, this, [this] {
        arrange();
        Q_EMIT shownChanged();
    });
    connect(m_strips, &QComboBox::currentIndexChanged, this, [this] {
        m_stripChosen = true;
        arrangeStrip();
        Q_EMIT stripChanged();
    });
    // Each row by its largest: what each token looks at is seen in diffuse maps too, whose one largest value hides the
    // rest.
    m_scale->setCurrentIndex(m_scale->findData(static_cast<int>(ScaleKind::Row)));
    for (const Side side : kSides)
        view(side)->setScale(scale());
    const auto rescale = [this] {
        for (const Side side : kSides)
            view(side)->setScale(scale());
        Q_EMIT scaleChanged();
    };
    connect(m_scale, &QComboBox::currentIndexChanged, this, rescale);
    connect(m_sink, &QAction::toggled, this, rescale);
    connect(m_signed, &QAction::toggled, this, &PatternPage::signedChanged);
    connect(m_link, &QAction::toggled, this, &PatternPage::linkedChanged);
}

// A convention is chosen once and for all heads of SSMs: it belongs into a menu.
void PatternPage::buildConventions()
{
    auto* button = new QToolButton;
    button->setText(tr("SSM matrix"));
    button->setToolTip(tr("Factors included in the matrix of an SSM head; the title of the map lists them"));
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

analysis::MatrixConvention PatternPage::convention() const
{
    return {.withD = m_withD->isChecked(), .withDt = m_withDt->isChecked(), .withGate = m_withGate->isChecked()};
}

void PatternPage::setSsm(bool ssm)
{
    m_conventions->setVisible(ssm);
    m_signed->setVisible(ssm);
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
    const int difference = m_show->findData(static_cast<int>(PatternShown::AMinusB));
    qobject_cast<QStandardItemModel*>(m_show->model())->item(difference)->setEnabled(two);
    if (!two && shown() == PatternShown::AMinusB)
        setShown(PatternShown::Pattern);
    arrange();
}

// One map alone is as high as the page: what belongs to both stands beside it then, in the room that it leaves.
bool PatternPage::beside() const
{
    return m_b->isHidden() && width() > height() * 11 / 10;
}

void PatternPage::arrange()
{
    m_b->setVisible(m_two && shown() != PatternShown::AMinusB);
    const bool column = beside();
    for (QWidget* each : {m_pair, static_cast<QWidget*>(m_bar), m_stripBox})
        m_grid->removeWidget(each);
    m_bar->setOrientation(column ? Qt::Vertical : Qt::Horizontal);
    m_strip->setWrapping(column);
    m_strip->setSizePolicy(QSizePolicy::Expanding, column ? QSizePolicy::Expanding : QSizePolicy::Fixed);
    m_grid->addWidget(m_pair, 0, 0, column ? 3 : 1, 1);
    m_grid->addWidget(m_bar, column ? 0 : 1, column ? 1 : 0, column ? Qt::AlignTop : Qt::Alignment());
    m_grid->addWidget(m_stripBox, column ? 1 : 2, column ? 1 : 0);
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
    const int spare = height() - m_bar->sizeHint().height() - m_stripBox->sizeHint().height() - whole;
    m_stripBox->setVisible(stripShown() != StripShown::None && (m_stripChosen || beside() || spare >= 0));
}

void PatternPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
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
