// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's door to its session: questions are handed in on the GUI thread and return at once, a thread of the
// door's own reads and writes the file, answers come back on the GUI thread. The object lives on the GUI thread.

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

/// Something to read or write, with all it needs to know inside; runs on the door's thread. The functions that make
/// them are beside this file, one header per subject.
template <typename T> using SessionRequest = std::function<Result<T>(sessions::SessionStore&)>;

/// What is known of a session once it is open.
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
    /// What was handed in to be written is written first; questions that wait get no answer any more.
    ~SessionDoor() override;

    /// Opens or creates a session instead of the one that was open; `opened` or `problem` says how it went. What is
    /// asked meanwhile waits for it.
    void open(const std::filesystem::path& file);
    void close();
    /// From open() on, until it fails or the session is closed.
    [[nodiscard]] bool isOpen() const { return m_open; }
    /// Empty before `opened`.
    [[nodiscard]] const std::optional<SessionFacts>& facts() const { return m_facts; }
    /// Known to be for reading only; writing then does nothing.
    [[nodiscard]] bool readOnly() const { return m_facts && m_facts->readOnly; }

    /// Ends in exactly one call of `answer`, never from within this one; in none once `context` is gone. After the
    /// session was closed or changed the answer is a Cancelled error, whatever the old one held.
    template <typename T> void ask(QObject* context, SessionRequest<T> request, Answer<T> answer)
    {
        post(Purpose::Read, context, {}, std::move(request), std::move(answer));
    }
    /// The same, and the answer to an earlier question of this context in the same lane is not wanted any more: it does
    /// not come, and is not even read where it still waits.
    template <typename T>
    void askLatest(QObject* context, const std::string& lane, SessionRequest<T> request, Answer<T> answer)
    {
        post(Purpose::Read, context, lane, std::move(request), std::move(answer));
    }
    /// Like ask(), of something that must happen although the session is closed or the window goes meanwhile.
    template <typename T> void write(QObject* context, SessionRequest<T> request, Answer<T> answer)
    {
        post(Purpose::Write, context, {}, std::move(request), std::move(answer));
    }
    /// Writes without an answer: `problem` says what went wrong. Nothing happens where no session is open, or it is
    /// for reading only.
    void keep(SessionRequest<void> request);

Q_SIGNALS:
    void opened(const headscope::app::SessionFacts& facts);
    void closed();
    /// One sentence for the person.
    void problem(const QString& sentence);
    /// Somebody else has written to the file.
    void changed();

private:
    enum class Purpose { Read, Write };
    using Lane = std::pair<const QObject*, std::string>;
    using Number = std::shared_ptr<std::atomic<quint64>>;
    /// One question on its way: whose it is, and whether its answer is still wanted.
    struct Request {
        Purpose purpose = Purpose::Read;
        QPointer<QObject> context;
        quint64 session = 0;
        Number latest{}; ///< of its lane; none: it has no lane
        quint64 number = 0;
        [[nodiscard]] bool replaced() const { return latest && latest->load() != number; }
    };

    [[nodiscard]] Request newAsk(Purpose purpose, QObject* context, const std::string& lane);
    /// The session that the request is for, or why it cannot run. On the door's thread.
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
    std::atomic<quint64> m_session = 0; ///< counts sessions; written on the GUI thread
    std::map<Lane, Number> m_lanes;
    QTimer m_looks;
    std::unique_ptr<sessions::SessionStore> m_store; ///< the door's thread only, like the next
    std::int64_t m_seenVersion = 0;
    QObject* m_inside; ///< lives on the thread
    QThread m_thread;
};

} // namespace headscope::app
