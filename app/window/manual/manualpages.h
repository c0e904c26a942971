// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The manual's pages: Markdown files in resources/manual/LANGUAGE, sorted by name. Pure functions; any
// thread.

#include <QHash>
#include <QList>
#include <QString>

namespace headscope::gui {

struct ManualPage {
    QString path;  ///< of the file
    QString title; ///< its first heading
    QString text;  ///< Markdown
};

/// Returns the pages of `folder` in the language of `locale` ("de_DE"); in English if there are none.
[[nodiscard]] QList<ManualPage> manualPages(const QString& folder, const QString& locale);
/// Returns the entries of the glossary among `pages`, in plain text by term.
[[nodiscard]] QHash<QString, QString> glossaryEntries(const QList<ManualPage>& pages);
/// Returns whether the page contains every word of `search`, in any order and case.
[[nodiscard]] bool holds(const ManualPage& page, const QString& search);

} // namespace headscope::gui
