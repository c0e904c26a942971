// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A lens as a table: one row per layer, one column per token of the prompt, or per group of tokens when zoomed out. GUI
// thread.

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

struct LensCell {
    QString token; ///< the most probable token
    int id = -1;   ///< its id; -1: the lens has no matrix for this layer
    float probability = 0;
    float entropy = 0; ///< nats
    int rank = 0;      ///< rank of the followed token; 0: most probable
    float logProbability = 0;
};

struct LensData {
    QStringList tokens;          ///< of the prompt, one per column
    std::vector<int> ids;        ///< their numbers
    QString followed;            ///< empty: at each position the model's final prediction
    int layers = 0;              ///< rows; the last is the model's own output
    std::vector<LensCell> cells; ///< by layer, then position
    std::vector<float> before; ///< log-probability of the followed token with all heads on, for each cell; may be empty
};

/// A token and its id in the vocabulary.
struct NumberedToken {
    QString text;
    int id = 0;
};

/// The quantity shown by a cell's colour.
enum class LensColor { Probability, Rank, Entropy, Change };

class LensModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role {
        StrengthRole = Qt::UserRole, ///< double in [0, 1]: low to high end of the colours; NaN: unknown
        SignedRole,                  ///< bool: 0.5 means no change
        OnTopRole,                   ///< bool: the followed token is the most probable
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setLens(LensData lens);
    void setColor(LensColor color);
    /// Sets the number of tokens per column; above 1 a cell shows the mean of their values and no token.
    void setPool(int tokens);
    [[nodiscard]] int pool() const { return m_pool; }
    [[nodiscard]] const LensData& lens() const { return m_lens; }
    /// Return the token of a cell, and the prompt token of a column; only for columns of a single token.
    [[nodiscard]] NumberedToken said(const QModelIndex& index) const;
    [[nodiscard]] NumberedToken asked(int column) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] int positions() const { return static_cast<int>(m_lens.tokens.size()); }
    /// Returns the first and the last token of a column.
    [[nodiscard]] std::pair<int, int> span(int column) const;
    [[nodiscard]] std::size_t at(int layer, int position) const
    {
        return static_cast<std::size_t>(layer) * static_cast<std::size_t>(positions())
               + static_cast<std::size_t>(position);
    }
    [[nodiscard]] const LensCell& cell(const QModelIndex& index) const;
    [[nodiscard]] double strength(std::size_t cell) const;
    [[nodiscard]] double strength(const QModelIndex& index) const;
    [[nodiscard]] double change(std::size_t cell) const;
    [[nodiscard]] QString words(const QModelIndex& index) const;

    LensData m_lens;
    LensColor m_color = LensColor::Probability;
    int m_pool = 1;
    float m_widest = 1; ///< the largest entropy of all cells
    double m_moved = 1; ///< the largest change of all cells, nats
};

} // namespace headscope::widgets
