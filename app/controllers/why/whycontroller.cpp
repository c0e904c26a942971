// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/whycontroller.h"

#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "app/present/why/whypresenters.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QSignalBlocker>

namespace headscope::gui {

using widgets::WhyPage;
using widgets::WhyView;

namespace {

constexpr int kSamples = 64;
constexpr const char* kWhyMetric = "attribution";

} // namespace

WhyController::WhyController(WindowState& state, app::Door& door, WhyPage& page, widgets::PromptBar& bar,
                             QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page), m_bar(bar)
{
    connect(&page, &WhyPage::shown, this, &WhyController::refreshBoth);
    connect(&page, &WhyPage::manyChanged, this, &WhyController::refreshBoth);
    connect(&page, &WhyPage::lensChanged, this, &WhyController::refreshBoth);
    connect(&page, &WhyPage::lensColorChanged, this, [this] {
        for (const Side side : kSides)
            if (const auto& lens = m_lens[indexOf(side)])
                showLens(side, lens);
    });
    connect(&page, &WhyPage::lensFileRequested, this, &WhyController::chooseLens);
    connect(&state, &WindowState::promptChanged, this, [this] {
        m_asked = {};
        refreshBoth();
    });
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_asked[indexOf(side)] = {};
        refresh(side);
    });
    connect(&state, &WindowState::ablationChanged, this, &WhyController::refresh);
    connect(&state, &WindowState::metricChanged, this, [this](Side side) {
        if (m_state.side(side).metric == kWhyMetric)
            refresh(side);
    });
    door.on<app::LensRequest>(this, &WhyController::showLens);
    door.on<app::DirectRequest>(this, &WhyController::showParts);
    door.on<app::SourcesRequest>(this, [this](Side side, const auto& parts) {
        if (parts->question.state != m_state.stateOf(side)
            || parts->question.prompt.text != m_bar.prompt().toStdString())
            return;
        m_bar.setHeat(sourceHeat(*parts, *m_state.side(side).model));
        m_heated = true;
    });
    connect(&door, &app::Door::failed, this, &WhyController::showProblem);
    for (const Side side : kSides)
        connectSide(side);
}

void WhyController::connectSide(Side side)
{
    const WhyView* view = m_page.view(side);
    connect(view->parts(), &widgets::BarsView::partChosen, this,
            [this, side](const QString& part) { choose(side, part); });
    connect(view->parts(), &widgets::BarsView::headSelected, this,
            [this, side](const QString& head) { showSources(side, head); });
    const auto askToken = [this, side](std::optional<int> app::AnswerTokens::*which, int row, int column) {
        app::AnswerTokens asked = m_asked[indexOf(side)];
        asked.*which = tokenAt(side, row, column);
        if (asked.*which)
            ask(side, asked);
    };
    connect(view, &WhyView::answerChosen, this,
            [askToken](int row, int column) { askToken(&app::AnswerTokens::answer, row, column); });
    connect(view, &WhyView::distractorChosen, this,
            [askToken](int row, int column) { askToken(&app::AnswerTokens::distractor, row, column); });
    connect(view, &WhyView::sampleRequested, this, [this, side] { ask(side, {}); });
}

std::optional<int> WhyController::tokenAt(Side side, int row, int column) const
{
    const auto& lens = m_lens[indexOf(side)];
    const auto at = static_cast<std::size_t>(column);
    if (!lens || at >= lens->ids.size())
        return std::nullopt;
    const int id = row < 0 ? lens->ids[at] : lens->points[static_cast<std::size_t>(row) * lens->tokens.size() + at].id;
    return id < 0 ? std::nullopt : std::optional(id);
}

app::WhyQuestion WhyController::question(Side side) const
{
    return {.state = m_state.stateOf(side), .prompt = m_state.promptOf(side), .asked = m_asked[indexOf(side)]};
}

std::string WhyController::jacobianFile(Side side) const
{
    if (!m_state.hasModel(side))
        return {};
    const app::ModelSummary& model = *m_state.side(side).model;
    const OpenedLens& opened = m_opened[indexOf(side)];
    if (!opened.file.empty() && opened.model == model.hash)
        return opened.file;
    return QFileInfo::exists(text(model.lens)) ? model.lens : std::string();
}

std::string WhyController::lensFile(Side side) const
{
    return m_page.jacobian() ? jacobianFile(side) : std::string();
}

void WhyController::openLens(Side side, const QString& file)
{
    if (!m_state.hasModel(side))
        return;
    m_opened[indexOf(side)] = {file.toStdString(), m_state.side(side).model->hash};
    const QSignalBlocker once(m_page.lensKind());
    m_page.lensKind()->setCurrentIndex(1);
    refreshBoth();
}

