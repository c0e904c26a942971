// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edgegraph.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/picturefile.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QFileInfo>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kRowNames = 34, kReach = 7; // pixels
constexpr double kThin = 1, kThick = 8;      // pens
constexpr int kMostDrawn = 400, kMostCells = 4096;

double penOf(double share)
{
    return kThin + (kThick - kThin) * std::min(std::abs(share), 1.0);
}

} // namespace

EdgeGraph::EdgeGraph(Side side, QWidget* parent) : QWidget(parent), m_side(side)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Edges as a graph; the table beside it has the same"));
    setWhatsThis(tr("Layers go from the top down. An edge is as thick as the share of the way to the other run that it "
                    "goes alone; dashed: the other way. A click tells its numbers, a double click on a head asks about "
                    "that head."));
}

void EdgeGraph::setEdges(EdgeData edges)
{
    m_edges = std::move(edges);
    m_selected = -1;
    count();
}

void EdgeGraph::setThreshold(double share)
{
    m_threshold = share;
    count();
}

void EdgeGraph::count()
{
    const auto weak = std::ranges::find_if(
        m_edges.edges, [this](const GraphEdge& edge) { return std::abs(edge.share) < m_threshold; });
    m_shown = std::min(static_cast<int>(weak - m_edges.edges.begin()), kMostDrawn);
    update();
}

void EdgeGraph::setSelected(int edge)
{
    m_selected = edge;
    update();
}

EdgeLayout EdgeGraph::places() const
{
    return {m_edges, size(), kRowNames};
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
    const EdgeLayout layout(m_edges, size, kRowNames);
    drawCells(painter, layout, palette);
    drawEdges(painter, layout, palette);
    drawParts(painter, layout, palette);
    painter.setPen(themeOf(palette).muted);
    painter.drawText(QRectF(QPointF(0, 0), size), Qt::AlignRight | Qt::AlignBottom,
                     tr("%L1 of %L2 edges").arg(m_shown).arg(m_edges.edges.size()));
}

// Every part that the model has, faint, and the names of the layers.
void EdgeGraph::drawCells(QPainter& painter, const EdgeLayout& layout, const QPalette& palette) const
{
    const Theme theme = themeOf(palette);
    int all = 0;
    for (const int cells : m_edges.cells)
        all += cells;
    const double line = painter.fontMetrics().height();
    double below = -line; // names keep clear of each other
    for (int row = 0; row < static_cast<int>(m_edges.rows.size()); ++row) {
        const QRectF first = layout.cell(row, 0);
        if (const double middle = first.center().y(); middle - line / 2 > below) {
            painter.setPen(theme.muted);
            painter.drawText(QRectF(0, middle - line / 2, kRowNames, line), Qt::AlignVCenter | Qt::AlignLeft,
                             m_edges.rows.at(row));
            below = m_edges.rows.at(row).isEmpty() ? below : middle + line / 2;
        }
        painter.setPen(theme.faint);
        painter.setBrush(Qt::NoBrush);
        for (int column = 0; all <= kMostCells && column < m_edges.cells[static_cast<std::size_t>(row)]; ++column)
            painter.drawRect(layout.cell(row, column));
    }
}

void EdgeGraph::drawEdges(QPainter& painter, const EdgeLayout& layout, const QPalette& palette) const
{
    const Theme theme = themeOf(palette);
    painter.setBrush(Qt::NoBrush);
    // The strongest last, on top; the chosen one above all.
    const auto drawOne = [&](int i, bool chosen) {
        const GraphEdge& edge = m_edges.edges[static_cast<std::size_t>(i)];
        const QPainterPath path = layout.path(edge);
        if (chosen)
            painter.strokePath(path, QPen(theme.crosshair, penOf(edge.share) + 4));
        QColor ink = edge.share < 0 ? theme.bad : sideColor(theme, m_side);
        ink.setAlphaF(chosen ? 1.0F : 0.75F);
        painter.strokePath(path,
                           QPen(ink, penOf(edge.share), edge.share < 0 ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
    };
    for (int i = m_shown - 1; i >= 0; --i)
        drawOne(i, false);
    if (m_selected >= 0 && m_selected < static_cast<int>(m_edges.edges.size()))
        drawOne(m_selected, true);
    const double line = painter.fontMetrics().height();
    for (int i = m_shown - 1; i >= 0; --i) {
        const GraphEdge& edge = m_edges.edges[static_cast<std::size_t>(i)];
        if (edge.through.isEmpty() || layout.part(edge.to).height() < line / 2) // no room for letters
            continue;
        QRectF letters = painter.fontMetrics().boundingRect(edge.through).adjusted(-2, 0, 2, 0);
        letters.moveCenter(layout.door(edge) - QPointF(0, line * 0.75));
        painter.fillRect(letters, theme.base);
        painter.setPen(theme.text);
        painter.drawText(letters, Qt::AlignCenter, edge.through);
    }
}

void EdgeGraph::drawParts(QPainter& painter, const EdgeLayout& layout, const QPalette& palette) const
{
    const Theme theme = themeOf(palette);
    std::vector<int> named{m_edges.asked}; // in the order in which they get room for a name
    for (int i = 0; i < m_shown; ++i)
        for (const int part :
             {m_edges.edges[static_cast<std::size_t>(i)].from, m_edges.edges[static_cast<std::size_t>(i)].to})
            if (std::ranges::find(named, part) == named.end())
                named.push_back(part);
    std::vector<QRectF> taken;
    for (const int part : named) {
        const QRectF cell = layout.part(part);
        const QString& name = m_edges.parts[static_cast<std::size_t>(part)].name;
        const bool asked = part == m_edges.asked;
        painter.setPen(QPen(asked ? theme.text : sideColor(theme, m_side), asked ? 2 : 1));
        painter.setBrush(theme.base);
        painter.drawRoundedRect(cell, 3, 3);
        QRectF label = painter.fontMetrics().boundingRect(name);
        label.setWidth(label.width() + 4);
        label.moveCenter(cell.center());
        if (std::ranges::any_of(taken, [&label](const QRectF& other) { return other.intersects(label); }))
            continue;
        taken.push_back(label);
        if (label.width() > cell.width() || label.height() > cell.height() + 2)
            painter.fillRect(label, theme.base);
        painter.setPen(theme.text);
        painter.drawText(label, Qt::AlignCenter, name);
    }
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
