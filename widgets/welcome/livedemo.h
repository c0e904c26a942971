// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The first thing that a person sees: two models that read one prompt, what each answers, the map of the head that
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
    static constexpr int kMapSide = 340; ///< logical pixels of a map, at most

    explicit LiveDemo(QWidget* parent = nullptr);
    /// Layout for the caller's buttons.
    [[nodiscard]] QHBoxLayout* buttons() const { return m_buttons; }
    /// In pieces, those with a role on its colour.
    void setPrompt(const RoleWords::Pieces& pieces);
    /// How wide the whole may be; `brief`: fewer words, for a low window.
    void setRoom(int width, bool brief);
    /// Enables the switch. `kind`: "Transformer"; `head`: "L2H5".
    void setModel(Side side, const QString& kind, const QString& head);
    struct Answer {
        QString said, before; ///< `before`: with the head on, where that was another one
        double probability = 0;
        bool right = false;
    };
    void setAnswer(Side side, const Answer& answer);
    /// Of a map, and how many tokens its last row reads; square, as large as it was computed.
    void setMap(Side side, const QImage& picture, const QString& reads);
    [[nodiscard]] bool headOn(Side side) const;
    [[nodiscard]] bool isAnswered(Side side) const { return !m_lines[indexOf(side)].verdict->text().isEmpty(); }
    [[nodiscard]] bool isRight(Side side) const { return m_lines[indexOf(side)].right; }
    [[nodiscard]] QString answer(Side side) const;

Q_SIGNALS:
    void switched(headscope::Side side, bool on);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Line {
        QWidget* box = nullptr;
        QLabel* kind = nullptr;
        QLabel* said = nullptr;
        QLabel* before = nullptr;
        QLabel* verdict = nullptr;
        SwitchButton* on = nullptr;
        QWidget* column = nullptr; ///< of the map
        QLabel* title = nullptr;
        QLabel* reads = nullptr;
        QLabel* map = nullptr;
        QImage picture;
        QString head;
        bool right = false;
    };
    QWidget* makeLine(Side side);
    QWidget* makeMap(Side side);
    void restyle();
    void paintOff(QImage& picture, int side) const;
    void showMap(Line& line);

    std::array<Line, 2> m_lines;
    int m_side = kMapSide; ///< of a map, as the width allows
    bool m_brief = false;
    QLabel* m_claim;
    QLabel* m_about;
    RoleWords* m_prompt;
    QLabel* m_key; ///< what bright means
    QHBoxLayout* m_buttons;
};

} // namespace headscope::widgets
