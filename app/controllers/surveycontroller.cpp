// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/surveycontroller.h"

#include "app/present/sidenames.h"
#include "app/present/surveypresenters.h"
#include "app/present/text.h"
#include "app/workbench/headcard.h"
#include "core/io/writefile.h"
#include "widgets/survey/headcarddialog.h"

#include <QFileDialog>
#include <QFileInfo>

namespace headscope::gui {

using Kind = BackendClient::Kind;
using widgets::SurveyPage;

SurveyController::SurveyController(WindowState& state, BackendClient& client, SurveyPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_client(client), m_page(page)
{
    connect(&page, &SurveyPage::shown, this, &SurveyController::showHeading);
    connect(&state, &WindowState::activeSideChanged, this, &SurveyController::showHeading);
    connect(&state, &WindowState::modelChanged, this, &SurveyController::showHeading);
    connect(&page, &SurveyPage::textsRequested, this, [this] {
        if (const QString folder = QFileDialog::getExistingDirectory(m_page.window(), tr("A folder of texts"));
            !folder.isEmpty())
            setTexts({folder});
    });
    connect(&page, &SurveyPage::runRequested, this, &SurveyController::run);
    connect(&page, &SurveyPage::stopRequested, this, &SurveyController::stop);
    connect(&page, &SurveyPage::filterChanged, this, &SurveyController::filter);
    connect(&page, &SurveyPage::axesChanged, this, &SurveyController::drawAxes);
    connect(&page, &SurveyPage::headChosen, this, &SurveyController::chooseHead);
    connect(&page, &SurveyPage::cardRequested, this, &SurveyController::showCard);
    connect(&page, &SurveyPage::tableFileRequested, this, &SurveyController::saveTable);
    connect(&client, &BackendClient::surveyReady, this, &SurveyController::show);
    connect(&client, &BackendClient::finished, this, [this](Kind kind) {
        if (kind == Kind::Survey)
            m_page.setRunning(false);
    });
    connect(&client, &BackendClient::cancelled, this, [this](Kind kind) {
        if (kind == Kind::Survey)
            m_page.setRunning(false);
    });
    connect(&client, &BackendClient::failed, this, [this](Kind kind, Side, const QString& sentence) {
        if (kind != Kind::Survey)
            return;
        m_page.setRunning(false);
        m_page.setSentence(sentence); // what is shown stays
    });
}

void SurveyController::setTexts(const QStringList& texts)
{
    m_texts = texts;
    QStringList names;
    for (const QString& path : texts)
        names << QFileInfo(path).fileName();
    m_page.setTexts(names.join(QStringLiteral(", ")));
}

void SurveyController::showHeading()
{
    if (!m_page.isVisible())
        return;
    const Side side = m_reply ? m_side : m_state.activeSide();
    m_page.setTitle(m_state.hasModel(side) ? stateText(m_state.stateOf(side)) : QString());
    if (!m_reply)
        m_page.setSentence(tr("Choose texts and measure: what every head does there, on the average and where most."));
}

void SurveyController::run()
{
    const Side side = m_state.activeSide();
    if (!m_state.hasModel(side) || m_state.side(side).isStored()) {
        m_page.setSentence(tr("Open a model to measure its heads."));
        return;
    }
    app::SurveyAsk ask{.texts = {}, .tasks = {}, .tokens = m_page.tokens()};
    for (const QString& path : m_texts)
        ask.texts.push_back(path.toStdString());
    if (const std::string& task = m_state.prompt().task; m_page.wantsPrompts() && !task.empty())
        ask.tasks.push_back(task);
    if (ask.texts.empty() && ask.tasks.empty()) {
        m_page.setSentence(tr("Choose a folder of texts, or a sample of a benchmark whose prompts are read."));
        return;
    }
    m_side = side;
    m_page.setRunning(true);
    m_page.setSentence(tr("Reading the texts…"));
    m_client.requestSurvey(m_state.stateOf(side), ask);
}

void SurveyController::stop()
{
    m_client.stop(Kind::Survey, m_side);
}

void SurveyController::show(Side side, std::shared_ptr<const app::SurveyReply> reply)
{
    m_side = side;
    m_reply = std::move(reply);
    m_page.setRows(surveyMetrics(), surveyRows(*m_reply));
    m_page.setSentence(surveySentence(*m_reply));
    showHeading();
    filter();
}

void SurveyController::filter()
{
    auto rows = rowsWhere(m_page.filter(), m_page.model()->rows());
    m_page.setFilterProblem(rows.has_value() ? QString() : text(rows.error().message));
    if (rows.has_value())
        m_page.setShownRows(std::move(*rows));
    drawAxes();
}

// The dots are the rows that the filter lets through.
void SurveyController::drawAxes()
{
    const auto [x, y] = m_page.axes();
    if (x < 0 || y < 0)
        return;
    const auto shown = rowsWhere(m_page.filter(), m_page.model()->rows());
    std::vector<widgets::SurveyRow> rows;
    std::vector<widgets::ScatterDot> dots;
    for (std::size_t i = 0; i < m_page.model()->rows().size(); ++i) {
        const widgets::SurveyRow& row = m_page.model()->rows()[i];
        if (shown.has_value() && *shown && !(*shown)->contains(static_cast<int>(i)))
            continue;
        rows.push_back(row);
        dots.push_back({row.head, row.values[static_cast<std::size_t>(x)], row.values[static_cast<std::size_t>(y)]});
    }
    m_page.scatter()->setDots(std::move(dots), m_page.model()->metrics()[x], m_page.model()->metrics()[y]);
    m_page.setCorrelation(correlationSentence(rows, x, y));
}

void SurveyController::chooseHead(const QString& head)
{
    if (const auto ref = interventions::parseHead(head.toStdString()); ref.has_value() && m_state.hasModel(m_side))
        m_state.setHead(m_side, *ref);
}

QString SurveyController::cardOf(const QString& head) const
{
    if (!m_reply)
        return {};
    const std::string name = head.toStdString();
    return text(app::headCards(m_reply->survey, std::span(&name, 1), {m_reply->provenance, {}}));
}

void SurveyController::showCard(const QString& head)
{
    auto* dialog = new widgets::HeadCardDialog(head, cardOf(head), m_page.window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

Result<void> SurveyController::writeTable(const QString& path) const
{
    if (!m_reply)
        return inputError("There is no survey to save yet.");
    return io::writeFile(path.toStdString(), surveyCsv(*m_reply));
}

void SurveyController::saveTable()
{
    const QString path = QFileDialog::getSaveFileName(m_page.window(), tr("Save the table"),
                                                      QStringLiteral("heads.csv"), tr("Tables (*.csv)"));
    if (path.isEmpty())
        return;
    if (const auto written = writeTable(path); !written.has_value())
        m_state.tellError(written.error());
}

} // namespace headscope::gui
