// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edges/edgegraph.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/picturefile.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/why/edges/edgepainter.h"

#include <QFileInfo>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kReach = 7; // pixels

} // namespace

EdgeGraph::EdgeGraph(Side side, QWidget* parent) : QWidget(parent), m_side(side)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Edges as a graph; the table beside it has the same"));
    setWhatsThis(
        tr("Layers go from the top down. The thickness of an edge is its effect alone (1 is the other run); dashed "
           "edges are negative. Click an edge for its numbers, double-click a head to trace it."));
}

void EdgeGraph::setEdges(EdgeData edges)
{
    m_edges = std::move(edges);
    m_selected = -1;
    count();
}

QString EdgeGraph::words(int edge) const
{
    const GraphEdge& own = m_edges.edges[static_cast<std::size_t>(edge)];
    QString words = tr("%1 into %2: effect %3").arg(m_edges.sender(own), m_edges.receiver(own), signedText(own.share));
    if (own.hasInterval())
        words += tr(" (95 % interval %1 to %2)").arg(signedText(own.low), signedText(own.high));
    return words + tr(", logit difference %1.").arg(signedText(own.change));
}

Numbers EdgeGraph::numbers() const
{
    const bool spread = !m_edges.edges.empty() && m_edges.edges.front().hasInterval();
    Numbers numbers{.columns = {tr("from"), tr("into"), tr("share")}, .rows = {}, .of = {}};
    if (spread)
        numbers.columns << tr("95 % low") << tr("95 % high");
    numbers.columns << tr("logits");
    for (const GraphEdge& edge : m_edges.edges) {
        QVariantList row{m_edges.sender(edge), m_edges.receiver(edge), edge.share};
        if (spread)
            row << edge.low << edge.high;
        numbers.rows.push_back(row << edge.change);
    }
    return numbers;
}

void EdgeGraph::setThreshold(double share)
{
    m_threshold = share;
    count();
}

void EdgeGraph::count()
{
    m_shown = EdgePainter::shown(m_edges, m_threshold);
    update();
}

void EdgeGraph::setSelected(int edge)
{
    m_selected = edge;
    update();
}

EdgeLayout EdgeGraph::places() const
{
    return {m_edges, size(), EdgePainter::kRowNames};
}

void EdgeGraph::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    draw(painter, size(), palette());
}

void EdgeGraph::draw(QPainter& painter, const QSizeF& size, const QPalette& palette) const
{
    if (m_edges.parts.empty())
        return;
    EdgePainter(m_edges, size, m_side, themeOf(palette)).draw(painter, m_shown, m_selected);
    painter.setPen(themeOf(palette).muted);
    painter.drawText(QRectF(QPointF(0, 0), size), Qt::AlignRight | Qt::AlignBottom,
                     tr("%L1 of %L2 edges").arg(m_shown).arg(m_edges.edges.size()));
}

void EdgeGraph::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const int edge = places().edgeAt(event->position(), m_shown, kReach);
        edge >= 0 && places().partAt(event->position()) < 0) {
        setSelected(edge);
        Q_EMIT edgeSelected(edge);
    }
}

void EdgeGraph::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int part = places().partAt(event->position()); part >= 0)
        Q_EMIT partChosen(part);
}

bool EdgeGraph::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString words;
    if (const int part = places().partAt(help->pos()); part >= 0) {
        words = m_edges.parts[static_cast<std::size_t>(part)].name;
    } else if (const int edge = places().edgeAt(help->pos(), m_shown, kReach); edge >= 0) {
        const GraphEdge& own = m_edges.edges[static_cast<std::size_t>(edge)];
        words = m_edges.sender(own) + u" → "_s + m_edges.receiver(own) + u": "_s + numberText(own.share);
    }
    QToolTip::showText(help->globalPos(), plainText(words), this);
    return true;
}

Result<void> EdgeGraph::save(const QString& path, const QString& title) const
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (!QStringList{u"svg"_s, u"pdf"_s, u"png"_s}.contains(suffix))
        return inputError("A graph can be written as .pdf, .svg or .png, its numbers as .csv; got '"
                          + path.toStdString() + "'.");
    const QPalette light = lightPalette();
    const auto paint = [this, light](QPainter& painter, const QSizeF& target) {
        const double scale = target.width() / std::max(width(), 1);
        QFont letters = font();
        letters.setPixelSize(fontMetrics().height() * 3 / 4); // of the screen; the painter is scaled
        painter.setFont(letters);
        painter.scale(scale, scale);
        draw(painter, size(), light);
    };
    return writeBytes(pictureBytes({size(), title, light.color(QPalette::Base), paint}, suffix), path);
}

} // namespace headscope::widgets
