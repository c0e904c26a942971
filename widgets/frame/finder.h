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
    QString title; ///< "Ablate the top heads of this colour"
    QString group; ///< "Heads": where it is found otherwise
    QString keys;  ///< "Ctrl+T"; empty: none
    int id = 0;    ///< what chosen() gives
    bool enabled = true;
    bool changes = false; ///< what is measured: behind others that match as well, so that a name alone shows
};

/// Those whose title, group or keys hold every word of `text`, the better ones first: a title that begins with it, then
/// words that do, then letters anywhere. Upper and lower case are the same. At most `most`.
[[nodiscard]] QList<FinderEntry> finderMatches(const QList<FinderEntry>& entries, const QString& text, int most = 60);

/// A line and a list below it, over what is there. Typing filters, Down and Up choose, Enter does it, Esc leaves.
class Finder : public QFrame
{
    Q_OBJECT

public:
    explicit Finder(QWidget* parent = nullptr);
    void setEntries(const QList<FinderEntry>& entries);
    /// Shows it over the middle of the upper part of `window`, empty.
    void open(const QWidget& window);
    void setText(const QString& text);
    /// What is listed now, best first.
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
