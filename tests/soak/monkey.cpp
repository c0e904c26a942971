// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/soak/monkey.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QScreen>
#include <QTest>
#include <QUrl>
#include <QWheelEvent>
#include <QWindow>

namespace headscope::soak {

namespace {

using namespace Qt::StringLiterals;

/// What a person might write anywhere: a prompt, a number, a head, a path, nothing that is meant.
const QStringList kTexts = {u"The value of the key k3 is"_s,
                            u"L2H5"_s,
                            u"L1H2=scale:0.5"_s,
                            u"toy_kv:pairs=4"_s,
                            u"-1"_s,
                            u"1e300"_s,
                            u"0"_s,
                            u"../../nowhere"_s,
                            u"<img src=\"/dev/zero\"><b>x</b>"_s,
                            u"\u202Eabc \u0000 \U0001F600 e\u0301\n\n\n"_s,
                            u"=HYPERLINK(\"x\")"_s,
                            QString(3000, u'a')};

constexpr Qt::Key kKeys[] = {Qt::Key_Tab,    Qt::Key_Backtab, Qt::Key_Return, Qt::Key_Escape, Qt::Key_Space,
                             Qt::Key_Left,   Qt::Key_Right,   Qt::Key_Up,     Qt::Key_Down,   Qt::Key_Home,
                             Qt::Key_End,    Qt::Key_PageUp,  Qt::Key_F2,     Qt::Key_F6,     Qt::Key_PageDown,
                             Qt::Key_Delete, Qt::Key_Menu,    Qt::Key_F11};

/// Modifiers are keys of their own and may close what the key was meant for: QTest's calls go on with a window that is
/// gone.
void send(const QPointer<QWindow>& window, bool down, Qt::Key key, Qt::KeyboardModifiers keys)
{
    const bool letter = key >= Qt::Key_A && key <= Qt::Key_Z && (keys & ~Qt::ShiftModifier) == 0;
    const QString text = letter ? QString(QChar(keys ? int(key) : key - Qt::Key_A + 'a')) : QString();
    if (window && window->isVisible())
        QTest::simulateEvent(window, down, key, keys, text, false);
}

/// What was done before may have closed the window or made it smaller.
bool holds(const QPointer<QWindow>& window, const QPoint& at)
{
    return window && window->isVisible() && QRect(QPoint(), window->size()).contains(at);
}

void strike(const QPointer<QWindow>& window, Qt::Key key, Qt::KeyboardModifiers keys)
{
    constexpr std::pair<Qt::KeyboardModifier, Qt::Key> kModifiers[] = {
        {Qt::ShiftModifier, Qt::Key_Shift}, {Qt::ControlModifier, Qt::Key_Control}, {Qt::AltModifier, Qt::Key_Alt}};
    for (const auto& [modifier, itself] : kModifiers)
        if (keys.testFlag(modifier))
            send(window, true, itself, {});
    send(window, true, key, keys);
    send(window, false, key, keys);
    for (const auto& [modifier, itself] : kModifiers)
        if (keys.testFlag(modifier))
            send(window, false, itself, modifier);
}

QString nameOf(const QWidget& widget)
{
    return QLatin1StringView(widget.metaObject()->className()) + u' ' + widget.objectName();
}

} // namespace

Monkey::Monkey(unsigned seed, QString folder, std::function<void(const QString&)> log)
    : m_random(seed), m_folder(std::move(folder)), m_log(std::move(log))
{
}

void Monkey::act(QWidget& window)
{
    QWidget* on = surface(window);
    if (!on->isVisible() || !on->windowHandle()) // on its way out
        return;
    if (auto* dialog = qobject_cast<QFileDialog*>(on))
        return answer(*dialog);
    using Doing = void (Monkey::*)(QWidget&);
    static constexpr std::pair<int, Doing> kDoings[] = {
        {40, &Monkey::click}, {5, &Monkey::drag},     {8, &Monkey::turnWheel}, {20, &Monkey::press},
        {7, &Monkey::type},   {15, &Monkey::trigger}, {3, &Monkey::resize},    {2, &Monkey::drop}};
    int drawn = below(100);
    for (const auto& [weight, action] : kDoings) {
        if (drawn < weight)
            return (this->*action)(*on);
        drawn -= weight;
    }
}

bool Monkey::leave()
{
    QWidget* on = QApplication::activePopupWidget();
    if (!on)
        on = QApplication::activeModalWidget();
    if (auto* dialog = qobject_cast<QDialog*>(on))
        dialog->reject();
    else if (on)
        on->close();
    return on != nullptr;
}

QWidget* Monkey::surface(QWidget& window)
{
    if (QWidget* popup = QApplication::activePopupWidget())
        return popup;
    if (QWidget* modal = QApplication::activeModalWidget())
        return modal;
    QWidgetList others;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (widget != &window && widget->isVisible() && widget->windowHandle())
            others.append(widget);
    return others.isEmpty() || below(4) != 0 ? &window : others.at(below(static_cast<int>(others.size())));
}

// Its list is one of real files with a menu that deletes them: only the name is written.
void Monkey::answer(QFileDialog& dialog)
{
    const bool refuse = below(3) == 0;
    const QStringList there = QDir(m_folder).entryList(QDir::Files);
    const bool save = dialog.acceptMode() == QFileDialog::AcceptSave;
    const QString name = dialog.fileMode() == QFileDialog::Directory || (!save && there.isEmpty()) ? m_folder
                         : save ? m_folder + u"/kept-%1"_s.arg(below(20))
                                : m_folder + u'/' + there.at(below(static_cast<int>(there.size())));
    m_log(u"file dialog: "_s + (refuse ? u"refused"_s : name));
    auto* edit = dialog.findChild<QLineEdit*>(u"fileNameEdit"_s);
    if (refuse || !edit)
        return dialog.reject();
    edit->setText(name);
    const QPointer<QFileDialog> open = &dialog;
    QTest::keyClick(edit, Qt::Key_Return);
    if (open && open->isVisible() && !QApplication::activePopupWidget() && QApplication::activeModalWidget() == open)
        open->reject();
}

QPoint Monkey::point(const QWidget& surface)
{
    const QList<QWidget*> children = surface.findChildren<QWidget*>();
    const QWidget* in = &surface;
    if (!children.isEmpty() && below(3) != 0)
        in = children.at(below(static_cast<int>(children.size())));
    if (!in->isVisible() || in->window() != &surface || in->size().isEmpty())
        in = &surface;
    const QPoint at(below(std::max(1, in->width())), below(std::max(1, in->height())));
    // A platform may have made the window smaller than the widget wants to be.
    const QRect whole(QPoint(), surface.windowHandle()->size().boundedTo(surface.size()));
    const QPoint there = in->mapTo(&surface, at);
    return whole.contains(there) ? there : whole.center();
}

Qt::KeyboardModifiers Monkey::modifiers()
{
    const int drawn = below(12);
    return drawn == 0   ? Qt::ShiftModifier
           : drawn == 1 ? Qt::ControlModifier
           : drawn == 2 ? Qt::AltModifier
                        : Qt::NoModifier;
}

void Monkey::click(QWidget& surface)
{
    const QPoint at = point(surface);
    const QWidget* child = surface.childAt(at);
    const Qt::MouseButton button = below(8) == 0 ? Qt::RightButton : Qt::LeftButton;
    const auto keys = modifiers();
    const bool twice = below(8) == 0;
    m_log(u"click %1 at %2,%3 on %4 in %5"_s.arg(int(button))
              .arg(at.x())
              .arg(at.y())
              .arg(child ? nameOf(*child) : QString(), nameOf(surface)));
    const QPointer<QWindow> window = surface.windowHandle();
    if (holds(window, at))
        QTest::mouseMove(window, at);
    for (int i = 0; i < (twice ? 2 : 1); ++i) {
        if (holds(window, at))
            QTest::mousePress(window, button, keys, at);
        if (holds(window, at))
            QTest::mouseRelease(window, button, keys, at);
    }
}

void Monkey::drag(QWidget& surface)
{
    const QPoint from = point(surface), to = point(surface);
    m_log(u"drag from %1,%2 to %3,%4 in %5"_s.arg(from.x()).arg(from.y()).arg(to.x()).arg(to.y()).arg(nameOf(surface)));
    const QPointer<QWindow> window = surface.windowHandle();
    if (holds(window, from))
        QTest::mousePress(window, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 4; ++step)
        if (const QPoint at = from + (to - from) * step / 4; holds(window, at))
            QTest::mouseMove(window, at);
    if (holds(window, to))
        QTest::mouseRelease(window, Qt::LeftButton, {}, to);
}

void Monkey::turnWheel(QWidget& surface)
{
    const QPoint at = point(surface);
    QWidget* child = surface.childAt(at);
    QWidget* on = child ? child : &surface;
    const QPoint by(below(5) == 0 ? 120 : 0, below(2) == 0 ? 240 : -240);
    const auto keys = modifiers();
    m_log(u"wheel on "_s + nameOf(*on));
    QWheelEvent event(on->mapFrom(&surface, at), surface.mapToGlobal(at), {}, by, Qt::NoButton, keys, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(on, &event);
}

void Monkey::press(QWidget& surface)
{
    const int drawn = below(3);
    const Qt::Key key = drawn == 0 ? Qt::Key(Qt::Key_A + below(26)) : kKeys[below(std::size(kKeys))];
    const auto keys = modifiers();
    m_log(u"key %1 with %2 in %3"_s.arg(int(key), 0, 16).arg(keys.toInt(), 0, 16).arg(nameOf(surface)));
    strike(surface.windowHandle(), key, keys);
}

void Monkey::type(QWidget& surface)
{
    const QString text = kTexts.at(below(static_cast<int>(kTexts.size())));
    QList<QWidget*> fields;
    for (QWidget* child : surface.findChildren<QWidget*>())
        if (child->isVisible() && child->isEnabled() && child->testAttribute(Qt::WA_InputMethodEnabled))
            fields.append(child);
    if (fields.isEmpty())
        return;
    QWidget* field = fields.at(below(static_cast<int>(fields.size())));
    m_log(u"type '%1' in %2"_s.arg(text.left(20), nameOf(*field)));
    const QPointer<QWidget> there = field;
    field->setFocus();
    QInputMethodEvent event;
    event.setCommitString(text);
    QApplication::sendEvent(field, &event);
    if (there && there->isVisible() && below(2) == 0)
        QTest::keyClick(there, Qt::Key_Return);
}

void Monkey::trigger(QWidget& surface)
{
    QList<QAction*> actions;
    for (QAction* action : surface.findChildren<QAction*>())
        if (action->isEnabled() && action->isVisible() && !action->isSeparator() && !action->menu())
            actions.append(action);
    if (actions.isEmpty())
        return;
    QAction* action = actions.at(below(static_cast<int>(actions.size())));
    m_log(u"trigger '%1'"_s.arg(action->text()));
    action->trigger();
}

void Monkey::resize(QWidget& surface)
{
    const QSize size(300 + below(1900), 200 + below(1200));
    m_log(u"resize to %1x%2"_s.arg(size.width()).arg(size.height()));
    surface.resize(size);
}

void Monkey::drop(QWidget& surface)
{
    const QStringList there = QDir(m_folder).entryList(QDir::Files);
    if (there.isEmpty())
        return;
    const QString file = m_folder + u'/' + there.at(below(static_cast<int>(there.size())));
    m_log(u"drop "_s + file);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    const QPoint at = surface.rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    const QPointer<QWidget> on = &surface;
    QApplication::sendEvent(on, &enter);
    if (!on || !enter.isAccepted())
        return;
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(on, &event);
}

} // namespace headscope::soak
