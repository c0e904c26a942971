// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/helpmenu.h"

#include "app/window/menus/entry.h"
#include "app/window/tours/tourguide.h"
#include "widgets/frame/messagebar.h"
#include "widgets/look/plaintext.h"

#include <QApplication>
#include <QMenuBar>
#include <QMessageBox>
#include <QWhatsThis>

namespace headscope::gui {

using widgets::MessageBar;

HelpMenu::HelpMenu(QMenuBar& bar, TourGuide& guide, MessageBar& messages, QWidget* window)
    : QObject(window), m_messages(messages), m_window(window)
{
    QMenu& menu = *bar.addMenu(tr("&Help"));
    addTours(*menu.addMenu(tr("&Tours")), guide);
    addEntry(menu, this, tr("&Explain where I am"), QKeySequence::HelpContents, [] { explainFocus(); });
    menu.addAction(QWhatsThis::createAction(this));
    addEntry(menu, this, tr("&Keys"), {}, [this] { showKeys(); });
    addEntry(menu, this, tr("&About Headscope"), {}, [this] { showAbout(); });
}

void HelpMenu::addTours(QMenu& menu, TourGuide& guide)
{
    for (const widgets::Choice& tour : guide.choices())
        addEntry(menu, this, tour.name, {}, [&guide, id = tour.id] {
            guide.open(id);
        })->setToolTip(widgets::plainText(tour.detail));
    menu.setEnabled(!menu.isEmpty());
}

void HelpMenu::explainFocus()
{
    for (QWidget* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget())
        if (!widget->whatsThis().isEmpty())
            return QWhatsThis::showText(widget->mapToGlobal(QPoint(widget->width() / 2, 24)), widget->whatsThis(),
                                        widget);
    QWhatsThis::enterWhatsThisMode();
}

void HelpMenu::showKeys()
{
    m_messages.showMessage(MessageBar::Kind::Info,
                           tr("Head map: arrows walk, Space switches, K keeps only the selection. Map: "
                              "wheel zooms, drag pans, click locks a row, R shows all. "
                              "[ and ] step through samples, Ctrl+Return lets the model write on, Ctrl+Z "
                              "brings a head back, Esc stops."));
}

void HelpMenu::showAbout()
{
    QMessageBox::about(
        m_window, tr("About Headscope"),
        tr("<b>Headscope %1</b><p>See every head's pattern, switch heads off, see benchmarks re-scored at once.</p>"
           "<p>After Bick, Xing and Gu: <i>Understanding the Skill Gap in Recurrent Language Models: The Role of "
           "the Gather-and-Aggregate "
           "Mechanism</i>.</p><p>GPL-3.0-or-later.</p>")
            .arg(QApplication::applicationVersion()));
}

} // namespace headscope::gui
