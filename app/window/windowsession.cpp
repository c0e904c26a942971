// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/windowsession.h"

#include "app/gui/explorer.h"
#include "app/window/docklayout.h"
#include "app/window/recentsessions.h"

namespace headscope::gui {

namespace {

constexpr std::size_t kMostLayoutBytes = 1 << 16;
constexpr auto kKey = "window";

} // namespace

WindowSession::WindowSession(Explorer& explorer, DockLayout& layout, QObject* parent)
    : QObject(parent), m_explorer(explorer), m_layout(layout)
{
    connect(&layout, &DockLayout::changed, this, &WindowSession::keepLayout);
}

void WindowSession::use(const QString& path, bool restore)
{
    keepLayout(); // of the one that is left
    m_path = path;
    if (!path.isEmpty())
        rememberSession(path);
    m_explorer.openSession(path, restore);
    QByteArray arrangement;
    if (sessions::SessionStore* session = m_explorer.session(); session && restore)
        if (const auto stored = session->uiState(kKey);
            stored.has_value() && *stored && (*stored)->size() <= kMostLayoutBytes)
            arrangement = QByteArray::fromStdString(**stored);
    m_layout.arrange(arrangement);
    Q_EMIT changed();
}

void WindowSession::keepLayout()
{
    sessions::SessionStore* session = m_explorer.session();
    const QByteArray arrangement = m_layout.arrangement();
    // A session that can not be written has said so elsewhere; how the window looks is not worth a second sentence.
    if (session && !session->readOnly() && !arrangement.isEmpty())
        static_cast<void>(session->setUiState(kKey, arrangement.toStdString()));
}

} // namespace headscope::gui
