// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/fade.h"

#include <QStyle>
#include <QWidget>

namespace headscope::widgets {

namespace {

constexpr int kMs = 150;
bool s_motion = false;

} // namespace

Fade::Fade(QWidget* over) : m_over(over)
{
    m_animation.setStartValue(0.0);
    m_animation.setEndValue(1.0);
    m_animation.setDuration(kMs);
    QObject::connect(&m_animation, &QVariantAnimation::valueChanged, over, [over] { over->update(); });
}

void Fade::begin()
{
    const bool wanted = s_motion && m_over->isVisible()
                        && m_over->style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, m_over) > 0;
    m_animation.stop();
    if (wanted)
        m_animation.start();
}

double Fade::now() const
{
    return running() ? m_animation.currentValue().toDouble() : 1;
}

void Fade::setMotion(bool on)
{
    s_motion = on;
}

} // namespace headscope::widgets
