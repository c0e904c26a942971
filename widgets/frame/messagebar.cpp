// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/messagebar.h"

#include "widgets/look/escape.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/theme.h"

#include <QAccessible>
#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

struct Colors {
    QColor fill, edge, text;
};

Colors colorsOf(MessageBar::Kind kind, bool dark)
{
    switch (kind) {
    case MessageBar::Kind::Info:
        return dark ? Colors{QColor(0x1c, 0x2b, 0x45), QColor(0x3b, 0x5f, 0x9c), QColor(0xc8, 0xdc, 0xff)}
                    : Colors{QColor(0xe8, 0xf1, 0xff), QColor(0x9c, 0xc0, 0xf5), QColor(0x1a, 0x3f, 0x7d)};
    case MessageBar::Kind::Warning:
        return dark ? Colors{QColor(0x3a, 0x30, 0x14), QColor(0x8a, 0x70, 0x22), QColor(0xff, 0xe3, 0x9a)}
                    : Colors{QColor(0xff, 0xf6, 0xdb), QColor(0xe8, 0xcd, 0x7d), QColor(0x6b, 0x4f, 0x00)};
    case MessageBar::Kind::Error:
        return dark ? Colors{QColor(0x42, 0x1c, 0x1f), QColor(0xa0, 0x3b, 0x40), QColor(0xff, 0xc9, 0xc6)}
                    : Colors{QColor(0xfd, 0xe9, 0xe8), QColor(0xf0, 0xa9, 0xa5), QColor(0x8c, 0x16, 0x16)};
    }
    return {};
}

} // namespace

MessageBar::MessageBar(QWidget* parent)
    : QWidget(parent), m_icon(new PlainLabel(this)), m_text(new ElidedLabel(this)), m_action(new QPushButton(this)),
      m_back(new QToolButton(this)), m_close(new QToolButton(this)), m_details(new QFrame(this, Qt::Popup)),
      m_whole(new PlainLabel(m_details))
{
    m_close->setText(u"✕"_s);
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Close this message"));
    m_close->setAccessibleName(tr("Close this message"));
    m_back->setText(u"✖"_s);
    m_back->setAutoRaise(true);
    m_back->setToolTip(tr("Back to the error before"));
    m_back->setAccessibleName(tr("Back to the error before"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 2, 0);
    layout->setSpacing(6);
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_action);
    layout->addWidget(m_back);
    layout->addWidget(m_close);
    m_details->setFrameShape(QFrame::StyledPanel);
    m_whole->setWordWrap(true);
    m_whole->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    (new QHBoxLayout(m_details))->addWidget(m_whole);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Message"));
    connect(m_action, &QPushButton::clicked, this, [this] { Q_EMIT actionTriggered(m_message.actionId); });
    connect(m_back, &QToolButton::clicked, this, [this] { show(*std::exchange(m_unread, std::nullopt)); });
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    clear();
}

QSize MessageBar::sizeHint() const
{
    return {400, fontMetrics().height() + 10};
}

QSize MessageBar::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

void MessageBar::showMessage(Kind kind, const QString& message, const QString& action, const QString& actionId)
{
    if (kind != Kind::Info)
        m_unread.reset();
    else if (m_message.kind == Kind::Error)
        m_unread = m_message;
    show({kind, message, action, actionId});
}

void MessageBar::show(const Message& message)
{
    m_message = message;
    m_text->setText(message.text);
    m_action->setMaximumHeight(fontMetrics().height() + 8);
    const bool told = !message.text.isEmpty();
    m_icon->setText(!told                           ? QString()
                    : message.kind == Kind::Info    ? u"ℹ"_s
                    : message.kind == Kind::Warning ? u"⚠"_s
                                                    : u"✖"_s);
    m_action->setText(message.action);
    m_action->setVisible(!message.action.isEmpty());
    m_back->setVisible(m_unread.has_value());
    m_close->setVisible(told);
    setAccessibleDescription(message.text);
    setFocusPolicy(told ? Qt::TabFocus : Qt::NoFocus);
    restyle();
    if (!told)
        return m_details->hide();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageBar::clear()
{
    m_unread.reset();
    show({});
}

void MessageBar::dismiss()
{
    const std::optional<Message> unread = std::exchange(m_unread, std::nullopt);
    show(unread.value_or(Message()));
    Q_EMIT closed();
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::showDetails()
{
    if (!m_text->isElided())
        return;
    m_whole->setText(text());
    const int wide = std::min(m_text->width() + 60, 900);
    m_details->setFixedWidth(wide);
    m_details->adjustSize();
    m_details->move(mapToGlobal(QPoint(0, -m_details->heightForWidth(wide) - 2)));
    m_details->show();
}

void MessageBar::restyle()
{
    const QPalette around = parentWidget() ? parentWidget()->palette() : palette();
    const Colors colors = colorsOf(m_message.kind, themeOf(around).dark);
    for (QWidget* child : {static_cast<QWidget*>(m_icon), static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_back),
                           static_cast<QWidget*>(m_close)}) {
        QPalette own = around;
        own.setColor(QPalette::WindowText, colors.text);
        own.setColor(QPalette::Text, colors.text);
        own.setColor(QPalette::ButtonText, colors.text);
        child->setPalette(own);
    }
    update();
}

void MessageBar::paintEvent(QPaintEvent*)
{
    if (text().isEmpty())
        return;
    const Colors colors = colorsOf(m_message.kind, themeOf(palette()).dark);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(hasFocus() ? palette().color(QPalette::Highlight) : colors.edge);
    painter.setBrush(colors.fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

void MessageBar::mouseReleaseEvent(QMouseEvent* event)
{
    QWidget::mouseReleaseEvent(event);
    showDetails();
}

bool MessageBar::event(QEvent* event)
{
    keepEscape(event, !m_message.text.isEmpty());
    return QWidget::event(event);
}

void MessageBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        dismiss();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        showDetails();
    else
        QWidget::keyPressEvent(event);
}

void MessageBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        restyle();
}

} // namespace headscope::widgets
