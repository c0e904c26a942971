// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/dialog/figuredialog.h"

#include "widgets/figures/dialog/partsstrip.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/figuretext.h"
#include "widgets/look/boxes/plainedit.h"
#include "widgets/look/boxes/tallarea.h"
#include "widgets/look/filename.h"
#include "widgets/look/fitscreen.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/plaintext.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFontComboBox>
#include <QFormLayout>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPainter>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

QComboBox* combo(const QList<std::pair<QString, QVariant>>& entries, const QString& name)
{
    auto* box = new QComboBox;
    for (const auto& [title, value] : entries)
        box->addItem(title, value);
    box->setAccessibleName(name);
    return box;
}

QDoubleSpinBox* spin(double low, double high, double step, const QString& unit, const QString& name)
{
    auto* box = new QDoubleSpinBox;
    box->setRange(low, high);
    box->setSingleStep(step);
    box->setDecimals(1);
    box->setSuffix(u' ' + unit);
    box->setAccessibleName(name);
    return box;
}

} // namespace

FigurePreview::FigurePreview(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Preview of the figure"));
}

void FigurePreview::setFigure(const Figure& figure, const FigureStyle& style)
{
    m_figure = figure;
    m_style = style;
    m_mm = figure.panels.empty() ? QSizeF() : figureSizeMm(figure, style);
    resize(sizeHint());
    update();
}

void FigurePreview::setScale(double pixelsPerMm)
{
    m_scale = pixelsPerMm;
    resize(sizeHint());
    update();
}

QSize FigurePreview::sizeHint() const
{
    return (m_mm * m_scale).toSize() + QSize(2, 2);
}

