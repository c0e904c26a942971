// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lecture/lectureview.h"

#include "widgets/look/fitting.h"
#include "widgets/look/fixedfont.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/patternpyramid.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kDesignWide = 1440, kDesignHigh = 900;
constexpr double kLectureMargin = 36;
constexpr double kMap = 500;
constexpr double kPromptTop = 18, kPromptHigh = 84;
constexpr double kTitle = 34;
constexpr double kNames = 46;   // left of a map
constexpr double kColumn = 216; // of the numbers
constexpr double kSentence = 58;
constexpr double kBeside = 70;  // from one map to its numbers
constexpr double kLarger = 1.3; // numbers beside one map
constexpr double kBars = 84;
constexpr int kPromptLines = 2;
constexpr int kNumberColumns = 3;

/// `answers`: what is asked for is coloured stronger than others of its kind.
QColor washOf(const std::vector<TokenSpan>& spans, int token, const Theme& theme, bool answers, bool& strong)
{
    for (const TokenSpan& span : spans)
        if (token >= span.begin && token < span.end) {
            strong = (span.target && answers) || span.role == Role::Query;
            return mixed(theme.base, roleColor(span.role), strong ? 0.6 : 0.25);
        }
    return {};
}

int gridRow(const LectureSide& side)
{
    const int last = side.map.rows() - 1;
    return side.row >= 0 ? std::min(side.row, last) : last;
}

} // namespace

LectureView::LectureView(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Lecture"));
    setWhatsThis(tr("Space: the next step, Backspace: the one before, X: ablate the marked head or restore it, H: hide "
                    "or show the numbers, 1 and 2: one map alone, Esc: leave."));
}

void LectureView::setLecture(const LectureData& lecture)
{
    m_data = lecture;
    setAccessibleDescription(lecture.sentence);
    update();
}

void LectureView::setScoresHidden(bool hidden)
{
    m_hidden = hidden;
    update();
}

void LectureView::setAlone(Side side, bool alone)
{
    m_alone = alone;
    m_only = side;
    update();
}

double LectureView::unit() const
{
    return std::min(width() / kDesignWide, height() / kDesignHigh);
}

QFont LectureView::fontOf(double size, bool bold) const
{
    QFont made = font();
    made.setPixelSize(std::max(8, static_cast<int>(std::lround(size * unit()))));
    made.setBold(bold);
    return made;
}

std::vector<Side> LectureView::shownSides() const
{
    std::vector<Side> sides;
    for (const Side side : kSides)
        if (m_data.side(side).shown && !m_data.side(side).map.empty() && (!m_alone || side == m_only))
            sides.push_back(side);
    return sides;
}

std::vector<LectureView::Panel> LectureView::panels() const
{
    const double u = unit();
    const std::vector<Side> sides = shownSides();
    if (sides.empty())
        return {};
    const double top = (kPromptTop + kPromptHigh) * u;
    const double room = width() - (2 * kLectureMargin + kColumn) * u;
    const auto count = static_cast<double>(sides.size());
    const double high = height() - top - (kTitle + 8 + kBars + 70 + kSentence) * u;
    const double side = std::floor(std::min(high, room / count - (kNames + 18) * u));
    std::vector<Panel> made;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        // One map stands in the middle, its numbers beside it.
        const double wide = side + (kNames + kBeside + kColumn * kLarger) * u;
        const double left =
            std::floor(sides.size() == 1 ? std::max(kLectureMargin * u, (width() - wide) / 2) + kNames * u
                                         : kLectureMargin * u + static_cast<double>(i) * room / count + kNames * u);
        const double y = std::floor(top + kTitle * u + 8 * u);
        const PatternData& pattern = m_data.side(sides[i]).map;
        const QRectF map = PatternGeometry({left, y, side, side}, pattern.rows(), pattern.cols(), {}).plot();
        Panel panel{sides[i], {}, map, {}};
        panel.title = {left, top, side, kTitle * u};
        panel.bars = {left, map.bottom() + 18 * u, map.width(), kBars * u};
        made.push_back(panel);
    }
    return made;
}

