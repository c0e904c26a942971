// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patching in both models, one above the other: what is put in, from which other prompt, and the maps. GUI thread.

#include "core/base/side.h"
#include "widgets/why/pairbox.h"
#include "widgets/why/patchview.h"

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

    [[nodiscard]] PatchView* view(Side side) const { return m_views[indexOf(side)]; }
    void setShown(Side side, bool shown);
    [[nodiscard]] Choice choice() const;
    void setChoice(const Choice& choice);
    void setRunning(bool running) { m_box->setRunning(running); }
    [[nodiscard]] PairBox* pair() const { return m_box; }

Q_SIGNALS:
    void patchRequested();
    void stopRequested();
    /// What a start would take may have changed.
    void choiceChanged();

private:
    std::array<PatchView*, 2> m_views{};
    QComboBox* m_part;
    PairBox* m_box;
};

} // namespace headscope::widgets
