// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/handindesk.h"

#include "app/backend/session/filerequests.h"
#include "app/backend/session/sessiondoor.h"
#include "app/figures/documents/handin.h"
#include "sessions/results/classtally.h"
#include "widgets/frame/messagebar.h"
#include "widgets/look/filename.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>

namespace headscope::gui {

using figures::HandIn;
using widgets::MessageBar;

HandInDesk::HandInDesk(app::SessionDoor& door, MessageBar& messages, QWidget* window)
    : QObject(window), m_door(door), m_messages(messages), m_window(window)
{
}

void HandInDesk::ask(const QString& note)
{
    auto* dialog = new QInputDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Hand in"));
    const QString asks = tr("Your name, as printed on the pages:");
    dialog->setLabelText(note.isEmpty() ? asks : note + QLatin1Char('\n') + asks);
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& typed) {
        const QString name = typed.simplified();
        if (name.isEmpty())
            return;
        const QString path = QFileDialog::getSaveFileName(m_window, tr("Hand in"),
                                                          widgets::fileNameOf(name) + QStringLiteral(".headscope"),
                                                          tr("Headscope sessions (*.headscope)"));
        if (!path.isEmpty())
            handIn(name, path);
    });
    dialog->open();
}

void HandInDesk::handIn(const QString& name, const QString& session)
{
    if (!m_door.isOpen() || m_door.readOnly())
        return m_messages.showMessage(MessageBar::Kind::Error,
                                      tr("No session is open, so there are no answers to hand in."));
    const QFileInfo place(session);
    const QString pages = place.path() + QLatin1Char('/') + place.completeBaseName() + QStringLiteral(".pdf");
    for (const QString& file : {session, pages})
        if (QFileInfo::exists(file))
            return m_messages.showMessage(MessageBar::Kind::Error,
                                          tr("%1 exists already; choose another name.").arg(file));
    Q_EMIT begins();
    const app::SessionRequest<HandIn> read = [name](sessions::SessionStore& store) -> Result<HandIn> {
        if (const auto kept = sessions::keepHandedInName(store, name.toStdString()); !kept.has_value())
            return kept.error();
        return figures::readHandIn(store, name);
    };
    m_door.write<HandIn>(this, read, [this, session, pages](const Result<HandIn>& handIn) {
        if (!handIn.has_value())
            return showError(handIn.error());
        if (const auto written = figures::writeHandIn(*handIn, pages); !written.has_value())
            return showError(written.error());
        writeCopy(pages, session);
    });
}

void HandInDesk::writeCopy(const QString& pages, const QString& session)
{
    m_door.write<std::int64_t>(
        this, app::handInSession(session.toStdString()), [this, pages, session](const Result<std::int64_t>& done) {
            if (!done.has_value()) {
                QFile::remove(pages); // the two belong together
                return showError(done.error());
            }
            m_messages.showMessage(MessageBar::Kind::Info,
                                   tr("Hand in these two files: %1 and %2.").arg(session, pages));
            Q_EMIT handedIn();
        });
}

void HandInDesk::showError(const Error& error)
{
    if (error.kind != Error::Kind::Cancelled)
        m_messages.showMessage(MessageBar::Kind::Error, QString::fromStdString(error.message));
}

} // namespace headscope::gui
