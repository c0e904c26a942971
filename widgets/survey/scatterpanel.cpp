// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/scatterpanel.h"

#include "widgets/look/labels/plainlabel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

ScatterPanel::ScatterPanel(QWidget* parent)
    : QWidget(parent), m_view(new ScatterView), m_x(new QComboBox), m_y(new QComboBox),
      m_logX(new QCheckBox(tr("log"))), m_logY(new QCheckBox(tr("log"))), m_correlation(new PlainLabel)
{
    m_x->setAccessibleName(tr("Horizontal axis"));
    m_y->setAccessibleName(tr("Vertical axis"));
    m_logX->setAccessibleName(tr("Logarithmic horizontal axis"));
    m_logY->setAccessibleName(tr("Logarithmic vertical axis"));
    for (QComboBox* axis : {m_x, m_y}) {
        axis->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        axis->setMinimumContentsLength(8);
        connect(axis, &QComboBox::currentIndexChanged, this, &ScatterPanel::axesChanged);
    }
    for (QCheckBox* one : {m_logX, m_logY})
        connect(one, &QCheckBox::toggled, this,
                [this] { m_view->setLogarithmic(m_logX->isChecked(), m_logY->isChecked()); });
    auto* save = new QToolButton;
    save->setText(tr("Save…"));
    save->setToolTip(tr("Save as a picture or as numbers"));
    connect(save, &QToolButton::clicked, this, &ScatterPanel::saveRequested);
    m_correlation->setWordWrap(true);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    auto* axes = new QHBoxLayout;
    axes->addWidget(m_x, 1);
    axes->addWidget(m_logX);
    axes->addWidget(m_y, 1);
    axes->addWidget(m_logY);
    axes->addWidget(save);
    lines->addLayout(axes);
    lines->addWidget(m_view, 1);
    lines->addWidget(m_correlation);
}

void ScatterPanel::setMetrics(const QStringList& metrics)
{
    const QString x = m_x->currentText(), y = m_y->currentText();
    {
        const QSignalBlocker quietX(m_x), quietY(m_y);
        for (QComboBox* axis : {m_x, m_y}) {
            axis->clear();
            axis->addItems(metrics);
        }
        m_y->setCurrentIndex(std::min(2, m_y->count() - 1));
    }
    setAxes(x, y);
}

void ScatterPanel::setAxes(const QString& x, const QString& y)
{
    const QSignalBlocker quietX(m_x), quietY(m_y);
    if (const int at = m_x->findText(x); at >= 0)
        m_x->setCurrentIndex(at);
    if (const int at = m_y->findText(y); at >= 0)
        m_y->setCurrentIndex(at);
}

void ScatterPanel::setCorrelation(const QString& sentence)
{
    m_correlation->setText(sentence);
}

QString ScatterPanel::correlation() const
{
    return m_correlation->text();
}

std::pair<int, int> ScatterPanel::axes() const
{
    return {m_x->currentIndex(), m_y->currentIndex()};
}

} // namespace headscope::widgets
