// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of both models' heads on probe sequences, and the labels derived from them by a threshold. GUI thread.

#include "widgets/why/analysispage.h"
#include "widgets/why/analysisview.h"
#include "widgets/why/views/gridsview.h"
#include "widgets/why/views/tabledview.h"

class QSlider;
class QSpinBox;

namespace headscope::widgets {

/// The heads of one model: a picture for each score, and a sentence on what they were probed with.
class ProbeView : public AnalysisView
{
    Q_OBJECT

public:
    explicit ProbeView(QWidget* parent = nullptr);

    /// `numbers`: the same, with the labels.
    void setHeads(const QStringList& scores, std::vector<GridData> grids, Numbers numbers, const QString& sentence);
    void setProblem(const QString& sentence) { setHeads({}, {}, {}, sentence); }
    [[nodiscard]] GridsView* grids() const { return m_grids; }
    [[nodiscard]] TabledView* heads() const { return m_heads; }

private:
    GridsView* m_grids;
    TabledView* m_heads;
};

class ProbePage : public SidesPage<ProbeView>
{
    Q_OBJECT

public:
    explicit ProbePage(QWidget* parent = nullptr);

    /// In hundredths.
    [[nodiscard]] QSlider* threshold() const { return m_threshold; }
    [[nodiscard]] double thresholdValue() const;
    [[nodiscard]] int seed() const;

Q_SIGNALS:
    /// Another threshold.
    void labelsChanged();

private:
    QSlider* m_threshold;
    QSpinBox* m_seed;
};

} // namespace headscope::widgets
