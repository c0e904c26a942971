// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The demo on the welcome page: two models that read the same prompt, the answer of each, the map of the head that
// looks it up, and a switch for that head. GUI thread.

#include "core/base/side.h"
#include "widgets/look/boxes/card.h"
#include "widgets/welcome/rolewords.h"

#include <QImage>
#include <QLabel>

#include <array>

class QHBoxLayout;

namespace headscope::widgets {

class SwitchButton;

class LiveDemo : public Card
{
    Q_OBJECT

public:
    static constexpr int kMapSide = 340; ///< largest side of a map in logical pixels

    explicit LiveDemo(QWidget* parent = nullptr);
    /// Returns the layout for the caller's buttons.
    [[nodiscard]] QHBoxLayout* buttons() const { return m_buttons; }
    /// Sets the prompt in parts; those with a role are shown on its colour.
    void setPrompt(const RoleWords::Pieces& pieces);
    /// Sets the available width; `brief`: less text, for a low window.
    void setRoom(int width, bool brief);
    /// Enables the switch. `kind`: "Transformer"; `head`: "L2H5".
    void setModel(Side side, const QString& kind, const QString& head);
    struct Answer {
        QString said, before; ///< `before`: with the head on, if different
        double probability = 0;
        bool right = false;
    };
    void setAnswer(Side side, const Answer& answer);
    /// Sets the picture of a map, square and in its original resolution, and how many tokens its last row reads.
    void setMap(Side side, const QImage& picture, const QString& reads);
    [[nodiscard]] bool headOn(Side side) const;
    [[nodiscard]] bool isAnswered(Side side) const { return !m_lines[indexOf(side)].verdict->text().isEmpty(); }
    [[nodiscard]] bool isRight(Side side) const { return m_lines[indexOf(side)].right; }
    [[nodiscard]] QString answer(Side side) const;

Q_SIGNALS:
    void switched(headscope::Side side, bool on);

protected:
    void changeEvent(QEvent* event) override;

private:
    class Map;
    struct Line {
        QWidget* box = nullptr;
        QLabel* kind = nullptr;
        QLabel* said = nullptr;
        QLabel* before = nullptr;
        QLabel* verdict = nullptr;
        SwitchButton* on = nullptr;
        QWidget* column = nullptr; ///< contains the map
        QLabel* title = nullptr;
        QLabel* reads = nullptr;
        Map* map = nullptr;
        QString head;
        bool right = false;
    };
    QWidget* makeLine(Side side);
    QWidget* makeMap(Side side);
    void restyle();

    std::array<Line, 2> m_lines;
    bool m_brief = false;
    QLabel* m_claim;
    QLabel* m_about;
    RoleWords* m_prompt;
    QLabel* m_key; ///< the meaning of bright cells
    QHBoxLayout* m_buttons;
};

} // namespace headscope::widgets
