// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/sweeppage.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/pattern/patterndata.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QSpinBox>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kMostLayers = 999;
constexpr qsizetype kTokensSpelt = 6;             // tokens of a span that are spelt
constexpr int kChartWide = 480, kTableWide = 420; // pixels: four columns of numbers are seen

} // namespace

SweepChart::SweepChart(QWidget* parent) : ThemedChart(parent)
{
    setTitles(tr("Knockout by layer"), tr("middle layer of the window"), tr("logit difference"));
    setIntegerX(true);
    setEmptyText(tr(
        "Choose both spans above and press Sweep to find the layers in which these tokens need to read the others."));
    setWhatsThis(tr("Logit difference with attention from the first to the second tokens blocked in a window of "
                    "layers, against the window's middle layer (Geva et al. 2023). Dotted or dashed: no "
                    "knockout."));
}

void SweepChart::setSweep(const std::vector<ChartLine>& sides, const std::vector<double>& wholes, int layers)
{
    std::vector<ChartLine> lines = sides;
    const bool one = sides.size() < 2;
    for (std::size_t i = 0; i < sides.size(); ++i)
        lines.push_back({one ? tr("no knockout") : tr("%1, intact").arg(sides[i].name),
                         {QPointF(0, wholes[i]), QPointF(layers - 1, wholes[i])},
                         sides[i].side,
                         one ? ChartLine::Style::Dotted : ChartLine::Style::Dashed,
                         false});
    double low = 0, high = 0;
    for (const ChartLine& line : lines)
        for (const QPointF& point : line.points) {
            low = std::min(low, point.y());
            high = std::max(high, point.y());
        }
    const double pad = std::max(0.05, 0.05 * (high - low));
    setLines(std::move(lines));
    setRanges(-0.2, layers - 0.8, low - pad, high + pad);
}

SweepPage::SweepPage(QWidget* parent)
    : AnalysisPage(parent), m_firstQuery(makeSpin(tr("First blocked query"))),
      m_lastQuery(makeSpin(tr("Last blocked query"))), m_firstKey(makeSpin(tr("First blocked key"))),
      m_lastKey(makeSpin(tr("Last blocked key"))), m_width(new QSpinBox),
      m_softmax(new QCheckBox(tr("&before the softmax"))), m_words(new PlainLabel), m_sentence(new PlainLabel),
      m_chart(new SweepChart), m_sweep(new TabledView(m_chart, QStringLiteral("knockout"), TabledView::Table::Beside))
{
    m_width->setRange(1, kMostLayers);
    m_width->setPrefix(tr("layers in a window: "));
    m_width->setAccessibleName(tr("Layers in a window"));
    m_softmax->setChecked(true);
    m_softmax->setToolTip(tr("Attention only: the rest of a row sums to 1 again. Otherwise entries become zero, also "
                             "those of SSM heads."));
    m_words->setWordWrap(true);
    m_sentence->setWordWrap(true);
    auto* spans = new QHBoxLayout;
    for (QWidget* one : std::initializer_list<QWidget*>{
             new PlainLabel(tr("tokens")), m_firstQuery, new PlainLabel(tr("to")), m_lastQuery,
             new PlainLabel(tr("do not read tokens")), m_firstKey, new PlainLabel(tr("to")), m_lastKey})
        spans->addWidget(one);
    spans->addStretch();
    line()->addWidget(m_words, 1);
    line()->addWidget(m_width);
    line()->addWidget(m_softmax);
    addStart(tr("S&weep over layers"));
    m_sweep->setSizes({kChartWide, kTableWide});
    m_sweep->setStretchFactor(0, 1);
    m_sweep->setStretchFactor(1, 0);
    connect(m_sweep, &TabledView::menuAboutToShow, this,
            [this](QMenu* menu) { menu->addAction(tr("Save the c&hart …"), m_chart, &ThemedChart::saveRequested); });
    lines()->insertLayout(0, spans);
    lines()->insertWidget(2, m_sentence);
    both()->addWidget(m_sweep);
}

QSpinBox* SweepPage::makeSpin(const QString& name)
{
    auto* spin = new QSpinBox(this);
    spin->setRange(0, 0);
    spin->setAccessibleName(name);
    connect(spin, &QSpinBox::valueChanged, this, &SweepPage::refreshWords);
    return spin;
}

void SweepPage::setTokens(const QStringList& tokens)
{
    m_tokens = tokens;
    const int last = std::max(0, static_cast<int>(tokens.size()) - 1);
    for (QSpinBox* spin : {m_firstQuery, m_lastQuery, m_firstKey, m_lastKey})
        spin->setMaximum(last);
    refreshWords();
}

SweepChoice SweepPage::choice() const
{
    return {m_firstQuery->value(), m_lastQuery->value(), m_firstKey->value(),
            m_lastKey->value(),    m_width->value(),     m_softmax->isChecked()};
}

void SweepPage::setChoice(const SweepChoice& choice)
{
    m_firstQuery->setValue(choice.firstQuery);
    m_lastQuery->setValue(choice.lastQuery);
    m_firstKey->setValue(choice.firstKey);
    m_lastKey->setValue(choice.lastKey);
    m_width->setValue(choice.width);
    m_softmax->setChecked(choice.beforeSoftmax);
}

void SweepPage::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

void SweepPage::setNumbers(Numbers numbers)
{
    m_sweep->setNumbers(std::move(numbers));
}

QString SweepPage::sentence() const
{
    return m_sentence->text();
}

void SweepPage::refreshWords()
{
    const auto words = [this](int first, int last) {
        QStringList texts;
        for (int i = first; i <= last && i < m_tokens.size() && texts.size() < kTokensSpelt; ++i)
            texts.append(tokenLabel(m_tokens.at(i)));
        return texts.join(QLatin1Char(' ')) + (last - first >= kTokensSpelt ? QStringLiteral(" …") : QString());
    };
    const SweepChoice now = choice();
    m_words->setText(
        tr("“%1” stops reading “%2”").arg(words(now.firstQuery, now.lastQuery), words(now.firstKey, now.lastKey)));
}

} // namespace headscope::widgets
