// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/headmappanel.h"

#include "widgets/look/boxes/choicebox.h"
#include "widgets/look/icons.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <cmath>
#include <limits>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

MetricLegend::MetricLegend(HeadMapModel* model, QWidget* parent) : QWidget(parent), m_model(model)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(model, &QAbstractItemModel::dataChanged, this, qOverload<>(&QWidget::update));
    connect(model, &QAbstractItemModel::modelReset, this, qOverload<>(&QWidget::update));
}

QSize MetricLegend::sizeHint() const
{
    return {200, fontMetrics().height() + 2};
}

MetricLegend::Bar MetricLegend::bar() const
{
    const QFontMetrics metrics = fontMetrics();
    const double range = m_model->metricHigh() - m_model->metricLow();
    const bool fromZero = std::abs(m_model->metricLow()) < 1e-3 * range;
    Bar bar{fromZero ? u"0"_s : compactText(m_model->metricLow()), compactText(m_model->metricHigh()), 0, 0};
    bar.left = metrics.horizontalAdvance(bar.low) + 6;
    bar.right = width() - metrics.horizontalAdvance(bar.high) - 6;
    return bar;
}

void MetricLegend::paintEvent(QPaintEvent*)
{
    if (m_model->metric().name.isEmpty())
        return;
    QPainter painter(this);
    const Theme theme = themeOf(palette());
    const Bar bar = this->bar();
    painter.setPen(theme.muted);
    painter.drawText(QRect(0, 0, bar.left, height()), Qt::AlignLeft | Qt::AlignVCenter, bar.low);
    painter.drawText(QRect(bar.right, 0, width() - bar.right, height()), Qt::AlignRight | Qt::AlignVCenter, bar.high);
    for (int x = bar.left; x < bar.right; ++x) {
        const double t = (x - bar.left + 0.5) / (bar.right - bar.left);
        const double value = m_model->metricLow() + t * (m_model->metricHigh() - m_model->metricLow());
        const bool hidden = std::abs(value) < m_model->floor();
        painter.fillRect(QRect(x, height() / 2 - 4, 1, 8),
                         hidden ? theme.raised : QColor(colorAt(m_model->colorMap(), t)));
    }
}

void MetricLegend::setFloorAt(double x)
{
    const Bar bar = this->bar();
    const double t = (x - bar.left) / std::max(1, bar.right - bar.left);
    const double value = m_model->metricLow() + t * (m_model->metricHigh() - m_model->metricLow());
    m_model->setFloor(t <= 0.01 ? std::numeric_limits<double>::quiet_NaN()
                                : std::min(std::abs(value), m_model->metricHigh()));
}

void MetricLegend::mousePressEvent(QMouseEvent* event)
{
    setFloorAt(event->position().x());
}

void MetricLegend::mouseMoveEvent(QMouseEvent* event)
{
    setFloorAt(event->position().x());
}

void MetricLegend::mouseDoubleClickEvent(QMouseEvent*)
{
    m_model->setFloor(std::numeric_limits<double>::quiet_NaN());
}

HeadMapPanel::HeadMapPanel(Side side, QWidget* parent)
    : QWidget(parent), m_side(side), m_model(new HeadMapModel(this)), m_view(new HeadMapView(this)),
      m_title(new QLabel(this)), m_state(new ElidedLabel(this)), m_legend(new MetricLegend(m_model, this)),
      m_metric(new ChoiceBox(this)), m_sort(new QToolButton(this)), m_count(new QSpinBox(this)),
      m_seed(new QSpinBox(this))
{
    m_view->setHeadModel(m_model);
    m_view->setAccessibleName(side == Side::A ? tr("Heads of model A") : tr("Heads of model B"));
    m_title->setTextFormat(Qt::RichText); // the letter is in the colour of its side; the name is escaped
    m_title->setTextInteractionFlags(Qt::NoTextInteraction);
    m_title->setMinimumWidth(24);
    m_metric->setAccessibleName(tr("Colour of the heads"));
    m_metric->setMostLetters(20);
    m_metric->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    makePage(this);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title);
    top->addWidget(m_state, 1);
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* colour = new QHBoxLayout;
    colour->setSpacing(4);
    colour->addWidget(m_metric, 1);
    colour->addWidget(m_sort);
    m_picker = makePicker();
    colour->addWidget(m_picker);
    m_sort->setIcon(icon(u"arrow-down-wide-narrow"));
    m_sort->setAccessibleName(tr("Sort the heads of each layer"));
    m_sort->setCheckable(true);
    m_sort->setToolTip(tr("Sort each layer by strength; cells show head numbers"));
    connect(m_sort, &QToolButton::toggled, m_model, &HeadMapModel::setSorted);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 2, 0, 2);
    layout->setSpacing(2);
    layout->addLayout(top);
    layout->addWidget(m_view);
    m_legend->setToolTip(tr("Drag to hide weaker heads; double-click to show all"));
    layout->addWidget(m_legend);
    layout->addLayout(colour);

    connect(m_metric, &QComboBox::activated, this, [this](int index) {
        if (const QString id = m_metric->itemData(index).toString(); !id.isEmpty()) {
            Q_EMIT metricChosen(id);
        } else {
            m_metric->setCurrentIndex(m_metric->findData(m_metric->property("chosen")));
            Q_EMIT metricFileWanted();
        }
    });
    connect(this, &HeadMapPanel::metricChosen, this,
            [this](const QString& id) { m_metric->setProperty("chosen", id); });
    connect(m_model, &QAbstractItemModel::dataChanged, this, &HeadMapPanel::updateState);
    connect(m_model, &QAbstractItemModel::modelReset, this, &HeadMapPanel::updateState);
    updateState();
}

