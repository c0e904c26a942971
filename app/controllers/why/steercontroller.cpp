// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/steercontroller.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "core/base/hash.h"
#include "core/base/writefile.h"
#include "widgets/look/numbertext.h"

#include <QFileDialog>

#include <algorithm>

namespace headscope::gui {

using interventions::Intervention;
using interventions::InterventionSet;
using interventions::Steer;

namespace {

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

bool holdsPrompts(const QString& list)
{
    return !list.trimmed().isEmpty();
}

} // namespace

SteerController::SteerController(WindowState& state, widgets::SteerPage& page, std::filesystem::path folder,
                                 QObject* parent)
    : QObject(parent), m_state(state), m_page(page), m_folder(std::move(folder))
{
    connect(&page, &widgets::SteerPage::steerRequested, this, &SteerController::steer);
    connect(&page, &widgets::SteerPage::strengthChanged, this, &SteerController::setStrength);
    connect(&page, &widgets::SteerPage::removeRequested, this, &SteerController::remove);
    connect(&page, &widgets::SteerPage::vectorRequested, this, &SteerController::chooseVector);
    for (const auto changed : {&WindowState::modelChanged, &WindowState::ablationChanged})
        connect(&state, changed, this, &SteerController::refresh);
    connect(&state, &WindowState::activeSideChanged, this, &SteerController::refresh);
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

void SteerController::refresh()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    m_page.setTitle(now.model ? stateText(m_state, m_state.stateOf(side)) : QString());
    m_page.setLayers(now.model ? static_cast<int>(now.model->layers.size()) : 1);
    const Steer* steer = steerOf(now.ablation);
    m_page.setSteering(steer != nullptr);
    if (steer)
        m_page.setStrength(steer->factor);
    m_page.setSentence(steer ? tr("%1 times the direction is added to the stream before layer %2. Scores, maps and "
                                  "continuations follow.")
                                   .arg(widgets::signedText(steer->factor, 1))
                                   .arg(steer->layer)
                             : tr("The direction is the mean difference between the two lists of prompts in "
                                  "this layer, at their last token. Strength 1 adds it once at every token."));
}

} // namespace headscope::gui
