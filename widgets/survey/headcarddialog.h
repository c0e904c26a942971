// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of one head, to look at and to keep: HTML without scripts, or one page of PDF. GUI thread.

#include "core/base/result.h"

#include <QDialog>

#include <functional>

class QDoubleSpinBox;
class QPushButton;
class QTextBrowser;

namespace headscope::widgets {

class HeadCardDialog : public QDialog
{
    Q_OBJECT

public:
    /// The page as HTML, of which nothing but its own style is loaded: with places as links or without, and with scores
    /// as labels from a threshold on.
    using Page = std::function<QString(bool linked, double threshold)>;

    HeadCardDialog(const QString& head, Page page, QWidget* parent = nullptr);

    [[nodiscard]] QTextBrowser* browser() const { return m_browser; }
    [[nodiscard]] QDoubleSpinBox* threshold() const { return m_threshold; }
    [[nodiscard]] QPushButton* removal() const { return m_removal; }
    /// The page again, where more is known; it stays where it was scrolled to.
    void refresh();
    /// Whether heads are being removed.
    void setRemoving(bool running);
    /// As HTML, or as PDF where the path ends in .pdf: one A4 page, made smaller until all is on it.
    [[nodiscard]] Result<void> write(const QString& path) const;

Q_SIGNALS:
    /// By its number in the survey.
    void placeChosen(int place);
    void removalRequested(); ///< what it costs is to be measured

private:
    void showPage();
    void save();
    [[nodiscard]] QByteArray pdf() const;
    QString m_head;
    Page m_page;
    QTextBrowser* m_browser = nullptr;
    QDoubleSpinBox* m_threshold = nullptr;
    QPushButton* m_removal = nullptr;
};

} // namespace headscope::widgets