void FigurePreview::paintEvent(QPaintEvent*)
{
    if (m_figure.panels.empty())
        return;
    QPainter painter(this);
    if (m_style.transparent) // the squares that stand for nothing
        painter.fillRect(rect(), QBrush(QColor(0xcc, 0xcc, 0xcc), Qt::Dense6Pattern));
    paintFigure(painter, m_figure, m_style, QRectF(QPointF(1, 1), m_mm * m_scale));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

FigureDialog::FigureDialog(QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Figure for a paper or a talk"));
    m_preview = new FigurePreview;
    m_scroll = new QScrollArea;
    m_scroll->setAccessibleName(tr("Preview"));
    m_scroll->setWidget(m_preview);
    m_scroll->setAlignment(Qt::AlignCenter);
    m_scroll->setMinimumSize(420, 320);
    m_message = new PlainLabel;
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_parts = new PartsStrip;
    m_parts->hide();
    auto* right = new QVBoxLayout;
    right->addWidget(m_parts);
    right->addWidget(m_scroll, 1);
    right->addWidget(m_message);
    auto* controls = makeControls();
    right->addWidget(makeActions());
    auto* row = new QHBoxLayout(this);
    row->addWidget(controls);
    row->addLayout(right, 1);
    resizeWithinScreen(*this, {1180, 760});
}

QWidget* FigureDialog::makeControls()
{
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins({});
    auto* page = new QWidget;
    m_form = new QFormLayout(page);
    m_form->setContentsMargins({});
    makeGallery();
    column->addWidget(m_compose);
    column->addWidget(m_what, 3);
    column->addWidget(new TallArea(page), 3);
    makePaperRows();
    makeMapRows();
    makeWordRows();
    connectControls();
    return side;
}

void FigureDialog::makeGallery()
{
    m_what = new FigureGallery;
    m_compose = new QToolButton;
    m_compose->setText(tr("Compose several figures"));
    m_compose->setToolTip(
        plainText(tr("Combines two to four of the figures below as parts a to d; starts with those on the screen, or "
                     "with the parts of the stored composition that is shown")));
    m_compose->setCheckable(true);
    m_compose->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(m_compose, &QToolButton::clicked, this, [this](bool composing) {
        if (composing)
            showStoredParts();
        setComposing(composing);
    });
    connect(m_what, &FigureGallery::picked, this, &FigureDialog::toggle);
    connect(m_parts, &PartsStrip::arranged, this, &FigureDialog::showParts);
}

void FigureDialog::makePaperRows()
{
    m_preset = combo({{tr("custom size"), QString()}}, tr("Size"));
    for (const StylePreset& preset : stylePresets())
        m_preset->addItem(QApplication::translate("headscope::widgets::Figure", preset.title),
                          QString::fromLatin1(preset.id));
    m_form->addRow(tr("Size"), m_preset);
    m_width = spin(30, 2000, 5, tr("mm"), tr("Width"));
    m_height = spin(0, 2000, 5, tr("mm"), tr("Height"));
    m_height->setSpecialValueText(tr("as needed"));
    m_font = spin(2, 96, 0.5, tr("pt"), tr("Font size"));
    m_form->addRow(tr("Width"), m_width);
    m_form->addRow(tr("Height"), m_height);
    m_form->addRow(tr("Font size"), m_font);
    m_defaultFamily = new QCheckBox(tr("DejaVu Sans, the same everywhere"));
    m_family = new QFontComboBox;
    m_family->setAccessibleName(tr("Font"));
    m_form->addRow(tr("Font"), m_defaultFamily);
    m_form->addRow(QString(), m_family);
    m_background = combo({{tr("light"), 0}, {tr("dark"), 1}, {tr("transparent"), 2}}, tr("Background"));
    m_form->addRow(tr("Background"), m_background);
}

void FigureDialog::makeMapRows()
{
    m_scale = combo({}, tr("Scale of maps"));
    for (const ScaleKind kind : {ScaleKind::Raw, ScaleKind::Row, ScaleKind::MinMax, ScaleKind::Log, ScaleKind::Signed})
        m_scale->addItem(scaleKindName(kind), static_cast<int>(kind));
    m_colors = combo({{colorMapName(ColorMap::Viridis), static_cast<int>(ColorMap::Viridis)},
                      {colorMapName(ColorMap::Cividis), static_cast<int>(ColorMap::Cividis)},
                      {tr("signed maps blue-white-red, not for grey print"), static_cast<int>(ColorMap::BlueRed)}},
                     tr("Colours of maps"));
    m_form->addRow(tr("Maps"), m_scale);
    m_form->addRow(QString(), m_colors);
    m_withoutSink = new QCheckBox(tr("first token excluded from the scale"));
    m_brackets = new QCheckBox(tr("segments"));
    m_bar = new QCheckBox(tr("colour bar"));
    for (QCheckBox* box : {m_withoutSink, m_brackets, m_bar})
        m_form->addRow(QString(), box);
    m_labels = combo({{tr("as many as fit"), 0}, {tr("none"), -1}, {tr("every k-th"), 1}}, tr("Token labels"));
    m_every = new QSpinBox;
    m_every->setRange(1, 4096);
    m_every->setAccessibleName(tr("Tokens per label"));
    m_form->addRow(tr("Tokens"), m_labels);
    m_form->addRow(QString(), m_every);
    m_ofMaps = {m_scale, m_colors, m_withoutSink, m_brackets, m_bar};
    m_ofTokens = {m_labels, m_every};
}

void FigureDialog::makeWordRows()
{
    m_lines = new QSpinBox;
    m_lines->setRange(1, 12);
    m_lines->setAccessibleName(tr("Lines of a chart, at most"));
    m_form->addRow(tr("Lines"), m_lines);
    m_models = new QLineEdit;
    m_models->setPlaceholderText(tr("all, or names separated by ;"));
    m_models->setAccessibleName(tr("Models of a chart or table"));
    m_states = new QLineEdit;
    m_states->setPlaceholderText(tr("those that differ most; or L2H5; L1H3 L2H5"));
    m_states->setAccessibleName(tr("States of a chart or table"));
    m_form->addRow(tr("Models"), m_models);
    m_form->addRow(tr("States"), m_states);
    m_ofScores = {m_lines, m_models, m_states};
    m_columns = new QSpinBox;
    m_columns->setRange(0, 12);
    m_columns->setSpecialValueText(tr("as many as fit"));
    m_letters = new QCheckBox(tr("a, b, c"));
    m_form->addRow(tr("Columns"), m_columns);
    m_form->addRow(QString(), m_letters);
    m_ofSeveral = {m_columns, m_letters};
    m_title = new QLineEdit;
    m_caption = new PlainEdit;
    m_caption->setTabChangesFocus(true);
    m_caption->setAccessibleName(tr("Caption"));
    m_caption->setFixedHeight(m_caption->fontMetrics().lineSpacing() * 4 + 12);
    m_form->addRow(tr("Title"), m_title);
    m_form->addRow(tr("Caption"), m_caption);
    m_provenance = new QCheckBox(tr("print what was measured"));
    m_form->addRow(QString(), m_provenance);
    m_dpi = new QSpinBox;
    m_dpi->setRange(30, 2400);
    m_form->addRow(tr("PNG dpi"), m_dpi);
}

void FigureDialog::connectControls()
{
    connect(m_what, &QListWidget::currentItemChanged, this, [this] {
        const FigureChoice* choice = m_what->choice(m_what->currentId());
        if (m_remove)
            m_remove->setEnabled(choice && choice->stored);
        if (choice && !m_filling && !composing())
            Q_EMIT choiceChanged(choice->id);
    });
    connect(m_preset, &QComboBox::activated, this, &FigureDialog::applyPreset);
    for (QDoubleSpinBox* box : {m_width, m_height, m_font})
        connect(box, &QDoubleSpinBox::valueChanged, this, &FigureDialog::changed);
    for (QSpinBox* box : {m_columns, m_every, m_lines, m_dpi})
        connect(box, &QSpinBox::valueChanged, this, &FigureDialog::changed);
    for (QComboBox* box : {m_background, m_scale, m_colors, m_labels})
        connect(box, &QComboBox::currentIndexChanged, this, &FigureDialog::changed);
    for (QCheckBox* box : {m_defaultFamily, m_withoutSink, m_brackets, m_bar, m_letters, m_provenance})
        connect(box, &QCheckBox::toggled, this, &FigureDialog::changed);
    connect(m_title, &QLineEdit::textChanged, this, &FigureDialog::changed);
    connect(m_caption, &QPlainTextEdit::textChanged, this, &FigureDialog::changed);
    for (QLineEdit* line : {m_models, m_states})
        connect(line, &QLineEdit::editingFinished, this, &FigureDialog::changed);
    connect(m_family, &QFontComboBox::currentFontChanged, this, &FigureDialog::changed);
}

QWidget* FigureDialog::makeActions()
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    const auto button = [&](const QString& title, const QString& tip, auto act) {
        auto* made = new QToolButton;
        made->setText(title);
        made->setToolTip(plainText(tip));
        made->setToolButtonStyle(Qt::ToolButtonTextOnly);
        connect(made, &QToolButton::clicked, this, act);
        row->addWidget(made);
        return made;
    };
    m_zoom = combo({{tr("true size"), 1.0}, {tr("half"), 0.5}, {tr("double"), 2.0}, {tr("fit"), 0.0}},
                   tr("Size of the preview"));
    connect(m_zoom, &QComboBox::currentIndexChanged, this, &FigureDialog::rescale);
    row->addWidget(m_zoom);
    row->addStretch(1);
    auto* copy = button(tr("Copy picture"), tr("PNG, SVG and numbers on the clipboard"), [this] { copyPicture(); });
    auto* text = button(tr("Copy text"), tr("Numbers as CSV, LaTeX or Markdown"), [] {});
    auto* menu = new QMenu(text);
    for (const auto& [title, format] :
         {std::pair(tr("CSV"), FigureText::Csv), std::pair(tr("LaTeX (booktabs)"), FigureText::Latex),
          std::pair(tr("Markdown"), FigureText::Markdown)})
        menu->addAction(title, this, [this, format = format] { copyText(static_cast<int>(format)); });
    text->setMenu(menu);
    text->setPopupMode(QToolButton::InstantPopup);
    auto* keep = button(tr("Store in the session …"), tr("Store the recipe; headscope-cli figure draws it again"),
                        [this] { askName(); });
    m_remove = button(tr("Forget"), tr("Remove this figure from the session"),
                      [this] { Q_EMIT removeRequested(m_what->currentId()); });
    auto* save = button(tr("Save as …"), tr("PDF, SVG, PNG, CSV, LaTeX or Markdown"), [this] { askPath(); });
    save->setShortcut(QKeySequence::Save);
    button(tr("Close"), tr("Back to the window"), [this] { accept(); });
    m_needFigure = {copy, text, keep, save};
    return bar;
}

