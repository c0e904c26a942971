// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/sessionmenu.h"

#include "app/present/text.h"
#include "sessions/export/exporttables.h"
#include "sessions/maintenance.h"
#include "sessions/merge.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

#include <filesystem>

namespace headscope::gui {

using widgets::MessageBar;

namespace {

QString filter()
{
    return SessionMenu::tr("Headscope sessions (*.headscope)");
}

} // namespace

SessionMenu::SessionMenu(Explorer& explorer, MessageBar& messages, QMenu& menu, QWidget* window)
    : QObject(window), m_explorer(explorer), m_messages(messages)
{
    const auto ask = [this, &menu, window](const QString& title, bool save, const QString& names, auto act) {
        connect(menu.addAction(title), &QAction::triggered, this, [=, this] {
            const QString path = save ? QFileDialog::getSaveFileName(window, title, {}, names)
                                      : QFileDialog::getOpenFileName(window, title, {}, names);
            if (!path.isEmpty())
                (this->*act)(path);
        });
    };
    ask(tr("Save session &as …"), true, filter(), &SessionMenu::saveAs);
    ask(tr("&Duplicate session …"), true, filter(), &SessionMenu::duplicate);
    ask(tr("Me&rge another session into this …"), false, filter(), &SessionMenu::merge);
    QMenu* tables = menu.addMenu(tr("&Export"));
    const std::pair<const char*, QString> choices[] = {
        {"scores", tr("&Scores …")},       {"examples", tr("E&xamples with their answers …")},
        {"rankings", tr("&Rankings …")},   {"heads", tr("&Heads, their names and numbers …")},
        {"ablations", tr("&Ablations …")}, {"runs", tr("R&uns …")}};
    for (const auto& [table, title] : choices)
        connect(tables->addAction(title), &QAction::triggered, this, [this, window, table = std::string(table)] {
            const QString path = QFileDialog::getSaveFileName(window, tr("Export"),
                                                              QString::fromStdString(table) + QLatin1String(".csv"),
                                                              tr("Tables (*.csv *.json *.tex *.md)"));
            if (!path.isEmpty())
                exportTable(table, path);
        });
    connect(menu.addAction(tr("&Check the session")), &QAction::triggered, this, &SessionMenu::verify);
    connect(menu.addAction(tr("Com&pact the session")), &QAction::triggered, this, &SessionMenu::compact);
}

sessions::SessionStore* SessionMenu::session()
{
    if (!m_explorer.session())
        m_messages.showMessage(MessageBar::Kind::Info, tr("No session is open."));
    return m_explorer.session();
}

void SessionMenu::say(const Result<void>& done, const QString& good)
{
    m_messages.showMessage(done.has_value() ? MessageBar::Kind::Info : MessageBar::Kind::Error,
                           done.has_value() ? good : text(done.error().message));
}

void SessionMenu::saveAs(const QString& path)
{
    sessions::SessionStore* open = session();
    if (!open)
        return;
    const auto done = sessions::saveAs(*open, path.toStdString());
    if (done.has_value())
        Q_EMIT sessionWanted(path);
    say(done, tr("The session is now %1.").arg(path));
}

void SessionMenu::duplicate(const QString& path)
{
    if (sessions::SessionStore* open = session())
        say(sessions::duplicate(*open, path.toStdString()),
            tr("An independent copy is in %1; the window stays with %2.").arg(path, text(open->path().string())));
}

void SessionMenu::merge(const QString& other)
{
    sessions::SessionStore* open = session();
    if (!open)
        return;
    sessions::OpenOptions options;
    options.create = false;
    options.readOnly = true;
    auto from = sessions::SessionStore::open(other.toStdString(), options);
    if (!from.has_value())
        return say(from.error(), {});
    const auto report = sessions::merge(*open, *from);
    if (!report.has_value())
        return say(report.error(), {});
    const QString path = text(open->path().string());
    Q_EMIT sessionWanted(path); // what came in is shown
    say({}, tr("Added %1 results, %2 runs, %3 patterns and %4 figures; %5 differences are kept side by side.")
                .arg(report->results)
                .arg(report->runs)
                .arg(report->patterns)
                .arg(report->figures)
                .arg(report->conflicts));
}

void SessionMenu::exportTable(const std::string& table, const QString& path)
{
    sessions::SessionStore* open = session();
    if (!open)
        return;
    const QString suffix = QFileInfo(path).suffix().toLower();
    const auto format = sessions::tableFormat(suffix == QLatin1String("tex")  ? "latex"
                                              : suffix == QLatin1String("md") ? "markdown"
                                                                              : suffix.toStdString());
    if (!format.has_value())
        return say(format.error(), {});
    const auto rows = sessions::exportTable(*open, table, *format, std::filesystem::path(path.toStdString()));
    if (!rows.has_value())
        return say(rows.error(), {});
    say({}, tr("%1 rows are in %2.").arg(*rows).arg(path));
}

void SessionMenu::verify()
{
    sessions::SessionStore* open = session();
    if (!open)
        return;
    const auto report = sessions::verify(*open);
    if (!report.has_value())
        return say(report.error(), {});
    if (!report->problems.empty())
        return m_messages.showMessage(MessageBar::Kind::Error, tr("The session has %n problem(s); the first: %1",
                                                                  nullptr, static_cast<int>(report->problems.size()))
                                                                   .arg(text(report->problems.front())));
    say({}, tr("The session is sound: %1 examples, %2 results and %3 patterns checked.")
                .arg(report->examples)
                .arg(report->results)
                .arg(report->patterns));
}

void SessionMenu::compact()
{
    sessions::SessionStore* open = session();
    if (!open)
        return;
    const auto report = sessions::compact(*open);
    if (!report.has_value())
        return say(report.error(), {});
    say({}, tr("The session takes %1 bytes; before, %2.").arg(report->bytesAfter).arg(report->bytesBefore));
}

} // namespace headscope::gui
