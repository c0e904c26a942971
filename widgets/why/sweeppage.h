// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention knockout between chosen tokens in a sliding window of layers, and its effect. GUI thread.

#include "widgets/scores/themedchart.h"
#include "widgets/why/analysispage.h"
#include "widgets/why/views/tabledview.h"

#include <QStringList>

class QCheckBox;
class QLabel;
class QSpinBox;

namespace headscope::widgets {

struct SweepChoice {
    int firstQuery = 0, lastQuery = 0, firstKey = 0, lastKey = 0; ///< tokens, ends included
    int width = 1;                                                ///< layers
    bool beforeSoftmax = true;

    bool operator==(const SweepChoice&) const = default;
};

/// The logit difference against the centre of a window of layers.
class SweepChart : public ThemedChart
{
    Q_OBJECT

public:
    explicit SweepChart(QWidget* parent = nullptr);
    /// Sets the curves. `wholes`: for each side the value with nothing knocked out, drawn without marks.
    void setSweep(const std::vector<ChartLine>& sides, const std::vector<double>& wholes, int layers);
};

class SweepPage : public AnalysisPage
{
    Q_OBJECT

public:
    explicit SweepPage(QWidget* parent = nullptr);

    /// Sets the tokens of the prompt, from which spans are chosen.
    void setTokens(const QStringList& tokens);
    [[nodiscard]] SweepChoice choice() const;
    void setChoice(const SweepChoice& choice);
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] SweepChart* chart() const { return m_chart; }
    [[nodiscard]] NumberTable* table() const { return m_sweep->table(); }
    void setNumbers(Numbers numbers);

private:
    [[nodiscard]] QSpinBox* makeSpin(const QString& name);
    void refreshWords();

    QStringList m_tokens;
    QSpinBox *m_firstQuery, *m_lastQuery, *m_firstKey, *m_lastKey, *m_width;
    QCheckBox* m_softmax;
    QLabel *m_words, *m_sentence;
    SweepChart* m_chart;
    TabledView* m_sweep; ///< the chart and its numbers
};

} // namespace headscope::widgets
