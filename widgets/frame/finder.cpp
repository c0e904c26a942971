// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/finder.h"

#include "widgets/look/theme.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWide = 560;
constexpr int kHigh = 420;
constexpr int kNone = 1 << 20;
constexpr int kGroupRole = Qt::UserRole + 1;
constexpr int kKeysRole = Qt::UserRole + 2;

/// 0 the best; kNone: the word is not there.
int rankOf(const QString& word, const FinderEntry& entry)
{
    const auto at = entry.title.indexOf(word, 0, Qt::CaseInsensitive);
    if (at == 0)
        return 0;
    if (at > 0)
        return entry.title.at(at - 1).isLetterOrNumber() ? 3 : 1;
    if (entry.group.startsWith(word, Qt::CaseInsensitive) || entry.keys.contains(word, Qt::CaseInsensitive))
        return 2;
    return entry.group.contains(word, Qt::CaseInsensitive) ? 4 : kNone;
}

class EntryDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme theme = themeOf(option.palette);
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        if (chosen)
            painter->fillRect(option.rect, mixed(theme.base, option.palette.color(QPalette::Highlight), 0.2));
        QRect box = option.rect.adjusted(10, 0, -10, 0);
        const QString keys = index.data(kKeysRole).toString();
        painter->setPen(theme.muted);
        painter->drawText(box, Qt::AlignRight | Qt::AlignVCenter, keys);
        box.setRight(box.right() - option.fontMetrics.horizontalAdvance(keys) - 12);
        const QString group = index.data(kGroupRole).toString();
        const int room = std::min(option.fontMetrics.horizontalAdvance(group) + 14, box.width() / 2);
        const bool enabled = index.flags().testFlag(Qt::ItemIsEnabled);
        painter->setPen(enabled ? theme.text : theme.muted);
        const QString title =
            option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, box.width() - room);
        painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter, title);
        box.setLeft(box.left() + option.fontMetrics.horizontalAdvance(title) + 12);
        painter->setPen(theme.muted);
        painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(group, Qt::ElideRight, box.width()));
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {100, option.fontMetrics.height() + 8};
    }
};

} // namespace

QList<FinderEntry> finderMatches(const QList<FinderEntry>& entries, const QString& text, int most)
{
    const QStringList words = text.split(u' ', Qt::SkipEmptyParts);
    std::vector<std::pair<std::pair<int, bool>, qsizetype>> found;
    for (qsizetype i = 0; i < entries.size(); ++i) {
        int rank = words.isEmpty() ? 0 : rankOf(text.simplified(), entries.at(i)) == 0 ? -1 : 0;
        for (const QString& word : words)
            rank = std::min(kNone, rank + rankOf(word, entries.at(i)));
        if (rank < kNone)
            found.push_back({{rank, entries.at(i).changes}, i});
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    QList<FinderEntry> listed;
    for (const auto& [order, index] : found) {
        if (listed.size() >= most)
            break;
        listed.append(entries.at(index));
    }
    return listed;
}

Finder::Finder(QWidget* parent)
    : QFrame(parent, Qt::Popup), m_line(new QLineEdit(this)), m_list(new QListView(this)),
      m_items(new QStandardItemModel(this))
{
    setFrameShape(QFrame::StyledPanel);
    makePage(this);
    m_line->setPlaceholderText(tr("A command, a head (L2H5), a task, a run or a token …"));
    m_line->setAccessibleName(tr("Find"));
    m_line->installEventFilter(this);
    m_list->setModel(m_items);
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(tr("Results"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_line);
    layout->addWidget(m_list, 1);
    setFocusProxy(m_line);
    connect(m_line, &QLineEdit::textChanged, this, &Finder::filter);
    connect(m_list, &QListView::clicked, this, &Finder::choose);
}

void Finder::setEntries(const QList<FinderEntry>& entries)
{
    m_entries = entries;
    filter();
}

void Finder::open(const QWidget& window)
{
    const QSize size(std::min(kWide, window.width() - 20), std::min(kHigh, window.height() - 100));
    resize(size);
    move(window.mapToGlobal(QPoint((window.width() - size.width()) / 2, 60)));
    m_line->clear();
    filter();
    show();
    m_line->setFocus();
}

void Finder::setText(const QString& text)
{
    m_line->setText(text);
}

void Finder::filter()
{
    m_listed = finderMatches(m_entries, m_line->text());
    m_items->clear();
    for (const FinderEntry& entry : std::as_const(m_listed)) {
        auto* item = new QStandardItem(entry.title);
        item->setData(entry.group, kGroupRole);
        item->setData(entry.keys, kKeysRole);
        item->setData(entry.keys.isEmpty() ? entry.title : entry.title + u", "_s + entry.keys, Qt::AccessibleTextRole);
        item->setEnabled(entry.enabled);
        m_items->appendRow(item);
    }
    if (m_listed.isEmpty()) {
        auto* none = new QStandardItem(tr("Nothing found. Try a command, a head such as L2H5, a task or a token."));
        none->setEnabled(false);
        m_items->appendRow(none);
    }
    m_list->setCurrentIndex(m_items->index(0, 0));
}

void Finder::step(int by)
{
    const int row = std::clamp(m_list->currentIndex().row() + by, 0, std::max(0, m_items->rowCount() - 1));
    m_list->setCurrentIndex(m_items->index(row, 0));
}

void Finder::choose()
{
    const int row = m_list->currentIndex().row();
    if (row < 0 || row >= m_listed.size() || !m_listed.at(row).enabled)
        return;
    const int id = m_listed.at(row).id;
    hide(); // what is done may open a dialog
    Q_EMIT chosen(id);
}

bool Finder::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_line || event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down: step(1); return true;
    case Qt::Key_Up: step(-1); return true;
    case Qt::Key_PageDown: step(10); return true;
    case Qt::Key_PageUp: step(-10); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(); return true;
    case Qt::Key_Escape: hide(); return true;
    default: return QFrame::eventFilter(watched, event);
    }
}

} // namespace headscope::widgets
