// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Path patching in both models: edges into and out of a part, and the choice of two runs. GUI thread.

#include "widgets/why/analysispage.h"
#include "widgets/why/edges/edgeview.h"
#include "widgets/why/patch/pairbox.h"

class QComboBox;
class QLabel;
class QSlider;

namespace headscope::widgets {

class EdgePage : public SidesPage<EdgeView>
{
    Q_OBJECT

public:
    enum class Around { Feeding, Listening, Both };
    struct Choice {
        Around around = Around::Both;
        PairChoice pair;
    };

    explicit EdgePage(QWidget* parent = nullptr);

    /// `columns`: of the widest layer, which decides whether both models have room beside each other.
    void setShown(Side side, bool shown, int columns = 0);
    [[nodiscard]] Choice choice() const;
    void setChoice(const Choice& choice);
    void setRunning(bool running) override { m_box->setRunning(running); }
    [[nodiscard]] PairBox* pair() const { return m_box; }
    /// In hundredths of the difference between the runs.
    [[nodiscard]] QSlider* threshold() const { return m_threshold; }

Q_SIGNALS:
    /// What a start would take may have changed.
    void choiceChanged();

private:
    void setThreshold(int hundredths);

    void arrange();

    std::array<int, 2> m_columns{};
    QComboBox* m_around;
    QSlider* m_threshold;
    QLabel* m_least;
    PairBox* m_box;
};

} // namespace headscope::widgets
