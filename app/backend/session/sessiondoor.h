// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's access to its session: requests are passed in on the GUI thread and return at once, the door's own
// thread reads and writes the file, and answers arrive on the GUI thread. The object lives on the GUI thread.

#include "core/base/result.h"

#include <QObject>
#include <QPointer>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::app {

/// A read or write operation that contains all its arguments; runs on the door's thread. The functions that make these
/// are beside this file, one header per subject.
template <typename T> using SessionRequest = std::function<Result<T>(sessions::SessionStore&)>;

/// Facts about a session, known once it is open.
struct SessionFacts {
    std::filesystem::path path;
    bool readOnly = false;
    std::vector<std::string> notices; ///< one sentence each: read-only, upgraded, network file system
};

class SessionDoor : public QObject
{
    Q_OBJECT

public:
    template <typename T> using Answer = std::function<void(Result<T>)>;

    explicit SessionDoor(QObject* parent = nullptr);
    /// Completes the pending writes first; pending questions are not answered.
    ~SessionDoor() override;

    /// Opens or creates a session in place of the current one; `opened` or `problem` reports the result. Later requests
    /// wait for it.
    void open(const std::filesystem::path& file);
    void close();
    /// True from open() on, until opening fails or the session is closed.
    [[nodiscard]] bool isOpen() const { return m_open; }
    /// Empty before `opened`.
    [[nodiscard]] const std::optional<SessionFacts>& facts() const { return m_facts; }
    /// Returns whether the session is known to be read-only; writing then has no effect.
    [[nodiscard]] bool readOnly() const { return m_facts && m_facts->readOnly; }

    /// Calls `answer` exactly once, never from within this call; not at all once `context` is destroyed. If the session
    /// was closed or replaced meanwhile, the answer is a Cancelled error, whatever the old session contained.
    template <typename T> void ask(QObject* context, SessionRequest<T> request, Answer<T> answer)
    {
        post(Purpose::Read, context, {}, std::move(request), std::move(answer));
    }
    /// The same, and discards the answers to earlier questions of this context in the same lane: they are not
    /// delivered, and those still waiting are not even read.
    template <typename T>
    void askLatest(QObject* context, const std::string& lane, SessionRequest<T> request, Answer<T> answer)
    {
        post(Purpose::Read, context, lane, std::move(request), std::move(answer));
    }
    /// Like ask(), for operations that must happen even if the session is closed or the window is destroyed meanwhile.
    template <typename T> void write(QObject* context, SessionRequest<T> request, Answer<T> answer)
    {
        post(Purpose::Write, context, {}, std::move(request), std::move(answer));
    }
    /// Writes without an answer: `problem` reports failures. Has no effect if no session is open or it is
    /// read-only.
    void keep(SessionRequest<void> request);

Q_SIGNALS:
    void opened(const headscope::app::SessionFacts& facts);
    void closed();
    /// One sentence for the user.
    void problem(const QString& sentence);
    /// Another program has written to the file.
    void changed();

private:
    enum class Purpose { Read, Write };
    using Lane = std::pair<const QObject*, std::string>;
    using Number = std::shared_ptr<std::atomic<quint64>>;
    /// A question in the queue: its owner, and whether its answer is still wanted.
    struct Request {
        Purpose purpose = Purpose::Read;
        QPointer<QObject> context;
        quint64 session = 0;
        Number latest{}; ///< newest number of its lane; none: it has no lane
        quint64 number = 0;
        [[nodiscard]] bool replaced() const { return latest && latest->load() != number; }
    };

    [[nodiscard]] Request newAsk(Purpose purpose, QObject* context, const std::string& lane);
    /// Returns the session for the request, or the reason why it cannot run. On the door's thread.
    [[nodiscard]] Result<sessions::SessionStore*> storeFor(const Request& ask) const;
    void inside(std::function<void()> work);
    void outside(std::function<void()> work);
    void openInside(const std::filesystem::path& file, quint64 session);
    void look();

    template <typename T>
    void post(Purpose purpose, QObject* context, const std::string& lane, SessionRequest<T> request, Answer<T> answer)
    {
        inside([this, ask = newAsk(purpose, context, lane), request = std::move(request), answer = std::move(answer)] {
            if (ask.replaced())
                return;
            const auto store = storeFor(ask);
            auto result = std::make_shared<Result<T>>(store.has_value() ? request(**store) : Result<T>(store.error()));
            outside([this, ask, result, answer] {
                if (!ask.context || ask.replaced())
                    return;
                answer(ask.purpose == Purpose::Read && ask.session != m_session ? Result<T>(cancelledError())
                                                                                : std::move(*result));
            });
        });
    }

    bool m_open = false;
    std::optional<SessionFacts> m_facts;
    std::atomic<quint64> m_session = 0; ///< count of sessions; written on the GUI thread
    std::map<Lane, Number> m_lanes;
    QTimer m_looks;
    std::unique_ptr<sessions::SessionStore> m_store; ///< used on the door's thread only, as is the next
    std::int64_t m_seenVersion = 0;
    QObject* m_inside; ///< lives on the thread
    QThread m_thread;
};

} // namespace headscope::app
