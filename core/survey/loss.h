// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds texts that need a head: the loss of every next token with and without it, and the tokens with the largest rise.
// Worker thread.

#include "core/analysis/statistics.h"
#include "core/survey/survey.h"

#include <array>

namespace headscope::survey {

/// A mean over tokens whose windows are sampled together: tokens of a window are not independent, so its interval is
/// that of a ratio of sums over windows (Cochran 1977, Sampling Techniques, 6.3), by Student's t with one degree of
/// freedom less than windows. Any thread.
class ClusteredMean
{
public:
    /// Adds a window's sum over `count` of its tokens.
    void add(double sum, std::int64_t count);
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double mean() const { return m_count > 0 ? m_sum / static_cast<double>(m_count) : 0; }
    /// Returns the 95 % interval; nothing for fewer than two windows, or if all have the same mean.
    [[nodiscard]] std::optional<analysis::Interval> interval() const;

private:
    std::int64_t m_count = 0, m_windows = 0;
    double m_sum = 0, m_sumSquares = 0, m_products = 0, m_countSquares = 0;
};

/// Groups of tokens by properties known before any model reads them.
enum class TokenGroup {
    All,
    New,       ///< not earlier in the window
    Repeated,  ///< earlier in the window, after another token
    Continued, ///< earlier in the window, after the same token: predictable by an induction head
    Early,     ///< position below 16
    Middle,    ///< below 64
    Late,
    Frequent, ///< one of the ten most frequent tokens of the texts
    Usual,    ///< one of the next ninety
    Rare,
};
inline constexpr int kTokenGroups = 10;
[[nodiscard]] const char* name(TokenGroup group);

/// Change of the loss, in nats per token.
struct LossChange {
    ClusteredMean before, change; ///< the loss with the head; without minus with
};

struct HeadLoss {
    SurveyedHead head;
    std::array<LossChange, kTokenGroups> groups;
    TopPlaces rises; ///< tokens whose loss rises most; `position` is the token's own, `value` the rise

    [[nodiscard]] const LossChange& of(TokenGroup group) const { return groups[static_cast<std::size_t>(group)]; }
};

class LossSurvey
{
public:
    /// Starts a survey, reading the texts once for token frequencies. Fails like Survey::make, and without heads.
    [[nodiscard]] static Result<LossSurvey> make(std::shared_ptr<const lm::Model> model, lm::Edits base,
                                                 Windows windows, std::vector<interventions::HeadRef> heads, int top,
                                                 const Control& control = {});

    /// Measures a batch of windows for all heads at once. Returns false when all are measured. A stopped batch is
    /// discarded and measured by the next step.
    [[nodiscard]] Result<bool> step(const Control& control = {});
    [[nodiscard]] const std::vector<HeadLoss>& results() const { return m_results; }
    [[nodiscard]] const WindowCounts& measured() const { return m_measured; }
    [[nodiscard]] const Windows& windows() const { return m_windows; }

private:
    LossSurvey(std::shared_ptr<const lm::Model> model, lm::Edits base, Windows windows)
        : m_model(std::move(model)), m_base(std::move(base)), m_windows(std::move(windows))
    {
    }
    [[nodiscard]] Result<void> countTokens(const Control& control);
    [[nodiscard]] Result<void> fillBatch();
    [[nodiscard]] at::Tensor lossesOf(const std::vector<Window>& windows, const Control& control) const;
    [[nodiscard]] std::array<bool, kTokenGroups> groupsOf(const WindowFacts& facts, int position) const;
    void count(const Window& window, const float* before, const std::vector<const float*>& without);

    std::shared_ptr<const lm::Model> m_model;
    lm::Edits m_base;
    Windows m_windows;
    std::vector<HeadLoss> m_results;
    std::vector<int> m_rank;      ///< by token id: number of more frequent tokens
    std::vector<Window> m_batch;  ///< batch to measure next
    std::optional<Window> m_next; ///< already read, but of another length
    WindowCounts m_measured;
};

} // namespace headscope::survey
