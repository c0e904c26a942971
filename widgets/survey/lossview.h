// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The texts that need a head: the loss of next tokens with and without it, by kind of token, and the tokens with the
// largest increase of loss. GUI thread.

#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

class QLabel;
class QStandardItemModel;
class QTableView;

namespace headscope::widgets {

class LossView : public QWidget
{
    Q_OBJECT

public:
    /// The displayed lines of words and numbers.
    struct Table {
        QStringList header;
        std::vector<QStringList> rows;
    };

    explicit LossView(QWidget* parent = nullptr);

    /// Sets the summary of the numbers, or how to obtain them.
    void setSentence(const QString& sentence);
    void setGroups(const Table& table);
    void setRises(const Table& table);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QStandardItemModel* groups() const { return m_groups; }
    [[nodiscard]] QStandardItemModel* rises() const { return m_rises; }

private:
    [[nodiscard]] static QTableView* makeTable(QStandardItemModel* model, const QString& name);

    QLabel* m_sentence;
    QStandardItemModel *m_groups, *m_rises;
    QTableView *m_groupTable, *m_riseTable;
};

} // namespace headscope::widgets
