// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of tokens and the experts of a layer: one row per token, one column per expert, preceded by the one that runs
// for every token, if there is one. GUI thread.

#include "widgets/why/experts/expertdata.h"

#include <QAbstractTableModel>

#include <vector>

namespace headscope::widgets {

enum class ExpertOrder {
    Number,
    Tokens ///< by number of tokens without ablation, descending, so that no ablation moves a column
};

class ExpertModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Change { None, Came, Went }; ///< effect of the ablation on a route

    /// Of cells; the last three also of columns.
    enum Role {
        WeightRole = Qt::UserRole, ///< double: weight of the expert; invalid if it does not run
        StrengthRole,              ///< double in [0, 1]: relative to the largest weight of the layer
        ChangeRole,                ///< Change
        SharedRole,                ///< bool: the expert that runs for every token
        OffRole,                   ///< bool: ablated
        TokensRole                 ///< int: number of tokens routed to it
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setExperts(ExpertData experts);
    void setOrder(ExpertOrder order);
    [[nodiscard]] const ExpertData& experts() const { return m_data; }
    /// Returns the expert of a column; -1: the one that runs for every token, or no such column.
    [[nodiscard]] int expertAt(int column) const;
    [[nodiscard]] int columnOf(int expert) const;
    /// Returns the number of tokens routed to an expert.
    [[nodiscard]] int tokensOf(int expert) const { return m_tokens[static_cast<std::size_t>(expert)]; }
    [[nodiscard]] bool isOff(int expert) const;
    /// Returns the whole table separated by tabs, followed by its provenance.
    [[nodiscard]] QString valuesText() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] int sharedColumns() const { return m_data.shared.empty() ? 0 : 1; }
    /// Returns the rank of an expert among the token's choices, 0: the largest weight; -1: not chosen.
    [[nodiscard]] static int rankIn(const ExpertPicks& picks, int token, int expert);
    [[nodiscard]] static double weightIn(const ExpertPicks& picks, int token, int rank);
    [[nodiscard]] QVariant weight(const QModelIndex& index) const;
    [[nodiscard]] Change change(const QModelIndex& index) const;
    [[nodiscard]] QString nameOf(int column) const;
    [[nodiscard]] QString words(const QModelIndex& index) const;
    [[nodiscard]] QString columnWords(int column) const;
    [[nodiscard]] QVariant columnData(int column, int role) const;
    void arrange();

    ExpertData m_data;
    ExpertOrder m_order = ExpertOrder::Number;
    std::vector<int> m_columns; ///< expert of each column after the shared one's
    std::vector<int> m_tokens;  ///< by expert
    double m_largest = 1;       ///< weight
};

} // namespace headscope::widgets
