// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's door to its models: requests are copied in on the GUI thread and return at once, the worker answers, and
// the answers are heard on the GUI thread. A newer request of a lane stops and replaces the older one; what the older
// one still sends is dropped here. The object lives on the GUI thread.

#include "app/backend/hearers.h"
#include "app/backend/job.h"
#include "app/backend/lane.h"
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
    /// Stops what is under way and waits for it; nobody hears of it any more.
    ~Door() override;

    /// Any number of answers and progressed(), then exactly one of finished(), failed() and cancelled(), never from
    /// within this call; none of them once a newer request of the lane has replaced it.
    template <typename Request> void ask(const Request& request)
    {
        const Lane lane = Lane::of<Request>(sideOf(request));
        const quint64 number = begin(lane);
        using Reply = typename Request::Reply;
        const auto listener = Listener<Reply>{
            .replied =
                [this, lane, number, request](std::shared_ptr<const Reply> reply) {
                    here(lane, number, [this, request, reply = std::move(reply)] { m_hearers.tell(request, reply); });
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

    /// From now on `handler` hears of each answer to a request of this type while `context` lives; see Hearers::add.
    template <typename Request, typename Context, typename Handler> void on(Context* context, Handler handler)
    {
        m_hearers.add<Request>(context, std::move(handler));
    }

    /// Stops what is under way on a side, and forgets its model.
    void closeModel(Side side);
    /// Counts from the next request on; models that are open stay as they are, see reopensModels(). What was measured
    /// under other settings is forgotten.
    void setSettings(const Settings& settings);
    /// For how long a person waits for scores that are undecided; then they go on while nothing else is asked for. Of
    /// what is asked for from now on.
    void setPatience(std::chrono::seconds patience);
    /// Benchmark files are looked for here from now on.
    void setDataFolder(const QString& folder);

    void stop(const Lane& lane);
    template <typename Request> void stop(Side side) { stop(Lane::of<Request>(side)); }
    void stopAll();
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
    /// After `failed` of a model for which there was too little memory: in this type there would be enough.
    void smallerTypeFits(headscope::Side side, const QString& type);
    void cancelled(const headscope::app::Lane& lane);
    void busyChanged(bool busy);

private:
    struct Running {
        Ticket ticket = 0;
        quint64 number = 0; ///< of the newest request
        bool running = false;
    };
    /// Stops what the lane does and gives the number of what it does next.
    quint64 begin(const Lane& lane);
    void begun(const Lane& lane, Ticket ticket);
    void end(const Lane& lane, const std::function<void()>& tell);
    void fail(const Lane& lane, const Error& error);
    /// Does `act` on the GUI thread, where request `number` is still the lane's newest.
    void here(const Lane& lane, quint64 number, std::function<void()> act);
    void change(std::function<void(Models&)> act);

    std::map<Lane, Running> m_lanes;
    Hearers m_hearers;
    std::shared_ptr<Models> m_models; ///< last: the worker is joined before anything it calls is gone
};

} // namespace headscope::app