void FigureDialog::setChoices(const QList<FigureChoice>& choices)
{
    m_filling = true;
    m_what->setChoices(choices);
    m_filling = false;
    for (const QString& id : m_parts->ids())
        if (const FigureChoice* choice = m_what->choice(id); !choice || !choice->missing.isEmpty())
            m_parts->remove(id);
    if (composing())
        setComposing(true);
}

void FigureDialog::setPreview(const QString& id, const QImage& preview)
{
    m_what->setPreview(id, preview);
    m_parts->setPreview(id, m_what->preview(id));
}

bool FigureDialog::composing() const
{
    return m_compose->isChecked();
}

void FigureDialog::setComposing(bool composing)
{
    m_compose->setChecked(composing);
    m_parts->setVisible(composing);
    if (!composing) {
        m_what->setTicked({});
        if (const QString id = m_what->currentId(); !id.isEmpty())
            Q_EMIT choiceChanged(id);
        return;
    }
    if (m_parts->ids().isEmpty())
        for (const QString& id : m_what->onScreen().mid(0, PartsStrip::kMost))
            add(*m_what->choice(id));
    showParts();
}

// A stored composition that is shown is arranged anew.
void FigureDialog::showStoredParts()
{
    const FigureChoice* shown = m_what->choice(m_what->currentId());
    if (!shown || shown->parts.isEmpty())
        return;
    for (const QString& id : m_parts->ids())
        m_parts->remove(id);
    for (const QString& id : shown->parts)
        add(*m_what->choice(id));
}

