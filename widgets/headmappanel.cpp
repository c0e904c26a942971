// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headmappanel.h"

#include "widgets/numbertext.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <cmath>

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

void MetricLegend::paintEvent(QPaintEvent*)
{
    if (m_model->metric().name.isEmpty())
        return;
    QPainter painter(this);
    const QFontMetrics metrics = fontMetrics();
    const double range = m_model->metricHigh() - m_model->metricLow();
    const bool fromZero = std::abs(m_model->metricLow()) < 1e-3 * range;
    const QString low = fromZero ? u"0"_s : compactText(m_model->metricLow());
    const QString high = compactText(m_model->metricHigh());
    const int lowWidth = metrics.horizontalAdvance(low);
    const int highWidth = metrics.horizontalAdvance(high);
    painter.setPen(themeOf(palette()).muted);
    painter.drawText(QRect(0, 0, lowWidth + 1, height()), Qt::AlignLeft | Qt::AlignVCenter, low);
    painter.drawText(QRect(width() - highWidth - 1, 0, highWidth + 1, height()), Qt::AlignRight | Qt::AlignVCenter, high);
    const int left = lowWidth + 6;
    const int right = width() - highWidth - 6;
    for (int x = left; x < right; ++x) {
        const double t = (x - left + 0.5) / (right - left);
        painter.fillRect(QRect(x, height() / 2 - 4, 1, 8), QColor(colorAt(m_model->colorMap(), t)));
    }
}

HeadMapPanel::HeadMapPanel(Side side, QWidget* parent)
    : QWidget(parent), m_side(side), m_model(new HeadMapModel(this)), m_view(new HeadMapView(this)),
      m_title(new QLabel(this)), m_state(new QLabel(this)), m_metric(new QComboBox(this))
{
    m_view->setHeadModel(m_model);
    m_view->setAccessibleName(side == Side::A ? tr("Heads of model A") : tr("Heads of model B"));
    m_title->setTextInteractionFlags(Qt::NoTextInteraction);
    m_title->setMinimumWidth(40);
    m_metric->setAccessibleName(tr("Colour of the heads"));
    m_metric->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_metric->setMinimumContentsLength(10);
    m_state->setWordWrap(true);

    makePage(this);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_metric);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->setSpacing(4);
    layout->addLayout(top);
    layout->addWidget(m_view, 1);
    layout->addWidget(new MetricLegend(m_model, this));
    layout->addWidget(m_state);

    connect(m_metric, &QComboBox::activated, this,
            [this](int index) { Q_EMIT metricChosen(m_metric->itemData(index).toString()); });
    connect(m_model, &QAbstractItemModel::dataChanged, this, &HeadMapPanel::updateState);
    connect(m_model, &QAbstractItemModel::modelReset, this, &HeadMapPanel::updateState);
    updateState();
}

void HeadMapPanel::setModelName(const QString& name)
{
    const QColor color = sideColor(themeOf(palette()), m_side);
    m_title->setText(u"<b style=\"color:%1\">%2</b>&nbsp; %3"_s.arg(
        color.name(), m_side == Side::A ? u"A"_s : u"B"_s, name.toHtmlEscaped()));
    m_title->setToolTip(name);
    m_title->setProperty("modelName", name);
}

void HeadMapPanel::setMetricChoices(const QList<std::pair<QString, QString>>& choices, const QString& current)
{
    m_metric->clear();
    for (const auto& [id, name] : choices)
        m_metric->addItem(name, id);
    m_metric->setCurrentIndex(m_metric->findData(current));
}

void HeadMapPanel::updateState()
{
    const int off = m_model->offCount();
    const bool channels = m_model->rowCount() > 0 && m_model->rowSpan(0).kind == HeadKind::Channels;
    const QString count = off == 0    ? tr("all on")
                          : off == 1 ? (channels ? tr("1 channel off") : tr("1 head off"))
                          : channels ? tr("%1 channels off").arg(off)
                                     : tr("%1 heads off").arg(off);
    m_state->setText(m_model->rowCount() == 0 ? tr("Choose a model above.")
                                              : tr("%1 · click: off/on · drag: select · K: keep only").arg(count));
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