QRectF LectureView::mapRect(Side side) const
{
    for (const Panel& panel : panels())
        if (panel.side == side)
            return panel.map;
    return {};
}

// As large as two lines allow, and no smaller than can be read from the last row: then it is cut.
QFont LectureView::promptFont() const
{
    QFont fixed = fixedFont(fontOf(26));
    for (int size = 24; size >= 20; --size) {
        fixed.setPixelSize(std::max(8, static_cast<int>(std::lround(size * unit()))));
        const auto words = promptWords(fixed);
        if (words.empty() || words.back().box.bottom() <= (kPromptTop + kPromptHigh) * unit())
            break;
    }
    return fixed;
}

int LectureView::promptPixels() const
{
    return promptFont().pixelSize();
}

std::vector<LectureView::Word> LectureView::promptWords(const QFont& font) const
{
    const LectureSide& side = m_data.a.shown ? m_data.a : m_data.b;
    const Theme theme = themeOf(palette());
    const QFontMetricsF metrics(font);
    const double u = unit(), line = metrics.height() + 6 * u;
    std::vector<Word> words;
    QPointF at(kLectureMargin * u, kPromptTop * u);
    for (int i = 0; i < side.map.tokens.size(); ++i) {
        Word word{tokenLabelAt(side.map.tokens, i), {}, false, {}};
        word.wash = washOf(side.map.segments, i, theme, !m_data.a.covered && !m_data.b.covered, word.strong);
        const double wide = metrics.horizontalAdvance(word.text) + 4 * u;
        if (at.x() + wide > width() - kLectureMargin * u && at.x() > kLectureMargin * u)
            at = {kLectureMargin * u, at.y() + line};
        word.box = {at.x(), at.y(), wide, line};
        at.rx() += wide + 4 * u;
        words.push_back(word);
    }
    return words;
}

void LectureView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme theme = themeOf(palette());
    painter.fillRect(rect(), theme.base);
    painter.setRenderHint(QPainter::Antialiasing);
    paintPrompt(painter);
    for (const Panel& panel : panels())
        paintPanel(painter, panel);
    paintScores(painter);
    paintSentence(painter);
}

void LectureView::paintPrompt(QPainter& painter) const
{
    const Theme theme = themeOf(palette());
    const QFont font = promptFont();
    painter.setFont(font);
    const double bottom = (kPromptTop + kPromptHigh) * unit() + 1;
    for (const Word& word : promptWords(font)) {
        if (word.box.bottom() > bottom)
            break; // the rest of a long prompt is on the maps
        if (word.wash.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(word.wash);
            painter.drawRoundedRect(word.box.adjusted(0, 2, 0, -2), 3, 3);
        }
        painter.setPen(theme.text);
        painter.drawText(word.box, Qt::AlignCenter, word.text);
    }
}

void LectureView::paintPanel(QPainter& painter, const Panel& panel) const
{
    const LectureSide& side = m_data.side(panel.side);
    const Theme theme = themeOf(palette());
    const QFont large = fontOf(24, true), small = fontOf(17);
    painter.setFont(large);
    painter.setPen(sideColor(theme, panel.side));
    painter.drawText(panel.title, Qt::AlignLeft | Qt::AlignVCenter, side.map.head);
    const double used = QFontMetricsF(large).horizontalAdvance(side.map.head) + 24 * unit();
    painter.setFont(small);
    painter.setPen(theme.muted);
    QStringList words;
    if (side.covered)
        return paintCover(painter, panel);
    const QRectF rest = side.answer ? paintAnswer(painter, panel.title, *side.answer) : panel.title;
    painter.setFont(small);
    painter.setPen(theme.muted);
    if (!std::isnan(side.profile.effectiveTokens))
        words << (side.profile.peaked() ? tr("peaked") : tr("diffuse"));
    if (!side.map.notice.isEmpty())
        words << side.map.notice;
    const QRectF place = rest.adjusted(used, 0, 0, 0);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     partsFitting(words.join(u" · "_s), u" · "_s, QFontMetricsF(small), place.width()));
    paintMap(painter, panel, side);
    paintHeads(painter, panel.map, side);
    paintBars(painter, panel, side);
}

