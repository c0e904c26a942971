// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/helpmenu.h"

#include "app/window/dialogs/shortcutsdialog.h"
#include "app/window/manual/manualwindow.h"
#include "app/window/menus/entry.h"
#include "app/window/tours/tourguide.h"
#include "widgets/look/labels/termbutton.h"
#include "widgets/look/plaintext.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QLocale>
#include <QMenuBar>
#include <QMessageBox>
#include <QWhatsThis>

namespace headscope::gui {

HelpMenu::HelpMenu(QMenuBar& bar, TourGuide& guide, const QString& manual, QWidget* window)
    : QObject(window), m_bar(bar), m_folder(manual), m_window(window)
{
    QApplication::instance()->installEventFilter(this);
    explainTerms();
    QMenu& menu = *bar.addMenu(tr("&Help"));
    addEntry(
        menu, this, tr("&Manual"), QKeySequence(QStringLiteral("Ctrl+F1")), [this] { showManual({}); }, u"book-open");
    m_tours = menu.addMenu(tr("&Tours"));
    addLessons(*m_tours, guide, guide.choices());
    m_exercises = menu.addMenu(tr("E&xercises"));
    addLessons(*m_exercises, guide, guide.exercises());
    m_exercises->addSeparator();
    addEntry(*m_exercises, this, tr("&Hand in …"), {}, [this] { Q_EMIT handInRequested(); });
    addEntry(menu, this, tr("&Explain where I am"), QKeySequence::HelpContents, [] { explainFocus(); });
    menu.addAction(QWhatsThis::createAction(this));
    addEntry(
        menu, this, tr("&Keys"), QKeySequence(QStringLiteral("Ctrl+?")), [this] { showKeys(); }, u"keyboard");
    addEntry(
        menu, this, tr("What is &new"), {}, [this] { showManual(QStringLiteral("new")); }, u"sparkles");
    addEntry(
        menu, this, tr("&About Headscope"), {}, [this] { showAbout(); }, u"info");
}

bool HelpMenu::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::WhatsThis)
        return false;
    const auto* view = qobject_cast<QAbstractItemView*>(watched->parent());
    if (!view || view->viewport() != watched)
        return false;
    event->ignore();
    return true;
}

void HelpMenu::addLessons(QMenu& menu, TourGuide& guide, const QList<widgets::Choice>& lessons)
{
    for (const widgets::Choice& tour : lessons)
        addEntry(menu, this, tour.name, {}, [&guide, id = tour.id] {
            guide.open(id);
        })->setToolTip(widgets::plainText(tour.detail));
    menu.setEnabled(!menu.isEmpty());
}

QMenu* HelpMenu::makeLessons(QWidget* parent)
{
    auto* all = new QMenu(parent);
    all->addActions(m_tours->actions());
    all->addSeparator();
    all->addActions(m_exercises->actions());
    return all;
}

void HelpMenu::explainFocus()
{
    for (QWidget* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget())
        if (!widget->whatsThis().isEmpty())
            return QWhatsThis::showText(widget->mapToGlobal(QPoint(widget->width() / 2, 24)), widget->whatsThis(),
                                        widget);
    QWhatsThis::enterWhatsThisMode();
}

void HelpMenu::explainTerms()
{
    const QHash<QString, QString> entries = glossaryEntries(manualPages(m_folder, QLocale().name()));
    for (widgets::TermButton* button : m_window->findChildren<widgets::TermButton*>())
        button->setGlossary(entries);
}

void HelpMenu::showManual(const QString& page)
{
    if (!m_manual)
        m_manual = new ManualWindow(manualPages(m_folder, QLocale().name()), m_window);
    m_manual->showPage(page);
    m_manual->show();
    m_manual->raise();
    m_manual->activateWindow();
}

void HelpMenu::showKeys()
{
    auto* dialog = new ShortcutsDialog(m_bar, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void HelpMenu::showAbout()
{
    QMessageBox::about(
        m_window, tr("About Headscope"),
        tr("<b>Headscope %1</b><p>See every head's pattern, ablate heads, and watch the benchmarks change.</p>"
           "<p>After Bick, Xing and Gu: <i>Understanding the Skill Gap in Recurrent Language Models: The Role of "
           "the Gather-and-Aggregate "
           "Mechanism</i>, 2025, arXiv:2504.18574.</p><p>GPL-3.0-or-later.</p>")
            .arg(QApplication::applicationVersion()));
}

} // namespace headscope::gui
