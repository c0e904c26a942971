// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of one head, to look at and to keep: HTML without scripts, or one page of PDF. GUI thread.

#include <QDialog>

class QTextBrowser;

namespace headscope::widgets {

class HeadCardDialog : public QDialog
{
    Q_OBJECT

public:
    /// html: of which nothing but its own style is loaded.
    HeadCardDialog(const QString& head, const QString& html, QWidget* parent = nullptr);

    [[nodiscard]] QTextBrowser* browser() const { return m_browser; }
    /// False where the file can not be written.
    [[nodiscard]] bool saveHtml(const QString& path) const;
    /// One A4 page, made smaller until all is on it.
    [[nodiscard]] bool savePdf(const QString& path) const;

private:
    void save();
    QString m_head, m_html;
    QTextBrowser* m_browser = nullptr;
};

} // namespace headscope::widgets
