// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which texts need a head: the loss of every next token with the head and without it, and of which tokens it rises.
// Worker thread.

#include "core/analysis/statistics.h"
#include "core/survey/survey.h"

#include <array>
#include <string>

namespace headscope::survey {

/// A mean over tokens whose windows are drawn together: tokens of a window are not independent, so its interval is that
/// of a ratio of sums over windows (Cochran 1977, Sampling Techniques, 6.3). Any thread.
class ClusteredMean
{
public:
    /// A window's sum over that many of its tokens.
    void add(double sum, std::int64_t count);
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double mean() const { return m_count > 0 ? m_sum / static_cast<double>(m_count) : 0; }
    /// 95 %; nothing of fewer than two windows.
    [[nodiscard]] std::optional<analysis::Interval> interval() const;

private:
    std::int64_t m_count = 0, m_windows = 0;
    double m_sum = 0, m_sumSquares = 0, m_products = 0, m_countSquares = 0;
};

/// Tokens that belong together, by what is known of them before any model sees them.
enum class TokenGroup {
    All,
    New,       ///< not in the window before
    Repeated,  ///< in the window before, behind another token
    Continued, ///< in the window before, behind the same token: what an induction head can know
    Early,     ///< position below 16
    Middle,    ///< below 64
    Late,
    Frequent, ///< one of the ten most frequent tokens of the texts
    Usual,    ///< of the next ninety
    Rare,
};
inline constexpr int kTokenGroups = 10;
[[nodiscard]] const char* name(TokenGroup group);

/// Nats a token.
struct LossChange {
    ClusteredMean before, change; ///< the loss with the head; without less with
};

struct HeadLoss {
    SurveyedHead head;
    std::array<LossChange, kTokenGroups> groups;
    TopPlaces rises; ///< the tokens whose loss rises most; `position` is the token's own, `value` the rise

    [[nodiscard]] const LossChange& of(TokenGroup group) const { return groups[static_cast<std::size_t>(group)]; }
};

class LossSurvey
{
public:
    /// Reads the texts once for how frequent tokens are. Fails like Survey::make, and without heads.
    [[nodiscard]] static Result<LossSurvey> make(std::shared_ptr<const lm::Model> model, lm::Edits base,
                                                 Windows windows, std::vector<interventions::HeadRef> heads, int top,
                                                 const Control& control = {});

    /// Measures a batch of windows under all heads at once. False: all are measured. A batch that is stopped counts
    /// nothing and is measured by the next step.
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
    std::vector<int> m_rank;      ///< by token id, how many tokens are more frequent
    std::vector<Window> m_batch;  ///< that is measured next
    std::optional<Window> m_next; ///< read, and of another length
    WindowCounts m_measured;
};

} // namespace headscope::survey
