// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/probepage.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/numbertext.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>

namespace headscope::widgets {

namespace {

constexpr int kHalf = 50, kWhole = 100; // hundredths

} // namespace

ProbeView::ProbeView(QWidget* parent)
    : QWidget(parent), m_title(new PlainLabel(this)), m_sentence(new PlainLabel(this)),
      m_table(new NumberTable(tr("Scores of heads on probe sequences")))
{
    m_sentence->setWordWrap(true);
    m_table->setWhatsThis(
        tr("Shares on repeated random tokens: the token after the same token earlier (induction), the "
           "previous token, the same token earlier (duplicate), the first token (sink). Retrieval: how "
           "often the head reads most from the token of the answer."));
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_title);
    lines->addWidget(m_sentence);
    lines->addWidget(m_table, 1);
}

void ProbeView::setTitle(const QString& title)
{
    m_title->setText(title);
}

void ProbeView::setHeads(const QStringList& columns, std::vector<QVariantList> rows, const QString& sentence)
{
    m_sentence->setText(sentence);
    m_table->setRows(columns, std::move(rows));
}

QString ProbeView::sentence() const
{
    return m_sentence->text();
}

ProbePage::ProbePage(QWidget* parent)
    : QWidget(parent), m_threshold(new QSlider(Qt::Horizontal)), m_least(new PlainLabel), m_seed(new QSpinBox),
      m_run(new QPushButton)
{
    m_threshold->setRange(0, kWhole);
    m_threshold->setValue(kHalf);
    m_threshold->setAccessibleName(tr("Threshold of a label"));
    m_threshold->setMaximumWidth(200);
    m_seed->setRange(0, 1'000'000);
    m_seed->setPrefix(tr("seed "));
    m_seed->setAccessibleName(tr("Seed of the probe sequences"));
    auto* line = new QHBoxLayout;
    line->addWidget(m_seed);
    line->addWidget(m_run);
    line->addStretch();
    line->addWidget(m_least);
    line->addWidget(m_threshold);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 4, 0, 0);
    lines->addLayout(line);
    lines->addWidget(m_both.widget(), 1);
    setRunning(false);
    const auto tell = [this] {
        m_least->setText(tr("a label from %1 on").arg(numberText(thresholdValue())));
        Q_EMIT labelsChanged();
    };
    connect(m_threshold, &QSlider::valueChanged, this, tell);
    connect(m_run, &QPushButton::clicked, this,
            [this] { m_running ? Q_EMIT stopRequested() : Q_EMIT probeRequested(); });
    tell();
}

double ProbePage::thresholdValue() const
{
    return m_threshold->value() / double(kWhole);
}

int ProbePage::seed() const
{
    return m_seed->value();
}

void ProbePage::setRunning(bool running)
{
    m_running = running;
    m_run->setText(running ? tr("&Stop") : tr("&Probe every head"));
}

void ProbePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
