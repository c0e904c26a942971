// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The manual in its own window: pages and a search over all of them, without network access. GUI thread.

#include "app/window/manual/manualpages.h"

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace headscope::gui {

class ManualWindow : public QDialog
{
    Q_OBJECT

public:
    ManualWindow(QList<ManualPage> pages, QWidget* parent);

    /// Shows the page whose file has this name without its number, such as "sessions"; the first if there is none.
    void showPage(const QString& name);
    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] QTextBrowser* text() const { return m_text; }

private:
    void filter(const QString& search);
    void follow(const QUrl& shown);

    QList<ManualPage> m_pages;
    QLineEdit* m_search;
    QListWidget* m_list;
    QTextBrowser* m_text;
};

} // namespace headscope::gui
