// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/probepage.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/numbertext.h"

#include <QHBoxLayout>
#include <QSlider>
#include <QSpinBox>

namespace headscope::widgets {

namespace {

constexpr int kHalf = 50, kWhole = 100; // hundredths

} // namespace

ProbeView::ProbeView(QWidget* parent)
    : AnalysisView(parent), m_grids(new GridsView(tr("Scores of heads on probe sequences"))),
      m_heads(new TabledView(m_grids, QStringLiteral("probe-induction")))
{
    m_grids->setWhatsThis(
        tr("Shares on repeated random tokens: the token after the same token earlier (induction), the "
           "previous token, the same token earlier (duplicate), the first token (sink). Retrieval: how "
           "often the head reads most from the token of the answer."));
    lines()->addWidget(m_heads, 1);
}

void ProbeView::setHeads(const QStringList& scores, std::vector<GridData> grids, Numbers numbers,
                         const QString& sentence)
{
    setSentence(sentence);
    m_grids->setGrids(scores, std::move(grids));
    m_heads->setNumbers(std::move(numbers));
}

ProbePage::ProbePage(QWidget* parent)
    : SidesPage(parent), m_threshold(new QSlider(Qt::Horizontal)), m_seed(new QSpinBox)
{
    m_threshold->setRange(0, kWhole);
    m_threshold->setValue(kHalf);
    m_threshold->setAccessibleName(tr("Threshold of a label"));
    m_threshold->setMaximumWidth(200);
    m_seed->setRange(0, 1'000'000);
    m_seed->setPrefix(tr("seed "));
    m_seed->setAccessibleName(tr("Seed of the probe sequences"));
    auto* least = new PlainLabel;
    line()->addWidget(m_seed);
    addStart(tr("&Probe every head"));
    line()->addStretch();
    line()->addWidget(least);
    line()->addWidget(m_threshold);
    const auto showThreshold = [this, least] {
        least->setText(tr("a label from %1 on").arg(numberText(thresholdValue())));
        Q_EMIT labelsChanged();
    };
    connect(m_threshold, &QSlider::valueChanged, this, showThreshold);
    showThreshold();
}

double ProbePage::thresholdValue() const
{
    return m_threshold->value() / double(kWhole);
}

int ProbePage::seed() const
{
    return m_seed->value();
}

} // namespace headscope::widgets
