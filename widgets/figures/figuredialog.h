// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The dialog that makes figures for papers and talks: what, how large, how it looks, with a preview at true size. GUI
// thread.

#include "widgets/figures/figure.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFontComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QScrollArea;
class QSpinBox;
class QToolButton;

namespace headscope::widgets {

/// Something that can be drawn, or why it cannot be.
struct FigureChoice {
    QString id;
    QString title;
    QString missing; ///< one sentence; empty: it can be drawn
    bool stored = false;
};

/// Everything that the dialog lets a person choose.
struct FigureOptions {
    QString what; ///< id of a FigureChoice
    FigureStyle style;
    QString title;
    QString caption;
    int columns = 1; ///< 0: as many as fit
    bool letters = false;
    ScaleOptions scale; ///< sequential: blue-white-red means that, for signed maps
    int labelEvery = 0; ///< 0 as many as fit, -1 none, k every k-th
    bool brackets = true;
    bool colorBar = true;
    int lines = 4;  ///< of a chart, at most
    QString models; ///< of scores, by name, with semicolons between; empty: all
    QString states; ///< ... besides the baseline, as sets of interventions

    bool operator==(const FigureOptions&) const = default;
};

/// The figure as it will be on paper.
class FigurePreview : public QWidget
{
    Q_OBJECT
public:
    explicit FigurePreview(QWidget* parent = nullptr);
    void setFigure(const Figure& figure, const FigureStyle& style);
    /// Pixels a millimetre.
    void setScale(double pixelsPerMm);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Figure m_figure;
    FigureStyle m_style;
    QSizeF m_mm;
    double m_scale = 4;
};

/// Knows nothing of where figures come from: says what was chosen, and is then given the figure.
class FigureDialog : public QDialog
{
    Q_OBJECT

public:
    explicit FigureDialog(QWidget* parent = nullptr);

    void setChoices(const QList<FigureChoice>& choices);
    /// Fills the controls; says nothing.
    void setOptions(const FigureOptions& options);
    [[nodiscard]] FigureOptions options() const;
    void setFigure(const Figure& figure);
    /// Shown in place of the preview.
    void setProblem(const QString& sentence);
    [[nodiscard]] FigurePreview* preview() const { return m_preview; }
    [[nodiscard]] QListWidget* list() const { return m_what; }

    /// Picture, SVG and numbers in one clipboard entry; the receiving program takes what it likes best.
    void copyPicture();
    void copyText(int format);
    /// Writes to a path; says in the dialog what happened.
    bool saveTo(const QString& path);

Q_SIGNALS:
    /// Another entry of the list: its own options are wanted.
    void choiceChanged(const QString& id);
    /// Another look of the same.
    void optionsChanged();
    void keepRequested(const QString& name);
    void removeRequested(const QString& id);

private:
    QWidget* makeControls();
    QWidget* makeActions();
    void applyPreset(int index);
    void rescale();
    void changed();
    void say(const QString& sentence, bool good);
    void askPath();
    void askName();

    QListWidget* m_what;
    QComboBox *m_preset, *m_background, *m_scale, *m_colors, *m_labels, *m_zoom;
    QDoubleSpinBox *m_width, *m_height, *m_font;
    QFontComboBox* m_family;
    QCheckBox *m_defaultFamily, *m_withoutSink, *m_brackets, *m_bar, *m_letters, *m_provenance;
    QSpinBox *m_columns, *m_every, *m_lines, *m_dpi;
    QLineEdit *m_title, *m_caption, *m_models, *m_states;
    FigurePreview* m_preview;
    QScrollArea* m_scroll;
    QLabel* m_message;
    QToolButton* m_remove = nullptr;
    QList<QWidget*> m_needFigure;
    Figure m_figure;
    bool m_filling = false;
};

} // namespace headscope::widgets
