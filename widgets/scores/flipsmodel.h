// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples scored in two states, those with changed answers first: the model behind FlipsView. The content of a row
// is read when it comes into view and arrives later, so that a list may have a million rows. GUI thread.

#include "core/base/result.h"

#include <QAbstractItemModel>
#include <QCache>
#include <QHash>
#include <QSet>

#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace headscope::widgets {

struct FlipChoice {
    QString text;
    double before = std::numeric_limits<double>::quiet_NaN(); ///< log-likelihood at baseline
    double after = std::numeric_limits<double>::quiet_NaN();  ///< the same in the current state
    bool gold = false;
    bool chosenBefore = false;
    bool chosenAfter = false;
};

enum class FlipKind : quint8 {
    Broken, ///< right before, wrong now
    Fixed,  ///< wrong before, right now
    Same,   ///< right or wrong in both states
};

[[nodiscard]] constexpr FlipKind flipKind(bool rightBefore, bool rightNow)
{
    return rightBefore == rightNow ? FlipKind::Same : rightBefore ? FlipKind::Broken : FlipKind::Fixed;
}

struct Flip {
    QString exampleId; ///< used to load it as the prompt
    QString label;     ///< "sample 12"
    QString prompt;
    FlipKind kind = FlipKind::Broken;
    std::vector<FlipChoice> choices;
};

/// The source of the rows.
class ExampleSource
{
public:
    virtual ~ExampleSource() = default;
    using Answer = std::function<void(const Result<std::vector<Flip>>&)>;
    /// Returns one kind per row, in display order; called once.
    [[nodiscard]] virtual std::vector<FlipKind> kinds() const = 0;
    /// Reads the rows with these numbers, a page at a time, when it comes into view. `answer` is called at once or
    /// later, on this thread.
    virtual void read(std::vector<int> rows, Answer answer) = 0;
};

/// Rows in memory.
class FlipList : public ExampleSource
{
public:
    explicit FlipList(std::vector<Flip> flips) : m_flips(std::move(flips)) {}
    [[nodiscard]] std::vector<FlipKind> kinds() const override;
    void read(std::vector<int> rows, Answer answer) override;

private:
    std::vector<Flip> m_flips;
};

enum class FlipFilter { Flipped, Broken, Fixed, Every };

/// Examples at the top level, their choices below.
class FlipsModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { Text, Before, After, ColumnCount };
    enum Roles { KindRole = Qt::UserRole + 1, IdRole, GoldRole, ChosenRole };
    explicit FlipsModel(QObject* parent = nullptr);
    void setSource(std::shared_ptr<ExampleSource> source); ///< null: no rows
    void setFilter(FlipFilter filter);
    [[nodiscard]] std::size_t count(FlipKind kind) const;
    /// Returns the example of a top row; while it is being read, or if that fails, its label says so. Valid until the
    /// next call.
    [[nodiscard]] const Flip& flipAt(int row) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    bool hasChildren(const QModelIndex& parent = {}) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QVariant exampleData(const Flip& flip, int column, int role) const;
    [[nodiscard]] QVariant choiceData(const FlipChoice& choice, int column, int role) const;
    void choose();
    void ask(int page) const;
    /// Fills a page; `notify`: informs the views.
    void take(int page, const Result<std::vector<Flip>>& flips, bool notify);

    std::shared_ptr<ExampleSource> m_source;
    std::vector<FlipKind> m_kinds;
    std::vector<int> m_shown; ///< rows of the source, in order
    int m_listed = 0;         ///< number of rows known to views, which lay out every row they know
    FlipFilter m_filter = FlipFilter::Flipped;
    mutable QCache<int, std::vector<Flip>> m_pages; ///< recently used pages
    mutable QHash<int, quint64> m_asked;            ///< pages being read, by the list they belong to
    QHash<int, int> m_choices;                      ///< number of choices of each row ever read, which views rely on
    mutable QSet<int> m_countedAsNone;              ///< rows that were being read when a view asked for their choices
    mutable Flip m_waiting;
    quint64 m_list = 0; ///< counts changes of source and filter: answers for an earlier list are dropped
};

} // namespace headscope::widgets
