// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The area below a map and its bars: the locked row in a sentence, the cell under the mouse, one legend. GUI thread.

#include "widgets/look/theme.h"
#include "widgets/pattern/patternscale.h"

#include <QWidget>

namespace headscope::widgets {

/// Always three lines high, so that nothing above moves if one of them is empty.
class PatternFooter : public QWidget
{
    Q_OBJECT

public:
    explicit PatternFooter(QWidget* parent = nullptr);

    /// Sets the sentences. `brief`: used if the sentence does not fit.
    void setSentences(const QString& sentence, const QString& detail, const QString& brief = {});
    /// Shown instead of the detail while the mouse is on a cell; empty: none.
    void setReadout(const QString& readout);
    void setLegend(const PatternScale& scale, const std::vector<Role>& roles);
    void clearLegend();
    [[nodiscard]] const QString& sentence() const { return m_sentence; }
    [[nodiscard]] const QString& detail() const { return m_detail; }
    [[nodiscard]] const QString& readout() const { return m_readout; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintRoles(QPainter& painter, const QRectF& box) const;
    void paintBar(QPainter& painter, const QRectF& box) const;
    [[nodiscard]] double rolesWidth() const;

    QString m_sentence;
    QString m_brief;
    QString m_detail;
    QString m_readout;
    PatternScale m_scale;
    std::vector<Role> m_roles;
    bool m_legend = false;
};

} // namespace headscope::widgets