QToolButton* HeadMapPanel::makePicker()
{
    auto* picker = new QToolButton(this);
    picker->setIcon(icon(u"scissors"));
    picker->setAccessibleName(tr("Ablate several heads"));
    picker->setToolTip(tr("Ablate the top heads, or as many random ones"));
    picker->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(picker);
    auto* box = new QWidget(menu);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    const auto button = [this, row, menu](const QString& text, const QString& hint, auto act) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(plainText(hint));
        connect(made, &QToolButton::clicked, this, act);
        connect(made, &QToolButton::clicked, menu, &QMenu::close);
        row->addWidget(made);
    };
    m_count->setRange(1, 999);
    m_count->setValue(3);
    m_count->setAccessibleName(tr("How many heads"));
    m_seed->setRange(0, 999);
    m_seed->setAccessibleName(tr("Seed of the random heads"));
    m_seed->setToolTip(plainText(m_seed->accessibleName()));
    for (QSpinBox* number : {m_count, m_seed}) {
        number->setButtonSymbols(QAbstractSpinBox::NoButtons);
        number->setFixedWidth(fontMetrics().horizontalAdvance(u"000"_s) + 8);
        number->setAlignment(Qt::AlignRight);
    }
    row->addWidget(m_count);
    button(tr("Ablate top"), tr("Ablate the top N heads by the current metric (Ctrl+T)"), [this] { requestTop(); });
    button(tr("random"),
           tr("Ablate the same number of random heads as a control; the same seed gives the same heads (Ctrl+Shift+T)"),
           [this] { requestRandom(); });
    row->addWidget(m_seed);
    auto* entry = new QWidgetAction(menu);
    entry->setDefaultWidget(box);
    menu->addAction(entry);
    picker->setMenu(menu);
    return picker;
}

void HeadMapPanel::setExam()
{
    for (QWidget* part : {static_cast<QWidget*>(m_legend), static_cast<QWidget*>(m_metric),
                          static_cast<QWidget*>(m_sort), static_cast<QWidget*>(m_picker)})
        part->hide();
    m_view->removePage();
}

void HeadMapPanel::setClickLooks(bool looks)
{
    m_view->setClickLooks(looks);
    updateState(); // which says it
}

void HeadMapPanel::requestTop()
{
    Q_EMIT topRequested(m_count->value());
}

void HeadMapPanel::requestRandom()
{
    Q_EMIT randomRequested(m_count->value(), m_seed->value());
}

void HeadMapPanel::setModelName(const QString& name)
{
    const QColor color = sideColor(themeOf(palette()), m_side);
    m_title->setText(u"<b style=\"color:%1\">%2</b>&nbsp; %3"_s.arg(color.name(), m_side == Side::A ? u"A"_s : u"B"_s,
                                                                    name.toHtmlEscaped()));
    m_title->setToolTip(plainText(name));
    m_title->setProperty("modelName", name);
}

void HeadMapPanel::setMetricChoices(const QList<std::pair<QString, QString>>& choices, const QString& current)
{
    m_metric->clear();
    for (const auto& [id, name] : choices)
        m_metric->addItem(name, id);
    m_metric->addItem(tr("column of a file …"), QString());
    m_metric->setCurrentIndex(m_metric->findData(current));
    m_metric->setProperty("chosen", current);
}

void HeadMapPanel::updateState()
{
    const int off = m_model->offCount();
    const bool channels = m_model->rowCount() > 0 && m_model->rowSpan(0).kind == HeadKind::Channels;
    int all = 0;
    for (int row = 0; row < m_model->rowCount(); ++row)
        all += m_model->rowSpan(row).count;
    const int partly = m_model->partlyAblatedCount();
    QStringList count{off == 0 ? (channels ? tr("all %1 channels on").arg(all) : tr("all %1 heads on").arg(all))
                               : tr("%1 of %2 ablated").arg(off).arg(all),
                      off == 0 ? tr("all on") : tr("%1 ablated").arg(off),
                      off == 0 ? tr("all on") : tr("%1 off").arg(off)};
    if (partly > 0 && off == 0)
        count = {tr("%1 changed in part").arg(partly), tr("%1 in part").arg(partly)};
    else if (partly > 0)
        count = {count[0] + tr(", %1 in part").arg(partly), count[1] + tr(", %1 in part").arg(partly),
                 tr("%1 changed").arg(off + partly)};
    m_state->setForms(m_model->rowCount() == 0 ? QStringList{tr("Choose a model above."), tr("no model")} : count);
    m_state->setToolTip(plainText(count[0] + u'\n'
                                  + (m_view->clickLooks() ? tr("Click: look only · Ctrl+click: ablate or restore")
                                                          : tr("Click: ablate or restore · Ctrl+click: look only"))
                                  + u" · "_s + tr("drag: select · K: keep only the selection")));
    setMuted(m_state);
}

void HeadMapPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        setModelName(m_title->property("modelName").toString());
        setMuted(m_state);
    }
}

} // namespace headscope::widgets
