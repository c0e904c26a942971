// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/rolewords.h"

#include "widgets/look/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kBoxSide = 6; // px within a box, beside the words
constexpr double kBoxGap = 5;  // between boxes
constexpr double kBoxOver = 2; // within a box, over and below the words
constexpr double kLineGap = 5; // between lines
constexpr double kRoleWash = 0.3;

} // namespace

RoleWords::RoleWords(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void RoleWords::setPieces(const Pieces& pieces)
{
    m_pieces = pieces;
    updateGeometry();
    update();
}

QString RoleWords::text() const
{
    QString all;
    for (const auto& [words, role] : m_pieces)
        all += words;
    return all;
}

double RoleWords::lineHeight() const
{
    return fontMetrics().height() + 2 * kBoxOver + kLineGap;
}

QList<RoleWords::Placed> RoleWords::place(int width) const
{
    QList<Placed> placed;
    const QFontMetricsF metrics(font());
    double x = 0, y = 0;
    const auto add = [&](const QString& words, std::optional<Role> role) {
        const double wide = metrics.horizontalAdvance(words) + (role ? 2 * kBoxSide : 0);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += lineHeight();
        }
        placed.append({QRectF(x, y, wide, lineHeight() - kLineGap), words, role});
        x += wide + kBoxGap;
    };
    for (const auto& [words, role] : m_pieces) {
        QString shown = words;
        shown.replace(u'\n', u" ⏎ "_s);
        if (role)
            add(shown.simplified(), role);
        else
            for (const QString& word : shown.split(u' ', Qt::SkipEmptyParts))
                add(word, std::nullopt);
    }
    return placed;
}

QSize RoleWords::sizeHint() const
{
    return {360, heightForWidth(std::max(360, width()))};
}

int RoleWords::heightForWidth(int width) const
{
    const QList<Placed> placed = place(width);
    return placed.isEmpty() ? 0 : static_cast<int>(std::ceil(placed.last().box.bottom()));
}

void RoleWords::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(palette());
    for (const Placed& each : place(width())) {
        if (each.role) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(mixed(theme.base, roleColor(*each.role), kRoleWash));
            painter.drawRoundedRect(each.box, 4, 4);
        }
        painter.setPen(each.role ? theme.text : theme.muted);
        painter.drawText(each.box, Qt::AlignCenter, each.words);
    }
}

} // namespace headscope::widgets
