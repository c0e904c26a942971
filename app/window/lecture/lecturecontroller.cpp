// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/lecture/lecturecontroller.h"

#include "app/present/heads/headedits.h"
#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/tours/tourguide.h"

#include <QGuiApplication>
#include <QScreen>

#include <algorithm>
#include <utility>

namespace headscope::gui {

using widgets::HeadMapModel;

LectureController::LectureController(ExplorerPage& page, WindowState& state, TourGuide& guide, QWidget& window)
    : QObject(&window), m_page(page), m_state(state), m_guide(guide), m_window(window)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &LectureController::refresh);
    const auto soon = [this] {
        if (isOpen())
            m_soon.start();
    };
    for (auto signal : {&WindowState::patternChanged, &WindowState::scoresChanged, &WindowState::ablationChanged,
                        &WindowState::headChanged, &WindowState::lockedRowChanged, &WindowState::effectsChanged,
                        &WindowState::foundHeadsChanged, &WindowState::modelChanged})
        connect(&state, signal, this, soon);
    connect(&state, &WindowState::activeSideChanged, this, soon);
    connect(page.parts().prompt->answers(), &widgets::AnswersView::changed, this, soon);
}

LectureController::~LectureController()
{
    delete m_view;
}

void LectureController::toggle()
{
    isOpen() ? leave() : begin();
}

void LectureController::begin()
{
    if (!m_view) {
        m_view = new widgets::LectureView;
        m_view->setWindowTitle(tr("Headscope: lecture"));
        connect(m_view, &widgets::LectureView::nextRequested, this, [this] { step(1); });
        connect(m_view, &widgets::LectureView::backRequested, this, [this] { step(-1); });
        connect(m_view, &widgets::LectureView::ablateRequested, this, &LectureController::ablate);
        connect(m_view, &widgets::LectureView::left, this, &LectureController::leave);
    }
    m_run = -1;
    refresh();
    const QList<QScreen*> screens = QGuiApplication::screens();
    const auto other = std::find_if(screens.begin(), screens.end(),
                                    [this](const QScreen* screen) { return screen != m_window.screen(); });
    m_view->setGeometry(other == screens.end() ? m_window.screen()->geometry() : (*other)->geometry());
    m_view->showFullScreen();
    m_view->activateWindow(); // the keys are the lecture's, also where the window stays in sight
    m_view->setFocus();
    m_ownScreen = other != screens.end();
    updateSpeaker();
}

void LectureController::leave()
{
    if (m_view)
        m_view->hide();
    if (!std::exchange(m_told, {}).isEmpty())
        m_page.parts().messages->clear();
    m_window.activateWindow();
}

void LectureController::refresh()
{
    if (m_view)
        m_view->setLecture(lecture());
    updateSpeaker();
}

void LectureController::updateSpeaker()
{
    if (!isOpen() || !m_ownScreen)
        return;
    const QString next = nextStep();
    const QString said = next.isEmpty() ? tr("Lecture: this is the last step.") : tr("Lecture, next: %1").arg(next);
    if (said != m_told)
        m_page.parts().messages->showMessage(widgets::MessageBar::Kind::Info, said);
    m_told = said;
}

QString LectureController::nextStep() const
{
    if (!m_guide.covered().isEmpty())
        return tr("the answer");
    if (const Tour* tour = m_guide.tour())
        return m_guide.step() + 1 < tour->steps.size() ? tour->steps.at(m_guide.step() + 1).title : QString();
    const std::vector<widgets::RunRow> runs = slides();
    const auto next = static_cast<std::size_t>(m_run + 1);
    return next < runs.size() ? runs[next].name : QString();
}

std::vector<widgets::RunRow> LectureController::slides() const
{
    std::vector<widgets::RunRow> runs;
    for (const widgets::RunRow& run : m_page.parts().runs->model()->runs())
        if (!run.onTheWay)
            runs.push_back(run);
    return runs;
}

