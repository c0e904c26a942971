// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The explanations of both models' answers, one above the other, in place of the maps. GUI thread.

#include "core/base/side.h"
#include "widgets/why/edges/edgepage.h"
#include "widgets/why/experts/expertpage.h"
#include "widgets/why/parts/scorepartsview.h"
#include "widgets/why/parts/whyview.h"
#include "widgets/why/patch/patchpage.h"
#include "widgets/why/probepage.h"
#include "widgets/why/steerpage.h"
#include "widgets/why/sweeppage.h"
#include "widgets/why/weightsview.h"

#include <QHash>
#include <QWidget>

#include <array>

class QCheckBox;
class QComboBox;
class QTabWidget;

namespace headscope::widgets {

class WhyPage : public QWidget
{
    Q_OBJECT

public:
    explicit WhyPage(QWidget* parent = nullptr);

    [[nodiscard]] WhyView* view(Side side) const { return m_views[indexOf(side)]; }
    /// Shows or hides a side; a model that is not open has no view.
    void setShown(Side side, bool shown);
    /// Returns the first page: layers and parts, the views of both sides.
    [[nodiscard]] QWidget* layers() const { return m_layers; }
    /// Returns whether that page is visible.
    [[nodiscard]] bool layersShown() const;
    [[nodiscard]] PatchPage* patches() const { return m_patches; }
    [[nodiscard]] EdgePage* edges() const { return m_edges; }
    [[nodiscard]] SweepPage* sweep() const { return m_sweep; }
    [[nodiscard]] ScorePartsPage* scoreParts() const { return m_scoreParts; }
    [[nodiscard]] WeightsPage* weights() const { return m_weights; }
    [[nodiscard]] ProbePage* probes() const { return m_probes; }
    [[nodiscard]] SteerPage* steering() const { return m_steering; }
    [[nodiscard]] ExpertPage* experts() const { return m_experts; }
    /// Sets whether the page of experts exists, which requires a model with experts.
    void setExpertsShown(bool shown);
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    /// Average contributions over samples of the prompt's task.
    [[nodiscard]] QCheckBox* many() const { return m_many; }
    /// Logit or Jacobian lens.
    [[nodiscard]] QComboBox* lensKind() const { return m_lensKind; }
    [[nodiscard]] bool jacobian() const;
    [[nodiscard]] LensColor lensColor() const;
    void setLensColor(LensColor color);
    /// Switches the visible page between pictures and tables.
    void toggleTables();

Q_SIGNALS:
    void backRequested();
    /// Emitted when one of its pages is shown, or the last one hidden.
    void visibilityChanged(bool visible);
    /// Emitted when layers and parts are shown; they may be out of date.
    void shown();
    void manyChanged();
    void lensChanged();
    void lensColorChanged();
    void lensFitRequested();
    void lensFileRequested(); ///< the user wants to choose a file

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] QWidget* makeLayers();
    void add(QWidget* page, QStringView sign, const QString& title, const QString& term);

    std::array<WhyView*, 2> m_views{};
    QWidget* m_layers = nullptr;
    PatchPage* m_patches = nullptr;
    EdgePage* m_edges = nullptr;
    SweepPage* m_sweep = nullptr;
    ScorePartsPage* m_scoreParts = nullptr;
    WeightsPage* m_weights = nullptr;
    ProbePage* m_probes = nullptr;
    SteerPage* m_steering = nullptr;
    ExpertPage* m_experts = nullptr;
    QCheckBox* m_many = nullptr;
    QComboBox *m_lensKind = nullptr, *m_lensColor = nullptr;
    QTabWidget* m_tabs = nullptr;
    QHash<QWidget*, QString> m_terms; ///< of the glossary, by page
};

} // namespace headscope::widgets
