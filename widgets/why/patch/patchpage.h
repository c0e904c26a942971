// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Activation patching in both models: the part to patch, the other prompt, and the maps. GUI thread.

#include "widgets/why/analysispage.h"
#include "widgets/why/patch/pairbox.h"
#include "widgets/why/patch/patchview.h"

namespace headscope::widgets {

class PatchPage : public SidesPage<PatchView>
{
    Q_OBJECT

public:
    enum class Part { Heads, HeadsByToken, Stream, Mixer, Mlp, State };
    struct Choice {
        Part part = Part::Heads;
        PairChoice pair;
    };

    explicit PatchPage(QWidget* parent = nullptr);

    /// `columns`: of the widest layer, which decides whether both models have room beside each other.
    void setShown(Side side, bool shown, int columns = 0);
    [[nodiscard]] Choice choice() const;
    void setChoice(const Choice& choice);
    void setRunning(bool running) override { m_box->setRunning(running); }
    [[nodiscard]] PairBox* pair() const { return m_box; }

Q_SIGNALS:
    /// What a start would take may have changed.
    void choiceChanged();

private:
    void arrange();

    std::array<int, 2> m_columns{};
    QComboBox* m_part;
    PairBox* m_box;
};

} // namespace headscope::widgets
