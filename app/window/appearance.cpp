// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/appearance.h"

#include "widgets/look/theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFontDatabase>
#include <QSettings>

#include <algorithm>

namespace headscope::gui {

namespace {

// The desktop's own word on light and dark (XDG desktop portal, "Settings"); Qt asks it only from 6.5 on.
constexpr auto kService = "org.freedesktop.portal.Desktop";
constexpr auto kPath = "/org/freedesktop/portal/desktop";
constexpr auto kInterface = "org.freedesktop.portal.Settings";
constexpr auto kSpace = "org.freedesktop.appearance";
constexpr auto kLookKey = "color-scheme";
constexpr uint kPrefersDark = 1;

constexpr double kPoints = 9.5; // 12.7 px at 96 dpi

QString latinWord(const char* text)
{
    return QString::fromLatin1(text);
}

} // namespace

Appearance::Appearance(QObject* parent) : QObject(parent), m_font(QApplication::font())
{
    if (QFontDatabase::hasFamily(QStringLiteral("Inter"))) {
        m_font.setFamily(QStringLiteral("Inter"));
        m_font.setPointSizeF(kPoints);
    }
    const QSettings settings;
    m_look = static_cast<Look>(std::clamp(settings.value(QStringLiteral("look")).toInt(), 0, 2));
    m_scale = std::clamp(settings.value(QStringLiteral("textScale"), 1.0).toDouble(), kSmallest, kLargest);
    apply();
    requestPortalScheme();
}

void Appearance::requestPortalScheme()
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(latinWord(kService), latinWord(kPath), latinWord(kInterface), QStringLiteral("SettingChanged"), this,
                SLOT(portalChanged(QString, QString, QDBusVariant)));
    QDBusMessage question = QDBusMessage::createMethodCall(latinWord(kService), latinWord(kPath), latinWord(kInterface),
                                                           QStringLiteral("Read"));
    question << latinWord(kSpace) << latinWord(kLookKey);
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* answered) {
        answered->deleteLater();
        const QDBusPendingReply<QDBusVariant> reply = *answered;
        if (!reply.isError())
            applyPortalScheme(reply.value().variant().value<QDBusVariant>().variant().toUInt()); // a nested variant
    });
}

void Appearance::portalChanged(const QString& space, const QString& key, const QDBusVariant& value)
{
    if (space == latinWord(kSpace) && key == latinWord(kLookKey))
        applyPortalScheme(value.variant().toUInt());
}

void Appearance::applyPortalScheme(uint scheme)
{
    m_portalDark = scheme == kPrefersDark;
    apply();
}

void Appearance::setLook(Look look)
{
    QSettings().setValue(QStringLiteral("look"), static_cast<int>(look));
    preview(look);
}

void Appearance::preview(Look look)
{
    m_look = look;
    apply();
}

void Appearance::setTextScale(double scale)
{
    previewTextScale(scale);
    QSettings().setValue(QStringLiteral("textScale"), m_scale);
}

void Appearance::previewTextScale(double scale)
{
    m_scale = std::clamp(scale, kSmallest, kLargest);
    apply();
}

void Appearance::apply()
{
    const bool dark = m_look == Look::Dark || (m_look == Look::System && m_portalDark);
    QApplication::setPalette(dark ? widgets::darkPalette() : widgets::lightPalette());
    QFont font = m_font;
    font.setPointSizeF(m_font.pointSizeF() * m_scale);
    if (font != QApplication::font())
        QApplication::setFont(font);
}

} // namespace headscope::gui
