// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentgallery.h"

#include "app/figures/panels/experimentplots.h"
#include "app/present/scores/verdicttext.h"
#include "app/present/text.h"
#include "app/window/experiments/experimentshelf.h"
#include "core/experiments/words/language.h"
#include "widgets/look/boxes/card.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/scores/plotthumbnail.h"

#include <QDateTime>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::gui {

using experiments::Report;

namespace {

constexpr QSize kPicture(270, 104);
constexpr int kCardWidth = 320;

QString ageOf(const Report& report)
{
    if (report.included)
        return ExperimentGallery::tr("included");
    const QDateTime then = QDateTime::fromString(text(report.finished), Qt::ISODate);
    if (!then.isValid())
        return ExperimentGallery::tr("date unknown");
    const qint64 days = then.toLocalTime().date().daysTo(QDate::currentDate());
    return days <= 0   ? ExperimentGallery::tr("today")
           : days == 1 ? ExperimentGallery::tr("yesterday")
                       : ExperimentGallery::tr("%1 days ago").arg(days);
}

QString modelsOf(const Report& report)
{
    QStringList names;
    for (const std::string& model : report.models)
        names.append(text(model.substr(model.rfind('/') + 1)));
    return names.join(QStringLiteral(", "));
}

/// In lines no longer than the picture has room for.
QString elided(const QString& line, const QFontMetrics& metrics)
{
    return metrics.elidedText(line, Qt::ElideRight, kPicture.width() + 8);
}

QPixmap pictureOf(const widgets::Plot* plot, const QPalette& palette, qreal ratio)
{
    QPixmap pixmap(kPicture * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    if (plot)
        widgets::paintThumbnail(painter, *plot, QRectF(QPointF(), kPicture), widgets::themeOf(palette));
    return pixmap;
}

/// Remembers what it draws, so that another palette draws it again.
class ResultButton : public QToolButton
{
public:
    explicit ResultButton(std::optional<widgets::Plot> plot) : m_plot(std::move(plot))
    {
        setToolButtonStyle(m_plot ? Qt::ToolButtonTextUnderIcon : Qt::ToolButtonTextOnly);
        setAutoRaise(true);
        setIconSize(kPicture);
        draw();
    }
    void draw()
    {
        if (m_plot)
            setIcon(pictureOf(&*m_plot, palette(), devicePixelRatioF()));
    }

private:
    std::optional<widgets::Plot> m_plot;
};

} // namespace

ExperimentGallery::ExperimentGallery(QWidget* parent)
    : QScrollArea(parent), m_cards(new QWidget), m_grid(new QGridLayout(m_cards))
{
    auto* page = new QWidget; // cards lie on the window's ground
    auto* column = new QVBoxLayout(page);
    auto* row = new QHBoxLayout;
    auto* all = new QPushButton(tr("Run &all"));
    m_report = new QPushButton(tr("Re&port …"));
    m_report->setToolTip(tr("One document of all results, as PDF or as Markdown with pictures"));
    m_waiting = new widgets::PlainLabel;
    m_waiting->setWordWrap(true);
    m_goOn = new QPushButton(tr("&Resume"));
    m_forget = new QPushButton(tr("&Discard"));
    row->addWidget(all);
    row->addWidget(m_report);
    row->addWidget(m_waiting, 1);
    row->addWidget(m_goOn);
    row->addWidget(m_forget);
    column->addLayout(row);
    column->addWidget(m_cards);
    column->addStretch(1);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(12);
    setWidget(page);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("All experiments"));
    connect(all, &QPushButton::clicked, this, &ExperimentGallery::allRequested);
    connect(m_report, &QPushButton::clicked, this, &ExperimentGallery::reportRequested);
    connect(m_goOn, &QPushButton::clicked, this, &ExperimentGallery::resumeRequested);
    connect(m_forget, &QPushButton::clicked, this, &ExperimentGallery::forgetRequested);
    setWaiting({}, false);
}

