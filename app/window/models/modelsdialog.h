// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models that can be opened here: a searchable list with their needs, and the folders it covers. GUI thread.

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

    /// Lists the available models again.
    void refresh();
    /// Adds a folder of models, or a model, to the list. Also requested by a button.
    void addFolder(const QString& folder);

Q_SIGNALS:
    /// `type`: dtype for this model only; empty: as in the settings.
    void openRequested(headscope::Side side, const QString& model, const QString& type);
    void getModelRequested();
    /// The folders of the list have changed.
    void foldersChanged();

private:
    void arrange();
    void connectParts();
    void showList(const std::shared_ptr<const app::ModelList>& list);
    void showCurrent();
    void askForFolder();
    void forgetFolder();
    void open(Side side);
    /// Returns the selected model, or null.
    [[nodiscard]] const app::ListedModel* current() const;
    /// Returns the added folder that contains the current model; empty: none.
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
