// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/messagebar.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/theme.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

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
    : QFrame(parent), m_icon(new PlainLabel(this)), m_text(new PlainLabel(this)), m_action(new QPushButton(this)),
      m_close(new QToolButton(this))
{
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_close->setText(u"✕"_s);
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Close this message"));
    m_close->setAccessibleName(tr("Close this message"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 6, 4);
    layout->setSpacing(8);
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_action);
    layout->addWidget(m_close);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    setAccessibleName(tr("Message"));
    connect(m_action, &QPushButton::clicked, this, [this] { Q_EMIT actionTriggered(m_actionId); });
    connect(m_close, &QToolButton::clicked, this, [this] {
        clear();
        Q_EMIT closed();
    });
    hide();
}

void MessageBar::showMessage(Kind kind, const QString& text, const QString& action, const QString& actionId)
{
    m_kind = kind;
    m_actionId = actionId;
    m_text->setText(text);
    m_icon->setText(kind == Kind::Info ? u"ℹ"_s : kind == Kind::Warning ? u"⚠"_s : u"✖"_s);
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    setAccessibleDescription(text);
    restyle();
    show();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageBar::clear()
{
    m_text->clear();
    hide();
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::restyle()
{
    const QPalette around = parentWidget() ? parentWidget()->palette() : palette();
    const Colors colors = colorsOf(m_kind, themeOf(around).dark);
    for (QWidget* child :
         {static_cast<QWidget*>(m_icon), static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_close)}) {
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
    const Colors colors = colorsOf(m_kind, themeOf(palette()).dark);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colors.edge);
    painter.setBrush(colors.fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
}

void MessageBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        m_close->click();
    else
        QFrame::keyPressEvent(event);
}

void MessageBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        restyle();
}

} // namespace headscope::widgets