// At the end of the title, as large as the scores; what is left of the line is returned.
QRectF LectureView::paintAnswer(QPainter& painter, const QRectF& line, const ModelAnswer& answer) const
{
    const Theme theme = themeOf(palette());
    QRectF rest = line;
    const auto put = [&](const QString& words, const QFont& font, const QColor& ink) {
        const QFontMetricsF metrics(font);
        const QString shown = metrics.elidedText(words, Qt::ElideRight, line.width() / 3);
        painter.setFont(font);
        painter.setPen(ink);
        painter.drawText(rest, Qt::AlignRight | Qt::AlignVCenter, shown);
        rest.setRight(rest.right() - metrics.horizontalAdvance(shown) - 10 * unit());
    };
    put(answer.said, fontOf(32, true), answerInk(theme, answer.verdict));
    if (!answer.before.isEmpty()) {
        QFont struck = fontOf(20);
        struck.setStrikeOut(true);
        put(answer.before, struck, theme.muted);
    }
    put(AnswersView::tr("answers"), fontOf(17), theme.muted);
    return rest;
}

// What would give the answer away, until it is asked for.
void LectureView::paintCover(QPainter& painter, const Panel& panel) const
{
    const Theme theme = themeOf(palette());
    painter.fillRect(panel.map, theme.raised);
    painter.setFont(fontOf(20));
    painter.setPen(theme.muted);
    painter.drawText(panel.map, Qt::AlignCenter | Qt::TextWordWrap, tr("Predict first, then look at the map."));
}

void LectureView::paintMap(QPainter& painter, const Panel& panel, const LectureSide& side) const
{
    const Theme theme = themeOf(palette());
    const double u = unit();
    const PatternData& pattern = side.map;
    const PatternScale scale = PatternScale::fit(*pattern.values, pattern.isSigned, pattern.causal, m_data.scale);
    const PatternPyramid pyramid = PatternPyramid::build(*pattern.values, scale, pattern.causal, pattern.pool);
    const PatternGeometry geometry(panel.map, pattern.rows(), pattern.cols(), {});
    QImage image = pyramid.render(geometry, colorTable(scale.colorMap(), theme.unused.rgb()), devicePixelRatioF());
    painter.setOpacity(pattern.notice.isEmpty() ? 1.0 : 0.72);
    painter.drawImage(QRectF(panel.map), image);
    painter.setOpacity(1.0);
    const double cell = panel.map.width() / pattern.cols();
    for (const TokenSpan& span : pattern.segments) {
        const bool strong = span.target || span.role == Role::Query;
        const QColor color = mixed(theme.base, roleColor(span.role), strong ? 1.0 : 0.4);
        painter.fillRect(QRectF(panel.map.left() + span.begin * cell, panel.map.top() - 8 * u,
                                (span.end - span.begin) * cell, 6 * u),
                         color);
        painter.fillRect(QRectF(panel.map.left() - 8 * u, panel.map.top() + span.begin * cell, 6 * u,
                                (span.end - span.begin) * cell),
                         color);
    }
    const int row = gridRow(side);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(sideColor(theme, panel.side), std::max(1.5, 2.5 * u)));
    painter.drawRect(QRectF(panel.map.left(), panel.map.top() + row * cell, panel.map.width(), cell));
    const int target = side.profile.strongest();
    const QFont plain = fontOf(15), bold = fontOf(15, true);
    const double line = QFontMetricsF(bold).height();
    const AxisSpan span{panel.map.top(), cell, pattern.rows(), panel.map.top(), panel.map.bottom()};
    for (const AxisLabel& label :
         placeLabels(span, line, labelChoice(pattern.tokens, pattern.segments, {row, target}))) {
        const bool strong = label.token == row || label.token == target;
        painter.setFont(strong ? bold : plain);
        painter.setPen(strong ? theme.text : theme.muted);
        painter.drawText(QRectF(panel.map.left() - 110 * u, label.centre - line / 2, 98 * u, line),
                         Qt::AlignRight | Qt::AlignVCenter, tokenLabelAt(pattern.tokens, label.token, 6));
    }
}

