// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/colormap.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope::widgets {

namespace {

// Equally spaced nodes; between them colours are interpolated linearly in sRGB, which stays within two steps of the
// published 256-entry tables.
constexpr std::array<QRgb, 16> kViridis{0xff440154, 0xff481a6c, 0xff472f7d, 0xff414487, 0xff39568c, 0xff31688e,
                                        0xff2a788e, 0xff23888e, 0xff1f988b, 0xff22a884, 0xff35b779, 0xff54c568,
                                        0xff7ad151, 0xffa5db36, 0xffd2e21b, 0xfffde725};
constexpr std::array<QRgb, 10> kCividis{0xff00204d, 0xff00336f, 0xff39486b, 0xff575c6d, 0xff707173,
                                        0xff8a8779, 0xffa69d75, 0xffc4b56c, 0xffe4cf5b, 0xffffea46};
constexpr std::array<QRgb, 9> kBlueRed{0xff123f7a, 0xff2a6fb5, 0xff6ba9d6, 0xffbcd9ec, 0xfff7f7f7,
                                       0xfff9cdb8, 0xffea8a68, 0xffc93d3f, 0xff8b0f26};

std::span<const QRgb> nodesOf(ColorMap map)
{
    switch (map) {
    case ColorMap::Viridis: return kViridis;
    case ColorMap::Cividis: return kCividis;
    case ColorMap::BlueRed: return kBlueRed;
    }
    return kViridis;
}

double luminance(QRgb color)
{
    const auto linear = [](int channel) {
        const double c = channel / 255.0;
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(qRed(color)) + 0.7152 * linear(qGreen(color)) + 0.0722 * linear(qBlue(color));
}

} // namespace

QRgb colorAt(ColorMap map, double t)
{
    const std::span<const QRgb> nodes = nodesOf(map);
    const double position = std::clamp(t, 0.0, 1.0) * static_cast<double>(nodes.size() - 1);
    const auto first = std::min(static_cast<std::size_t>(position), nodes.size() - 2);
    const double part = position - static_cast<double>(first);
    const auto mixed = [&](auto channel) {
        const int a = channel(nodes[first]);
        const int b = channel(nodes[first + 1]);
        return static_cast<int>(std::lround(a + (b - a) * part));
    };
    return qRgb(mixed([](QRgb c) { return qRed(c); }), mixed([](QRgb c) { return qGreen(c); }),
                mixed([](QRgb c) { return qBlue(c); }));
}

ColorTable colorTable(ColorMap map, QRgb unused)
{
    ColorTable table{};
    table[0] = unused;
    for (std::size_t i = 1; i < table.size(); ++i)
        table[i] = colorAt(map, static_cast<double>(i - 1) / 254.0);
    return table;
}

std::uint8_t colorIndex(double t)
{
    if (std::isnan(t))
        return 0;
    return static_cast<std::uint8_t>(1 + std::lround(std::clamp(t, 0.0, 1.0) * 254.0));
}

QString colorMapName(ColorMap map)
{
    switch (map) {
    case ColorMap::Viridis: return QCoreApplication::translate("headscope::widgets::ColorMap", "viridis");
    case ColorMap::Cividis: return QCoreApplication::translate("headscope::widgets::ColorMap", "cividis");
    case ColorMap::BlueRed: return QCoreApplication::translate("headscope::widgets::ColorMap", "blue-white-red");
    }
    return {};
}

QRgb inkOn(QRgb background)
{
    const double l = luminance(background);
    return (l + 0.05) / 0.05 > 1.05 / (l + 0.05) ? qRgb(0, 0, 0) : qRgb(255, 255, 255);
}

} // namespace headscope::widgets
