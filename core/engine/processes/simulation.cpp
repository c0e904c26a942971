// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes/simulation.h"

#include "core/engine/processes/chunkqueue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <random>
#include <tuple>
#include <utility>

namespace headscope::engine {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kPollSeconds = 0.02; ///< as processes.cpp asks again
constexpr double kPollsOfAChunk = 50, kPollsOfAWait = 5000;

std::vector<double> chunkSeconds(int chunks, const ProcessCosts& costs, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<double> seconds;
    double sum = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const double part = static_cast<double>(random() >> 11) * 0x1p-53; // 0 to 1, alike on every machine
        seconds.push_back(1 + costs.chunkSpread * (2 * part - 1));
        sum += seconds.back();
    }
    for (double& one : seconds) // the mean is what was told, however they are drawn
        one *= sum > 0 ? costs.chunk * chunks / sum : 0;
    return seconds;
}

ChunkQueue::Time timeOf(double seconds)
{
    return ChunkQueue::Time(
        std::chrono::duration_cast<ChunkQueue::Time::duration>(std::chrono::duration<double>(seconds)));
}

/// Whose turn a chunk is: claimed one by one, or dealt out in turn beforehand.
class Dealer
{
public:
    Dealer(int chunks, int together, int ranks, bool stealing) : m_queue(chunks, together), m_stealing(stealing)
    {
        m_own.resize(static_cast<std::size_t>(ranks));
        for (int chunk = 0; chunk < chunks; ++chunk)
            m_own[static_cast<std::size_t>(std::int64_t{chunk} * ranks / chunks)].push_back(chunk);
    }
    [[nodiscard]] std::optional<int> claim(int rank, double now)
    {
        if (m_stealing)
            return m_queue.claim(rank, timeOf(now));
        auto& own = m_own[static_cast<std::size_t>(rank)];
        if (own.empty())
            return {};
        const int chunk = own.front();
        own.pop_front();
        m_begun.emplace_back(rank, chunk);
        return chunk;
    }
    void finish(int rank, int chunk, double now)
    {
        if (m_stealing)
            static_cast<void>(m_queue.finish(rank, chunk, {}, timeOf(now)));
        else if (std::erase(m_begun, std::pair(rank, chunk)) > 0)
            m_finished.push_back(rank);
    }
    void lose(int rank)
    {
        m_queue.lose(rank);
        auto& first = m_own.front();
        auto& own = m_own[static_cast<std::size_t>(rank)];
        for (const auto& [who, chunk] : m_begun)
            if (who == rank)
                first.push_back(chunk);
        std::erase_if(m_begun, [&](const auto& begun) { return begun.first == rank; });
        first.insert(first.end(), own.begin(), own.end());
        own.clear();
    }
    [[nodiscard]] bool done() const
    {
        return m_stealing ? m_queue.done() : static_cast<int>(m_finished.size()) == m_queue.size();
    }
    [[nodiscard]] int finishedBy(int rank) const
    {
        return m_stealing ? m_queue.finishedBy(rank)
                          : static_cast<int>(std::count(m_finished.begin(), m_finished.end(), rank));
    }

private:
    ChunkQueue m_queue;
    bool m_stealing;
    std::vector<std::deque<int>> m_own;
    std::vector<std::pair<int, int>> m_begun;
    std::vector<int> m_finished;
};

class Simulation
{
public:
    Simulation(int chunks, const ProcessCosts& costs, const Cluster& cluster, const Disturbances& disturbances,
               std::uint64_t seed)
        : m_costs(costs), m_cluster(cluster), m_disturbances(disturbances),
          m_seconds(chunkSeconds(chunks, costs, seed)), m_ran(m_seconds.size()),
          m_ranks(static_cast<std::size_t>(cluster.nodes * cluster.ranksPerNode)),
          m_dealer(chunks, costs.together, static_cast<int>(m_ranks.size()), disturbances.stealing)
    {
    }

