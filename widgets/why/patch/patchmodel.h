// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A patching map as a table: one row per layer (or kind of heads in it), one column per head or token of the prompt.
// GUI thread.

#include "widgets/why/patch/promptdifference.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

struct PatchedValue {
    double share = 0;         ///< 0: as without the patch, 1: as the other run
    double low = 0, high = 0; ///< 95 % confidence interval; both NaN for a single pair
    bool known = false;       ///< the model has this part
    double raw = 0;           ///< the logit difference with the patch
};

struct PatchData {
    QStringList rows, columns;       ///< "L2", "H5" or tokens
    QStringList names;               ///< names of the cells, row by row: "L2H5", "stream before layer 2, position 4"
    std::vector<bool> differs;       ///< by column: the two prompts differ there
    std::vector<PatchedValue> cells; ///< row by row
    bool heads = false;              ///< columns are heads
    PromptPair pair;                 ///< prompts of the compared runs
};

class PatchModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role {
        ShareRole = Qt::UserRole, ///< double; invalid if the model has no such part
        NameRole                  ///< "L2H5"
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setPatches(PatchData patches);
    [[nodiscard]] const PatchData& patches() const { return m_patches; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString words(const QModelIndex& index) const;
    [[nodiscard]] std::size_t at(const QModelIndex& index) const
    {
        return static_cast<std::size_t>(index.row()) * static_cast<std::size_t>(m_patches.columns.size())
               + static_cast<std::size_t>(index.column());
    }
    PatchData m_patches;
};

} // namespace headscope::widgets
