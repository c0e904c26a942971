// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Examples that two states scored, the ones whose answer changed first of all: the model behind FlipsView. What a row
// says is asked for when it is looked at and comes when it is there, so that a list may have a million. GUI thread.

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
    double after = std::numeric_limits<double>::quiet_NaN();  ///< ... now
    bool gold = false;
    bool chosenBefore = false;
    bool chosenAfter = false;
};

enum class FlipKind : quint8 {
    Broken, ///< right before, wrong now
    Fixed,  ///< wrong before, right now
    Same,   ///< as right or as wrong as before
};

[[nodiscard]] constexpr FlipKind flipKind(bool rightBefore, bool rightNow)
{
    return rightBefore == rightNow ? FlipKind::Same : rightBefore ? FlipKind::Broken : FlipKind::Fixed;
}

struct Flip {
    QString exampleId; ///< what loads it as the prompt
    QString label;     ///< "sample 12"
    QString prompt;
    FlipKind kind = FlipKind::Broken;
    std::vector<FlipChoice> choices;
};

/// Where the rows come from.
class ExampleSource
{
public:
    virtual ~ExampleSource() = default;
    using Answer = std::function<void(const Result<std::vector<Flip>>&)>;
    /// One a row, in the order they are shown; asked once.
    [[nodiscard]] virtual std::vector<FlipKind> kinds() const = 0;
    /// The rows with these numbers, a page at a time, when it comes into view. `answer` is called at once or later, on
    /// this thread.
    virtual void read(std::vector<int> rows, Answer answer) = 0;
};

/// Rows that are at hand.
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
    /// The example of a top row: while it is on its way, and where it cannot be read, its label says so. Good until
    /// the next call.
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
    /// Fills a page; `notify`: the views are informed.
    void take(int page, const Result<std::vector<Flip>>& flips, bool notify);

    std::shared_ptr<ExampleSource> m_source;
    std::vector<FlipKind> m_kinds;
    std::vector<int> m_shown; ///< rows of the source, in order
    int m_listed = 0;         ///< how many of them views know of: they lay out every row that there is
    FlipFilter m_filter = FlipFilter::Flipped;
    mutable QCache<int, std::vector<Flip>> m_pages; ///< what was looked at last
    mutable QHash<int, quint64> m_asked;            ///< pages on their way, by the list that they belong to
    QHash<int, int> m_choices;                      ///< of each row that was ever read: what views count on
    mutable QSet<int> m_countedAsNone;              ///< rows that were on their way when a view counted their choices
    mutable Flip m_waiting;
    quint64 m_list = 0; ///< counts source and filter: what comes of an earlier one is dropped
};

} // namespace headscope::widgets