    SimulationResult run()
    {
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
            begin(static_cast<int>(rank), m_costs.start);
        for (const auto& lost : m_disturbances.lost) {
            m_events.push({lost.at, m_order++, What::Lost, lost.node, 0});
            m_events.push({lost.at + m_disturbances.patience, m_order++, What::Noticed, lost.node, 0});
        }
        while (!m_dealer.done()) {
            const auto [rank, when] = nextComputed();
            if (m_events.empty() || when < m_events.top().when) {
                advance(when);
                computed(rank);
            } else {
                const Event event = m_events.top();
                m_events.pop();
                advance(event.when);
                happen(event);
            }
        }
        return result();
    }

private:
    enum class What { Claimed, Granted, Arrived, Polled, Lost, Noticed };
    struct Event {
        double when = 0;
        long order = 0; ///< of events of one time
        What what = What::Claimed;
        int rank = 0, chunk = 0; ///< Lost and Noticed: the node in place of the rank; chunk -1: nothing now
        bool operator<(const Event& other) const
        {
            return std::tie(other.when, other.order) < std::tie(when, order); // the earliest first
        }
    };
    struct Rank {
        double left = kNever; ///< of what it computes; kNever: nothing
        int chunk = -1;
        int portion = -1; ///< whose baseline it has
        bool lost = false;
        double busy = 0, asked = 0, worked = 0; ///< worked: when it last did
    };

