// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One line a benchmark: baseline, now, delta with its interval, p, n. GUI thread.

#include "core/analysis/statistics.h"

#include <QAbstractTableModel>

#include <limits>
#include <vector>

namespace headscope::widgets {

/// What is known of one benchmark under one ablation state. NaN: not known yet.
struct ScoreboardRow {
    QString id;     ///< "toy_kv:pairs=8"
    QString name;   ///< "KV retrieval, 8 pairs"
    QString metric; ///< "acc", "acc_norm", "ppl"
    double baseline = std::numeric_limits<double>::quiet_NaN();
    double now = std::numeric_limits<double>::quiet_NaN();
    double delta = std::numeric_limits<double>::quiet_NaN();
    double low = std::numeric_limits<double>::quiet_NaN(); ///< interval of delta
    double high = std::numeric_limits<double>::quiet_NaN();
    double p = std::numeric_limits<double>::quiet_NaN();
    double chance = std::numeric_limits<double>::quiet_NaN(); ///< what guessing among the options would score; NaN:
                                                              ///< none are offered
    analysis::Limit limit = analysis::Limit::None;            ///< why the baseline cannot change in one direction
    QString interval;                                         ///< the kind of the interval: "Tango"
    int broken = 0;                                           ///< right before, wrong now
    int fixed = 0;
    int done = 0;               ///< examples scored in this state
    int total = 0;              ///< n
    bool running = false;       ///< `now` is an estimate from `done` examples
    bool decided = false;       ///< while it runs: enough examples for the sign of the difference
    bool waiting = false;       ///< no example of it has run yet
    bool stale = false;         ///< of an earlier state; kept until new numbers come
    bool follow = true;         ///< scored after each click
    bool pinned = false;        ///< scored first, and to its last example
    bool lowerIsBetter = false; ///< perplexity
    bool same = false;          ///< the state is the baseline itself: there is nothing to compare
    int merged = 0;             ///< rows of which other tokens are scored than the text's
    bool obtainable = false;    ///< of sample rows; its real files can be had
    QString unavailable;        ///< why there is no score: "needs real text"; empty when there can be one
    QString boundary;           ///< what `merged` means and which row is the first; empty without one
    QString shortName;          ///< "KV8", in a narrow place; empty: none says as much as the name
    QString provenance;         ///< model, revision, dtype, device, sample ids, ablation set

    /// How many examples a number that is over is of: fewer than all where some could not be scored, or where it ended
    /// when it was decided.
    [[nodiscard]] int counted() const { return done > 0 ? done : total; }
};

enum class Verdict { Unknown, Unchanged, Worse, Better };
/// By the paired test: Worse or Better when p < 0.05, Unchanged otherwise, Unknown without p.
[[nodiscard]] Verdict verdictOf(const ScoreboardRow& row);
/// Why a baseline cannot change in one direction, in a few words; empty where it can.
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
        CopyRole,        ///< value and where it comes from, for the clipboard
        SortRole,        ///< double or string behind the text
        UnavailableRole, ///< bool
        ObtainableRole,  ///< bool
    };

    explicit ScoreboardModel(QObject* parent = nullptr);
    void setRows(std::vector<ScoreboardRow> rows);
    /// Replaces the row with the same id, or appends it: how streamed scores arrive.
    void updateRow(const ScoreboardRow& row);
    /// Greys all values: a new state is being scored.
    void markStale();
    /// What the second column is; empty: "baseline".
    void setReferenceName(const QString& name);
    [[nodiscard]] const std::vector<ScoreboardRow>& rows() const { return m_rows; }
    [[nodiscard]] QStringList followed() const;
    /// Empty: none.
    [[nodiscard]] QString pinned() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// A LaTeX tabular and a Markdown table of the rows that have scores.
    [[nodiscard]] QString latex() const;
    [[nodiscard]] QString markdown() const;

Q_SIGNALS:
    void followChanged(const QString& id, bool follow);

private:
    [[nodiscard]] QString text(const ScoreboardRow& row, int column) const;
    [[nodiscard]] QVariant sortValue(const ScoreboardRow& row, int column) const;
    [[nodiscard]] QString tooltip(const ScoreboardRow& row) const;
    [[nodiscard]] QString intervalHeading() const; ///< "95 %, Tango"

    std::vector<ScoreboardRow> m_rows;
    QString m_reference;
};

} // namespace headscope::widgets
