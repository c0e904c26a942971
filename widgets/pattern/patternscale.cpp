// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patternscale.h"

#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

QString scaleText(const char* source)
{
    return QCoreApplication::translate("headscope::widgets::PatternScale", source);
}

struct ValueExtent {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
    float magnitude = 0;
};

ValueExtent extentOfRow(const Matrix& values, int row, bool causal, int firstCol)
{
    ValueExtent extent;
    const std::span<const float> cells = values.row(row);
    const int end = causal ? std::min(values.cols, row + 1) : values.cols;
    // A one-token row has nothing but its sink.
    for (int col = std::min(firstCol, end - 1); col < end; ++col) {
        const float v = cells[static_cast<std::size_t>(col)];
        if (!std::isfinite(v))
            continue;
        extent.low = std::min(extent.low, v);
        extent.high = std::max(extent.high, v);
        extent.magnitude = std::max(extent.magnitude, std::abs(v));
    }
    return extent;
}

} // namespace

PatternScale PatternScale::fit(const Matrix& values, bool isSigned, bool causal, const ScaleOptions& options)
{
    PatternScale scale;
    scale.m_options = options;
    scale.m_signed = isSigned;
    scale.m_diverging = options.kind == ScaleKind::Signed || (isSigned && options.kind != ScaleKind::Log);
    ValueExtent all;
    const int firstCol = options.withoutSink ? 1 : 0;
    if (options.kind == ScaleKind::Row)
        scale.m_rowMax.reserve(static_cast<std::size_t>(values.rows));
    for (int row = 0; row < values.rows; ++row) {
        const ValueExtent extent = extentOfRow(values, row, causal, firstCol);
        if (options.kind == ScaleKind::Row)
            scale.m_rowMax.push_back(extent.magnitude > 0 ? extent.magnitude : 1.0F);
        if (row == 0 && values.rows > 1 && firstCol == 1)
            continue; // its only cell is the sink
        all.low = std::min(all.low, extent.low);
        all.high = std::max(all.high, extent.high);
        all.magnitude = std::max(all.magnitude, extent.magnitude);
    }
    const double magnitude = all.magnitude > 0 ? all.magnitude : 1;
    switch (options.kind) {
    case ScaleKind::Row:
        scale.m_high = 1;
        scale.m_low = scale.m_diverging ? -1 : 0;
        break;
    case ScaleKind::Log:
        scale.m_high = std::log10(magnitude);
        scale.m_low = scale.m_high - kLogDecades;
        break;
    case ScaleKind::MinMax:
        if (!scale.m_diverging) {
            scale.m_low = std::isfinite(all.low) ? all.low : 0;
            scale.m_high = all.high > all.low ? all.high : scale.m_low + 1;
            break;
        }
        [[fallthrough]];
    case ScaleKind::Raw:
    case ScaleKind::Signed:
        if (scale.m_diverging) {
            scale.m_low = -magnitude;
            scale.m_high = magnitude;
        } else {
            scale.m_low = std::min(0.0, static_cast<double>(std::isfinite(all.low) ? all.low : 0.0F));
            const bool probability = scale.m_low >= 0 && all.high <= 1.0001F && !options.withoutSink;
            scale.m_high = probability ? 1 : std::max(static_cast<double>(all.high), scale.m_low + 1e-12);
        }
        break;
    }
    return scale;
}

double PatternScale::position(float value, int row) const
{
    double v = value;
    if (m_options.kind == ScaleKind::Log)
        v = std::log10(std::abs(v)); // 0 becomes -inf, which clamps to the low end
    else if (m_options.kind == ScaleKind::Row)
        v /= m_rowMax[static_cast<std::size_t>(row)];
    return (v - m_low) / (m_high - m_low);
}

PatternScale::Linear PatternScale::linear(int row) const
{
    double slope = 1 / (m_high - m_low);
    const double offset = -m_low * slope;
    if (m_options.kind == ScaleKind::Row)
        slope /= static_cast<double>(m_rowMax[static_cast<std::size_t>(row)]);
    return {static_cast<float>(slope), static_cast<float>(offset)};
}

std::vector<ScaleTick> PatternScale::ticks() const
{
    std::vector<ScaleTick> ticks;
    if (m_options.kind == ScaleKind::Log) {
        for (int exponent = static_cast<int>(std::ceil(m_low - 1e-6)); exponent <= m_high + 1e-6; ++exponent)
            ticks.push_back({(exponent - m_low) / (m_high - m_low), exponent == 0 ? u"1"_s : u"1e%1"_s.arg(exponent)});
        if (ticks.empty() || ticks.front().position > 0.02)
            ticks.insert(ticks.begin(), {0, compactText(std::pow(10.0, m_low))});
        if (ticks.back().position < 0.98)
            ticks.push_back({1, compactText(std::pow(10.0, m_high))});
        return ticks;
    }
    for (const double part : {0.0, 0.5, 1.0})
        ticks.push_back(
            {part,
             compactText(std::abs(m_low + part * (m_high - m_low)) < 1e-12 ? 0.0 : m_low + part * (m_high - m_low))});
    return ticks;
}

QString PatternScale::name() const
{
    QString name;
    switch (m_options.kind) {
    case ScaleKind::Raw:
        name = m_diverging ? scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "raw, around 0"))
                           : scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "raw"));
        break;
    case ScaleKind::Row:
        name = scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "row-normalised (max = 1)"));
        break;
    case ScaleKind::MinMax:
        name = m_diverging ? scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "raw, around 0"))
                           : scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "min to max"));
        break;
    case ScaleKind::Log:
        name = m_signed ? scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "log of |value|"))
                        : scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "log"));
        break;
    case ScaleKind::Signed:
        name = scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "signed, around 0"));
        break;
    }
    if (m_options.withoutSink)
        name = scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "%1, first token left out")).arg(name);
    return name;
}

QString scaleKindName(ScaleKind kind)
{
    switch (kind) {
    case ScaleKind::Raw: return scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "raw"));
    case ScaleKind::Row: return scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "row"));
    case ScaleKind::MinMax: return scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "min-max"));
    case ScaleKind::Log: return scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "log"));
    case ScaleKind::Signed: return scaleText(QT_TRANSLATE_NOOP("headscope::widgets::PatternScale", "signed"));
    }
    return {};
}

} // namespace headscope::widgets
