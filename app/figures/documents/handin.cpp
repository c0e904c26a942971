// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/documents/handin.h"

#include "app/figures/documents/sessionfigure.h"
#include "core/base/writefile.h"
#include "sessions/sessionstore.h"
#include "widgets/figures/figurerenderer.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QCoreApplication>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QTextDocument>

#include <algorithm>

namespace headscope::figures {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPageDotsPerInch = 200;
constexpr int kFigureDots = 1100; // width of a figure on the page

QString handInText(const char* words)
{
    return QCoreApplication::translate("HandIn", words);
}

QString plain(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped().replace(u'\n', u"<br>"_s);
}

std::vector<HandInRun> runsOf(const std::vector<sessions::RunRecord>& runs,
                              const std::vector<sessions::SeriesScore>& scores)
{
    std::vector<HandInRun> all;
    for (const sessions::RunRecord& run : runs)
        for (const sessions::SeriesScore& score : scores)
            if (std::find(run.series.begin(), run.series.end(), score.series) != run.series.end() && score.n > 0)
                all.push_back({run.name, score.series.task,
                               static_cast<double>(score.correct) / static_cast<double>(score.n), score.n});
    return all;
}

QString markOf(const sessions::Answer& answer)
{
    if (answer.kind == sessions::AnswerKind::Open)
        return handInText(QT_TRANSLATE_NOOP("HandIn", "open question"));
    return answer.correct.value_or(false) ? handInText(QT_TRANSLATE_NOOP("HandIn", "right"))
                                          : handInText(QT_TRANSLATE_NOOP("HandIn", "wrong"));
}

QString row(const QStringList& cells, const QString& tag)
{
    QString html = u"<tr>"_s;
    for (const QString& cell : cells)
        html += u"<%1 align=\"left\">%2</%1>"_s.arg(tag, cell);
    return html + u"</tr>"_s;
}

QString examText(const sessions::Exam& exam)
{
    const QString minutes = QString::number(exam.seconds / 60, 'f', 1);
    return exam.minutes > 0 ? handInText(QT_TRANSLATE_NOOP("HandIn", "Exam %1, started %2 (UTC): %3 of %4 min"))
                                  .arg(plain(exam.name), plain(exam.started), minutes)
                                  .arg(exam.minutes)
                            : handInText(QT_TRANSLATE_NOOP("HandIn", "Exam %1, started %2 (UTC): %3 min"))
                                  .arg(plain(exam.name), plain(exam.started), minutes);
}

QString answerTable(const HandIn& handIn)
{
    QString html = u"<table border=\"1\" cellspacing=\"0\" cellpadding=\"4\" width=\"100%\">"_s;
    html += row({handInText(QT_TRANSLATE_NOOP("HandIn", "Question")), handInText(QT_TRANSLATE_NOOP("HandIn", "Answer")),
                 handInText(QT_TRANSLATE_NOOP("HandIn", "Confidence")),
                 handInText(QT_TRANSLATE_NOOP("HandIn", "Seconds")), QString()},
                u"th"_s);
    for (const sessions::Answer& answer : handIn.answers)
        html += row({u"<b>%1 %2</b><br>%3"_s.arg(plain(answer.lesson)).arg(answer.step + 1).arg(plain(answer.question)),
                     plain(answer.answer), plain(answer.confidence), QString::number(answer.seconds, 'f', 0),
                     markOf(answer)},
                    u"td"_s);
    return html + u"</table>"_s;
}

QString runTable(const HandIn& handIn)
{
    QString html = u"<table border=\"1\" cellspacing=\"0\" cellpadding=\"4\" width=\"100%\">"_s;
    html += row({handInText(QT_TRANSLATE_NOOP("HandIn", "State")), handInText(QT_TRANSLATE_NOOP("HandIn", "Benchmark")),
                 handInText(QT_TRANSLATE_NOOP("HandIn", "Accuracy")), u"n"_s},
                u"th"_s);
    for (const HandInRun& run : handIn.runs)
        html += row({plain(run.name), plain(taskTitle(run.task)), QString::number(run.accuracy, 'f', 2),
                     QString::number(run.n)},
                    u"td"_s);
    return html + u"</table>"_s;
}

Result<void> addPictures(QTextDocument& page, const HandIn& handIn)
{
    for (std::size_t i = 0; i < handIn.figures.size(); ++i) {
        const auto png =
            widgets::renderFigure(handIn.figures[i].figure, handIn.figures[i].style, widgets::FigureFormat::Png);
        if (!png.has_value())
            return png.error();
        page.addResource(QTextDocument::ImageResource, QUrl(u"figure:%1"_s.arg(i)), QImage::fromData(*png));
    }
    return {};
}

} // namespace

