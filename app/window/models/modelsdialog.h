// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models that can be opened here: a list with search, what each takes, and the folders it is made of. GUI thread.

#include "app/backend/models/modellistdoor.h"
#include "core/base/side.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStandardItemModel;
class QTableView;

namespace headscope::gui {

class ModelsDialog : public QDialog
{
    Q_OBJECT

public:
    /// `shipped`: the folder of the models that come with the program.
    explicit ModelsDialog(const std::filesystem::path& shipped, QWidget* parent = nullptr);

    /// Lists again what is there now.
    void refresh();
    /// A folder of models, or a model, from now on in the list. Also asked for by a button.
    void addFolder(const QString& folder);

Q_SIGNALS:
    /// `type`: for this model alone; empty: what the settings say.
    void openRequested(headscope::Side side, const QString& model, const QString& type);
    void getModelRequested();
    /// The folders of the list are others.
    void foldersChanged();

private:
    void arrange();
    void connectParts();
    void showList(const std::shared_ptr<const app::ModelList>& list);
    void showCurrent();
    void askForFolder();
    void forgetFolder();
    void open(Side side);
    /// Of the list, or null.
    [[nodiscard]] const app::ListedModel* current() const;
    /// The added folder that the current model lies in; empty: none.
    [[nodiscard]] std::filesystem::path currentFolder() const;

    app::ModelListDoor m_door;
    std::shared_ptr<const app::ModelList> m_list;
    QStandardItemModel* m_rows;
    QSortFilterProxyModel* m_shown;
    QLineEdit* m_search;
    QTableView* m_table;
    QLabel* m_about;
    QComboBox* m_type;
    QPushButton *m_openA, *m_openB, *m_add, *m_forget, *m_get;
};

} // namespace headscope::gui
