// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges in both models: what feeds a part and who listens to it, on which two runs. GUI thread.

#include "core/base/side.h"
#include "widgets/why/bothsides.h"
#include "widgets/why/edges/edgeview.h"
#include "widgets/why/patch/pairbox.h"

#include <array>

class QComboBox;
class QLabel;
class QSlider;

namespace headscope::widgets {

class EdgePage : public QWidget
{
    Q_OBJECT

public:
    enum class Around { Feeding, Listening, Both };
    struct Choice {
        Around around = Around::Both;
        PairChoice pair;
    };

    explicit EdgePage(QWidget* parent = nullptr);

    [[nodiscard]] EdgeView* view(Side side) const { return m_both.view(side); }
    /// `columns`: of the widest layer, which decides whether both models have room beside each other.
    void setShown(Side side, bool shown, int columns = 0);
    [[nodiscard]] Choice choice() const;
    void setChoice(const Choice& choice);
    void setRunning(bool running) { m_box->setRunning(running); }
    [[nodiscard]] PairBox* pair() const { return m_box; }
    /// In hundredths of the way to the other run.
    [[nodiscard]] QSlider* threshold() const { return m_threshold; }

Q_SIGNALS:
    void traceRequested();
    void stopRequested();
    /// What a start would take may have changed.
    void choiceChanged();

private:
    void setThreshold(int hundredths);

    void arrange();

    std::array<int, 2> m_columns{};
    BothSides<EdgeView> m_both;
    QComboBox* m_around;
    QSlider* m_threshold;
    QLabel* m_least;
    PairBox* m_box;
};

} // namespace headscope::widgets