Result<HandIn> readHandIn(sessions::SessionStore& session, const QString& name)
{
    HandIn handIn{.name = name, .uid = {}, .exam = {}, .answers = {}, .runs = {}, .figures = {}, .problems = {}};
    auto answers = sessions::answers(session);
    if (!answers.has_value())
        return answers.error();
    auto exam = sessions::examOf(session);
    if (!exam.has_value())
        return exam.error();
    handIn.exam = std::move(*exam);
    if (answers->empty() && !handIn.exam)
        return inputError(
            "There is nothing to hand in: no question of a tour or an exercise was answered in this session.");
    const auto uid = session.uid();
    const auto runs = session.runs();
    const auto scores = session.scores();
    const auto figures = session.figures();
    for (const Error* error :
         {uid.has_value() ? nullptr : &uid.error(), runs.has_value() ? nullptr : &runs.error(),
          scores.has_value() ? nullptr : &scores.error(), figures.has_value() ? nullptr : &figures.error()})
        if (error)
            return *error;
    handIn.uid = QString::fromStdString(*uid);
    handIn.answers = std::move(*answers);
    handIn.runs = runsOf(*runs, *scores);
    for (const sessions::FigureRecipe& kept : *figures) {
        const auto recipe = parseRecipe(kept.recipeJson);
        auto figure = recipe.has_value() ? makeFigure(session, *recipe) : Result<widgets::Figure>(recipe.error());
        if (figure.has_value())
            handIn.figures.push_back({QString::fromStdString(kept.name), std::move(*figure), styleOf(recipe->style)});
        else
            handIn.problems.append(QString::fromStdString(kept.name + ": " + figure.error().message));
    }
    return handIn;
}

QString handInHtml(const HandIn& handIn)
{
    QString html = u"<h1>%1</h1><p>%2</p>"_s.arg(
        handIn.name.toHtmlEscaped(), handInText(QT_TRANSLATE_NOOP("HandIn", "Headscope session %1")).arg(handIn.uid));
    if (handIn.exam)
        html += u"<p>%1</p>"_s.arg(examText(*handIn.exam));
    html += u"<h2>%1</h2>"_s.arg(handInText(QT_TRANSLATE_NOOP("HandIn", "Answers"))) + answerTable(handIn);
    if (!handIn.runs.empty())
        html += u"<h2>%1</h2>"_s.arg(handInText(QT_TRANSLATE_NOOP("HandIn", "Scored states"))) + runTable(handIn);
    for (std::size_t i = 0; i < handIn.figures.size(); ++i)
        html += u"<h2>%1</h2><p><img src=\"figure:%2\" width=\"%3\"></p>"_s.arg(handIn.figures[i].name.toHtmlEscaped())
                    .arg(i)
                    .arg(kFigureDots);
    for (const QString& problem : handIn.problems)
        html += u"<p>%1</p>"_s.arg(problem.toHtmlEscaped());
    return html;
}

Result<void> writeHandIn(const HandIn& handIn, const QString& path)
{
    QByteArray bytes;
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setResolution(kPageDotsPerInch);
        writer.setTitle(handIn.name);
        QTextDocument page;
        page.documentLayout()->setPaintDevice(&writer);
        if (const auto pictures = addPictures(page, handIn); !pictures.has_value())
            return pictures;
        page.setHtml(handInHtml(handIn));
        page.setPageSize(QSizeF(writer.width(), writer.height()));
        page.print(&writer);
    }
    return writeFile(path.toStdString(), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())),
                     FileAccess::Private); // as the session beside it
}

} // namespace headscope::figures
