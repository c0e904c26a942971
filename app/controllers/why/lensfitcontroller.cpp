// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/lensfitcontroller.h"

#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "app/present/why/whypresenters.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

namespace headscope::gui {

namespace {

// Where a model's own lens is found again; for a folder that cannot be written to, among the person's own data.
QString lensOutput(const app::ModelSummary& model)
{
    const QFileInfo folder(QFileInfo(text(model.lens)).path());
    if (folder.isDir() && folder.isWritable())
        return text(model.lens);
    return QStringLiteral("%1/lenses/%2.pt")
        .arg(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation), folder.completeBaseName());
}

} // namespace

LensFitController::LensFitController(WindowState& state, app::Door& door, QWidget& window, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_window(window)
{
    door.on<app::LensForecastRequest>(this, [this](Side, const auto& reply) {
        if (m_dialog && !running())
            m_dialog->setSentence(forecastSentence(*reply));
    });
    door.on<app::LensFitQuestion>(this, [this](Side side, const auto& reply) {
        if (m_dialog)
            m_dialog->setSentence(fitSentence(*reply));
        if (m_state.hasModel(side) && m_state.side(side).model->hash == m_hash)
            Q_EMIT fitted(side, QString::fromStdString(reply->fit.output.string()));
    });
    connect(&door, &app::Door::progressed, this,
            [this](const app::Lane& lane, const QString&, qint64 done, qint64 total) {
                if (m_dialog && lane.is<app::LensFitQuestion>())
                    m_dialog->setProgress(done, total);
            });
    connect(&door, &app::Door::finished, this, [this](const app::Lane& lane) {
        if (m_dialog && lane.is<app::LensFitQuestion>())
            m_dialog->setRunning(false);
    });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (lane.is<app::LensFitQuestion, app::LensForecastRequest>())
            ended(sentence);
    });
    connect(&door, &app::Door::cancelled, this, [this](const app::Lane& lane) {
        if (lane.is<app::LensFitQuestion>())
            ended(tr("Stopped. The prompts that are done are kept beside the file; press “Fit” to continue."));
    });
}

void LensFitController::makeDialog()
{
    using widgets::LensFitDialog;
    m_dialog = new LensFitDialog(&m_window);
    connect(m_dialog, &LensFitDialog::changed, this, &LensFitController::forecast);
    connect(m_dialog, &LensFitDialog::fitRequested, this, &LensFitController::fit);
    connect(m_dialog, &LensFitDialog::stopRequested, this, [this] { m_door.stop<app::LensFitQuestion>(m_side); });
    connect(m_dialog, &LensFitDialog::filesRequested, this, [this] {
        addTexts(QFileDialog::getOpenFileNames(m_dialog, tr("Texts"), {}, tr("Texts (*.txt *.jsonl)")));
    });
    connect(m_dialog, &LensFitDialog::folderRequested, this, [this] {
        if (const QString folder = QFileDialog::getExistingDirectory(m_dialog, tr("A folder of texts"));
            !folder.isEmpty())
            addTexts({folder});
    });
    connect(m_dialog, &LensFitDialog::outputRequested, this, &LensFitController::chooseOutput);
}

void LensFitController::open()
{
    if (!m_dialog)
        makeDialog();
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    if (!running() && now.model && !now.isStored() && (m_hash != now.model->hash || m_side != side)) {
        m_side = side;
        m_hash = now.model->hash;
        m_dialog->setModel(stateText(m_state, m_state.stateOf(side)));
        widgets::LensFitChoice choice = m_dialog->choice();
        choice.output = lensOutput(*now.model);
        m_dialog->setChoice(choice);
        m_dialog->setSentence(tr("Choose texts of the kind that the model reads. The fit needs no training, only "
                                 "backward passes; its time and memory are shown here before it starts."));
    }
    if (!running() && m_hash.empty())
        m_dialog->setSentence(tr("Open a model first."));
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

app::LensFitRequest LensFitController::request() const
{
    const widgets::LensFitChoice choice = m_dialog->choice();
    app::LensFitRequest request{.texts = {},
                                .output = choice.output.toStdString(),
                                .prompts = choice.prompts,
                                .length = choice.length,
                                .skip = choice.skip,
                                .layers = {}};
    for (const QString& path : choice.texts)
        request.texts.emplace_back(path.toStdString());
    return request;
}

void LensFitController::forecast()
{
    const SideState& now = m_state.side(m_side);
    if (running() || !now.model || now.isStored() || now.model->hash != m_hash || !m_dialog->fitButton()->isEnabled())
        return;
    m_dialog->setSentence(tr("Estimating …"));
    m_door.ask(app::LensForecastRequest{m_state.stateOf(m_side), request()});
}

void LensFitController::fit()
{
    const SideState& now = m_state.side(m_side);
    if (!now.model || now.isStored() || now.model->hash != m_hash)
        return m_dialog->setSentence(
            tr("The model is no longer open; open it again and choose “Fit a Jacobian lens…”."));
    const app::LensFitRequest wanted = request();
    QDir().mkpath(QFileInfo(text(wanted.output.string())).path()); // where it fails, the fit says so
    m_door.withdraw<app::LensForecastRequest>(m_side);
    m_dialog->setRunning(true);
    m_dialog->setSentence(tr("Fitting. The window can be used meanwhile, and this dialog can be closed."));
    m_door.ask(app::LensFitQuestion{m_state.stateOf(m_side), wanted});
}

void LensFitController::ended(const QString& sentence)
{
    if (!m_dialog)
        return;
    m_dialog->setRunning(running());
    m_dialog->setSentence(sentence);
}

void LensFitController::addTexts(const QStringList& paths)
{
    widgets::LensFitChoice choice = m_dialog->choice();
    choice.texts << paths;
    choice.texts.removeDuplicates();
    m_dialog->setChoice(choice);
}

void LensFitController::chooseOutput()
{
    const QString path = QFileDialog::getSaveFileName(m_dialog, tr("File of the lens"), m_dialog->choice().output,
                                                      tr("Jacobian lenses (*.pt)"));
    if (path.isEmpty())
        return;
    widgets::LensFitChoice choice = m_dialog->choice();
    choice.output = path;
    m_dialog->setChoice(choice);
}

} // namespace headscope::gui
