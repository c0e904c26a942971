// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/welcomepage.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kEntryPadding = 7; // pixels over and below an entry

/// Name in the first line, details in grey below.
class TwoLineDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem drawn = option;
        initStyleOption(&drawn, index);
        const Theme theme = themeOf(option.palette);
        const bool enabled = option.state.testFlag(QStyle::State_Enabled) && index.flags().testFlag(Qt::ItemIsEnabled);
        painter->save();
        QColor wash = option.palette.color(QPalette::Highlight);
        wash.setAlphaF(option.state.testFlag(QStyle::State_MouseOver) ? 0.14F : 0.2F);
        if (enabled
            && (option.state.testFlag(QStyle::State_MouseOver) || option.state.testFlag(QStyle::State_Selected)))
            painter->fillRect(option.rect, wash);
        const QRect box = option.rect.adjusted(10, kEntryPadding, -10, -kEntryPadding);
        const QFontMetrics metrics = option.fontMetrics;
        const QString detail = index.data(Qt::UserRole + 1).toString();
        painter->setPen(enabled ? theme.text : theme.muted);
        painter->setFont(option.font);
        const QRect upper(box.left(), box.top(), box.width(), metrics.height());
        painter->drawText(upper, Qt::AlignVCenter, metrics.elidedText(drawn.text, Qt::ElideRight, box.width()));
        painter->setPen(theme.muted);
        // A path tells most at its end, a sentence at its beginning.
        const Qt::TextElideMode cut = detail.contains(QDir::separator()) ? Qt::ElideMiddle : Qt::ElideRight;
        painter->drawText(upper.translated(0, metrics.height()), Qt::AlignVCenter,
                          metrics.elidedText(detail, cut, box.width()));
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const bool two = !index.data(Qt::UserRole + 1).toString().isEmpty();
        return {100, option.fontMetrics.height() * (two ? 2 : 1) + 2 * kEntryPadding};
    }
};

} // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent), m_demo(new LiveDemo(this)), m_compare(new QPushButton(this)), m_ownWords(new QPushButton(this))
{
    setAccessibleName(tr("Welcome"));
    m_compare->setText(tr("Explore these two"));
    m_compare->setDefault(true);
    m_ownWords->setText(tr("Type your own dictionary"));
    m_ownWords->setToolTip(tr("Opens a small model that reads any word, with an example to edit"));
    m_ownWords->hide();
    m_demo->buttons()->addWidget(m_compare);
    m_demo->buttons()->addWidget(m_ownWords);
    m_demo->buttons()->addStretch();
    fitFonts();
    auto* folder = new QPushButton(tr("Open a model folder…"), this);
    auto* get = new QPushButton(tr("Get a model…"), this);
    get->setToolTip(tr("By its name on the Hugging Face hub"));
    auto* session = new QPushButton(tr("Open a session…"), this);
    auto* hint = new PlainLabel(tr("or drop a folder or session here"), this);
    hint->setObjectName(u"hint"_s);
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    for (QPushButton* button : {folder, get, session})
        row->addWidget(button);
    row->addWidget(hint);
    row->addStretch();
    auto* lists = new QHBoxLayout;
    lists->setSpacing(12);
    m_tours =
        addList(tr("Learn: five minutes each, and you predict before you see"), tr("No tours are installed."), lists);
    m_shipped = addList(tr("Included models"), tr("No models are installed."), lists);
    m_cached = addList(tr("Models in the Hugging Face cache"), {}, lists);
    m_sessions = addList(tr("Continue"), {}, lists);
    lists->setStretch(0, 2);
    for (const int each : {1, 2, 3})
        lists->setStretch(each, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(28, 16, 28, 14);
    column->setSpacing(12);
    column->addWidget(m_demo, 3);
    column->addLayout(lists, 2);
    column->addLayout(row);

    connect(m_compare, &QPushButton::clicked, this, &WelcomePage::compareRequested);
    connect(m_ownWords, &QPushButton::clicked, this, &WelcomePage::ownWordsRequested);
    connect(folder, &QPushButton::clicked, this, &WelcomePage::openFolderRequested);
    connect(session, &QPushButton::clicked, this, &WelcomePage::openSessionRequested);
    connect(get, &QPushButton::clicked, this, &WelcomePage::getModelRequested);
    const auto forward = [this](QListWidget* list, void (WelcomePage::*signal)(const QString&)) {
        const auto emitId = [this, signal](const QListWidgetItem* item) {
            if (item->flags().testFlag(Qt::ItemIsEnabled))
                (this->*signal)(item->data(Qt::UserRole).toString());
        };
        connect(list, &QListWidget::itemClicked, this, emitId);
        connect(list, &QListWidget::itemActivated, this, [list, emitId](const QListWidgetItem* item) {
            // A mouse click has already been reported by itemClicked.
            if (!list->style()->styleHint(QStyle::SH_ItemView_ActivateItemOnSingleClick, nullptr, list))
                emitId(item);
        });
    };
    forward(m_shipped, &WelcomePage::modelChosen);
    forward(m_cached, &WelcomePage::modelChosen);
    forward(m_sessions, &WelcomePage::sessionChosen);
    forward(m_tours, &WelcomePage::tourChosen);
    setMuted(hint);
}

QListWidget* WelcomePage::addList(const QString& title, const QString& empty, QLayout* into)
{
    auto* card = new Card(this);
    auto* label = new PlainLabel(title, card);
    QFont bold = font();
    bold.setBold(true);
    label->setFont(bold);
    label->setWordWrap(true);
    auto* list = new QListWidget(card);
    list->setAccessibleName(title);
    list->setProperty("empty", empty);
    list->setItemDelegate(new TwoLineDelegate(list));
    list->setMouseTracking(true);
    list->setFrameShape(QFrame::NoFrame);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setMinimumHeight(60);
    label->setBuddy(list);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(6, 10, 6, 8);
    column->setSpacing(4);
    auto* heading = new QHBoxLayout;
    heading->setContentsMargins(10, 0, 10, 0);
    heading->addWidget(label);
    column->addLayout(heading);
    column->addWidget(list, 1);
    into->addWidget(card);
    fill(list, {});
    return list;
}

void WelcomePage::fill(QListWidget* list, const QList<Choice>& choices)
{
    list->clear();
    if (choices.isEmpty() && !list->property("empty").toString().isEmpty()) {
        auto* item = new QListWidgetItem(list->property("empty").toString(), list);
        item->setFlags(Qt::NoItemFlags);
        return;
    }
    for (const Choice& choice : choices) {
        auto* item = new QListWidgetItem(choice.name, list);
        item->setData(Qt::UserRole, choice.id);
        item->setData(Qt::UserRole + 1, choice.detail);
        item->setToolTip(plainText(choice.detail));
        if (choice.id.isEmpty())
            item->setFlags(Qt::NoItemFlags);
    }
}

void WelcomePage::setShippedModels(const QList<Choice>& models)
{
    fill(m_shipped, models);
}

// Nothing empty is shown of what only some people have.
void WelcomePage::setRecentSessions(const QList<Choice>& sessions)
{
    m_sessions->parentWidget()->setVisible(!sessions.isEmpty());
    fill(m_sessions, sessions);
}

void WelcomePage::setCachedModels(const QList<Choice>& models)
{
    m_cached->parentWidget()->setVisible(!models.isEmpty());
    fill(m_cached, models);
}

void WelcomePage::setTours(const QList<Choice>& tours)
{
    fill(m_tours, tours);
}

void WelcomePage::setCompareProblem(const QString& problem)
{
    m_compare->setEnabled(problem.isEmpty());
    m_compare->setToolTip(plainText(problem));
}

void WelcomePage::setOwnWordsOffered(bool offered)
{
    m_ownWords->setVisible(offered);
}

// Higher than the rest, however large the letters are made.
void WelcomePage::fitFonts()
{
    QFont button = QApplication::font();
    button.setBold(true);
    m_compare->setFont(button);
    m_compare->setMinimumHeight(m_compare->fontMetrics().height() * 9 / 4);
    m_compare->setMinimumWidth(m_compare->fontMetrics().horizontalAdvance(m_compare->text()) + 60);
    m_ownWords->setMinimumHeight(m_compare->minimumHeight());
}

void WelcomePage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitFonts();
    if (event->type() == QEvent::PaletteChange)
        if (auto* label = findChild<QLabel*>(u"hint"_s))
            setMuted(label);
}

void WelcomePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shownChanged(true);
}

void WelcomePage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    Q_EMIT shownChanged(false);
}

} // namespace headscope::widgets
