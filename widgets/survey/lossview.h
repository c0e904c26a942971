// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which texts need a head: the loss of next tokens with it and without it, by what the tokens are, and the tokens whose
// loss rises most. GUI thread.

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
    /// Lines of words and numbers as they are read.
    struct Table {
        QStringList header;
        std::vector<QStringList> rows;
    };

    explicit LossView(QWidget* parent = nullptr);

    /// What the numbers say, or what to do to have some.
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
