// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Assigns roles to the columns of a table, with a preview of one row. GUI thread.

#include "core/tasks/import/questiontable.h"

#include <QDialog>

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;

namespace headscope::gui {

class TableDialog : public QDialog
{
    Q_OBJECT

public:
    /// `name`: initial name of the task; `folder`: where it will be stored.
    TableDialog(tasks::Table table, const QString& name, QString folder, QWidget* parent = nullptr);

    [[nodiscard]] tasks::TableMeaning meaning() const;
    [[nodiscard]] const tasks::Table& table() const { return m_table; }
    /// Returns the path of the task file, derived from its name.
    [[nodiscard]] QString taskFile() const;
    [[nodiscard]] QString preview() const;

private:
    void arrange();
    /// Proposes the most likely roles of the table's columns.
    void guess();
    void guessForm();
    void showRow();
    [[nodiscard]] QString fitText(const tasks::TableFit& fit) const;

    tasks::Table m_table;
    QString m_folder;
    QLineEdit* m_name;
    QComboBox* m_kind;
    QPlainTextEdit* m_prompt;
    QListWidget* m_choices;
    QComboBox* m_answer;
    QComboBox* m_form;
    QLabel* m_row;
    QDialogButtonBox* m_buttons;
};

} // namespace headscope::gui
