// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar kMinus(0x2212);

QString text(const char* source)
{
    return QCoreApplication::translate("headscope::widgets::Numbers", source);
}

QString withMinus(QString number)
{
    if (number.startsWith(u'-'))
        number[0] = kMinus;
    return number;
}

} // namespace

QString numberText(double value, int decimals)
{
    if (std::isnan(value))
        return u"—"_s;
    QString number = QString::number(value, 'f', decimals);
    if (number.toDouble() == 0 && number.startsWith(u'-'))
        number.remove(0, 1);
    return withMinus(number);
}

QString signedText(double value, int decimals)
{
    const QString number = numberText(value, decimals);
    const bool positive = !std::isnan(value) && QString::number(value, 'f', decimals).toDouble() > 0;
    return positive ? u'+' + number : number;
}

QString scoreText(double value, int decimals)
{
    constexpr double kLarge = 1e4;
    if (std::isnan(value) || std::abs(value) < kLarge)
        return numberText(value, decimals);
    return withMinus(QString::number(value, 'g', 2).replace(u"e+0"_s, u"e"_s).replace(u"e+"_s, u"e"_s));
}

QString signedScoreText(double value, int decimals)
{
    constexpr double kLarge = 1e4;
    if (std::isnan(value) || std::abs(value) < kLarge)
        return signedText(value, decimals);
    return (value > 0 ? u"+"_s : QString()) + scoreText(value, decimals);
}

QString compactText(double value)
{
    if (std::isnan(value))
        return u"—"_s;
    if (value == 0)
        return u"0"_s;
    return withMinus(QString::number(value, 'g', 3));
}

QString percentText(double probability)
{
    return probability < 0.005 ? u"<1 %"_s : QLocale().toString(100 * probability, 'f', 0) + u" %"_s;
}

QString pText(double p)
{
    if (std::isnan(p))
        return u"—"_s;
    if (p < 1e-300)
        return u"< 1e-300"_s;
    if (p >= 0.995)
        return u"1.0"_s;
    if (p >= 0.1)
        return QString::number(p, 'f', 2);
    if (p >= 0.001)
        return QString::number(p, 'f', 3);
    const int exponent = static_cast<int>(std::floor(std::log10(p)));
    const int digit = static_cast<int>(std::lround(p / std::pow(10.0, exponent)));
    return digit >= 10 ? u"1e%1"_s.arg(exponent + 1) : u"%1e%2"_s.arg(digit).arg(exponent);
}

QString durationText(double seconds)
{
    if (std::isnan(seconds) || seconds < 0)
        return u"—"_s;
    if (seconds < 10)
        return text(QT_TRANSLATE_NOOP("headscope::widgets::Numbers", "%1 s")).arg(seconds, 0, 'f', seconds < 1 ? 2 : 1);
    if (seconds < 120)
        return text(QT_TRANSLATE_NOOP("headscope::widgets::Numbers", "%1 s")).arg(std::lround(seconds));
    const long minutes = std::lround(seconds / 60);
    if (minutes < 60)
        return text(QT_TRANSLATE_NOOP("headscope::widgets::Numbers", "%1 min")).arg(minutes);
    return text(QT_TRANSLATE_NOOP("headscope::widgets::Numbers", "%1 h %2 min")).arg(minutes / 60).arg(minutes % 60);
}

QString bytesText(double bytes)
{
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        ++unit;
    }
    return u"%1 %2"_s.arg(bytes, 0, 'f', unit > 0 && bytes < 10 ? 1 : 0).arg(QLatin1StringView(kUnits[unit]));
}

double niceStep(double span, int parts)
{
    if (!(span > 0) || !std::isfinite(span))
        return 1; // who goes along an axis by it comes to its end
    const double decade = std::pow(10, std::floor(std::log10(span / parts)));
    for (const double part : {1.0, 2.0, 5.0})
        if (span / (part * decade) <= parts + 1e-9)
            return part * decade;
    return 10 * decade;
}

int decimalsOfStep(double step)
{
    return std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
}

} // namespace headscope::widgets