// The upper right half of a causal map is empty: the heads of the model fit there.
void LectureView::paintHeads(QPainter& painter, const QRectF& map, const LectureSide& side) const
{
    if (side.heads.empty())
        return;
    const Theme theme = themeOf(palette());
    const double u = unit();
    std::size_t columns = 1;
    for (const auto& layer : side.heads)
        columns = std::max(columns, layer.size());
    const double cell = std::min(map.width() * 0.42 / static_cast<double>(columns),
                                 map.height() * 0.30 / static_cast<double>(side.heads.size()));
    const double left = map.right() - cell * static_cast<double>(columns) - 4 * u, top = map.top() + 24 * u;
    painter.setFont(fontOf(12));
    painter.setPen(theme.muted);
    const bool named = cell >= 14;
    for (std::size_t row = 0; row < side.heads.size(); ++row) {
        if (named)
            painter.drawText(QRectF(left - 50 * u, top + static_cast<double>(row) * cell, 44 * u, cell),
                             Qt::AlignRight | Qt::AlignVCenter, side.layers.value(static_cast<int>(row)));
        for (std::size_t column = 0; column < side.heads[row].size(); ++column) {
            const LectureHead& head = side.heads[row][column];
            const QRectF box =
                QRectF(left + static_cast<double>(column) * cell, top + static_cast<double>(row) * cell, cell, cell)
                    .adjusted(1, 1, -1, -1);
            painter.setPen(Qt::NoPen);
            painter.setBrush(head.color.isValid() ? head.color : theme.faint);
            painter.drawRoundedRect(box, 3 * u, 3 * u);
            if (!head.mark.isEmpty() && named) {
                painter.setPen(QColor(inkOn(head.color.rgb())));
                painter.drawText(box, Qt::AlignCenter, head.mark);
            }
            if (head.off > 0) {
                painter.setPen(QPen(Qt::white, std::max(2.0, cell * 0.2), Qt::SolidLine, Qt::RoundCap));
                const QRectF cross =
                    box.adjusted(box.width() * 0.2, box.height() * 0.2, -box.width() * 0.2, -box.height() * 0.2);
                for (const QColor& ink : {QColor(Qt::white), theme.cross}) {
                    painter.setPen(
                        QPen(ink, ink == theme.cross ? cell * 0.1 : cell * 0.2, Qt::SolidLine, Qt::RoundCap));
                    painter.drawLine(cross.topLeft(), cross.bottomRight());
                    painter.drawLine(cross.topRight(), cross.bottomLeft());
                }
            }
            if (head.current) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(theme.text, 2 * u));
                painter.drawRoundedRect(box, 3 * u, 3 * u);
            }
            painter.setPen(theme.muted);
        }
    }
    if (std::isnan(side.profile.effectiveTokens))
        return;
    painter.setFont(fontOf(17, true));
    painter.setPen(theme.text);
    const double below = top + cell * static_cast<double>(side.heads.size()) + 4 * u;
    painter.drawText(QRectF(map.center().x(), below, map.width() / 2 - 4 * u, 26 * u),
                     Qt::AlignRight | Qt::AlignVCenter,
                     tr("%1 effective tokens")
                         .arg(numberText(side.profile.effectiveTokens, side.profile.effectiveTokens < 10 ? 1 : 0)));
}

