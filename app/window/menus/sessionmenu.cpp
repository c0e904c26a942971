// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/sessionmenu.h"

#include "app/backend/session/filerequests.h"
#include "app/present/text.h"
#include "widgets/frame/messagebar.h"
#include "widgets/look/countedtext.h"

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

SessionMenu::SessionMenu(app::SessionDoor& door, MessageBar& messages, QMenu& menu, QWidget* window)
    : QObject(window), m_door(door), m_messages(messages)
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
    ask(tr("Duplicate without &folders …"), true, filter(), &SessionMenu::duplicateWithoutPaths);
    ask(tr("Me&rge another session into this …"), false, filter(), &SessionMenu::merge);
    addExports(*menu.addMenu(tr("&Export")), window);
    connect(menu.addAction(tr("&Check the session")), &QAction::triggered, this, &SessionMenu::verify);
    connect(menu.addAction(tr("Com&pact the session")), &QAction::triggered, this, &SessionMenu::compact);
}

void SessionMenu::addExports(QMenu& menu, QWidget* window)
{
    QAction* page = menu.addAction(tr("&Web page …"));
    page->setObjectName(QStringLiteral("share page"));
    connect(page, &QAction::triggered, this, [this] {
        if (isOpen())
            Q_EMIT pageWanted();
    });
    menu.addSeparator();
    m_noPaths = menu.addAction(tr("Without the &folders of this computer"));
    m_noPaths->setCheckable(true);
    menu.addSeparator();
    const std::pair<const char*, QString> choices[] = {
        {"scores", tr("&Scores …")},     {"examples", tr("E&xamples with their answers …")},
        {"rankings", tr("&Rankings …")}, {"heads", tr("&Heads, their names and numbers …")},
        {"patterns", tr("&Patterns …")}, {"surveys", tr("Sur&veys …")},
        {"analyses", tr("A&nalyses …")}, {"ablations", tr("&Ablations …")},
        {"runs", tr("R&uns …")},         {"history", tr("His&tory …")},
        {"models", tr("&Models …")}};
    for (const auto& [table, title] : choices) {
        QAction* action = menu.addAction(title);
        action->setObjectName(QStringLiteral("export-") + QLatin1String(table));
        connect(action, &QAction::triggered, this, [this, window, table = std::string(table)] {
            const QString path = QFileDialog::getSaveFileName(window, tr("Export"),
                                                              QString::fromStdString(table) + QLatin1String(".csv"),
                                                              tr("Tables (*.csv *.json *.tex *.md)"));
            if (!path.isEmpty())
                exportTable(table, path);
        });
    }
}

bool SessionMenu::isOpen()
{
    if (!m_door.facts())
        showInfo(tr("No session is open."));
    return m_door.facts().has_value();
}

QString SessionMenu::sessionPath() const
{
    return text(m_door.facts()->path.string());
}

void SessionMenu::showInfo(const QString& good)
{
    m_messages.showMessage(MessageBar::Kind::Info, good);
}

void SessionMenu::showError(const Error& error)
{
    m_messages.showMessage(MessageBar::Kind::Error, text(error.message));
}

template <typename T> std::function<void(Result<T>)> SessionMenu::answer(std::function<void(const T&)> then)
{
    return [this, then = std::move(then)](const Result<T>& done) {
        if (done.has_value())
            then(*done);
        else if (done.error().kind != Error::Kind::Cancelled)
            showError(done.error());
    };
}

void SessionMenu::saveAs(const QString& path)
{
    if (isOpen())
        m_door.write<void>(
            this, app::saveSessionAs(path.toStdString()), [this, path, open = sessionPath()](const Result<void>& done) {
                if (!done.has_value())
                    return showError(done.error());
                if (sessionPath() != open) // another has been opened meanwhile
                    return showInfo(tr("Saved a copy as %1; the window continues with %2.").arg(path, sessionPath()));
                Q_EMIT sessionWanted(path);
                showInfo(tr("The session is now %1.").arg(path));
            });
}

void SessionMenu::duplicate(const QString& path)
{
    if (isOpen())
        m_door.write<void>(this, app::duplicateSession(path.toStdString()),
                           [this, path, open = sessionPath()](const Result<void>& done) {
                               if (!done.has_value())
                                   return showError(done.error());
                               showInfo(tr("Saved a copy as %1; the window continues with %2.").arg(path, open));
                           });
}

void SessionMenu::duplicateWithoutPaths(const QString& path)
{
    if (isOpen())
        m_door.write<std::int64_t>(
            this, app::duplicateSessionWithoutPaths(path.toStdString()),
            answer<std::int64_t>([this, path](std::int64_t) {
                showInfo(
                    tr("Saved a copy without local folders as %1. It still contains prompts and texts.").arg(path));
            }));
}

void SessionMenu::merge(const QString& other)
{
    if (!isOpen())
        return;
    using Report = sessions::MergeReport;
    m_door.write<Report>(
        this, app::mergeSession(other.toStdString()),
        answer<Report>([this, open = sessionPath()](const Report& report) {
            if (sessionPath() == open)
                Q_EMIT sessionWanted(open); // what came in is shown
            showInfo(tr("Added: results %1, runs %2, patterns %3, figures %4. Differences kept side by side: %5.")
                         .arg(report.results)
                         .arg(report.runs)
                         .arg(report.patterns)
                         .arg(report.figures)
                         .arg(report.conflicts));
        }));
}

void SessionMenu::exportTable(const std::string& table, const QString& path)
{
    if (!isOpen())
        return;
    const QString suffix = QFileInfo(path).suffix().toLower();
    const auto format = sessions::tableFormat(suffix == QLatin1String("tex")  ? "latex"
                                              : suffix == QLatin1String("md") ? "markdown"
                                                                              : suffix.toStdString());
    if (!format.has_value())
        return showError(format.error());
    m_door.ask<std::int64_t>(
        this, app::exportTable(table, {*format, !m_noPaths->isChecked()}, std::filesystem::path(path.toStdString())),
        answer<std::int64_t>([this, path](std::int64_t rows) {
            showInfo(tr("Saved %1 as %2.").arg(widgets::counted(rows, tr("1 row"), tr("%L1 rows")), path));
        }));
}

void SessionMenu::verify()
{
    if (!isOpen())
        return;
    using Report = sessions::VerifyReport;
    m_door.ask<Report>(
        this, app::verifySession(), answer<Report>([this](const Report& report) {
            if (!report.problems.empty())
                return m_messages.showMessage(
                    MessageBar::Kind::Error,
                    tr("The session has %1; the first: %2")
                        .arg(widgets::counted(std::ssize(report.problems), tr("1 problem"), tr("%L1 problems")),
                             text(report.problems.front())));
            showInfo(tr("No problems found. Checked: examples %1, results %2, patterns %3.")
                         .arg(report.examples)
                         .arg(report.results)
                         .arg(report.patterns));
        }));
}

void SessionMenu::compact()
{
    if (!isOpen())
        return;
    using Report = sessions::CompactReport;
    m_door.write<Report>(
        this, app::compactSession(), answer<Report>([this](const Report& report) {
            showInfo(tr("The session has %1 bytes; before, %2.").arg(report.bytesAfter).arg(report.bytesBefore));
        }));
}

} // namespace headscope::gui
