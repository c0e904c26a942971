// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/dialog/figuregallery.h"

#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QShortcut>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kFigureId = Qt::UserRole;
constexpr QSize kSmall(66, 44); // of previews in the list

} // namespace

FigureGallery::FigureGallery(QWidget* parent) : QListWidget(parent)
{
    setAccessibleName(tr("What to draw"));
    setMinimumHeight(150);
    setWordWrap(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setIconSize(kSmall);
    const auto pick = [this](const QListWidgetItem* item) {
        if (item && item->flags())
            Q_EMIT picked(item->data(kFigureId).toString());
    };
    connect(this, &QListWidget::itemClicked, this, pick);
    connect(new QShortcut(Qt::Key_Space, this, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated, this,
            [this, pick] { pick(currentItem()); });
}

void FigureGallery::setChoices(const QList<FigureChoice>& choices)
{
    const QString before = currentId();
    clear();
    m_choices = choices;
    QString group;
    for (const FigureChoice& choice : choices) {
        if (!choice.listed)
            continue;
        if (choice.group != group) {
            group = choice.group;
            auto* title = new QListWidgetItem(group, this);
            title->setFlags(Qt::NoItemFlags);
            QFont bold = font();
            bold.setBold(true);
            title->setFont(bold);
        }
        auto* item = new QListWidgetItem(QIcon(preview(choice.id)), choice.title, this);
        item->setData(kFigureId, choice.id);
        item->setToolTip(plainText(choice.missing.isEmpty() ? choice.title : choice.missing));
        if (!choice.missing.isEmpty())
            item->setForeground(themeOf(palette()).muted);
    }
    setCurrentId(before);
}

const FigureChoice* FigureGallery::choice(const QString& id) const
{
    const auto found = std::ranges::find(m_choices, id, &FigureChoice::id);
    return found == m_choices.end() ? nullptr : &*found;
}

QListWidgetItem* FigureGallery::itemOf(const QString& id) const
{
    for (int i = 0; i < count(); ++i)
        if (item(i)->flags() && item(i)->data(kFigureId).toString() == id)
            return item(i);
    return nullptr;
}

QString FigureGallery::currentId() const
{
    return currentItem() ? currentItem()->data(kFigureId).toString() : QString();
}

void FigureGallery::setCurrentId(const QString& id)
{
    if (QListWidgetItem* item = itemOf(id))
        setCurrentItem(item);
}

QStringList FigureGallery::onScreen() const
{
    QStringList ids;
    for (const FigureChoice& choice : m_choices)
        if (choice.onScreen && choice.missing.isEmpty())
            ids << choice.id;
    return ids;
}

QSize FigureGallery::previewSize() const
{
    return 2 * kSmall * devicePixelRatioF();
}

void FigureGallery::setPreview(const QString& id, const QImage& preview)
{
    QPixmap& picture = m_previews[id] = QPixmap::fromImage(preview);
    picture.setDevicePixelRatio(devicePixelRatioF());
    if (QListWidgetItem* item = itemOf(id))
        item->setIcon(QIcon(picture));
}

void FigureGallery::setTicked(const std::optional<QStringList>& ids)
{
    for (const FigureChoice& choice : m_choices)
        if (QListWidgetItem* item = choice.missing.isEmpty() ? itemOf(choice.id) : nullptr)
            item->setData(Qt::CheckStateRole, !ids                       ? QVariant()
                                              : ids->contains(choice.id) ? QVariant(Qt::Checked)
                                                                         : QVariant(Qt::Unchecked));
}

} // namespace headscope::widgets
