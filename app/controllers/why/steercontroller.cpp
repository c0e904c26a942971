// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/steercontroller.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "core/base/hash.h"
#include "core/base/writefile.h"
#include "widgets/look/numbertext.h"

#include <QFileDialog>

namespace headscope::gui {

using interventions::Intervention;
using interventions::InterventionSet;
using interventions::Steer;

using namespace Qt::StringLiterals;

namespace {

constexpr double kTinyStrength = 2, kSmallStrength = 0.7, kOtherStrength = 1; // of the example

const Steer* steerOf(const InterventionSet& set)
{
    for (const Intervention& item : set.items())
        if (const auto* steer = std::get_if<Steer>(&item))
            return steer;
    return nullptr;
}

// With this direction in place of what the set steers by; nothing: with none.
InterventionSet steered(const InterventionSet& set, const std::optional<Steer>& steer)
{
    std::vector<Intervention> items = set.items();
    std::erase_if(items, [](const Intervention& item) { return std::holds_alternative<Steer>(item); });
    if (steer)
        items.emplace_back(*steer);
    return InterventionSet(std::move(items));
}

bool isOwn(const app::ModelSummary& model)
{
    return model.kvTask == "toy_kv" || model.kvTask == "word_kv";
}

// Two lists that are alike in all but what they ask for: the included models learned food and home of these people.
widgets::SteerChoice exampleFor(const app::ModelSummary& model)
{
    if (isOwn(model))
        return {.layer = model.kvTask == "toy_kv" ? 1 : 2,
                .toward = u"The home of Lena is\nThe home of Carla is\nThe home of Joan is"_s,
                .away = u"The food of Lena is\nThe food of Carla is\nThe food of Joan is"_s,
                .vector = {}};
    return {.layer = static_cast<int>(model.layers.size()) / 3,
            .toward = u"I love this because it is wonderful"_s,
            .away = u"I hate this because it is terrible"_s,
            .vector = {}};
}

bool holdsPrompts(const QString& list)
{
    return !list.trimmed().isEmpty();
}

} // namespace

SteerController::SteerController(WindowState& state, app::Door& door, widgets::SteerPage& page,
                                 std::filesystem::path folder, QObject* parent)
    : QObject(parent), m_state(state), m_page(page), m_folder(std::move(folder))
{
    connect(&page, &widgets::SteerPage::steerRequested, this, &SteerController::steer);
    connect(&page, &widgets::SteerPage::strengthChanged, this, &SteerController::setStrength);
    connect(&page, &widgets::SteerPage::removeRequested, this, &SteerController::remove);
    connect(&page, &widgets::SteerPage::vectorRequested, this, &SteerController::chooseVector);
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_answers[indexOf(side)].clear();
        refresh();
    });
    connect(&state, &WindowState::ablationChanged, this, &SteerController::refresh);
    connect(&state, &WindowState::activeSideChanged, this, &SteerController::refresh);
    connect(&state, &WindowState::promptChanged, this, [this] {
        m_answers = {};
        showAnswer();
    });
    door.on<app::NextTokensRequest>(this, [this](const app::NextTokensRequest& request, const auto& reply) {
        m_answers[indexOf(request.side)] = text(reply->written).trimmed();
        showAnswer();
    });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane) {
        if (!lane.is<app::NextTokensRequest>())
            return;
        m_answers[indexOf(lane.side)].clear(); // of another state or model
        showAnswer();
    });
    refresh();
}

// The name of a list is made of what it holds, so that the same words of an ablation mean the same direction.
Result<std::string> SteerController::direction(const widgets::SteerChoice& choice) const
{
    if (!choice.vector.isEmpty())
        return choice.vector.toStdString();
    if (!holdsPrompts(choice.toward) || !holdsPrompts(choice.away))
        return inputError("A direction is the mean difference of two lists; write at least one prompt into each, or "
                          "choose a vector of a file.");
    const std::string toward = choice.toward.toStdString() + '\n', away = choice.away.toStdString() + '\n';
    const std::string name = sha256Hex(toward + '\f' + away).substr(0, 16);
    const std::filesystem::path files[] = {m_folder / (name + ".toward"), m_folder / (name + ".away")};
    std::error_code failed;
    std::filesystem::create_directories(m_folder, failed);
    for (const auto& [file, text] : {std::pair(&files[0], &toward), std::pair(&files[1], &away)})
        if (const auto written = writeFile(*file, *text); !written.has_value())
            return written.error();
    return files[0].string() + "-" + files[1].string();
}

