// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/livedemo.h"

#include "widgets/look/fixedfont.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/plainlabel.h"
#include "widgets/look/switchbutton.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kClaimSize = 1.9; // of the window's letters
constexpr double kSaidSize = 1.5;
constexpr int kLeastMapSide = 120;
constexpr double kRoleWash = 0.35; // behind the words of a role, over the card

/// A rounded ground in the colour of a side.
class Tinted : public QWidget
{
public:
    explicit Tinted(Side side) : m_side(side) {}

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(sideGround(themeOf(palette()), m_side));
        painter.drawRoundedRect(rect(), 8, 8);
    }

private:
    Side m_side;
};

QFont scaled(double factor, bool bold)
{
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * factor);
    font.setBold(bold);
    return font;
}

} // namespace

LiveDemo::LiveDemo(QWidget* parent)
    : Card(parent), m_claim(new QLabel),
      m_about(new PlainLabel(tr("Two models read the same small dictionary. This is running now, on your computer."))),
      m_prompt(new QLabel), m_buttons(new QHBoxLayout)
{
    m_about->setWordWrap(true);
    for (QLabel* label : {m_claim, m_prompt}) {
        label->setTextFormat(Qt::RichText);
        label->setTextInteractionFlags(Qt::NoTextInteraction);
        label->setWordWrap(true);
    }
    m_prompt->setAccessibleName(tr("Prompt"));
    auto* words = new QVBoxLayout;
    words->setSpacing(4);
    words->addWidget(m_claim);
    words->addWidget(m_about);
    words->addSpacing(4);
    words->addWidget(m_prompt, 1);
    for (const Side side : kSides)
        words->addWidget(makeLine(side));
    words->addSpacing(6);
    words->addLayout(m_buttons);
    m_buttons->setSpacing(10);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(20, 14, 20, 14);
    row->setSpacing(20);
    row->addLayout(words, 1);
    for (const Side side : kSides)
        row->addWidget(makeMap(side));
    restyle();
}

QWidget* LiveDemo::makeLine(Side side)
{
    Line& line = m_lines[indexOf(side)];
    line.box = new Tinted(side);
    line.kind = new PlainLabel;
    line.said = new PlainLabel(u"…"_s);
    line.before = new PlainLabel;
    line.verdict = new PlainLabel;
    line.on = new SwitchButton;
    line.on->setChecked(true);
    line.on->setEnabled(false);
    auto* row = new QHBoxLayout(line.box);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(10);
    row->addWidget(line.kind, 3);
    row->addWidget(line.said, 2);
    row->addWidget(line.before, 1);
    row->addWidget(line.verdict, 3);
    row->addWidget(line.on);
    connect(line.on, &QCheckBox::toggled, this, [this, side](bool on) { Q_EMIT switched(side, on); });
    return line.box;
}

QWidget* LiveDemo::makeMap(Side side)
{
    Line& line = m_lines[indexOf(side)];
    line.column = new QWidget;
    line.title = new PlainLabel;
    line.reads = new PlainLabel;
    line.map = new PlainLabel;
    line.map->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    line.map->setMinimumSize(kLeastMapSide, kLeastMapSide);
    auto* column = new QVBoxLayout(line.column);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(line.title);
    column->addWidget(line.reads);
    column->addWidget(line.map, 1);
    return line.column;
}

void LiveDemo::setPrompt(const QList<std::pair<QString, std::optional<Role>>>& pieces)
{
    m_pieces = pieces;
    showPrompt();
}

// Rich text: its words are our own sample's, and escaped all the same.
void LiveDemo::showPrompt()
{
    QString html;
    for (const auto& [words, role] : m_pieces) {
        QString piece = words.toHtmlEscaped();
        piece.replace(u'\n', u" ⏎ "_s);
        html += role ? u"<span style=\"background-color:%1\">%2</span>"_s.arg(
                    mixed(palette().color(QPalette::Base), roleColor(*role), kRoleWash).name(), piece)
                     : piece;
    }
    m_prompt->setText(html);
}

void LiveDemo::setModel(Side side, const QString& kind, const QString& head)
{
    Line& line = m_lines[indexOf(side)];
    line.head = head;
    line.kind->setText(kind);
    line.title->setText(kind + u"  "_s + head);
    line.on->setText(head);
    line.on->setAccessibleName(tr("Head %1 of the %2").arg(head, kind));
    line.on->setToolTip(tr("Switches this head off and on; the answer follows"));
    line.on->setEnabled(true);
    updateGeometry();
}

void LiveDemo::setAnswer(Side side, const Answer& answer)
{
    Line& line = m_lines[indexOf(side)];
    line.said->setText(answer.said);
    line.before->setText(answer.before);
    line.right = answer.right;
    const QString share = percentText(answer.probability);
    line.verdict->setText((answer.right ? tr("%1, right") : tr("%1, wrong")).arg(share));
    restyle();
}

void LiveDemo::setMap(Side side, const QImage& picture, const QString& reads)
{
    Line& line = m_lines[indexOf(side)];
    line.picture = picture;
    line.reads->setText(reads);
    line.map->setAccessibleName(tr("Pattern of %1").arg(line.title->text()));
    showMap(line);
}

bool LiveDemo::headOn(Side side) const
{
    return m_lines[indexOf(side)].on->isChecked();
}

QString LiveDemo::answer(Side side) const
{
    return m_lines[indexOf(side)].said->text();
}

void LiveDemo::showMap(Line& line)
{
    if (line.picture.isNull())
        return;
    const int side = std::clamp(std::min(line.map->height(), kMapSide), kLeastMapSide, kMapSide);
    line.map->setFixedWidth(side);
    QImage picture =
        line.picture.scaled(QSize(side, side) * devicePixelRatioF(), Qt::IgnoreAspectRatio, Qt::FastTransformation);
    picture.setDevicePixelRatio(devicePixelRatioF());
    if (!line.on->isChecked()) { // what is computed, and heard by nobody
        QPainter painter(&picture);
        QColor veil = palette().color(QPalette::Base);
        veil.setAlphaF(0.45F);
        painter.fillRect(QRect(0, 0, side, side), veil);
    }
    line.map->setPixmap(QPixmap::fromImage(picture));
}

void LiveDemo::restyle()
{
    const Theme theme = themeOf(palette());
    m_claim->setFont(scaled(kClaimSize, true));
    m_claim->setText(u"%1 <span style=\"color:%2\">%3</span>"_s.arg(tr("One head finds the answer.").toHtmlEscaped(),
                                                                    palette().color(QPalette::Link).name(),
                                                                    tr("Switch it off.").toHtmlEscaped()));
    setMuted(m_about);
    m_prompt->setFont(fixedFont(QApplication::font()));
    showPrompt();
    for (const Side side : kSides) {
        Line& line = m_lines[indexOf(side)];
        line.said->setFont(scaled(kSaidSize, true));
        QFont struck = QApplication::font();
        struck.setStrikeOut(true);
        line.before->setFont(struck);
        setMuted(line.before);
        setMuted(line.reads);
        for (QLabel* label : {line.kind, line.title}) {
            label->setFont(scaled(1, true));
            setInk(label, sideColor(theme, side));
        }
        for (QLabel* label : {line.said, line.verdict})
            setInk(label, line.right ? theme.good : theme.bad);
        line.on->setAccent(sideColor(theme, side));
    }
}

void LiveDemo::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    for (Line& line : m_lines)
        showMap(line);
}

void LiveDemo::changeEvent(QEvent* event)
{
    Card::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
}

} // namespace headscope::widgets
