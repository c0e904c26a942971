// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of one head, to read and to save as HTML without scripts or as one page of PDF. GUI thread.

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
    /// Returns the page as HTML, from which only its own style is loaded: with or without links to places, and with
    /// labels for scores from a threshold on.
    using Page = std::function<QString(bool linked, double threshold)>;

    HeadCardDialog(const QString& head, Page page, QWidget* parent = nullptr);

    [[nodiscard]] QTextBrowser* browser() const { return m_browser; }
    [[nodiscard]] QDoubleSpinBox* threshold() const { return m_threshold; }
    [[nodiscard]] QPushButton* removal() const { return m_removal; }
    /// Reloads the page after new results; the scroll position is kept.
    void refresh();
    /// Sets whether heads are being ablated one by one.
    void setRemoving(bool running);
    /// Writes HTML, or PDF if the path ends in .pdf: one A4 page, scaled down until everything fits.
    [[nodiscard]] Result<void> write(const QString& path) const;

Q_SIGNALS:
    /// The number of a place in the survey.
    void placeChosen(int place);
    void removalRequested(); ///< measure the cost of removing the head

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
