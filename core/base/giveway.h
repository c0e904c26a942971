// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Places in long work at which something short may come in between, and at which work that is stopped ends. What is
// set up here holds for the calling thread: threads that help with a product never give way.

#include <functional>
#include <stop_token>

namespace headscope {

/// While it lives, `turn` is called at each giveWay() of this thread; a later one takes its place until it is gone.
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

/// Thrown by giveWay() where an EndsInside is stopped.
struct Ended {
};

/// While it lives, and no later one does, giveWay() of this thread throws Ended once `stop` asks for it: for work whose
/// single operations take long, and whose owner catches it.
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

/// Whether something is set up on this thread that may come in between.
[[nodiscard]] bool givesWay();

/// Called between two operations of some milliseconds each. Costs nothing where nothing is set up.
void giveWay();

} // namespace headscope
