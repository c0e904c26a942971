// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/theme.h"

#include <QEvent>
#include <QWidget>

namespace headscope::widgets {

QColor mixed(const QColor& a, const QColor& b, double t)
{
    const auto channel = [t](float x, float y) { return static_cast<float>(x + (y - x) * static_cast<float>(t)); };
    return QColor::fromRgbF(channel(a.redF(), b.redF()), channel(a.greenF(), b.greenF()),
                            channel(a.blueF(), b.blueF()));
}

namespace {

// Words stand out by at least 4.5 : 1 (tst_accessibility).
constexpr double kMuted = 0.30; // of secondary words, towards the page: in the dark
constexpr double kTag = 0.08;   // of the ground of a tag, towards the side
constexpr double kLine = 0.12;  // of the edge of a card, towards its words

QPalette paletteOf(const QColor& window, const QColor& base, const QColor& text, const QColor& button,
                   const QColor& highlight, const QColor& link)
{
    QPalette palette(button, window);
    const QColor disabled = mixed(text, base, 0.45);
    for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        const QColor ink = group == QPalette::Disabled ? disabled : text;
        palette.setColor(group, QPalette::Window, window);
        palette.setColor(group, QPalette::WindowText, ink);
        palette.setColor(group, QPalette::Base, base);
        palette.setColor(group, QPalette::AlternateBase, mixed(base, text, 0.04));
        palette.setColor(group, QPalette::Text, ink);
        palette.setColor(group, QPalette::Button, button);
        palette.setColor(group, QPalette::ButtonText, ink);
        palette.setColor(group, QPalette::PlaceholderText, mixed(text, base, kMuted));
        palette.setColor(group, QPalette::Mid, mixed(base, text, kLine));
        palette.setColor(group, QPalette::ToolTipBase, mixed(base, text, 0.06));
        palette.setColor(group, QPalette::ToolTipText, text);
        palette.setColor(group, QPalette::Highlight, highlight);
        palette.setColor(group, QPalette::HighlightedText, Qt::white);
        palette.setColor(group, QPalette::Link, link);
    }
    return palette;
}

} // namespace

Theme themeOf(const QPalette& palette)
{
    const QColor base = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    Theme theme;
    theme.dark = base.lightness() < text.lightness();
    theme.text = text;
    theme.base = base;
    theme.muted = theme.dark ? mixed(text, base, kMuted) : QColor(0x47, 0x54, 0x67);
    theme.faint = mixed(text, base, 0.80);
    theme.line = palette.color(QPalette::Mid);
    theme.raised = mixed(base, text, 0.05);
    theme.sideA = theme.dark ? QColor(0x6a, 0xa6, 0xff) : QColor(0x25, 0x63, 0xeb);
    theme.sideB = theme.dark ? QColor(0xff, 0xa0, 0x4d) : QColor(0xb8, 0x4f, 0x09);
    theme.hybrid = theme.dark ? QColor(0xb9, 0x9c, 0xff) : QColor(0x6d, 0x3f, 0xc8);
    theme.good = theme.dark ? QColor(0x5f, 0xd0, 0x8b) : QColor(0x06, 0x76, 0x47);
    theme.bad = theme.dark ? QColor(0xff, 0x7b, 0x72) : QColor(0xc9, 0x25, 0x1a);
    theme.cross = QColor(0xd1, 0x14, 0x14); // lies on the colours of the map, which do not follow the theme
    theme.crosshair = theme.dark ? QColor(0x2d, 0xd4, 0xbf) : QColor(0x0f, 0x76, 0x6e);
    theme.unused = mixed(base, text, theme.dark ? 0.09 : 0.06);
    return theme;
}

QColor sideColor(const Theme& theme, Side side)
{
    return side == Side::A ? theme.sideA : theme.sideB;
}

QColor sideGround(const Theme& theme, Side side)
{
    return tagGround(theme, sideColor(theme, side));
}

QColor tagGround(const Theme& theme, const QColor& ink)
{
    return mixed(theme.base, ink, kTag);
}

QColor roleColor(Role role)
{
    switch (role) {
    case Role::Key: return QColor(0xe0, 0x8e, 0x0b);
    case Role::Value: return QColor(0x0f, 0xb0, 0x82);
    case Role::Query: return QColor(0x6d, 0x6a, 0xf2);
    case Role::Question: return QColor(0x4a, 0xa8, 0xde);
    case Role::Option: return QColor(0xc9, 0x6b, 0xa0);
    case Role::Answer: return QColor(0xd5, 0x5e, 0x00);
    }
    return {};
}

QPalette lightPalette()
{
    return paletteOf(QColor(0xf6, 0xf7, 0xf9), Qt::white, QColor(0x10, 0x18, 0x28), Qt::white, QColor(0x25, 0x63, 0xeb),
                     QColor(0x25, 0x63, 0xeb));
}

QPalette darkPalette()
{
    return paletteOf(QColor(0x0f, 0x13, 0x19), QColor(0x17, 0x1c, 0x24), QColor(0xe6, 0xe9, 0xee),
                     QColor(0x23, 0x2a, 0x34), QColor(0x2f, 0x6f, 0xe0), QColor(0x6a, 0xa6, 0xff));
}

void makePage(QWidget* widget)
{
    widget->setAutoFillBackground(true);
    widget->setBackgroundRole(QPalette::Base);
}

namespace {

/// A colour that was set stays when the window becomes dark: this one follows.
class MutedInk : public QObject
{
public:
    explicit MutedInk(QWidget* widget) : QObject(widget)
    {
        setObjectName(name());
        widget->installEventFilter(this);
    }
    static QString name() { return QStringLiteral("headscope muted ink"); }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::PaletteChange)
            paint(static_cast<QWidget*>(watched));
        return false;
    }
    static void paint(QWidget* widget);
};

void ink(QWidget* widget, const QColor& color)
{
    QPalette palette = widget->parentWidget() ? widget->parentWidget()->palette() : QPalette();
    // Text on a page takes Text, text on the window's ground WindowText.
    palette.setColor(QPalette::WindowText, color);
    palette.setColor(QPalette::Text, color);
    if (widget->palette() != palette)
        widget->setPalette(palette);
}

void MutedInk::paint(QWidget* widget)
{
    ink(widget, themeOf(widget->parentWidget() ? widget->parentWidget()->palette() : QPalette()).muted);
}

} // namespace

void setMuted(QWidget* widget)
{
    MutedInk::paint(widget);
    if (!widget->findChild<QObject*>(MutedInk::name(), Qt::FindDirectChildrenOnly))
        new MutedInk(widget); // owned by the widget
}

void setInk(QWidget* widget, const QColor& color)
{
    delete widget->findChild<QObject*>(MutedInk::name(), Qt::FindDirectChildrenOnly);
    ink(widget, color);
}

} // namespace headscope::widgets
