// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/livedemo.h"

#include "widgets/look/fixedfont.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/labels/switchbutton.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kClaimSize = 2.3; // of the window's letters
constexpr double kBriefClaim = 1.7;
constexpr double kSaidSize = 1.6;
constexpr int kLeastMapSide = 120;
constexpr int kDemoEdge = 32; // px beside everything
constexpr int kDemoGap = 36;  // between words and maps
constexpr int kMapGap = 28;
constexpr int kLeastWords = 400;

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

/// The pattern of a head: square, as high as there is room for. Its width never follows its height, which follows the
/// words beside it, which follow that width.
class LiveDemo::Map : public QWidget
{
public:
    Map() { setMinimumSize(kLeastMapSide, kLeastMapSide); }
    QSize sizeHint() const override { return {width(), width()}; }
    QImage picture;
    bool off = false; ///< computed, and read by no other layer

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        const int side = std::min(width(), height());
        painter.drawImage(QRect(0, 0, side, side), picture);
        if (off && !picture.isNull())
            paintOff(painter, side);
    }

private:
    void paintOff(QPainter& painter, int side) const
    {
        const Theme theme = themeOf(palette());
        painter.setRenderHint(QPainter::Antialiasing);
        QColor veil = theme.base;
        veil.setAlphaF(0.45F);
        painter.fillRect(QRect(0, 0, side, side), veil);
        painter.setFont(scaled(1, true));
        const QString words = LiveDemo::tr("switched off");
        const QFontMetricsF metrics(painter.font());
        QRectF tag(0, 0, metrics.horizontalAdvance(words) + 24, metrics.height() + 10);
        tag.moveTopRight(QPointF(side - 8, 8));
        painter.setPen(QPen(theme.bad, 1.2));
        painter.setBrush(theme.base);
        painter.drawRoundedRect(tag, tag.height() / 2, tag.height() / 2);
        painter.drawText(tag, Qt::AlignCenter, words);
    }
};

LiveDemo::LiveDemo(QWidget* parent)
    : Card(parent), m_claim(new QLabel),
      m_about(new PlainLabel(tr("Two models read the same small dictionary. This is running now, on your computer."))),
      m_prompt(new RoleWords),
      m_key(new PlainLabel(tr("Bright: what the token of this row takes from the token of this "
                              "column."))),
      m_buttons(new QHBoxLayout)
{
    m_claim->setTextFormat(Qt::RichText);
    m_claim->setTextInteractionFlags(Qt::NoTextInteraction);
    for (QLabel* label : {m_claim, m_about})
        label->setWordWrap(true);
    m_prompt->setAccessibleName(tr("Prompt"));
    auto* words = new QVBoxLayout;
    words->setSpacing(6);
    words->addWidget(m_claim);
    words->addWidget(m_about);
    words->addSpacing(6);
    words->addWidget(m_prompt);
    words->addSpacing(8);
    for (const Side side : kSides)
        words->addWidget(makeLine(side));
    words->addSpacing(8);
    words->addLayout(m_buttons);
    words->addStretch();
    m_buttons->setSpacing(10);
    auto* maps = new QGridLayout;
    maps->setHorizontalSpacing(kMapGap);
    maps->setVerticalSpacing(6);
    for (const Side side : kSides)
        maps->addWidget(makeMap(side), 0, static_cast<int>(indexOf(side)));
    maps->addWidget(m_key, 1, 0, 1, 2);
    maps->setRowStretch(0, 1);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kDemoEdge, 22, kDemoEdge, 16);
    row->setSpacing(kDemoGap);
    row->addLayout(words, 1);
    row->addLayout(maps);
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
    row->setContentsMargins(16, 6, 16, 6);
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
    line.map = new Map;
    auto* column = new QVBoxLayout(line.column);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(line.title);
    column->addWidget(line.reads);
    column->addWidget(line.map, 1);
    return line.column;
}

void LiveDemo::setPrompt(const RoleWords::Pieces& pieces)
{
    m_prompt->setPieces(pieces);
}

void LiveDemo::setRoom(int width, bool brief)
{
    const int words = std::max(kLeastWords, m_buttons->minimumSize().width());
    const int side = (width - 2 * kDemoEdge - kDemoGap - kMapGap - words) / 2;
    if (std::exchange(m_brief, brief) != brief) {
        m_about->setVisible(!brief);
        m_key->setVisible(!brief);
        restyle();
    }
    for (const Line& line : m_lines)
        line.map->setFixedWidth(std::clamp(side, kLeastMapSide, kMapSide));
}

void LiveDemo::setModel(Side side, const QString& kind, const QString& head)
{
    Line& line = m_lines[indexOf(side)];
    line.head = head;
    line.kind->setText(kind);
    line.title->setText(kind + u"  "_s + head);
    line.on->setText(tr("%1 on").arg(head));
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
    line.on->setText((line.on->isChecked() ? tr("%1 on") : tr("%1 off")).arg(line.head));
    const QString share = percentText(answer.probability);
    line.verdict->setText((answer.right ? tr("%1, right") : tr("%1, wrong")).arg(share));
    restyle();
}

void LiveDemo::setMap(Side side, const QImage& picture, const QString& reads)
{
    Line& line = m_lines[indexOf(side)];
    line.map->picture = picture;
    line.map->off = !line.on->isChecked();
    line.reads->setText(reads);
    line.map->setAccessibleName(tr("Pattern of %1").arg(line.title->text()));
    line.map->update();
}

bool LiveDemo::headOn(Side side) const
{
    return m_lines[indexOf(side)].on->isChecked();
}

QString LiveDemo::answer(Side side) const
{
    return m_lines[indexOf(side)].said->text();
}

void LiveDemo::restyle()
{
    const Theme theme = themeOf(palette());
    m_claim->setFont(scaled(m_brief ? kBriefClaim : kClaimSize, true));
    m_claim->setText(u"%1%2<span style=\"color:%3\">%4</span>"_s.arg(
        tr("One head finds the answer.").toHtmlEscaped(), m_brief ? u" "_s : u"<br>"_s,
        palette().color(QPalette::Link).name(), tr("Switch it off.").toHtmlEscaped()));
    setMuted(m_about);
    setMuted(m_key);
    m_prompt->setFont(fixedFont(QApplication::font()));
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

void LiveDemo::changeEvent(QEvent* event)
{
    Card::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
}

} // namespace headscope::widgets
