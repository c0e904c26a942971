// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's access to its models: requests are copied on the GUI thread and return at once, the worker answers, and
// replies are delivered on the GUI thread. A newer request of a lane stops and replaces the older one; replies that the
// older one still sends are dropped here. The object lives on the GUI thread.

#include "app/backend/job.h"
#include "app/backend/lane.h"
#include "app/backend/replyhandlers.h"
#include "app/backend/values.h"
#include "app/backend/values/edgevalues.h"
#include "app/backend/values/expertvalues.h"
#include "app/backend/values/lensfitvalues.h"
#include "app/backend/values/paircost.h"
#include "app/backend/values/patch.h"
#include "app/backend/values/promptlogprobs.h"
#include "app/backend/values/surveyvalues.h"
#include "app/backend/values/sweep.h"
#include "app/backend/values/weightvalues.h"
#include "app/backend/values/why.h"

#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace headscope::app {

class Door : public QObject
{
    Q_OBJECT

public:
    explicit Door(ModelsOptions options, QObject* parent = nullptr);
    /// Stops all running work and waits for it; no further replies are delivered.
    ~Door() override;

    /// Starts a request: any number of replies and progressed(), then exactly one of finished(), failed() and
    /// cancelled(), never from within this call; none of them after a newer request of the lane has replaced it.
    template <typename Request> void ask(const Request& request)
    {
        const Lane lane = Lane::of<Request>(sideOf(request));
        const quint64 number = begin(lane);
        using Reply = typename Request::Reply;
        const auto listener = Listener<Reply>{
            .replied =
                [this, lane, number, request](std::shared_ptr<const Reply> reply) {
                    here(lane, number, [this, lane, request, reply = std::move(reply)] {
                        if (!m_lanes[lane].withdrawn)
                            m_replyHandlers.deliver(request, reply);
                    });
                },
            .finished = [this, lane,
                         number] { here(lane, number, [this, lane] { end(lane, [&] { Q_EMIT finished(lane); }); }); },
            .failed = [this, lane,
                       number](const Error& error) { here(lane, number, [this, lane, error] { fail(lane, error); }); },
            .progressed =
                [this, lane, number](const Progress& progress) {
                    here(lane, number, [this, lane, progress] {
                        Q_EMIT progressed(lane, QString::fromStdString(progress.stage), progress.done, progress.total);
                    });
                }};
        begun(lane, start(*m_models, jobOf(request), listener));
    }

    /// Calls `handler` with each reply to a request of this type while `context` lives; see ReplyHandlers::add.
    template <typename Request, typename Context, typename Handler> void on(Context* context, Handler handler)
    {
        m_replyHandlers.add<Request>(context, std::move(handler));
    }

    /// Stops all work on a side and unloads its model.
    void closeModel(Side side);
    /// Withdraws what the model of a side was asked, when another one takes its place; the fit of a lens continues.
    void withdrawModel(Side side);
    /// Applies settings from the next request on; open models stay as they are, see reopensModels(). Results measured
    /// under other settings are discarded.
    void setSettings(const Settings& settings);
    /// Sets how long undecided scores run with the priority of a user's request; after that they continue only while
    /// the worker is idle. Applies to later requests.
    void setPatience(std::chrono::seconds patience);
    /// Looks for benchmark files in this folder from now on.
    void setDataFolder(const QString& folder);

    /// Stops work that the user no longer wants: replies that are on their way are still delivered.
    void stop(const Lane& lane);
    template <typename Request> void stop(Side side) { stop(Lane::of<Request>(side)); }
    template <typename Request> void stopBoth()
    {
        for (const Side side : kSides)
            stop<Request>(side);
    }
    /// Stops work whose answer would no longer belong to what is shown: no further replies are delivered, only its end.
    template <typename Request> void withdraw(Side side) { withdraw(Lane::of<Request>(side)); }
    template <typename Request> void withdrawBoth()
    {
        for (const Side side : kSides)
            withdraw<Request>(side);
    }
    void stopAll();
    /// Returns whether a request runs whose replies are still wanted.
    [[nodiscard]] bool isRunning(const Lane& lane) const;
    template <typename Request> [[nodiscard]] bool isRunning(Side side) const
    {
        return isRunning(Lane::of<Request>(side));
    }
    [[nodiscard]] std::vector<Lane> running() const;
    [[nodiscard]] bool busy() const { return !running().empty(); }

Q_SIGNALS:
    void progressed(const headscope::app::Lane& lane, const QString& stage, qint64 done, qint64 total);
    void finished(const headscope::app::Lane& lane);
    void failed(const headscope::app::Lane& lane, const QString& sentence);
    /// Emitted after `failed` if a model did not fit into memory: with this dtype it would fit.
    void smallerTypeFits(headscope::Side side, const QString& type);
    void cancelled(const headscope::app::Lane& lane);
    /// Emitted when a request of this lane starts or ends.
    void runningChanged(const headscope::app::Lane& lane);
    void busyChanged(bool busy);

private:
    struct Running {
        Ticket ticket = 0;
        quint64 number = 0; ///< number of the newest request
        bool running = false;
        bool withdrawn = false;
    };
    void withdraw(const Lane& lane);
    /// Stops the current work of the lane and returns the number of its next request.
    quint64 begin(const Lane& lane);
    void begun(const Lane& lane, Ticket ticket);
    void end(const Lane& lane, const std::function<void()>& deliver);
    void fail(const Lane& lane, const Error& error);
    /// Calls `act` on the GUI thread if request `number` is still the newest of the lane.
    void here(const Lane& lane, quint64 number, std::function<void()> act);
    void change(std::function<void(Models&)> act);

    std::map<Lane, Running> m_lanes;
    ReplyHandlers m_replyHandlers;
    std::shared_ptr<Models> m_models; ///< last: the worker is joined before anything it calls is destroyed
};

} // namespace headscope::app
