// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/experimentsmenu.h"

#include "app/window/experiments/experimentspage.h"
#include "app/window/menus/entry.h"

#include <QMenuBar>

namespace headscope::gui {

ExperimentsMenu::ExperimentsMenu(QMenuBar& bar, QObject* parent) : QObject(parent)
{
    QMenu& menu = *bar.addMenu(tr("E&xperiments"));
    addEntry(
        menu, this, tr("&All at a glance"), {}, [this] { Q_EMIT galleryRequested(); }, u"flask-conical");
    menu.addSeparator();
    for (int i = 0; i < ExperimentsPage::count(); ++i)
        addEntry(menu, this, ExperimentsPage::title(i), {}, [this, i] { Q_EMIT requested(i); });
    menu.addSeparator();
    addEntry(
        menu, this, tr("&Open study …"), {}, [this] { Q_EMIT studyRequested(); }, u"folder-open");
}

} // namespace headscope::gui