void FigureDialog::add(const FigureChoice& choice)
{
    if (!choice.missing.isEmpty())
        return showNote(choice.missing, false);
    if (m_parts->ids().size() == PartsStrip::kMost)
        return showNote(tr("A composed figure has at most four parts; remove one first."), false);
    m_parts->add(choice.id, choice.title, m_what->preview(choice.id));
}

void FigureDialog::toggle(const QString& id)
{
    const FigureChoice* choice = m_what->choice(id);
    if (!composing() || !choice)
        return;
    const QStringList before = m_parts->ids();
    if (before.contains(id))
        m_parts->remove(id);
    else
        add(*choice);
    if (m_parts->ids() != before)
        showParts();
    else
        m_what->setTicked(before); // a click on the box has ticked it already
}

// Ticks what the figure is made of, and asks for it.
void FigureDialog::showParts()
{
    m_what->setTicked(m_parts->ids());
    Q_EMIT composed(m_parts->ids());
}

void FigureDialog::setOptions(const FigureOptions& options)
{
    m_filling = true;
    m_what->setCurrentId(options.what);
    for (const auto& [rows, apply] :
         {std::pair(&m_ofMaps, options.ofMaps), std::pair(&m_ofTokens, options.ofTokens),
          std::pair(&m_ofScores, options.ofScores), std::pair(&m_ofSeveral, options.ofSeveral)})
        for (QWidget* row : *rows)
            m_form->setRowVisible(row, apply);
    const FigureStyle& style = options.style;
    m_preset->setCurrentIndex(0);
    for (const StylePreset& preset : stylePresets())
        if (style.widthMm == preset.widthMm && style.heightMm == preset.heightMm && style.fontPt == preset.fontPt)
            m_preset->setCurrentIndex(m_preset->findData(QString::fromLatin1(preset.id)));
    m_width->setValue(style.widthMm);
    m_height->setValue(style.heightMm);
    m_font->setValue(style.fontPt);
    m_defaultFamily->setChecked(style.fontFamily.isEmpty());
    m_family->setEnabled(!style.fontFamily.isEmpty());
    if (!style.fontFamily.isEmpty())
        m_family->setCurrentFont(QFont(style.fontFamily));
    m_background->setCurrentIndex(style.transparent ? 2 : style.dark ? 1 : 0);
    m_provenance->setChecked(style.printProvenance);
    m_dpi->setValue(style.dpi);
    m_scale->setCurrentIndex(m_scale->findData(static_cast<int>(options.scale.kind)));
    m_colors->setCurrentIndex(m_colors->findData(static_cast<int>(options.scale.sequential)));
    m_withoutSink->setChecked(options.scale.withoutSink);
    m_brackets->setChecked(options.brackets);
    m_bar->setChecked(options.colorBar);
    m_labels->setCurrentIndex(options.labelEvery > 0 ? 2 : options.labelEvery < 0 ? 1 : 0);
    m_every->setValue(std::max(1, options.labelEvery));
    m_every->setEnabled(options.labelEvery > 0);
    m_lines->setValue(options.lines);
    m_models->setText(options.models);
    m_states->setText(options.states);
    m_columns->setValue(options.columns);
    m_letters->setChecked(options.letters);
    m_title->setText(options.title);
    m_caption->setPlainText(options.caption);
    m_filling = false;
}