widgets::LectureSide LectureController::sideOf(Side side) const
{
    widgets::LectureSide shown;
    const widgets::PatternView* view = m_page.parts().patterns->view(side);
    if (!m_state.hasModel(side) || view->pattern().empty())
        return shown;
    shown.shown = true;
    shown.map = view->pattern();
    shown.profile = m_page.parts().patterns->profile(side)->profile();
    shown.row = m_state.side(side).lockedRow;
    const widgets::HeadMapPanel* panel = side == Side::A ? m_page.parts().mapA : m_page.parts().mapB;
    const HeadMapModel* heads = panel->model();
    for (int row = 0; row < heads->rowCount(); ++row) {
        shown.layers.append(heads->headerData(row, Qt::Vertical, Qt::DisplayRole).toString());
        std::vector<widgets::LectureHead> layer;
        for (int column = 0; column < heads->columnCount(); ++column) {
            const QModelIndex index = heads->index(row, column);
            if (heads->spanAt(index).count == 0)
                continue;
            layer.push_back({index.data(HeadMapModel::ColorRole).value<QColor>(),
                             index.data(HeadMapModel::MarkRole).toString(),
                             index.data(HeadMapModel::OffRole).toDouble(), index == panel->view()->currentIndex()});
        }
        shown.heads.push_back(std::move(layer));
    }
    return shown;
}

widgets::LectureData LectureController::lecture() const
{
    widgets::LectureData data;
    data.a = sideOf(Side::A);
    data.b = sideOf(Side::B);
    const QStringList covered = m_guide.covered() + m_guide.askedLater();
    for (const Side side : kSides) {
        widgets::LectureSide& shown = side == Side::A ? data.a : data.b;
        shown.covered =
            covered.contains(QLatin1String("patterns")) || covered.contains(QLatin1String("pattern") + letterOf(side));
        if (covered.contains(QLatin1String("map") + letterOf(side)))
            shown.heads.clear();
        if (!covered.contains(QLatin1String("answers")))
            shown.answer = m_page.parts().prompt->answers()->answer(side);
    }
    data.scoresCovered = covered.contains(QLatin1String("scores"));
    data.scale = m_page.parts().patterns->scale();
    // One of each kind of task: three numbers are read, seven are not.
    QStringList kinds;
    for (const widgets::ScoreboardRow& row : m_page.parts().scores->model()->rows())
        if (const QString kind = row.id.section(QLatin1Char(':'), 0, 0);
            !kinds.contains(kind) && row.unavailable.isEmpty()) {
            kinds.append(kind);
            data.scores.push_back(row);
        }
    data.stateSide = m_state.activeSide();
    if (m_state.hasModel(m_state.activeSide()))
        data.state = stateText(m_state, m_state.stateOf(m_state.activeSide()));
    data.sentence = sentence();
    data.keys = tr("Space: next · X: ablate · H: hide numbers · Esc");
    return data;
}

QString LectureController::sentence() const
{
    if (const Tour* tour = m_guide.tour()) // asks first, then tells
        return m_guide.covered().isEmpty() ? tour->steps.at(m_guide.step()).title : m_guide.question();
    const widgets::PatternFooter* footer = m_page.parts().patterns->card(m_state.activeSide())->footer();
    return footer->sentence();
}

void LectureController::step(int by)
{
    if (by > 0 && !m_guide.covered().isEmpty()) {
        m_guide.reveal();
        return refresh();
    }
    if (m_guide.tour()) {
        Q_EMIT m_page.parts().tour->stepRequested(m_guide.step() + by);
        return refresh();
    }
    const std::vector<widgets::RunRow> runs = slides();
    if (runs.empty())
        return;
    m_run = std::clamp(m_run + by, 0, static_cast<int>(runs.size()) - 1);
    Q_EMIT m_page.parts().runs->restoreRequested(runs[static_cast<std::size_t>(m_run)].id);
    updateSpeaker();
}

void LectureController::ablate()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    if (!now.model)
        return;
    const widgets::HeadSpan head = headSpan(*now.model, now.head);
    const bool off = offHeads(*now.model, now.ablation).contains(head);
    m_state.changeAblation(side, switched(*now.model, now.ablation, {head}, !off),
                           off ? tr("%1 restored").arg(head.text()) : tr("%1 ablated").arg(head.text()));
}

} // namespace headscope::gui