void ExperimentGallery::setWaiting(const QString& sentence, bool canGoOn)
{
    m_waiting->setText(sentence);
    m_goOn->setVisible(canGoOn);
    m_forget->setVisible(canGoOn);
}

QString ExperimentGallery::waiting() const
{
    return m_waiting->text();
}

QToolButton* ExperimentGallery::result(const Report& report) const
{
    auto plots = figures::experimentPlots(report);
    auto* button = new ResultButton(plots.empty() ? std::nullopt : std::optional(std::move(plots.front())));
    const experiments::Verdict verdict = report.judgement().verdict;
    const QString told = verdictMark(verdict) + QLatin1Char(' ') + verdictText(verdict), models = modelsOf(report);
    const QString cost = tr("%1, %L2 s").arg(ageOf(report)).arg(report.seconds, 0, 'f', report.seconds < 10 ? 1 : 0);
    const QFontMetrics metrics(button->font());
    button->setText(widgets::plainText(
        QStringList{elided(told, metrics), elided(models, metrics), elided(cost, metrics)}.join(QLatin1Char('\n'))));
    const QString whole =
        tr("%1. Models: %2. %3, %4.")
            .arg(told, models, cost, widgets::counted(report.examples, tr("1 example"), tr("%L1 examples")));
    button->setAccessibleName(whole);
    button->setToolTip(widgets::plainText(whole));
    return button;
}

QWidget* ExperimentGallery::card(const ExperimentShelf& shelf, int index)
{
    const experiments::Experiment& experiment = shelf.at(index);
    auto* frame = new widgets::Card(m_cards);
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(14, 12, 14, 10);
    auto* question =
        new widgets::PlainLabel((experiment.number.empty() ? QString() : text(experiment.number) + QStringLiteral("  "))
                                + text(experiments::translated(experiment.question)));
    question->setWordWrap(true);
    QFont bold = question->font();
    bold.setBold(true);
    question->setFont(bold);
    column->addWidget(question);
    const auto& reports = shelf.reports(index);
    const auto add = [&](QToolButton* button, int report) {
        column->addWidget(button, 0, Qt::AlignLeft);
        connect(button, &QToolButton::clicked, this, [this, index, report] { Q_EMIT chosen(index, report); });
    };
    for (std::size_t i = 0; i < reports.size(); ++i)
        add(result(reports[i]), static_cast<int>(i));
    if (reports.empty()) {
        auto* button = new ResultButton({});
        button->setText(tr("not run yet"));
        button->setAccessibleName(tr("%1 Not run yet.").arg(text(experiments::translated(experiment.question))));
        add(button, -1);
    }
    column->addStretch(1);
    return frame;
}

void ExperimentGallery::setShelf(const ExperimentShelf& shelf)
{
    qDeleteAll(m_all);
    m_all.clear();
    bool any = false;
    for (int i = 0; i < shelf.count(); ++i) {
        m_all.push_back(card(shelf, i));
        any = any || std::ranges::any_of(shelf.reports(i), [](const Report& report) { return !report.included; });
    }
    m_report->setEnabled(any);
    m_columns = 0;
    arrange();
}

void ExperimentGallery::arrange()
{
    const int columns = std::max(1, viewport()->width() / kCardWidth);
    if (columns == m_columns)
        return;
    for (int column = 0; column < m_columns; ++column)
        m_grid->setColumnStretch(column, 0);
    m_columns = columns;
    for (std::size_t i = 0; i < m_all.size(); ++i)
        m_grid->addWidget(m_all[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    for (int column = 0; column < columns; ++column)
        m_grid->setColumnStretch(column, 1);
}

std::vector<QToolButton*> ExperimentGallery::results() const
{
    std::vector<QToolButton*> buttons;
    for (const QWidget* one : m_all)
        for (QToolButton* button : one->findChildren<QToolButton*>())
            buttons.push_back(button);
    return buttons;
}

void ExperimentGallery::redraw()
{
    for (QToolButton* button : results())
        static_cast<ResultButton*>(button)->draw();
}

void ExperimentGallery::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

void ExperimentGallery::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_cards)
        redraw();
}

} // namespace headscope::gui
