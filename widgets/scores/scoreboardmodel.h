// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One line per benchmark: baseline, current score, difference with its interval, p, n. GUI thread.

#include "core/analysis/statistics.h"

#include <QAbstractTableModel>

#include <limits>
#include <vector>

namespace headscope::widgets {

/// The results of one benchmark in one ablation state. NaN: not known yet.
struct ScoreboardRow {
    QString id;     ///< "toy_kv:pairs=8"
    QString name;   ///< "KV retrieval, 8 pairs"
    QString metric; ///< "acc", "acc_norm", "ppl"
    double baseline = std::numeric_limits<double>::quiet_NaN();
    double now = std::numeric_limits<double>::quiet_NaN();
    double delta = std::numeric_limits<double>::quiet_NaN();
    double low = std::numeric_limits<double>::quiet_NaN(); ///< confidence interval of delta
    double high = std::numeric_limits<double>::quiet_NaN();
    double p = std::numeric_limits<double>::quiet_NaN();
    double chance = std::numeric_limits<double>::quiet_NaN(); ///< score of guessing among the options; NaN: the task
                                                              ///< has none
    analysis::Limit limit = analysis::Limit::None;            ///< why the baseline cannot change in one direction
    QString interval;                                         ///< the method of the interval: "Tango"
    int broken = 0;                                           ///< right before, wrong now
    int fixed = 0;
    int done = 0;               ///< examples scored in this state
    int total = 0;              ///< n
    bool running = false;       ///< `now` is an estimate from `done` examples
    bool decided = false;       ///< while running: the sign of the difference is certain
    bool waiting = false;       ///< not started yet
    bool stale = false;         ///< from an earlier state; shown until new scores arrive
    bool follow = true;         ///< scored after each click
    bool pinned = false;        ///< scored first, and on all its examples
    bool lowerIsBetter = false; ///< perplexity
    bool same = false;          ///< the state is the baseline itself: there is nothing to compare
    int merged = 0;             ///< rows in which the scored tokens differ from those of the text
    bool obtainable = false;    ///< scored on sample rows; the real files can be downloaded
    QString unavailable;        ///< why there is no score: "needs real text"; empty if there can be one
    QString boundary;           ///< the meaning of `merged` and its first row; empty if there is none
    QString shortName;          ///< "KV8", for narrow places; empty: only the full name is clear
    QString provenance;         ///< model, revision, dtype, device, sample ids, ablation set

    /// Returns the number of examples behind a final score: fewer than all if some could not be scored, or if scoring
    /// ended once decided.
    [[nodiscard]] int counted() const { return done > 0 ? done : total; }
};

enum class Verdict { Unknown, Unchanged, Worse, Better };
/// Returns the result of the paired test: Worse or Better if p < 0.05, Unchanged otherwise, Unknown without p.
[[nodiscard]] Verdict verdictOf(const ScoreboardRow& row);
/// Returns why a baseline cannot change in one direction, in a few words; empty if it can.
[[nodiscard]] QString limitWords(const ScoreboardRow& row);

class ScoreboardModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Benchmark, Baseline, Now, Delta, P, N, ColumnCount };
    enum Roles {
        VerdictRole = Qt::UserRole + 1, ///< Verdict as int
        StaleRole,                      ///< bool
        ProgressRole,                   ///< double 0 to 1 while running, else -1
        IdRole,
        CopyRole,        ///< value and its provenance, for the clipboard
        SortRole,        ///< double or string behind the text
        UnavailableRole, ///< bool
        ObtainableRole,  ///< bool
    };

    explicit ScoreboardModel(QObject* parent = nullptr);
    void setRows(std::vector<ScoreboardRow> rows);
    /// Replaces the row with the same id, or appends it; used for scores that arrive one by one.
    void updateRow(const ScoreboardRow& row);
    /// Greys all values while a new state is scored.
    void markStale();
    /// Sets the heading of the second column; empty: "baseline".
    void setReferenceName(const QString& name);
    [[nodiscard]] const std::vector<ScoreboardRow>& rows() const { return m_rows; }
    [[nodiscard]] QStringList followed() const;
    /// Returns the id of the pinned benchmark; empty: none.
    [[nodiscard]] QString pinned() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// Return a LaTeX tabular and a Markdown table of the rows with scores of the current state.
    [[nodiscard]] QString latex() const;
    [[nodiscard]] QString markdown() const;

Q_SIGNALS:
    void followChanged(const QString& id, bool follow);

private:
    [[nodiscard]] QString text(const ScoreboardRow& row, int column) const;
    [[nodiscard]] QVariant sortValue(const ScoreboardRow& row, int column) const;
    [[nodiscard]] QString tooltip(const ScoreboardRow& row) const;
    [[nodiscard]] QString intervalHeading() const; ///< "95 %, Tango"
    [[nodiscard]] QString referenceWords() const;

    std::vector<ScoreboardRow> m_rows;
    QString m_reference;
};

} // namespace headscope::widgets
