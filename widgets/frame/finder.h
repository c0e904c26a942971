// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds a command, a head, a task, a run or a token by a few letters. GUI thread.

#include <QFrame>
#include <QList>
#include <QString>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace headscope::widgets {

struct FinderEntry {
    QString title; ///< "Ablate top heads by this metric"
    QString group; ///< "Heads": the menu or group it belongs to
    QString keys;  ///< "Ctrl+T"; empty: none
    int id = 0;    ///< passed to chosen()
    bool enabled = true;
    bool changes = false; ///< changes results: listed after equally good matches that only show something
};

/// Returns the entries whose title, group or keys contain every word of `text`, best matches first: titles that begin
/// with it, then words that do, then letters anywhere. Case is ignored. Returns at most `most` entries.
[[nodiscard]] QList<FinderEntry> finderMatches(const QList<FinderEntry>& entries, const QString& text, int most = 60);

/// An input line above a list, on top of the window. Typing filters, Down and Up select, Enter runs, Esc closes.
class Finder : public QFrame
{
    Q_OBJECT

public:
    explicit Finder(QWidget* parent = nullptr);
    void setEntries(const QList<FinderEntry>& entries);
    /// Shows it empty over the middle of the upper part of `window`.
    void open(const QWidget& window);
    void setText(const QString& text);
    /// Returns the entries listed now, best first.
    [[nodiscard]] QList<FinderEntry> listed() const { return m_listed; }

Q_SIGNALS:
    void chosen(int id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter();
    void choose();
    void step(int by);

    QLineEdit* m_line;
    QListView* m_list;
    QStandardItemModel* m_items;
    QList<FinderEntry> m_entries;
    QList<FinderEntry> m_listed;
};

} // namespace headscope::widgets
