// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/busystrip.h"

#include "widgets/look/labels/elidedlabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

BusyStrip::BusyStrip(QWidget* parent)
    : QWidget(parent), m_text(new ElidedLabel(this)), m_bar(new QProgressBar(this)), m_stop(new QToolButton(this))
{
    setAccessibleName(tr("Work in progress"));
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(70, 8);
    m_bar->setAccessibleName(tr("Progress"));
    m_stop->setText(u"■"_s);
    m_stop->setAutoRaise(true);
    m_stop->setToolTip(tr("Stop (Esc); finished work is kept"));
    m_stop->setAccessibleName(tr("Stop"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(6);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_bar);
    layout->addWidget(m_stop);
    connect(m_stop, &QToolButton::clicked, this, &BusyStrip::stopRequested);
    // As wide as it ever is, and so is each part of it: neither the line beside it nor its own words jump when work
    // begins.
    for (QWidget* part : {static_cast<QWidget*>(m_bar), static_cast<QWidget*>(m_stop)}) {
        QSizePolicy policy = part->sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        part->setSizePolicy(policy);
    }
    setFixedWidth(fontMetrics().horizontalAdvance(u'x') * 26 + 130);
    m_text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    clear();
}

void BusyStrip::showWork(const QString& what, qint64 done, qint64 total)
{
    m_text->setText(what);
    m_bar->setRange(0, total > 0 ? 1000 : 0);
    if (total > 0)
        m_bar->setValue(static_cast<int>(1000 * done / total));
    for (QWidget* part : {static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_bar), static_cast<QWidget*>(m_stop)})
        part->show();
}

void BusyStrip::clear()
{
    // The strip keeps its height, so that nothing jumps.
    m_text->clear();
    m_bar->hide();
    m_stop->hide();
}

QString BusyStrip::text() const
{
    return m_text->text();
}

} // namespace headscope::widgets
