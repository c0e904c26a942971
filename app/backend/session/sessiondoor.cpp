// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/sessiondoor.h"

#include "sessions/sessionstore.h"

namespace headscope::app {

namespace {

constexpr int kLookMs = 2000; // a look at a counter, to see whether another program has stored something

} // namespace

SessionDoor::SessionDoor(QObject* parent) : QObject(parent), m_inside(new QObject)
{
    m_inside->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_inside, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("session"));
    m_thread.start();
    m_looks.setSingleShot(true);
    m_looks.setInterval(kLookMs);
    connect(&m_looks, &QTimer::timeout, this, &SessionDoor::look);
}

SessionDoor::~SessionDoor()
{
    ++m_session;
    inside([this] {
        m_store.reset();
        m_thread.quit();
    });
    m_thread.wait();
}

// Requests are events of the thread: it takes them one after another, in the order in which they were handed in.
void SessionDoor::inside(std::function<void()> work)
{
    QMetaObject::invokeMethod(m_inside, std::move(work), Qt::QueuedConnection);
}

void SessionDoor::outside(std::function<void()> work)
{
    QMetaObject::invokeMethod(this, std::move(work), Qt::QueuedConnection);
}

SessionDoor::Request SessionDoor::newAsk(Purpose purpose, QObject* context, const std::string& lane)
{
    Request ask{.purpose = purpose, .context = context, .session = m_session};
    if (!lane.empty()) {
        Number& latest = m_lanes[{context, lane}];
        if (!latest) {
            latest = std::make_shared<std::atomic<quint64>>(0);
            connect(context, &QObject::destroyed, this, [this, key = Lane(context, lane)] { m_lanes.erase(key); });
        }
        ask.latest = latest;
        ask.number = ++*latest;
    }
    return ask;
}

Result<sessions::SessionStore*> SessionDoor::storeFor(const Request& ask) const
{
    if (ask.purpose == Purpose::Read && ask.session != m_session)
        return cancelledError();
    if (!m_store)
        return inputError("No session is open.");
    return m_store.get();
}

void SessionDoor::open(const std::filesystem::path& file)
{
    close();
    m_open = true;
    inside([this, file, session = m_session.load()] { openInside(file, session); });
}

void SessionDoor::openInside(const std::filesystem::path& file, quint64 session)
{
    auto store = sessions::SessionStore::open(file);
    if (!store.has_value())
        return outside([this, session, error = store.error()] {
            if (session != m_session)
                return;
            m_open = false;
            Q_EMIT problem(QString::fromStdString(error.message));
        });
    m_store = std::make_unique<sessions::SessionStore>(std::move(*store));
    const auto version = m_store->dataVersion();
    m_seenVersion = version.has_value() ? *version : 0;
    outside([this, session,
             facts = SessionFacts{
                 .path = m_store->path(), .readOnly = m_store->readOnly(), .notices = m_store->notices()}] {
        if (session != m_session)
            return;
        m_facts = facts;
        m_looks.start();
        Q_EMIT opened(facts);
    });
}

void SessionDoor::close()
{
    if (!m_open)
        return;
    ++m_session;
    m_open = false;
    m_facts.reset();
    m_looks.stop();
    inside([this] { m_store.reset(); });
    Q_EMIT closed();
}

void SessionDoor::keep(SessionRequest<void> request)
{
    if (!m_open)
        return;
    const SessionRequest<void> ifWritable = [request = std::move(request)](sessions::SessionStore& session) {
        return session.readOnly() ? Result<void>() : request(session);
    };
    // A session that could not be opened has said so.
    write<void>(this, ifWritable, [this, session = m_session.load()](const Result<void>& kept) {
        if (!kept.has_value() && m_open && session == m_session)
            Q_EMIT problem(QString::fromStdString(kept.error().message));
    });
}

void SessionDoor::look()
{
    const SessionRequest<bool> request = [this](sessions::SessionStore& session) -> Result<bool> {
        const auto version = session.dataVersion();
        if (!version.has_value())
            return version.error();
        return *version != std::exchange(m_seenVersion, *version);
    };
    ask<bool>(this, request, [this](const Result<bool>& news) {
        if (!m_open)
            return;
        m_looks.start();
        if (news.has_value() && *news)
            Q_EMIT changed();
    });
}

} // namespace headscope::app
