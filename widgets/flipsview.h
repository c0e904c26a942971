// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples whose answer changed: prompt, choices, both log-likelihoods. GUI thread.

#include <QAbstractItemModel>
#include <QWidget>

#include <limits>
#include <vector>

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTreeView;

namespace headscope::widgets {

struct FlipChoice {
    QString text;
    double before = std::numeric_limits<double>::quiet_NaN(); ///< log-likelihood at baseline
    double after = std::numeric_limits<double>::quiet_NaN();  ///< ... now
    bool gold = false;
    bool chosenBefore = false;
    bool chosenAfter = false;
};

/// One example that is right in one state and wrong in the other.
struct Flip {
    QString exampleId;  ///< content hash: what loads it as the prompt
    QString label;      ///< "sample 12"
    QString prompt;
    bool broken = true; ///< right before, wrong now; else wrong before, right now
    std::vector<FlipChoice> choices;
};

/// Examples at the top level, their choices below.
class FlipsModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { Text, Before, After, ColumnCount };
    enum Roles { BrokenRole = Qt::UserRole + 1, IdRole, GoldRole, ChosenRole };
    explicit FlipsModel(QObject* parent = nullptr);
    void setFlips(std::vector<Flip> flips);
    [[nodiscard]] const std::vector<Flip>& flips() const { return m_flips; }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Flip> m_flips;
};

class FlipsView : public QWidget
{
    Q_OBJECT
public:
    explicit FlipsView(QWidget* parent = nullptr);
    void setFlips(const QString& benchmark, std::vector<Flip> flips);
    [[nodiscard]] FlipsModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    QSize sizeHint() const override;

Q_SIGNALS:
    /// Double click or Enter: this example should become the prompt.
    void exampleActivated(const QString& exampleId);

private:
    void applyFilter();

    FlipsModel* m_model;
    QSortFilterProxyModel* m_filtered;
    QTreeView* m_tree;
    QLabel* m_title;
    QComboBox* m_filter;
};

} // namespace headscope::widgets
