// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patching in both models, one above the other: what is put in, from which other prompt, and the maps. GUI thread.

#include "core/base/side.h"
#include "widgets/why/patchview.h"

#include <QWidget>

#include <array>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;

namespace headscope::widgets {

class PatchPage : public QWidget
{
    Q_OBJECT

public:
    enum class Part { Heads, Stream, Mixer, Mlp };
    enum class Other { Automatic, Key, Value, Binding, Name, Written };
    struct Choice {
        Part part = Part::Heads;
        Other other = Other::Automatic;
        QString written;    ///< the other prompt, where it is written
        bool noise = false; ///< the other prompt's parts go into this one
        bool many = false;  ///< many pairs of the task
    };

    explicit PatchPage(QWidget* parent = nullptr);

    [[nodiscard]] PatchView* view(Side side) const { return m_views[indexOf(side)]; }
    void setShown(Side side, bool shown);
    [[nodiscard]] Choice choice() const;
    void setChoice(const Choice& choice);
    void setRunning(bool running);

Q_SIGNALS:
    void patchRequested();
    void stopRequested();
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] QWidget* makeQuestion();

    std::array<PatchView*, 2> m_views{};
    QComboBox *m_part, *m_other, *m_direction;
    QLineEdit* m_written;
    QCheckBox* m_many;
    QPushButton *m_start, *m_stop;
};

} // namespace headscope::widgets
