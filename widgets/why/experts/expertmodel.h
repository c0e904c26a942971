// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens and the experts of a layer as a table: a row a token, a column an expert, and first the one that runs for
// every token where there is one. GUI thread.

#include "widgets/why/experts/expertdata.h"

#include <QAbstractTableModel>

#include <vector>

namespace headscope::widgets {

enum class ExpertOrder {
    Number,
    Tokens ///< that take the most come first; with nothing ablated, so that no ablation moves a column
};

class ExpertModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Change { None, Came, Went }; ///< by what is ablated

    /// Of cells; the last three of columns too.
    enum Role {
        WeightRole = Qt::UserRole, ///< double: what the expert counts there; invalid where it does not run
        StrengthRole,              ///< double in [0, 1]: of the largest weight of the layer
        ChangeRole,                ///< Change
        SharedRole,                ///< bool: the expert that runs for every token
        OffRole,                   ///< bool: ablated
        TokensRole                 ///< int: how many tokens it takes
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setExperts(ExpertData experts);
    void setOrder(ExpertOrder order);
    [[nodiscard]] const ExpertData& experts() const { return m_data; }
    /// The expert of a column; -1: the one that runs for every token, or there is no such column.
    [[nodiscard]] int expertAt(int column) const;
    [[nodiscard]] int columnOf(int expert) const;
    /// How many tokens go to an expert.
    [[nodiscard]] int tokensOf(int expert) const { return m_tokens[static_cast<std::size_t>(expert)]; }
    [[nodiscard]] bool isOff(int expert) const;
    /// The whole table between tabs, and below it what it is of.
    [[nodiscard]] QString valuesText() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] int sharedColumns() const { return m_data.shared.empty() ? 0 : 1; }
    /// Which of the token's choices an expert is, 0: the heaviest; -1: none.
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
    std::vector<int> m_columns; ///< expert of each column behind the shared one's
    std::vector<int> m_tokens;  ///< by expert
    double m_largest = 1;       ///< weight
};

} // namespace headscope::widgets