    [[nodiscard]] int nodeOf(int rank) const { return rank / m_cluster.ranksPerNode; }
    [[nodiscard]] Rank& at(int rank) { return m_ranks[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] double speedOf(int node) const
    {
        const auto first = m_ranks.begin() + static_cast<std::ptrdiff_t>(node) * m_cluster.ranksPerNode;
        const auto computing =
            std::count_if(first, first + m_cluster.ranksPerNode, [](const Rank& rank) { return rank.left < kNever; });
        const int cores = m_cluster.coresPerNode;
        if (cores < 1 || computing < 2)
            return 1;
        const auto many = static_cast<double>(computing);
        return computing > cores ? cores / (m_cluster.crowding.shared * many)
                                 : 1 / (1 + (m_cluster.crowding.busy - 1) * (many - 1) / (cores - 1));
    }
    [[nodiscard]] std::pair<int, double> nextComputed()
    {
        std::pair<int, double> next{-1, kNever};
        for (int node = 0; node < m_cluster.nodes; ++node) {
            const double speed = speedOf(node);
            for (int i = 0; i < m_cluster.ranksPerNode; ++i) {
                const int rank = node * m_cluster.ranksPerNode + i;
                if (const double when = m_now + at(rank).left / speed; when < next.second)
                    next = {rank, when};
            }
        }
        return next;
    }
    void advance(double when)
    {
        for (int node = 0; node < m_cluster.nodes; ++node) {
            const double speed = speedOf(node);
            for (int i = 0; i < m_cluster.ranksPerNode; ++i)
                if (Rank& rank = at(node * m_cluster.ranksPerNode + i); rank.left < kNever) {
                    rank.left = std::max(rank.left - (when - m_now) * speed, 0.0);
                    rank.busy += when - m_now;
                }
        }
        m_now = when;
    }
    void begin(int rank, double seconds) { at(rank).left = seconds; }

    void computed(int rank)
    {
        Rank& one = at(rank);
        one.left = kNever;
        one.worked = m_now;
        if (one.chunk < 0) { // it has started
            ask(rank);
            return;
        }
        const int chunk = std::exchange(one.chunk, -1);
        if (rank == 0) {
            m_dealer.finish(0, chunk, m_now);
            ask(0);
            return;
        }
        m_events.push({answered(rank, m_costs.resultBytes), m_order++, What::Arrived, rank, chunk});
        one.asked = m_now;
    }

    /// When the first process has taken a message that is sent now.
    double answered(int rank, double bytes)
    {
        const double rate = m_cluster.network.bytesPerSecond;
        const double takes = m_costs.serve + (rate > 0 ? bytes / rate : 0);
        m_free = std::max(m_free, m_now + latency(rank)) + takes;
        m_served += takes;
        return m_free;
    }
    [[nodiscard]] double latency(int rank) const
    {
        return nodeOf(rank) == 0 ? m_cluster.network.latency : m_cluster.network.latencyBetween;
    }
    void ask(int rank)
    {
        at(rank).asked = m_now;
        if (rank == 0 || !m_disturbances.stealing)
            give(rank, m_dealer.claim(rank, m_now).value_or(-1));
        else
            m_events.push({answered(rank, m_costs.claimBytes), m_order++, What::Claimed, rank, 0});
    }
    /// Who has waited long asks less often than a real process, so that a long wait is no endless simulation.
    [[nodiscard]] double pollSeconds(const Rank& waiting) const
    {
        return std::max({kPollSeconds, m_costs.chunk / kPollsOfAChunk, (m_now - waiting.worked) / kPollsOfAWait});
    }
    void give(int rank, int chunk)
    {
        Rank& one = at(rank);
        m_waited += m_now - one.asked;
        if (chunk < 0) {
            if (m_disturbances.stealing || rank == 0) // nobody gives the others more than was dealt out
                m_events.push({m_now + pollSeconds(one), m_order++, What::Polled, rank, 0});
            return;
        }
        const int portion = m_costs.together > 0 ? chunk / m_costs.together : 0;
        const bool measured = std::exchange(one.portion, portion) == portion;
        m_baselines += measured ? 0 : 1;
        double seconds = m_seconds[static_cast<std::size_t>(chunk)] + (measured ? 0 : m_costs.baseline);
        for (const auto& slow : m_disturbances.slow)
            seconds *= slow.rank == rank ? slow.factor : 1;
        m_ran[static_cast<std::size_t>(chunk)] += 1;
        one.chunk = chunk;
        begin(rank, seconds);
    }

    void happen(const Event& event)
    {
        if (event.what == What::Lost || event.what == What::Noticed) {
            for (int i = 0; i < m_cluster.ranksPerNode; ++i) {
                const int rank = event.rank * m_cluster.ranksPerNode + i;
                if (event.what == What::Noticed)
                    m_dealer.lose(rank);
                at(rank).lost = true;
                at(rank).left = kNever;
            }
            return;
        }
        if (event.what == What::Arrived) // what was sent arrives, whatever became of the sender
            m_dealer.finish(event.rank, event.chunk, m_now);
        if (at(event.rank).lost)
            return;
        switch (event.what) {
        case What::Claimed:
            m_events.push({m_now + latency(event.rank), m_order++, What::Granted, event.rank,
                           m_dealer.claim(event.rank, m_now).value_or(-1)});
            break;
        case What::Granted: give(event.rank, event.chunk); break;
        case What::Arrived:
            m_waited += m_now - at(event.rank).asked;
            ask(event.rank);
            break;
        default: ask(event.rank); break;
        }
    }

    [[nodiscard]] SimulationResult result()
    {
        SimulationResult result{.seconds = m_now, .served = m_served, .baselines = m_baselines, .waited = m_waited};
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            result.chunksOf.push_back(m_dealer.finishedBy(static_cast<int>(rank)));
            result.busy.push_back(m_ranks[rank].busy);
            result.idle += m_ranks[rank].lost || m_ranks[rank].left < kNever ? 0 : m_now - m_ranks[rank].worked;
        }
        result.runTwice =
            static_cast<int>(std::count_if(m_ran.begin(), m_ran.end(), [](int runs) { return runs > 1; }));
        return result;
    }

    const ProcessCosts& m_costs;
    const Cluster& m_cluster;
    const Disturbances& m_disturbances;
    std::vector<double> m_seconds;
    std::vector<int> m_ran; ///< how often each chunk was begun
    std::vector<Rank> m_ranks;
    Dealer m_dealer;
    std::priority_queue<Event> m_events;
    long m_order = 0;
    int m_baselines = 0;
    double m_now = 0, m_free = 0, m_served = 0, m_waited = 0;
};

