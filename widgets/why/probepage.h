// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of both models' heads on probe sequences, and the labels derived from them by a threshold. GUI thread.

#include "widgets/why/bothsides.h"
#include "widgets/why/parts/numbertable.h"

class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;

namespace headscope::widgets {

/// The heads of one model and a sentence on the probe sequences.
class ProbeView : public QWidget
{
    Q_OBJECT

public:
    explicit ProbeView(QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setHeads(const QStringList& columns, std::vector<QVariantList> rows, const QString& sentence);
    void setProblem(const QString& sentence) { setHeads({}, {}, sentence); }
    [[nodiscard]] NumberTable* table() const { return m_table; }
    [[nodiscard]] QString sentence() const;

private:
    QLabel *m_title, *m_sentence;
    NumberTable* m_table;
};

class ProbePage : public QWidget
{
    Q_OBJECT

public:
    explicit ProbePage(QWidget* parent = nullptr);

    [[nodiscard]] ProbeView* view(Side side) const { return m_both.view(side); }
    /// In hundredths.
    [[nodiscard]] QSlider* threshold() const { return m_threshold; }
    [[nodiscard]] double thresholdValue() const;
    [[nodiscard]] int seed() const;
    void setRunning(bool running);

Q_SIGNALS:
    /// The page became visible.
    void shown();
    void probeRequested();
    void stopRequested();
    /// The threshold changed.
    void labelsChanged();

protected:
    void showEvent(QShowEvent* event) override;

private:
    BothSides<ProbeView> m_both;
    QSlider* m_threshold;
    QLabel* m_least;
    QSpinBox* m_seed;
    QPushButton* m_run;
    bool m_running = false;
};

} // namespace headscope::widgets
