// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Points in long work at which short work may run in between, and at which stopped work ends. Settings here apply to
// the calling thread: threads that help with a product never give way.

#include <functional>
#include <stop_token>

namespace headscope {

/// While it exists, `turn` is called at each giveWay() of this thread; a later object replaces it until destroyed.
class GivesWay
{
public:
    explicit GivesWay(std::function<void()> turn);
    ~GivesWay();
    GivesWay(const GivesWay&) = delete;
    GivesWay& operator=(const GivesWay&) = delete;

private:
    friend void giveWay();
    std::function<void()> m_turn;
    GivesWay* m_outer;
};

/// Thrown by giveWay() when an EndsInside is stopped.
struct Ended {
};

/// While it exists, and no later one does, giveWay() of this thread throws Ended once `stop` is requested: for work
/// with long single operations, whose owner catches it.
class EndsInside
{
public:
    explicit EndsInside(std::stop_token stop);
    ~EndsInside();
    EndsInside(const EndsInside&) = delete;
    EndsInside& operator=(const EndsInside&) = delete;

private:
    friend void giveWay();
    std::stop_token m_stop;
    EndsInside* m_outer;
};

/// Returns whether other work may run in between on this thread.
[[nodiscard]] bool givesWay();

/// Called between two operations of some milliseconds each. Costs nothing unless one of the above is active.
void giveWay();

} // namespace headscope