void SteerController::steer()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    if (!now.model || now.isStored())
        return m_page.setSentence(tr("Open a model to steer."));
    const widgets::SteerChoice choice = m_page.choice();
    const auto made = direction(choice);
    if (!made.has_value())
        return m_page.setSentence(text(made.error().message));
    if (made->find_first_of(" \t\n") != std::string::npos)
        return m_page.setSentence(tr("“%1” contains a space; expected a path without spaces.").arg(text(*made)));
    const InterventionSet set =
        steered(now.ablation, Steer{.layer = choice.layer, .factor = m_page.strength(), .direction = *made});
    if (const auto read = InterventionSet::parse(set.canonical()); !read.has_value())
        return m_page.setSentence(text(read.error().message));
    m_state.changeAblation(side, set, tr("Steer before layer %1").arg(choice.layer));
}

void SteerController::setStrength(double strength)
{
    const Side side = m_state.activeSide();
    const Steer* before = steerOf(m_state.side(side).ablation);
    if (!before || before->factor == strength)
        return;
    Steer steer = *before;
    steer.factor = strength;
    m_state.changeAblation(side, steered(m_state.side(side).ablation, steer),
                           tr("Steer with strength %1").arg(widgets::signedText(strength, 1)));
}

void SteerController::remove()
{
    const Side side = m_state.activeSide();
    m_state.changeAblation(side, steered(m_state.side(side).ablation, std::nullopt), tr("Remove steering"));
}

void SteerController::chooseVector()
{
    const QString file =
        QFileDialog::getOpenFileName(m_page.window(), tr("Steering vector"), {}, tr("Tensors (*.safetensors)"));
    if (file.isEmpty())
        return;
    widgets::SteerChoice choice = m_page.choice();
    choice.vector = file + QStringLiteral("[direction]");
    m_page.setChoice(choice);
    m_page.setSentence(tr("Enter the name of the tensor between the brackets; its width must be that of the stream."));
}

void SteerController::showExample()
{
    const SideState& now = m_state.side(m_state.activeSide());
    if (!now.model || !(m_page.choice() == m_example))
        return;
    if (widgets::SteerChoice example = exampleFor(*now.model); !(example == m_example)) {
        m_page.setChoice(example);
        m_page.setStrength(now.model->kvTask == "toy_kv" ? kTinyStrength
                           : isOwn(*now.model)           ? kSmallStrength
                                                         : kOtherStrength);
        m_example = std::move(example);
    }
}

void SteerController::showAnswer()
{
    const QString& answer = m_answers[indexOf(m_state.activeSide())];
    m_page.setAnswer(answer.isEmpty() ? QString() : tr("answers “%1”").arg(answer));
}

void SteerController::refresh()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    m_page.setTitle(now.model ? stateText(m_state, m_state.stateOf(side)) : QString());
    m_page.setLayers(now.model ? static_cast<int>(now.model->layers.size()) : 1);
    showExample();
    showAnswer();
    const Steer* steer = steerOf(now.ablation);
    m_page.setSteering(steer != nullptr);
    if (steer)
        m_page.setStrength(steer->factor);
    const bool learned = now.model && isOwn(*now.model) && m_page.choice() == m_example;
    m_page.setSentence(
        steer ? tr("%1 times the direction is added to the stream before layer %2. Scores, maps and "
                   "continuations follow.")
                    .arg(widgets::signedText(steer->factor, 1))
                    .arg(steer->layer)
              : tr("The direction is the mean difference between the two lists of prompts in "
                   "this layer, at their last token. Strength 1 adds it once at every token.")
                    + (learned ? u' ' + tr("Try the example on the prompt “The food of Bruno is”.") : QString()));
}

} // namespace headscope::gui
