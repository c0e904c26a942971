// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Light or dark as the system, or as chosen, and the typeface and size of all text: Inter where it is installed.
// Remembered. GUI thread.

#include <QFont>
#include <QObject>

class QDBusVariant;

namespace headscope::gui {

class Appearance : public QObject
{
    Q_OBJECT

public:
    enum class Look { System, Light, Dark };
    static constexpr double kSmallest = 0.7; ///< text scales
    static constexpr double kLargest = 2.5;

    explicit Appearance(QObject* parent = nullptr);
    [[nodiscard]] Look look() const { return m_look; }
    void setLook(Look look);
    /// The same, not remembered.
    void preview(Look look);
    /// 1: the system's size. Others than kSmallest to kLargest are clamped.
    [[nodiscard]] double textScale() const { return m_scale; }
    void setTextScale(double scale);
    /// The same, not remembered.
    void previewTextScale(double scale);

private Q_SLOTS:
    void portalChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void askPortal();
    void portalSays(uint scheme);
    void apply();

    Look m_look = Look::System;
    double m_scale = 1;
    bool m_portalDark = false;
    QFont m_font; ///< at a text scale of 1
};

} // namespace headscope::gui