bool sound(const ProcessCosts& costs, const Cluster& cluster, const Disturbances& disturbances)
{
    const std::array seconds = {costs.start,          costs.baseline,          costs.chunk,
                                costs.serve,          cluster.network.latency, cluster.network.latencyBetween,
                                disturbances.patience};
    const std::array others = {costs.chunkSpread, costs.claimBytes, costs.resultBytes, cluster.network.bytesPerSecond};
    const auto slows = [](double factor) { return factor >= 1 && factor <= kMostCrowding; };
    return costs.chunkSpread <= 1 && costs.together >= 0 && cluster.coresPerNode >= 0 && slows(cluster.crowding.busy)
           && slows(cluster.crowding.shared)
           && std::ranges::all_of(seconds, [](double time) { return time >= 0 && time <= kMostSeconds; })
           && std::ranges::all_of(others, [](double value) { return std::isfinite(value) && value >= 0; });
}

} // namespace

Result<SimulationResult> simulate(int chunks, const ProcessCosts& costs, const Cluster& cluster,
                                  const Disturbances& disturbances, std::uint64_t seed)
{
    constexpr int kMostRanks = 65536;
    if (chunks < 1 || cluster.nodes < 1 || cluster.ranksPerNode < 1
        || cluster.ranksPerNode > kMostRanks / cluster.nodes)
        return inputError("A simulation needs a chunk or more and 1 to 65536 processes.");
    if (!sound(costs, cluster, disturbances))
        return inputError(
            "A simulation needs times of 0 to 1e9 seconds, and chunks that differ by their mean at most.");
    const int ranks = cluster.nodes * cluster.ranksPerNode;
    for (const auto& slow : disturbances.slow)
        if (slow.rank < 0 || slow.rank >= ranks || !(slow.factor > 0) || !std::isfinite(slow.factor))
            return inputError("Process " + std::to_string(slow.rank) + " cannot be slow; there are "
                              + std::to_string(ranks) + ".");
    for (const auto& lost : disturbances.lost)
        if (lost.node < 1 || lost.node >= cluster.nodes || !(lost.at >= 0))
            return inputError("Node " + std::to_string(lost.node) + " cannot be lost; there are "
                              + std::to_string(cluster.nodes) + ", and the run ends with the first one.");
    return Simulation(chunks, costs, cluster, disturbances, seed).run();
}

namespace {

int portionsIn(int chunks, const ProcessCosts& costs)
{
    return costs.together > 0 ? (chunks + costs.together - 1) / costs.together : 1;
}

} // namespace

double alone(int chunks, const ProcessCosts& costs, std::uint64_t seed)
{
    double sum = costs.start + portionsIn(chunks, costs) * costs.baseline;
    for (const double seconds : chunkSeconds(chunks, costs, seed))
        sum += seconds;
    return sum;
}

std::string whyNotLinear(const SimulationResult& result, int chunks, const ProcessCosts& costs, const Cluster& cluster)
{
    const auto ranks = static_cast<double>(result.busy.size());
    double busy = 0;
    for (const double one : result.busy)
        busy += one;
    const double again = ranks * costs.start + result.baselines * costs.baseline;
    const double once = costs.start + portionsIn(chunks, costs) * costs.baseline, work = chunks * costs.chunk;
    const char* const slower = cluster.coresPerNode < 1 ? "chunks that were slow, lost or run twice"
                               : cluster.ranksPerNode > cluster.coresPerNode ? "fewer cores than processes"
                                                                             : "cores that slow each other down";
    struct Loss {
        double seconds;
        const char* words;
    };
    const std::array losses = {
        Loss{again - once, "loading, which each process does for itself, and baselines that more than one measures"},
        Loss{busy - again - work, slower}, Loss{result.waited, "waiting for the first process's answers"},
        Loss{result.idle, "the end, where fewer chunks are left than processes"}};
    const Loss& largest = *std::max_element(losses.begin(), losses.end(),
                                            [](const Loss& a, const Loss& b) { return a.seconds < b.seconds; });
    constexpr double kLittle = 0.01;
    return largest.seconds > kLittle * ranks * result.seconds ? largest.words : "nothing that counts";
}

} // namespace headscope::engine
