// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/flipsmodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/patterndata.h"

#include <QFont>
#include <QGuiApplication>
#include <QPointer>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPage = 64; // rows read at once: a screen, and some to scroll into
constexpr int kPagesKept = 64;
constexpr int kListed = 10000; // rows that a view lays out at once; it asks for more when they are scrolled through

} // namespace

std::vector<FlipKind> FlipList::kinds() const
{
    std::vector<FlipKind> kinds;
    for (const Flip& flip : m_flips)
        kinds.push_back(flip.kind);
    return kinds;
}

void FlipList::read(std::vector<int> rows, Answer answer)
{
    std::vector<Flip> page;
    for (const int row : rows)
        page.push_back(m_flips[static_cast<std::size_t>(row)]);
    answer(page);
}

FlipsModel::FlipsModel(QObject* parent) : QAbstractItemModel(parent), m_pages(kPagesKept) {}

void FlipsModel::setSource(std::shared_ptr<ExampleSource> source)
{
    beginResetModel();
    m_source = std::move(source);
    m_kinds = m_source ? m_source->kinds() : std::vector<FlipKind>();
    choose();
    endResetModel();
}

void FlipsModel::setFilter(FlipFilter filter)
{
    beginResetModel();
    m_filter = filter;
    choose();
    endResetModel();
}

void FlipsModel::choose()
{
    ++m_list;
    m_pages.clear();
    m_asked.clear();
    m_choices.clear();
    m_countedAsNone.clear();
    m_shown.clear();
    for (std::size_t row = 0; row < m_kinds.size(); ++row) {
        const FlipKind kind = m_kinds[row];
        const bool wanted = m_filter == FlipFilter::Every ? true
                            : m_filter == FlipFilter::Flipped
                                ? kind != FlipKind::Same
                                : kind == (m_filter == FlipFilter::Broken ? FlipKind::Broken : FlipKind::Fixed);
        if (wanted)
            m_shown.push_back(static_cast<int>(row));
    }
    m_listed = static_cast<int>(std::min<std::size_t>(kListed, m_shown.size()));
}

std::size_t FlipsModel::count(FlipKind kind) const
{
    return static_cast<std::size_t>(std::count(m_kinds.begin(), m_kinds.end(), kind));
}

const Flip& FlipsModel::flipAt(int row) const
{
    const int page = row / kPage;
    if (!m_pages.contains(page))
        ask(page);
    if (const std::vector<Flip>* flips = m_pages.object(page))
        return (*flips)[static_cast<std::size_t>(row % kPage)];
    m_waiting = {.label = tr("reading …"),
                 .kind = m_kinds[static_cast<std::size_t>(m_shown[static_cast<std::size_t>(row)])]};
    return m_waiting;
}

void FlipsModel::ask(int page) const
{
    if (m_asked.contains(page))
        return;
    m_asked[page] = m_list;
    const auto first = m_shown.begin() + static_cast<std::ptrdiff_t>(page) * kPage;
    std::vector<int> rows(first, first + std::min<std::ptrdiff_t>(kPage, m_shown.end() - first));
    // A view that is being painted hears of no change: what comes at once is simply there.
    auto now = std::make_shared<bool>(true);
    QPointer<FlipsModel> self(const_cast<FlipsModel*>(this));
    m_source->read(std::move(rows), [self, page, list = m_list, now](const Result<std::vector<Flip>>& flips) {
        if (self && self->m_list == list)
            self->take(page, flips, !*now);
    });
    *now = false;
}

void FlipsModel::take(int page, const Result<std::vector<Flip>>& read, bool notify)
{
    m_asked.remove(page);
    const int first = page * kPage;
    const auto size = std::min<std::size_t>(kPage, m_shown.size() - static_cast<std::size_t>(first));
    auto flips = std::make_unique<std::vector<Flip>>();
    if (read.has_value())
        *flips = *read;
    while (flips->size() < size) // a file that is damaged or gone still has as many rows
        flips->push_back(
            {.label = read.has_value() ? QString() : QString::fromStdString(read.error().message),
             .kind = m_kinds[static_cast<std::size_t>(m_shown[static_cast<std::size_t>(first) + flips->size()])]});
    std::vector<int> choices;
    for (const Flip& flip : *flips)
        choices.push_back(static_cast<int>(flip.choices.size()));
    m_pages.insert(page, flips.release());
    for (std::size_t i = 0; i < size; ++i) {
        const int row = first + static_cast<int>(i);
        if (m_choices.contains(row))
            continue; // a page that was read before: its rows have kept their choices
        const bool counted = m_countedAsNone.remove(row) && choices[i] > 0;
        if (counted)
            beginInsertRows(index(row, 0), 0, choices[i] - 1);
        m_choices[row] = choices[i];
        if (counted)
            endInsertRows();
    }
    if (notify)
        Q_EMIT dataChanged(index(first, 0),
                           index(std::min(m_listed, first + static_cast<int>(size)) - 1, ColumnCount - 1));
}

