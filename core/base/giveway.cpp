// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/giveway.h"

#include <utility>

namespace headscope {

namespace {

// The one state that is not passed down: between a job and the products of a layer lie the interfaces of all mixers,
// and none of them has anything to do with who waits.
thread_local GivesWay* innermost = nullptr;
thread_local EndsInside* innermostEnd = nullptr;

} // namespace

GivesWay::GivesWay(std::function<void()> turn) : m_turn(std::move(turn)), m_outer(std::exchange(innermost, this)) {}

GivesWay::~GivesWay()
{
    innermost = m_outer;
}

EndsInside::EndsInside(std::stop_token stop) : m_stop(std::move(stop)), m_outer(std::exchange(innermostEnd, this)) {}

EndsInside::~EndsInside()
{
    innermostEnd = m_outer;
}

bool givesWay()
{
    return innermost != nullptr;
}

void giveWay()
{
    if (innermost) {
        // What comes in between is not ended with what it interrupts.
        EndsInside* const interrupted = std::exchange(innermostEnd, nullptr);
        innermost->m_turn();
        innermostEnd = interrupted;
    }
    if (innermostEnd && innermostEnd->m_stop.stop_requested())
        throw Ended();
}

} // namespace headscope
