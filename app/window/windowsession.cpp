// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/windowsession.h"

#include "app/backend/session/keeprequests.h"
#include "app/window/docklayout.h"
#include "app/window/explorer.h"
#include "app/window/welcome/recentsessions.h"

#include <utility>

namespace headscope::gui {

using app::SessionDoor;

namespace {

constexpr std::size_t kMostLayoutBytes = 1 << 16;
constexpr auto kKey = "window";

} // namespace

WindowSession::WindowSession(Explorer& explorer, SessionDoor& door, DockLayout& layout, QObject* parent)
    : QObject(parent), m_explorer(explorer), m_door(door), m_layout(layout)
{
    connect(&layout, &DockLayout::changed, this, &WindowSession::keepLayout);
    connect(&door, &SessionDoor::opened, this, [this] {
        m_before.clear();
        rememberSession(m_path);
        readLayout();
    });
    connect(&door, &SessionDoor::problem, this, [this] {
        if (!m_door.isOpen())
            goBack();
    });
}

void WindowSession::use(const QString& path, bool restore)
{
    keepLayout(); // of the one that is left
    m_before = m_door.isOpen() ? m_path : QString();
    m_path = path;
    m_restore = restore;
    m_reading = restore && !path.isEmpty();
    m_explorer.openSession(path, restore);
    if (!m_reading)
        m_layout.arrange({});
    Q_EMIT changed();
}

// A file that cannot be opened leaves the work in the one before it, as it is on the screen.
void WindowSession::goBack()
{
    m_reading = false;
    use(std::exchange(m_before, QString()), false);
}

void WindowSession::readLayout()
{
    if (!m_restore)
        return;
    using Stored = std::optional<std::string>;
    m_door.ask<Stored>(this, app::uiState(kKey), [this](const Result<Stored>& stored) {
        if (!stored.has_value() && stored.error().kind == Error::Kind::Cancelled)
            return; // another session is being read by now
        m_reading = false;
        const bool sound = stored.has_value() && *stored && (*stored)->size() <= kMostLayoutBytes;
        m_layout.arrange(sound ? QByteArray::fromStdString(**stored) : QByteArray());
    });
}

void WindowSession::keepLayout()
{
    const QByteArray arrangement = m_layout.arrangement();
    if (m_reading || arrangement.isEmpty() || !m_door.isOpen() || m_door.readOnly())
        return;
    // A session that cannot be written has said so elsewhere; how the window looks is not worth a second sentence.
    m_door.write<void>(this, app::keepUiState(kKey, arrangement.toStdString()), [](const Result<void>&) {});
}

} // namespace headscope::gui