// The internal id is 0 for an example and its row + 1 for its choices.
QModelIndex FlipsModel::index(int row, int column, const QModelIndex& parent) const
{
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex FlipsModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == 0)
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int FlipsModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return m_listed;
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    if (!m_choices.contains(parent.row()))
        ask(parent.row() / kPage);
    if (!m_choices.contains(parent.row()))
        m_countedAsNone.insert(parent.row());
    return m_choices.value(parent.row());
}

bool FlipsModel::canFetchMore(const QModelIndex& parent) const
{
    return !parent.isValid() && static_cast<std::size_t>(m_listed) < m_shown.size();
}

void FlipsModel::fetchMore(const QModelIndex& parent)
{
    if (!canFetchMore(parent))
        return;
    const int to =
        static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(m_listed) + kListed, m_shown.size()));
    beginInsertRows({}, m_listed, to - 1);
    m_listed = to;
    endInsertRows();
}

// A view asks this of every row at once: the answer must not read any.
bool FlipsModel::hasChildren(const QModelIndex& parent) const
{
    return parent.isValid() ? parent.internalId() == 0 && parent.column() == 0 : !m_shown.empty();
}

int FlipsModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QVariant FlipsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const bool top = index.internalId() == 0;
    const Flip& flip = flipAt(top ? index.row() : static_cast<int>(index.internalId()) - 1);
    if (role == KindRole)
        return static_cast<int>(flip.kind);
    if (role == IdRole)
        return flip.exampleId;
    return top ? exampleData(flip, index.column(), role)
           : static_cast<std::size_t>(index.row()) < flip.choices.size()
               ? choiceData(flip.choices[static_cast<std::size_t>(index.row())], index.column(), role)
               : QVariant(); // its page is being read once more
}

QVariant FlipsModel::exampleData(const Flip& flip, int column, int role) const
{
    const auto chosen = [&](bool FlipChoice::*which) {
        const auto found = std::find_if(flip.choices.begin(), flip.choices.end(),
                                        [&](const FlipChoice& choice) { return choice.*which; });
        return found == flip.choices.end() ? tr("other")
                                           : tokenLabel(found->text); // an answer that is none of the choices
    };
    switch (role) {
    case Qt::DisplayRole:
        if (column == Text)
            return u"%1  …%2"_s.arg(flip.label,
                                    tokenQuoted(flip.prompt.simplified().right(160)).replace(QChar(0x2423), u' '));
        return chosen(column == Before ? &FlipChoice::chosenBefore : &FlipChoice::chosenAfter);
    case Qt::ToolTipRole: return plainText(flip.prompt);
    case Qt::ForegroundRole: {
        if (column != After || flip.kind == FlipKind::Same)
            return {};
        const Theme theme = themeOf(QGuiApplication::palette());
        return flip.kind == FlipKind::Broken ? theme.bad : theme.good;
    }
    case Qt::AccessibleTextRole:
        return flip.label
               + (flip.kind == FlipKind::Broken  ? tr(", now wrong")
                  : flip.kind == FlipKind::Fixed ? tr(", now right")
                                                 : tr(", as before"));
    default: return {};
    }
}

QVariant FlipsModel::choiceData(const FlipChoice& choice, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        if (column == Text)
            return (choice.gold ? u"✓ "_s : u"   "_s) + tokenLabel(choice.text);
        return numberText(column == Before ? choice.before : choice.after, 2)
               + ((column == Before ? choice.chosenBefore : choice.chosenAfter) ? u" ◂"_s : QString());
    case Qt::FontRole: {
        QFont font;
        font.setBold(column == Before ? choice.chosenBefore : column == After && choice.chosenAfter);
        return font;
    }
    case Qt::ForegroundRole: return choice.gold ? QVariant(themeOf(QGuiApplication::palette()).good) : QVariant();
    case GoldRole: return choice.gold;
    case ChosenRole: return column == Before ? choice.chosenBefore : choice.chosenAfter;
    default: return {};
    }
}

QVariant FlipsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Text: return tr("example, choices");
    case Before: return tr("baseline");
    case After: return tr("now");
    default: return {};
    }
}

} // namespace headscope::widgets
