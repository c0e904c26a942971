// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/welcomepage.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QDir>
#include <QGridLayout>
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
    : QWidget(parent), m_compare(new QPushButton(this)), m_ownWords(new QPushButton(this))
{
    setAccessibleName(tr("Welcome"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(48, 32, 48, 32);
    grid->setHorizontalSpacing(28);
    grid->setVerticalSpacing(10);

    auto* title = new PlainLabel(tr("Headscope"), this);
    title->setObjectName(u"title"_s);
    auto* claim = new PlainLabel(tr("Which heads does a skill live in? Ablate one and watch the scores."), this);
    claim->setWordWrap(true);
    claim->setObjectName(u"claim"_s);
    m_compare->setText(tr("Transformer beside SSM"));
    m_ownWords->setText(tr("Type your own dictionary"));
    m_ownWords->setToolTip(tr("Opens a small model that reads any words, with an example to change"));
    m_ownWords->hide();
    fitFonts();
    m_compare->setDefault(true);
    grid->addWidget(title, 0, 0);
    grid->addWidget(claim, 1, 0);
    auto* begin = new QHBoxLayout;
    begin->setSpacing(10);
    begin->addWidget(m_ownWords);
    begin->addWidget(m_compare);
    grid->addLayout(begin, 0, 1, 2, 1, Qt::AlignRight | Qt::AlignVCenter);
    grid->setRowMinimumHeight(2, 14);
    m_shipped =
        addList(tr("Models that come with the program"), tr("No models are installed beside the program."), 3, 0);
    m_tours = addList(tr("Tours"), tr("No tours are installed."), 3, 1);
    m_sessions = addList(tr("Recent sessions"), tr("Your sessions will be listed here."), 5, 0);
    m_cached = addList(tr("Models in the Hugging Face cache"), tr("No downloaded models were found."), 5, 1);
    auto* folder = new QPushButton(tr("Open a model folder…"), this);
    auto* get = new QPushButton(tr("Get a model…"), this);
    get->setToolTip(tr("By its name on the Hugging Face hub"));
    auto* session = new QPushButton(tr("Open a session…"), this);
    auto* hint = new PlainLabel(tr("or drop a folder or a session here"), this);
    hint->setObjectName(u"hint"_s);
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    row->addWidget(folder);
    row->addWidget(get);
    row->addWidget(session);
    row->addWidget(hint);
    row->addStretch();
    grid->addLayout(row, 7, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    // What comes with the program is more than what most people have added.
    grid->setRowStretch(4, 3);
    grid->setRowStretch(6, 2);

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
    setMuted(claim);
    setMuted(hint);
}

QListWidget* WelcomePage::addList(const QString& title, const QString& empty, int row, int column)
{
    auto* label = new PlainLabel(title, this);
    QFont bold = font();
    bold.setBold(true);
    label->setFont(bold);
    auto* list = new QListWidget(this);
    list->setAccessibleName(title);
    list->setProperty("empty", empty);
    list->setItemDelegate(new TwoLineDelegate(list));
    list->setMouseTracking(true);
    list->setFrameShape(QFrame::NoFrame);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setMinimumHeight(90);
    label->setBuddy(list);
    auto* grid = static_cast<QGridLayout*>(layout());
    grid->addWidget(label, row, column);
    grid->addWidget(list, row + 1, column);
    fill(list, {});
    return list;
}

void WelcomePage::fill(QListWidget* list, const QList<Choice>& choices)
{
    list->clear();
    if (choices.isEmpty()) {
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

void WelcomePage::setRecentSessions(const QList<Choice>& sessions)
{
    fill(m_sessions, sessions);
}

void WelcomePage::setCachedModels(const QList<Choice>& models, const QString& place)
{
    if (!place.isEmpty())
        m_cached->setProperty("empty", tr("No downloaded models were found in %1.").arg(place));
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

// Larger than the rest by a factor, however large that is made.
void WelcomePage::fitFonts()
{
    constexpr double kTitle = 2.2, kClaim = 1.15;
    const double size = QApplication::font().pointSizeF();
    QFont big;
    big.setPointSizeF(size * kTitle);
    big.setBold(true);
    QFont larger;
    larger.setPointSizeF(size * kClaim);
    QFont button = larger;
    button.setBold(true);
    if (auto* title = findChild<QLabel*>(u"title"_s))
        title->setFont(big);
    if (auto* claim = findChild<QLabel*>(u"claim"_s))
        claim->setFont(larger);
    m_compare->setFont(button);
    m_compare->setMinimumHeight(m_compare->fontMetrics().height() * 5 / 2);
    m_compare->setMinimumWidth(m_compare->fontMetrics().horizontalAdvance(m_compare->text()) + 60);
    m_ownWords->setFont(larger);
    m_ownWords->setMinimumHeight(m_compare->minimumHeight());
}

void WelcomePage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitFonts();
    if (event->type() == QEvent::PaletteChange)
        for (const QString& name : {u"claim"_s, u"hint"_s})
            if (auto* label = findChild<QLabel*>(name))
                setMuted(label);
}

} // namespace headscope::widgets
