// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Activation patching in both models: the part to patch, the other prompt, and the maps. GUI thread.

#include "core/base/side.h"
#include "widgets/why/bothsides.h"
#include "widgets/why/patch/pairbox.h"
#include "widgets/why/patch/patchview.h"

#include <array>

namespace headscope::widgets {

class PatchPage : public QWidget
{
    Q_OBJECT

public:
    enum class Part { Heads, HeadsByToken, Stream, Mixer, Mlp, State };
    struct Choice {
        Part part = Part::Heads;
        PairChoice pair;
    };

    explicit PatchPage(QWidget* parent = nullptr);

    [[nodiscard]] PatchView* view(Side side) const { return m_both.view(side); }
    /// `columns`: number of columns of the widest layer, which decides whether both models fit side by side.
    void setShown(Side side, bool shown, int columns = 0);
    [[nodiscard]] Choice choice() const;
    void setChoice(const Choice& choice);
    void setRunning(bool running) { m_box->setRunning(running); }
    [[nodiscard]] PairBox* pair() const { return m_box; }

Q_SIGNALS:
    void patchRequested();
    void stopRequested();
    /// The cost of a run may have changed.
    void choiceChanged();

private:
    void arrange();

    std::array<int, 2> m_columns{};
    BothSides<PatchView> m_both;
    QComboBox* m_part;
    PairBox* m_box;
};

} // namespace headscope::widgets
