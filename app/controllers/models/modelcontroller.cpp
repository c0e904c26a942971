// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/models/modelcontroller.h"

#include "app/controllers/models/ownfolders.h"
#include "app/notebook/tokenizerchoice.h"
#include "app/state/modelheads.h"
#include "core/io/modelfolder.h"
#include "core/io/resources.h"

#include <QFileInfo>

#include <utility>

namespace headscope::gui {

using interventions::Site;

namespace {

/// Returns the folder of this model (a folder or a name) if it exists and has no tokenizer.
std::filesystem::path folderWithoutTokenizer(const QString& model)
{
    const auto folder =
        io::resolveModel(model.toStdString(), io::ModelPlaces::fromEnvironment(io::resourcesFolder() / "models"));
    return folder.has_value() && !app::hasTokenizer(folder->path) ? folder->path : std::filesystem::path();
}

/// Remembers a tokenizer for the model's folder. `file`: tokenizer.json, vocab.json or another file.
Result<void> rememberTokenizerOf(const QString& model, const QString& file)
{
    const QFileInfo chosen(file);
    // The folder holds more: how special tokens are added, and the merges of vocab.json.
    const bool usual =
        chosen.fileName() == QLatin1String("tokenizer.json") || chosen.fileName() == QLatin1String("vocab.json");
    const QString tokenizer = usual ? chosen.absolutePath() : chosen.absoluteFilePath();
    return app::rememberTokenizer(folderWithoutTokenizer(model), tokenizer.toStdString());
}

} // namespace

ModelController::ModelController(WindowState& state, app::Door& door, widgets::PromptBar& bar, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_bar(bar)
{
    connect(&bar, &widgets::PromptBar::modelAChosen, this, [this](const QString& id) { open(Side::A, id); });
    connect(&bar, &widgets::PromptBar::modelBChosen, this, [this](const QString& id) {
        if (id.isEmpty())
            closeB();
        else
            open(Side::B, id);
    });
    door.on<app::OpenModelRequest>(this, &ModelController::arrived);
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (lane.is<app::OpenModelRequest>())
            failed(lane.side, sentence);
    });
    connect(&door, &app::Door::smallerTypeFits, this, [this](Side side, const QString& type) {
        m_smaller[indexOf(side)] = type;
        m_state.notify(
            {.kind = Message::Kind::Error, .text = m_failure, .step = Message::Step::OpenInSmallerType, .side = side});
    });
    connect(&state, &WindowState::modelChanged, this, &ModelController::showModels);
}

void ModelController::setChoices(const QList<widgets::Choice>& choices)
{
    m_choices = choices;
    showModels();
}

QString ModelController::choiceOf(Side side)
{
    const auto& model = m_state.side(side).model;
    if (!model)
        return {};
    const QString name = QString::fromStdString(model->name), path = QString::fromStdString(model->path);
    for (const widgets::Choice& choice : std::as_const(m_choices))
        if (choice.id == name || choice.id == path)
            return choice.id;
    m_choices.append({path, name, path}); // a folder that was opened can be chosen again
    return path;
}

void ModelController::showModels()
{
    const QString a = choiceOf(Side::A), b = choiceOf(Side::B);
    m_bar.setModels(m_choices, a, b);
}

void ModelController::open(Side side, const QString& model, const QString& type)
{
    m_state.notify({.text = tr("Opening %1 …").arg(model)});
    m_asked[indexOf(side)] = model;
    m_restoring[indexOf(side)] = false;
    m_door.ask(app::OpenModelRequest{side, {model.toStdString(), type.toStdString()}});
}

void ModelController::openInSmallerType(Side side)
{
    open(side, m_asked[indexOf(side)], m_smaller[indexOf(side)]);
}

void ModelController::restore(Side side, const QString& model, const QString& type)
{
    open(side, model, type);
    m_restoring[indexOf(side)] = true;
}

void ModelController::openWithTokenizer(Side side, const QString& file)
{
    const QString& model = m_asked[indexOf(side)];
    if (const auto kept = rememberTokenizerOf(model, file); !kept.has_value())
        return m_state.showError(kept.error());
    open(side, model);
}

void ModelController::closeB()
{
    m_door.closeModel(Side::B);
    m_state.closeModel(Side::B);
}

void ModelController::openTwin()
{
    if (const auto& model = m_state.side(Side::A).model)
        open(Side::B, QString::fromStdString(model->path));
}

void ModelController::compareKinds()
{
    const auto& model = m_state.side(Side::A).model;
    if (!model || !isHybrid(*model))
        return m_state.notify(
            {.text = tr("This model has heads of one kind only; open a hybrid such as tiny-hybrid as A.")});
    m_ssmWanted = true;
    m_state.setSite(Side::A, Site::Attention);
    openTwin();
}

void ModelController::arrived(Side side, std::shared_ptr<const app::ModelSummary> model)
{
    QStringList warnings;
    for (const std::string& warning : model->warnings)
        warnings.append(QString::fromStdString(warning));
    if (!warnings.isEmpty())
        m_state.notify({.kind = Message::Kind::Warning, .text = warnings.join(QLatin1Char(' '))});
    else if (!std::exchange(m_hinted, true))
        m_state.notify(
            {.text =
                 tr("Click a head to ablate it. The scores on the right follow. Layers and heads count from zero.")});
    else
        m_state.clearMessage();
    if (!std::exchange(m_restoring[indexOf(side)], false))
        rememberOwnModel(QString::fromStdString(model->path));
    m_door.withdrawModel(side);
    m_state.setModel(side, model); // who hears of it may have more to say
    if (side == Side::B && std::exchange(m_ssmWanted, false))
        m_state.setSite(side, Site::Ssm);
}

void ModelController::failed(Side side, const QString& sentence)
{
    m_failure = sentence;
    if (std::exchange(m_restoring[indexOf(side)], false))
        return Q_EMIT restoreFailed(side, sentence);
    Message message{.kind = Message::Kind::Error, .text = sentence};
    if (sentence.contains(QLatin1String("tokenizer")) && !folderWithoutTokenizer(m_asked[indexOf(side)]).empty()) {
        message.step = Message::Step::ChooseTokenizer;
        message.side = side;
    }
    m_state.notify(message);
}

} // namespace headscope::gui
