// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Records the replies to one type of request that a door delivers from then on.

#include "app/backend/door.h"

#include <QObject>

#include <memory>
#include <vector>

namespace headscope::testing {

template <typename Request> class ReplyRecorder
{
public:
    explicit ReplyRecorder(app::Door& door)
    {
        door.on<Request>(&m_context, [this](Side, const auto& reply) { replies.push_back(reply); });
    }

    std::vector<std::shared_ptr<const typename Request::Reply>> replies;

private:
    QObject m_context;
};

} // namespace headscope::testing
