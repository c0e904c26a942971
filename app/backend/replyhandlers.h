// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Handlers for the replies to each type of request: the equivalent of signals and slots for template types. GUI
// thread.

#include "app/backend/lane.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <map>
#include <memory>
#include <type_traits>
#include <typeindex>
#include <vector>

namespace headscope::app {

class ReplyHandlers
{
public:
    /// Registers a handler, which accepts the request or its side followed by the reply, the reply alone, or nothing.
    /// It is called while `context` lives.
    template <typename Request, typename Handler> void add(QObject* context, Handler handler)
    {
        using Reply = std::shared_ptr<const typename Request::Reply>;
        auto& handlers = m_handlers[typeid(Request)];
        std::erase_if(handlers, [](const Entry& entry) { return !entry.context; });
        handlers.push_back({context, [handler](const void* asked, const void* answer) mutable {
                                const Request& request = *static_cast<const Request*>(asked);
                                const Reply& reply = *static_cast<const Reply*>(answer);
                                if constexpr (std::is_invocable_v<Handler&, const Request&, const Reply&>)
                                    handler(request, reply);
                                else if constexpr (std::is_invocable_v<Handler&, Side, const Reply&>)
                                    handler(sideOf(request), reply);
                                else if constexpr (std::is_invocable_v<Handler&, const Reply&>)
                                    handler(reply);
                                else
                                    handler();
                            }});
    }
    /// The same for a method of the context.
    template <typename Request, typename Context, typename Object, typename... Arguments>
    void add(Context* context, void (Object::*method)(Arguments...))
    {
        add<Request>(
            context, [ context, method ](const auto&... arguments) requires(
                         std::is_invocable_v<decltype(method), Context*, decltype(arguments)...>) {
                std::invoke(method, context, arguments...);
            });
    }
    template <typename Request>
    void deliver(const Request& request, const std::shared_ptr<const typename Request::Reply>& reply) const
    {
        const auto found = m_handlers.find(typeid(Request));
        if (found == m_handlers.end())
            return;
        const auto handlers = found->second; // one of them may bring in another
        for (const Entry& entry : handlers)
            if (entry.context)
                entry.call(&request, &reply);
    }

private:
    struct Entry {
        QPointer<QObject> context;
        std::function<void(const void* request, const void* reply)> call;
    };
    std::map<std::type_index, std::vector<Entry>> m_handlers;
};

} // namespace headscope::app
