// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The light or dark theme, as the system's or as chosen, and the font and size of all text: Inter if it is installed.
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
    /// Returns the text scale; 1: the system's size. Always between kSmallest and kLargest.
    [[nodiscard]] double textScale() const { return m_scale; }
    void setTextScale(double scale);
    /// The same, not remembered.
    void previewTextScale(double scale);

private Q_SLOTS:
    void portalChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void requestPortalScheme();
    void applyPortalScheme(uint scheme);
    void apply();

    Look m_look = Look::System;
    double m_scale = 1;
    bool m_portalDark = false;
    QFont m_font; ///< at a text scale of 1
};

} // namespace headscope::gui
