// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Does to the window what a person could do, at random: the same seed draws the same actions. GUI thread.

#include <QDialog>
#include <QPointer>
#include <QWidget>

#include <functional>
#include <random>

class QFileDialog;

namespace headscope::soak {

class Monkey
{
public:
    /// What dialogs ask a file for is one in `folder`. `log` hears each action before it is done.
    Monkey(unsigned seed, QString folder, std::function<void(const QString&)> log);

    /// One action, in what takes input: a menu that is open, a dialog that waits, else the window or one beside it.
    void act(QWidget& window);
    /// Closes what is open before the window: menus, dialogs. False: nothing was.
    static bool leave();
    [[nodiscard]] int below(int end) { return std::uniform_int_distribution(0, end - 1)(m_random); }

private:
    [[nodiscard]] QWidget* surface(QWidget& window);
    void answer(QFileDialog& dialog);
    void click(QWidget& surface);
    void drag(QWidget& surface);
    void turnWheel(QWidget& surface);
    void press(QWidget& surface);
    void type(QWidget& surface);
    void trigger(QWidget& surface);
    void resize(QWidget& surface);
    void drop(QWidget& surface);
    [[nodiscard]] QPoint point(const QWidget& surface);
    [[nodiscard]] Qt::KeyboardModifiers modifiers();

    std::mt19937 m_random;
    QString m_folder;
    std::function<void(const QString&)> m_log;
};

} // namespace headscope::soak
