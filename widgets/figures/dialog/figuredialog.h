// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The dialog that makes figures for papers and talks: content, size and style, with a preview at actual size. GUI
// thread.

#include "widgets/figures/dialog/figuregallery.h"
#include "widgets/figures/figure.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFontComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QScrollArea;
class QSpinBox;
class QToolButton;

namespace headscope::widgets {

class PartsStrip;

/// In place of the id of a choice: several of them as one figure.
inline constexpr QStringView kComposed = u"composed";

/// The choices in the dialog.
struct FigureOptions {
    QString what; ///< id of a FigureChoice, or kComposed
    FigureStyle style;
    QString title;
    QString caption;
    int columns = 1; ///< 0: as many as fit
    bool letters = false;
    ScaleOptions scale; ///< sequential BlueRed: blue-white-red, for signed maps only
    int labelEvery = 0; ///< 0 as many as fit, -1 none, k every k-th
    bool brackets = true;
    bool colorBar = true;
    int lines = 4;  ///< of a chart, at most
    QString models; ///< of scores, by name, with semicolons between; empty: all
    QString states; ///< ... besides the baseline, as sets of interventions
    /// Which of the choices above apply.
    bool ofMaps = false, ofTokens = false, ofScores = false, ofSeveral = false;

    bool operator==(const FigureOptions&) const = default;
};

/// Shows the figure as it will appear on paper.
class FigurePreview : public QWidget
{
    Q_OBJECT
public:
    explicit FigurePreview(QWidget* parent = nullptr);
    void setFigure(const Figure& figure, const FigureStyle& style);
    /// Sets the scale in pixels per millimetre.
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

/// Independent of the source of figures: emits the user's choice and is then given the figure.
class FigureDialog : public QDialog
{
    Q_OBJECT

public:
    explicit FigureDialog(QWidget* parent = nullptr);

    void setChoices(const QList<FigureChoice>& choices);
    /// Fills the controls; emits nothing.
    void setOptions(const FigureOptions& options);
    [[nodiscard]] FigureOptions options() const;
    void setFigure(const Figure& figure);
    /// The small picture of a choice.
    void setPreview(const QString& id, const QImage& preview);
    /// Composes a figure of several choices, at first of those on the screen, or shows one of them.
    void setComposing(bool composing);
    [[nodiscard]] bool composing() const;
    /// Shown in place of the preview.
    void setProblem(const QString& sentence);
    [[nodiscard]] FigurePreview* preview() const { return m_preview; }
    [[nodiscard]] FigureGallery* list() const { return m_what; }
    [[nodiscard]] PartsStrip* parts() const { return m_parts; }

    /// Puts a picture, SVG and the numbers into one clipboard entry; the receiving program picks the format it prefers.
    void copyPicture();
    void copyText(int format);
    /// Writes the figure to a path and reports the result in the dialog.
    bool saveTo(const QString& path);

Q_SIGNALS:
    /// Another entry of the list was selected: its own options are needed.
    void choiceChanged(const QString& id);
    /// These choices, in this order, as one figure: its options are wanted.
    void composed(const QStringList& ids);
    /// Another look of the same.
    void optionsChanged();
    void keepRequested(const QString& name);
    void removeRequested(const QString& id);

private:
    QWidget* makeControls();
    void makeGallery();
    void makePaperRows();
    void makeMapRows();
    void makeWordRows();
    void connectControls();
    /// Adds a choice to the composed figure, or takes it out.
    void toggle(const QString& id);
    void add(const FigureChoice& choice);
    void showParts();
    void showStoredParts();
    QWidget* makeActions();
    void applyPreset(int index);
    void rescale();
    void changed();
    void showNote(const QString& sentence, bool good);
    void askPath();
    void askName();
    /// Asks before a stored figure of that name is replaced by another.
    [[nodiscard]] bool mayReplace(const QString& name);

    FigureGallery* m_what;
    PartsStrip* m_parts;
    QToolButton* m_compose;
    QFormLayout* m_form;
    QList<QWidget*> m_ofMaps, m_ofTokens, m_ofScores, m_ofSeveral; ///< rows of the form
    QComboBox *m_preset, *m_background, *m_scale, *m_colors, *m_labels, *m_zoom;
    QDoubleSpinBox *m_width, *m_height, *m_font;
    QFontComboBox* m_family;
    QCheckBox *m_defaultFamily, *m_withoutSink, *m_brackets, *m_bar, *m_letters, *m_provenance;
    QSpinBox *m_columns, *m_every, *m_lines, *m_dpi;
    QLineEdit *m_title, *m_models, *m_states;
    QPlainTextEdit* m_caption;
    FigurePreview* m_preview;
    QScrollArea* m_scroll;
    QLabel* m_message;
    QToolButton* m_remove = nullptr;
    QList<QWidget*> m_needFigure;
    Figure m_figure;
    bool m_filling = false;
};

} // namespace headscope::widgets
