// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every ablation state scored so far. GUI thread.

#include <QAbstractTableModel>
#include <QDateTime>
#include <QList>

#include <vector>

namespace headscope::widgets {

struct RunScore {
    QString text;     ///< "KV8 .02"
    double share = 0; ///< 0 to 1; other scores have no bar
};

struct RunRow {
    qint64 id = 0; ///< of the session
    QString name;  ///< "L2H5 off"
    QList<RunScore> scores;
    QDateTime time;
    QString note;
    bool current = false; ///< the state shown on the screen
    bool ticked = false;  ///< selected for comparison
    QString provenance;
    bool onTheWay = false; ///< scored as part of a ranking or sweep, not requested individually
    QString model{};       ///< "A", or a model's name, if there are runs of several models; otherwise empty
};

class RunsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Scores, Time, Note, ColumnCount };
    enum Roles { IdRole = Qt::UserRole + 1, CurrentRole };
    explicit RunsModel(QObject* parent = nullptr);
    /// Replaces the runs; those that remain keep their ticks.
    void setRuns(std::vector<RunRow> runs);
    [[nodiscard]] const std::vector<RunRow>& runs() const { return m_runs; }
    [[nodiscard]] const RunRow& run(const QModelIndex& index) const
    {
        return m_runs[static_cast<std::size_t>(index.row())];
    }
    /// Returns the ids of the ticked runs, in their order.
    [[nodiscard]] QList<qint64> ticked() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;
    bool moveRows(const QModelIndex& from, int row, int count, const QModelIndex& to, int target) override;

Q_SIGNALS:
    void nameChanged(qint64 id, const QString& name);
    void noteChanged(qint64 id, const QString& note);
    void tickedChanged(const QList<qint64>& ids);
    void orderChanged(const QList<qint64>& ids);

private:
    std::vector<RunRow> m_runs;
};

} // namespace headscope::widgets