void LectureView::paintBars(QPainter& painter, const Panel& panel, const LectureSide& side) const
{
    const Theme theme = themeOf(palette());
    const RowProfile& profile = side.profile;
    if (profile.values.empty())
        return;
    std::vector<const RowProfile*> both;
    for (const Side each : shownSides())
        if (!m_data.side(each).covered)
            both.push_back(&m_data.side(each).profile);
    const ValueAxis axis = commonAxis(profile.isChange ? std::vector<const RowProfile*>{&profile} : both);
    const QRectF box = panel.bars;
    const auto yOf = [&](double value) {
        return box.bottom() - (value - axis.low) / (axis.high - axis.low) * box.height();
    };
    const double cell = panel.map.width() / std::max(1, side.map.cols());
    painter.setFont(fontOf(14));
    painter.setPen(theme.muted);
    for (const double tick : {axis.high, axis.high / 2}) {
        painter.setPen(theme.muted);
        painter.drawText(QRectF(box.left() - 80 * unit(), yOf(tick) - 12 * unit(), 70 * unit(), 24 * unit()),
                         Qt::AlignRight | Qt::AlignVCenter, compactText(tick));
        painter.setPen(QPen(theme.faint, 1, Qt::DotLine));
        painter.drawLine(QPointF(box.left(), yOf(tick)), QPointF(box.right(), yOf(tick)));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(sideColor(theme, panel.side));
    for (const RowBar& bar : rowBars(profile.values, cell)) {
        const auto value = static_cast<double>(bar.value);
        const double gap = bar.count > 1 ? 0 : 0.1;
        painter.drawRect(QRectF(QPointF(box.left() + (bar.first + gap) * cell, yOf(std::max(0.0, value))),
                                QPointF(box.left() + (bar.first + bar.count - gap) * cell, yOf(std::min(0.0, value)))));
    }
    painter.setPen(QPen(theme.muted, 1));
    painter.drawLine(QPointF(box.left(), yOf(0)), QPointF(box.right(), yOf(0)));
    const int target = profile.strongest(), row = gridRow(side);
    const QFont plain = fontOf(14), bold = fontOf(14, true);
    const double line = QFontMetricsF(bold).height();
    const AxisSpan span{panel.map.left(), cell, side.map.cols(), panel.map.left(), panel.map.right()};
    for (const AxisLabel& label :
         placeLabels(span, line * 1.1, labelChoice(side.map.tokens, side.map.segments, {target, row}))) {
        const bool strong = label.token == target || label.token == row;
        painter.save();
        painter.translate(label.centre, box.bottom() + 6 * unit());
        painter.rotate(-60);
        painter.setFont(strong ? bold : plain);
        painter.setPen(strong ? theme.text : theme.muted);
        painter.drawText(QRectF(-100 * unit(), -line / 2, 100 * unit(), line), Qt::AlignRight | Qt::AlignVCenter,
                         tokenLabelAt(side.map.tokens, label.token, 7));
        painter.restore();
    }
}

void LectureView::paintScores(QPainter& painter) const
{
    const Theme theme = themeOf(palette());
    const QRectF alone = shownSides().size() == 1 ? mapRect(shownSides().front()) : QRectF();
    const double larger = alone.isEmpty() ? 1 : kLarger, u = unit() * larger;
    const double left =
        alone.isEmpty() ? width() - (kColumn + kLectureMargin * 0.4) * u : alone.right() + kBeside * unit();
    double y = (kPromptTop + kPromptHigh + 44) * unit();
    int shown = 0;
    const bool hidden = m_hidden || m_data.scoresCovered;
    for (const ScoreboardRow& row : m_data.scores) {
        if (shown == kNumberColumns || !row.unavailable.isEmpty() || std::isnan(row.baseline))
            continue;
        ++shown;
        const int decimals = row.lowerIsBetter ? 1 : 2;
        const bool compared = !row.same && !std::isnan(row.now);
        const QRectF box(left, y, kColumn * u, 150 * u);
        painter.setFont(fontOf(19 * larger));
        painter.setPen(theme.muted);
        painter.drawText(box.adjusted(0, 0, 0, -124 * u), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(row.name, Qt::ElideRight, box.width()));
        const Verdict verdict = verdictOf(row);
        const QFont large = fontOf(50 * larger, true);
        painter.setFont(large);
        painter.setPen(hidden                       ? theme.muted
                       : verdict == Verdict::Worse  ? theme.bad
                       : verdict == Verdict::Better ? theme.good
                                                    : theme.text);
        const QString number = hidden ? u"?"_s : scoreText(compared ? row.now : row.baseline, decimals);
        painter.drawText(box.adjusted(0, 28 * u, 0, -60 * u), Qt::AlignLeft | Qt::AlignVCenter, number);
        if (compared && !hidden) {
            QFont small = fontOf(22 * larger);
            small.setStrikeOut(verdict == Verdict::Worse || verdict == Verdict::Better);
            painter.setFont(small);
            painter.setPen(theme.muted);
            painter.drawText(box.adjusted(QFontMetricsF(large).horizontalAdvance(number) + 16 * u, 40 * u, 0, -60 * u),
                             Qt::AlignLeft | Qt::AlignVCenter, scoreText(row.baseline, decimals));
            painter.setFont(fontOf(13 * larger));
            const int n = row.counted();
            painter.drawText(box.adjusted(0, 94 * u, 0, -8 * u), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                             verdict == Verdict::Unchanged ? tr("no change seen (n = %1)").arg(n)
                                                           : tr("paired test, %1 examples").arg(n));
        }
        y += 160 * u;
    }
    painter.setFont(fontOf(16 * larger, true));
    painter.setPen(sideColor(theme, m_data.stateSide));
    painter.drawText(QRectF(left, y, kColumn * u, 60 * u), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     m_data.state);
}

void LectureView::paintSentence(QPainter& painter) const
{
    const double u = unit();
    const QRectF bar(0, height() - kSentence * u, width(), kSentence * u);
    painter.fillRect(bar, QColor(0x1f, 0x29, 0x37));
    const QFont small = fontOf(15);
    painter.setFont(small);
    const double keys = QFontMetricsF(small).horizontalAdvance(m_data.keys) + 20 * u;
    painter.setPen(QColor(0xa8, 0xb0, 0xbd));
    painter.drawText(bar.adjusted(0, 0, -kLectureMargin * u, 0), Qt::AlignRight | Qt::AlignVCenter, m_data.keys);
    QFont large = fontOf(24, true);
    const double room = bar.width() - 2 * kLectureMargin * u - keys;
    // A sentence is read whole: smaller where it is long, cut only where that is not enough.
    while (large.pixelSize() > 13 * u && QFontMetricsF(large).horizontalAdvance(m_data.sentence) > room)
        large.setPixelSize(large.pixelSize() - 1);
    painter.setFont(large);
    painter.setPen(Qt::white);
    painter.drawText(bar.adjusted(kLectureMargin * u, 0, -kLectureMargin * u - keys, 0),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(large).elidedText(m_data.sentence, Qt::ElideRight, room));
}

void LectureView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Space:
    case Qt::Key_Right:
    case Qt::Key_PageDown: Q_EMIT nextRequested(); return;
    case Qt::Key_Backspace:
    case Qt::Key_Left:
    case Qt::Key_PageUp: Q_EMIT backRequested(); return;
    case Qt::Key_X: Q_EMIT ablateRequested(); return;
    case Qt::Key_H: setScoresHidden(!m_hidden); return;
    case Qt::Key_1: setAlone(Side::A, !(m_alone && m_only == Side::A)); return;
    case Qt::Key_2: setAlone(Side::B, !(m_alone && m_only == Side::B)); return;
    case Qt::Key_Escape:
    case Qt::Key_F11: Q_EMIT left(); return;
    default: QWidget::keyPressEvent(event);
    }
}

void LectureView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT nextRequested();
}

} // namespace headscope::widgets
