// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/tokenaxis.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope::widgets {

namespace {

double centreOf(const AxisSpan& span, int token)
{
    return span.origin + (token + 0.5) * span.cell;
}

bool visible(const AxisSpan& span, int token)
{
    const double centre = centreOf(span, token);
    return token >= 0 && token < span.count && centre >= span.begin && centre < span.end;
}

std::vector<AxisLabel> atStride(const AxisSpan& span, int stride)
{
    std::vector<AxisLabel> labels;
    const int first = std::max(0, static_cast<int>(std::floor((span.begin - span.origin) / span.cell)));
    const int last = std::min(span.count - 1, static_cast<int>(std::ceil((span.end - span.origin) / span.cell)));
    for (int token = (first + stride - 1) / stride * stride; token <= last; token += stride)
        if (visible(span, token))
            labels.push_back({token, centreOf(span, token)});
    return labels;
}

/// Tokens that have a place, none nearer to another than `gap` tokens.
class Places
{
public:
    Places(int count, int gap) : m_count(count), m_gap(gap) {}
    /// Whether it has one now.
    bool offer(int token)
    {
        if (token < 0 || token >= m_count)
            return false;
        const auto after = m_taken.lower_bound(token);
        if ((after != m_taken.end() && *after - token < m_gap)
            || (after != m_taken.begin() && token - *std::prev(after) < m_gap))
            return false;
        m_taken.insert(after, token);
        return true;
    }
    [[nodiscard]] const std::set<int>& taken() const { return m_taken; }

private:
    int m_count;
    int m_gap;
    std::set<int> m_taken;
};

} // namespace

std::vector<AxisLabel> placeLabels(const AxisSpan& span, double spacing, const LabelChoice& choice)
{
    if (span.cell <= 0 || span.count <= 0 || spacing <= 0)
        return {};
    const int gap = std::max(1, static_cast<int>(std::ceil(spacing / span.cell - 1e-9)));
    if (gap == 1)
        return atStride(span, 1);
    Places places(span.count, gap);
    for (const int token : choice.always)
        places.offer(token);
    for (const int token : choice.rather)
        places.offer(token);
    // A prompt's own period would make every k-th token the same one: the next that is worth a name is taken instead.
    // Two in one slot would be too near to each other.
    for (int slot = 0; slot < span.count; slot += gap)
        for (int token = slot; token < std::min(span.count, slot + gap); ++token)
            if (!(choice.never && choice.never(token)) && places.offer(token))
                break;
    std::vector<AxisLabel> labels;
    for (const int token : places.taken())
        if (visible(span, token))
            labels.push_back({token, centreOf(span, token)});
    return labels;
}

std::vector<AxisLabel> placeLabels(const AxisSpan& span, double spacing, int pinned)
{
    if (span.cell <= 0 || span.count <= 0 || spacing <= 0)
        return {};
    const int stride = std::max(1, static_cast<int>(std::ceil(spacing / span.cell - 1e-9)));
    std::vector<AxisLabel> labels = atStride(span, stride);
    if (!visible(span, pinned))
        return labels;
    const AxisLabel pin{pinned, centreOf(span, pinned)};
    std::erase_if(labels, [&](const AxisLabel& label) { return std::abs(label.centre - pin.centre) < spacing - 1e-9; });
    labels.insert(std::upper_bound(labels.begin(), labels.end(), pin,
                                   [](const AxisLabel& a, const AxisLabel& b) { return a.token < b.token; }),
                  pin);
    return labels;
}

std::vector<AxisLabel> placeNumbers(const AxisSpan& span, double spacing)
{
    if (span.cell <= 0 || span.count <= 0 || spacing <= 0)
        return {};
    int stride = 1;
    while (stride * span.cell < spacing) {
        const int decade = static_cast<int>(std::pow(10, std::floor(std::log10(stride))));
        stride = stride == decade * 2 ? decade * 5 : stride * 2;
    }
    return atStride(span, stride);
}

} // namespace headscope::widgets
