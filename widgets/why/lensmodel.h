// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The logit lens as a table: a row a layer, a column a token of the prompt. GUI thread.

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

struct LensCell {
    QString token; ///< the most probable there
    float probability = 0;
    float entropy = 0; ///< nats
    int rank = 0;      ///< of the followed token, 0: on top
    float logProbability = 0;
};

struct LensData {
    QStringList tokens;          ///< of the prompt, one a column
    QString followed;            ///< empty: at each position what the model says at the end
    int layers = 0;              ///< rows; the last is the model's own output
    std::vector<LensCell> cells; ///< by layer, then position
};

/// What a cell's colour tells.
enum class LensColor { Probability, Rank, Entropy };

class LensModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role {
        StrengthRole = Qt::UserRole, ///< double in [0, 1]: low to high end of the colours
        OnTopRole,                   ///< bool: the followed token is the most probable
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setLens(LensData lens);
    void setColor(LensColor color);
    [[nodiscard]] const LensData& lens() const { return m_lens; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const LensCell& cell(const QModelIndex& index) const;
    [[nodiscard]] double strength(const LensCell& cell) const;
    [[nodiscard]] QString words(const QModelIndex& index) const;

    LensData m_lens;
    LensColor m_color = LensColor::Probability;
    float m_widest = 1; ///< the largest entropy of all cells
};

} // namespace headscope::widgets
