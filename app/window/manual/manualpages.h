// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The manual's pages: Markdown files in resources/manual/LANGUAGE, in the order of their names. Pure functions; any
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

/// The pages of `folder` in the language of `locale` ("de_DE"); English where there are none.
[[nodiscard]] QList<ManualPage> manualPages(const QString& folder, const QString& locale);
/// What the glossary among `pages` says, in plain text by term.
[[nodiscard]] QHash<QString, QString> glossaryEntries(const QList<ManualPage>& pages);
/// Whether the page holds every word of `search`, in any order and any case.
[[nodiscard]] bool holds(const ManualPage& page, const QString& search);

} // namespace headscope::gui