FigureOptions FigureDialog::options() const
{
    FigureOptions options;
    options.what = composing() ? kComposed.toString() : m_what->currentId();
    options.ofMaps = m_form->isRowVisible(m_scale);
    options.ofTokens = m_form->isRowVisible(m_labels);
    options.ofScores = m_form->isRowVisible(m_lines);
    options.ofSeveral = m_form->isRowVisible(m_columns);
    options.style.widthMm = m_width->value();
    // The slide's height has three decimals, more than a person types.
    const auto preset = stylePreset(m_preset->currentData().toString());
    options.style.heightMm = preset ? preset->heightMm : m_height->value();
    if (options.style.heightMm > 0)
        options.style.heightMm = std::max(20.0, options.style.heightMm);
    options.style.fontPt = m_font->value();
    options.style.fontFamily = m_defaultFamily->isChecked() ? QString() : m_family->currentFont().family();
    options.style.dark = m_background->currentIndex() == 1;
    options.style.transparent = m_background->currentIndex() == 2;
    options.style.printProvenance = m_provenance->isChecked();
    options.style.dpi = m_dpi->value();
    options.title = m_title->text();
    options.caption = m_caption->toPlainText().replace(u'\n', u' '); // one paragraph, as it is drawn and exported
    options.lines = m_lines->value();
    options.models = m_models->text();
    options.states = m_states->text();
    options.columns = m_columns->value();
    options.letters = m_letters->isChecked();
    options.scale = {static_cast<ScaleKind>(m_scale->currentData().toInt()), m_withoutSink->isChecked(),
                     static_cast<ColorMap>(m_colors->currentData().toInt())};
    options.labelEvery = m_labels->currentIndex() == 2 ? m_every->value() : m_labels->currentData().toInt();
    options.brackets = m_brackets->isChecked();
    options.colorBar = m_bar->isChecked();
    return options;
}

void FigureDialog::applyPreset(int index)
{
    const auto preset = stylePreset(m_preset->itemData(index).toString());
    if (!preset)
        return;
    FigureOptions chosen = options();
    chosen.style.widthMm = preset->widthMm;
    chosen.style.heightMm = preset->heightMm;
    chosen.style.fontPt = preset->fontPt;
    chosen.style.printProvenance = preset->printProvenance;
    setOptions(chosen);
    Q_EMIT optionsChanged();
}

void FigureDialog::changed()
{
    if (m_filling)
        return;
    m_family->setEnabled(!m_defaultFamily->isChecked());
    m_every->setEnabled(m_labels->currentIndex() == 2);
    const auto preset = stylePreset(m_preset->currentData().toString());
    if (preset
        && (m_width->value() != preset->widthMm || std::abs(m_height->value() - preset->heightMm) > 0.1
            || m_font->value() != preset->fontPt))
        m_preset->setCurrentIndex(0);
    Q_EMIT optionsChanged();
}

