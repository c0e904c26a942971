// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/manual/manualwindow.h"

#include "widgets/look/fitscreen.h"

#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::gui {

namespace {

constexpr int kListWidth = 210, kWidest = 420, kWidth = 900, kHeight = 620;

} // namespace

ManualWindow::ManualWindow(QList<ManualPage> pages, QWidget* parent)
    : QDialog(parent), m_pages(std::move(pages)), m_search(new QLineEdit), m_list(new QListWidget),
      m_text(new QTextBrowser)
{
    setWindowTitle(tr("Manual"));
    setModal(false);
    m_search->setPlaceholderText(tr("Search all pages"));
    m_search->setAccessibleName(tr("Search the manual"));
    m_search->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Pages"));
    m_text->setAccessibleName(tr("Page"));
    m_text->setOpenExternalLinks(false);
    for (const ManualPage& page : std::as_const(m_pages))
        m_list->addItem(page.title);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    auto* split = new QSplitter;
    split->addWidget(left);
    split->addWidget(m_text);
    split->setStretchFactor(1, 1);
    const int list = std::max(kListWidth, m_list->sizeHintForColumn(0) + 2 * m_list->frameWidth()
                                              + m_list->verticalScrollBar()->sizeHint().width());
    left->setMinimumWidth(std::min(list, kWidest)); // titles are read, not guessed
    split->setChildrenCollapsible(false);
    split->setSizes({list, kWidth - list});
    (new QVBoxLayout(this))->addWidget(split);
    widgets::resizeWithinScreen(*this, {kWidth, kHeight});
    connect(m_search, &QLineEdit::textChanged, this, &ManualWindow::filter);
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row < 0)
            return;
        const QUrl page = QUrl::fromLocalFile(m_pages.at(row).path);
        if (m_text->source().adjusted(QUrl::RemoveFragment) != page)
            m_text->setSource(page, QTextDocument::MarkdownResource);
    });
    connect(m_text, &QTextBrowser::sourceChanged, this, &ManualWindow::follow);
    m_list->setCurrentRow(0);
}

void ManualWindow::showPage(const QString& name)
{
    m_search->clear();
    const auto page = std::ranges::find_if(m_pages, [&name](const ManualPage& each) {
        return QFileInfo(each.path).completeBaseName().section(u'-', 1) == name;
    });
    m_list->setCurrentRow(page == m_pages.end() ? 0 : static_cast<int>(page - m_pages.begin()));
}

// The list shows the pages that hold all words; on the first of them the first word is marked.
void ManualWindow::filter(const QString& search)
{
    int first = -1;
    for (int row = 0; row < m_list->count(); ++row) {
        const bool found = holds(m_pages.at(row), search);
        m_list->item(row)->setHidden(!found);
        if (found && first < 0)
            first = row;
    }
    const QString word = search.section(u' ', 0, 0, QString::SectionSkipEmpty);
    if (word.isEmpty() || first < 0)
        return;
    if (m_list->currentRow() < 0 || m_list->currentItem()->isHidden())
        m_list->setCurrentRow(first);
    m_text->moveCursor(QTextCursor::Start);
    m_text->find(word);
}

// A link leads to another page: the list follows.
void ManualWindow::follow(const QUrl& shown)
{
    const auto page = std::ranges::find(m_pages, shown.toLocalFile(), &ManualPage::path);
    if (page != m_pages.end())
        m_list->setCurrentRow(static_cast<int>(page - m_pages.begin()));
}

} // namespace headscope::gui