void WhyController::chooseLens()
{
    const QString file =
        QFileDialog::getOpenFileName(m_page.window(), tr("Open a Jacobian lens"), {}, tr("Jacobian lenses (*.pt)"));
    if (!file.isEmpty())
        openLens(m_state.activeSide(), file);
}

void WhyController::ask(Side side, const app::AnswerTokens& asked)
{
    m_asked[indexOf(side)] = asked;
    refresh(side);
}

void WhyController::refreshBoth()
{
    for (const Side side : kSides)
        refresh(side);
}

void WhyController::refresh(Side side)
{
    m_page.setShown(side, m_state.hasModel(side) || side == Side::A);
    if (m_heated)
        showSources(side, {});
    const bool colours = m_state.side(side).metric == kWhyMetric;
    if (!m_page.layersShown() && !colours)
        return;
    WhyView& view = *m_page.view(side);
    view.setTitle(m_state.hasModel(side) ? stateText(m_state, m_state.stateOf(side)) : QString());
    view.setChosenByHand(m_asked[indexOf(side)] != app::AnswerTokens());
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || m_state.promptOf(side).text.empty()) {
        m_door.withdraw<app::LensRequest>(side);
        m_door.withdraw<app::DirectRequest>(side);
        m_parts[indexOf(side)].reset();
        m_lens[indexOf(side)].reset();
        view.setLensProblem(tr("Open a model and enter a prompt."));
        view.setPartsProblem({});
        return;
    }
    app::WhyQuestion asked = question(side);
    if (m_page.jacobian() && jacobianFile(side).empty()) {
        m_door.withdraw<app::LensRequest>(side);
        m_lens[indexOf(side)].reset();
        view.setLensProblem(
            tr("There is no Jacobian lens for %1 yet. Choose “Fit or open a lens” to fit one to texts or "
               "to open a .pt file.")
                .arg(text(m_state.side(side).model->name)));
    } else if (m_page.layersShown()) {
        m_door.ask(app::LensRequest{asked, lensFile(side)});
    }
    if (m_page.many()->isChecked())
        asked.samples = kSamples;
    m_door.ask(app::DirectRequest{asked});
}

void WhyController::showLens(Side side, const std::shared_ptr<const app::LensReply>& lens)
{
    if (lens->ablation != m_state.side(side).ablation || lens->asked != m_asked[indexOf(side)]
        || lens->file != lensFile(side))
        return;
    m_lens[indexOf(side)] = lens;
    m_page.view(side)->setLens(
        lensGrid(lens, m_page.lensColor(), provenance(m_state.side(side), m_state.promptOf(side))),
        lensSentence(*lens));
}

void WhyController::showParts(const app::DirectRequest& request, const std::shared_ptr<const app::DirectReply>& parts)
{
    const Side side = sideOf(request);
    if (parts->ablation != m_state.side(side).ablation || parts->asked != m_asked[indexOf(side)]
        || m_state.promptOf(side).text != request.prompt.text)
        return;
    m_parts[indexOf(side)] = parts;
    m_page.view(side)->setParts(partRows(*parts), partSentence(*parts));
    m_state.setOwnMetric(side, kWhyMetric, attributionValues(*parts));
}

void WhyController::showProblem(const app::Lane& lane, const QString& sentence)
{
    if (lane.is<app::LensRequest>()) {
        m_lens[indexOf(lane.side)].reset();
        m_page.view(lane.side)->setLensProblem(sentence);
    }
    if (!lane.is<app::DirectRequest>())
        return;
    m_parts[indexOf(lane.side)].reset();
    m_page.view(lane.side)->setPartsProblem(sentence);
}

std::optional<interventions::HeadRef> WhyController::headOf(Side side, const QString& part) const
{
    if (const auto& parts = m_parts[indexOf(side)])
        for (const app::DirectValue& value : parts->values)
            if (value.kind == app::DirectValue::Kind::Head && text(value.name) == part)
                return value.head;
    return std::nullopt;
}

// A head of the list becomes the one whose pattern is shown.
void WhyController::choose(Side side, const QString& part)
{
    if (const auto head = headOf(side, part))
        m_state.setHead(side, *head);
}

void WhyController::showSources(Side side, const QString& part)
{
    m_door.withdraw<app::SourcesRequest>(side);
    if (std::exchange(m_heated, false))
        m_bar.setHeat({});
    const auto head = headOf(side, part);
    if (head && m_state.hasModel(side) && !m_state.side(side).isStored())
        m_door.ask(app::SourcesRequest{question(side), *head});
}

} // namespace headscope::gui