void FigureDialog::setFigure(const Figure& figure)
{
    m_figure = figure;
    showNote({}, true);
    for (QWidget* widget : m_needFigure)
        widget->setEnabled(true);
    m_preview->show();
    m_preview->setFigure(figure, options().style);
    rescale();
}

void FigureDialog::setProblem(const QString& sentence)
{
    m_figure = {};
    for (QWidget* widget : m_needFigure)
        widget->setEnabled(false);
    m_preview->hide();
    showNote(sentence, false);
}

void FigureDialog::rescale()
{
    const QScreen* at = screen();
    const double perMm = at ? at->physicalDotsPerInchX() / 25.4 : 4;
    double factor = m_zoom->currentData().toDouble();
    if (factor == 0 && !m_figure.panels.empty()) {
        const QSizeF mm = figureSizeMm(m_figure, options().style);
        const QSize room = m_scroll->viewport()->size() - QSize(6, 6);
        factor = std::min(room.width() / (mm.width() * perMm), room.height() / (mm.height() * perMm));
    }
    m_preview->setScale(perMm * std::max(0.05, factor));
}

void FigureDialog::showNote(const QString& sentence, bool good)
{
    setInk(m_message, good ? themeOf(palette()).text : themeOf(palette()).bad);
    m_message->setText(sentence);
}

void FigureDialog::copyPicture()
{
    const FigureStyle style = options().style;
    const auto png = renderFigure(m_figure, style, FigureFormat::Png);
    const auto svg = renderFigure(m_figure, style, FigureFormat::Svg);
    if (!png.has_value() || !svg.has_value())
        return showNote(QString::fromStdString((png.has_value() ? svg : png).error().message), false);
    auto* copied = new QMimeData;
    copied->setImageData(QImage::fromData(*png));
    copied->setData(u"image/svg+xml"_s, *svg);
    if (const auto text = figureText(m_figure, FigureText::Csv); text.has_value())
        copied->setText(QString::fromUtf8(*text));
    QApplication::clipboard()->setMimeData(copied);
    showNote(tr("Copied."), true);
}

void FigureDialog::copyText(int format)
{
    const auto text = figureText(m_figure, static_cast<FigureText>(format));
    if (!text.has_value())
        return showNote(QString::fromStdString(text.error().message), false);
    QApplication::clipboard()->setText(QString::fromUtf8(*text));
    showNote(tr("Copied."), true);
}

bool FigureDialog::saveTo(const QString& path)
{
    const auto written = writeFigure(m_figure, options().style, path);
    showNote(written.has_value() ? tr("Saved %1").arg(path) : QString::fromStdString(written.error().message),
             written.has_value());
    return written.has_value();
}

void FigureDialog::askPath()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the figure"), fileNameOf(options().what) + u".pdf"_s,
                                     tr("Figures and their numbers (*.pdf *.svg *.png *.csv *.tex *.md)"));
    if (!path.isEmpty())
        saveTo(path);
}

void FigureDialog::askName()
{
    bool good = false;
    const FigureChoice* shown = m_what->choice(m_what->currentId());
    const QString proposed = shown && shown->stored      ? shown->title
                             : m_title->text().isEmpty() ? options().what
                                                         : m_title->text();
    const QString name = QInputDialog::getText(this, windowTitle(), tr("Name of the figure in the session"),
                                               QLineEdit::Normal, proposed, &good);
    if (good && !name.trimmed().isEmpty() && mayReplace(name.trimmed()))
        Q_EMIT keepRequested(name.trimmed());
}

bool FigureDialog::mayReplace(const QString& name)
{
    const QString id = u"stored:"_s + name;
    if (!m_what->choice(id) || m_what->currentId() == id)
        return true;
    QMessageBox box(QMessageBox::Question, windowTitle(),
                    tr("The session has another figure named %1. Replace it?").arg(name),
                    QMessageBox::Yes | QMessageBox::No, this);
    box.setTextFormat(Qt::PlainText);
    return box.exec() == QMessageBox::Yes;
}

} // namespace headscope::widgets
