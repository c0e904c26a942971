// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings/settingsdialog.h"

#include "core/io/pathlist.h"
#include "widgets/look/boxes/tallarea.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/plaintext.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <cmath>
#include <optional>
#include <utility>

namespace headscope::gui {

namespace {

constexpr int kMostThreads = 1024, kMostExamples = 1'000'000, kMostKeptPacked = 10'000;
constexpr std::int64_t kGigabyte = 1'000'000'000;

int inGigabytes(std::int64_t bytes)
{
    return static_cast<int>(std::min<std::int64_t>((bytes + kGigabyte / 2) / kGigabyte, kMostKeptPacked));
}

QString number(std::uint64_t value)
{
    return value == 0 ? QString() : QString::number(value);
}

/// Empty means 0: each model's own.
std::optional<std::uint64_t> seedIn(const QLineEdit& line)
{
    if (line.text().trimmed().isEmpty())
        return 0;
    bool good = false;
    const std::uint64_t seed = line.text().trimmed().toULongLong(&good);
    return good ? std::optional(seed) : std::nullopt;
}

/// The value of the entry that is shown; what was typed where it is none.
std::string word(const QComboBox& box)
{
    const QString shown = box.currentText().trimmed();
    const int entry = box.findText(shown);
    return (entry < 0 ? shown : box.itemData(entry).toString()).toStdString();
}

void choose(QComboBox& box, const QVariant& value)
{
    const int index = box.findData(value);
    if (index < 0 && box.isEditable())
        box.setEditText(value.toString());
    else
        box.setCurrentIndex(std::max(index, 0));
}

/// As the box shows it, so that what nobody changed stays to the last digit.
double roundedAs(const QDoubleSpinBox& box, double value)
{
    const double steps = std::pow(10.0, box.decimals());
    return std::round(value * steps) / steps;
}

std::filesystem::path folderIn(const QLineEdit& line)
{
    return QDir::fromNativeSeparators(line.text().trimmed()).toStdString();
}

QString shown(const std::filesystem::path& folder)
{
    return QDir::toNativeSeparators(QString::fromStdString(folder.string()));
}

} // namespace

SettingsDialog::SettingsDialog(QWidget* parent)
    : QDialog(parent), m_device(new QComboBox), m_dtype(new QComboBox), m_startToken(new QComboBox),
      m_boundary(new QComboBox), m_look(new QComboBox), m_language(new QComboBox), m_motion(new QCheckBox),
      m_clickLooks(new QCheckBox), m_threads(new QSpinBox), m_keptPacked(new QSpinBox), m_textScale(new QSpinBox),
      m_patience(new QSpinBox), m_examples(new QSpinBox), m_stopWidth(new QDoubleSpinBox),
      m_stopLevel(new QDoubleSpinBox), m_memory(new QLineEdit), m_order(new QLineEdit), m_seed(new QLineEdit),
      m_data(new QLineEdit), m_words(new QLineEdit), m_note(new widgets::PlainLabel),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Apply | QDialogButtonBox::Cancel
                                     | QDialogButtonBox::RestoreDefaults))
{
    setWindowTitle(tr("Settings"));
    m_note->setWordWrap(true);
    m_note->setMinimumHeight(2 * m_note->fontMetrics().lineSpacing()); // the page does not jump when it speaks
    auto* column = new QVBoxLayout(this);
    auto* page = new QWidget;
    auto* groups = new QVBoxLayout(page);
    groups->setContentsMargins({});
    for (QWidget* group : {modelsGroup(), measuringGroup(), windowGroup()})
        groups->addWidget(group);
    column->addWidget(new widgets::TallArea(page), 1); // small screens, large letters
    column->addWidget(m_note);
    column->addWidget(m_buttons);
    // Made before it had a window, the box has left some of its buttons out of the way that Tab goes.
    QWidget* before = m_language;
    for (const auto each :
         {QDialogButtonBox::RestoreDefaults, QDialogButtonBox::Ok, QDialogButtonBox::Apply, QDialogButtonBox::Cancel})
        setTabOrder(std::exchange(before, m_buttons->button(each)), m_buttons->button(each));
    connect(m_buttons, &QDialogButtonBox::accepted, this, [this] {
        apply();
        accept();
    });
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, this, &SettingsDialog::apply);
    connect(m_buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this] { fill({}); });
    watch();
    setSettings({});
}

QWidget* SettingsDialog::modelsGroup()
{
    auto* group = new QGroupBox(tr("Models"));
    auto* form = new QFormLayout(group);
    m_device->setObjectName(QStringLiteral("device"));
    m_device->setEditable(true); // cuda:1
    m_device->addItem(tr("automatic"), QStringLiteral("auto"));
    m_device->addItem(tr("processor"), QStringLiteral("cpu"));
    m_device->addItem(tr("GPU"), QStringLiteral("cuda"));
    m_dtype->setObjectName(QStringLiteral("dtype"));
    m_dtype->addItem(tr("automatic"), QStringLiteral("auto"));
    for (const char* dtype : {"fp32", "bf16", "fp16"})
        m_dtype->addItem(QLatin1String(dtype), QLatin1String(dtype));
    m_dtype->addItem(tr("weights in 8 bits (int8), on the processor"), QStringLiteral("int8"));
    m_dtype->addItem(tr("weights in 4 bits (int4), on the processor"), QStringLiteral("int4"));
    m_threads->setObjectName(QStringLiteral("threads"));
    m_threads->setRange(0, kMostThreads);
    m_threads->setSpecialValueText(tr("as needed by the model"));
    m_memory->setObjectName(QStringLiteral("memory"));
    m_memory->setPlaceholderText(tr("all free memory, or an amount such as 12GB"));
    m_keptPacked->setObjectName(QStringLiteral("keptPacked"));
    m_keptPacked->setRange(0, kMostKeptPacked);
    m_keptPacked->setSuffix(tr(" GB"));
    m_keptPacked->setSpecialValueText(tr("none"));
    m_keptPacked->setToolTip(widgets::plainText(
        tr("Disk space for the quantized weights of large models, which then open faster the next time. Folder: %1")
            .arg(shown(io::packedFolder())),
        widgets::Lines::Wrapped));
    m_startToken->setObjectName(QStringLiteral("startToken"));
    const std::pair<app::StartToken, QString> tokens[] = {
        {app::StartToken::Automatic, tr("as set by tokenizer and benchmark")},
        {app::StartToken::Never, tr("never")},
        {app::StartToken::AsTokenizer, tr("as set by the tokenizer")},
        {app::StartToken::Always, tr("always")}};
    for (const auto& [token, title] : tokens)
        m_startToken->addItem(title, QLatin1String(app::name(token)));
    form->addRow(tr("&Device"), m_device);
    form->addRow(tr("&Numbers"), m_dtype);
    form->addRow(tr("&Threads"), m_threads);
    form->addRow(tr("&Memory"), m_memory);
    form->addRow(tr("Keep &quantized weights"), m_keptPacked);
    form->addRow(tr("Start t&oken"), m_startToken);
    return group;
}

QWidget* SettingsDialog::measuringGroup()
{
    auto* group = new QGroupBox(tr("Benchmarks"));
    auto* form = new QFormLayout(group);
    m_order->setObjectName(QStringLiteral("order"));
    m_order->setPlaceholderText(tr("in order"));
    m_order->setToolTip(tr("Shuffles the order in which examples run. No result depends on it."));
    m_seed->setObjectName(QStringLiteral("seed"));
    m_seed->setPlaceholderText(tr("each model's own"));
    m_seed->setToolTip(tr("Seeds generated examples and drawn words."));
    m_data->setObjectName(QStringLiteral("data"));
    m_words->setObjectName(QStringLiteral("words"));
    addFolder(*form, tr("D&ata folder"), m_data, tr("the included sample rows"));
    addFolder(*form, tr("&Word lists"), m_words, tr("the default folder"));
    m_patience->setObjectName(QStringLiteral("patience"));
    m_patience->setRange(1, WindowSettings::kLongestPatience);
    m_patience->setSuffix(tr(" s"));
    m_patience->setToolTip(tr("Time for scoring after a click, until its benchmarks "
                              "are decided. Undecided ones continue while the program is idle."));
    m_examples->setObjectName(QStringLiteral("examples"));
    m_examples->setRange(0, kMostExamples);
    m_examples->setSpecialValueText(tr("all"));
    m_examples->setToolTip(tr("Number of rows scored per task; for groups such as MMLU, per part."));
    addStop(*form);
    m_boundary->setObjectName(QStringLiteral("boundary"));
    for (const auto& [rule, title] : {std::pair(engine::Boundary::Harness, tr("as the reference harness")),
                                      std::pair(engine::Boundary::CommonPrefix, tr("from the longest common prefix"))})
        m_boundary->addItem(title, QLatin1String(engine::name(rule)));
    m_boundary->setToolTip(tr("Which tokens are scored if the tokenizer merges the beginning of an answer with "
                              "the end of the context. Scores of the two rules are stored and compared separately."));
    form->addRow(tr("Merged to&kens"), m_boundary);
    form->addRow(tr("Exa&mples, at most"), m_examples);
    form->addRow(tr("Time for a &click"), m_patience);
    form->addRow(tr("Se&ed"), m_seed);
    form->addRow(tr("Order of e&xamples"), m_order);
    return group;
}

void SettingsDialog::addStop(QFormLayout& form)
{
    m_stopWidth->setObjectName(QStringLiteral("stopWidth"));
    m_stopWidth->setRange(0, 1);
    m_stopWidth->setDecimals(3);
    m_stopWidth->setSingleStep(0.01);
    m_stopWidth->setSpecialValueText(tr("all examples are in"));
    m_stopWidth->setPrefix(tr("decided, or ± "));
    m_stopWidth->setToolTip(tr("Scoring ends when the sign of the change is decided by a test that is valid under "
                               "continuous monitoring, or when the change is known to this precision."));
    m_stopLevel->setObjectName(QStringLiteral("stopLevel"));
    m_stopLevel->setRange(50, 99.9);
    m_stopLevel->setDecimals(1);
    m_stopLevel->setSuffix(tr(" %"));
    form.addRow(tr("Score &until"), m_stopWidth);
    form.addRow(tr("Dec&ided at"), m_stopLevel);
}

QWidget* SettingsDialog::windowGroup()
{
    auto* group = new QGroupBox(tr("Window"));
    auto* form = new QFormLayout(group);
    m_look->setObjectName(QStringLiteral("look"));
    m_look->addItem(tr("as the system"), static_cast<int>(Appearance::Look::System));
    m_look->addItem(tr("light"), static_cast<int>(Appearance::Look::Light));
    m_look->addItem(tr("dark"), static_cast<int>(Appearance::Look::Dark));
    m_textScale->setObjectName(QStringLiteral("textScale"));
    m_textScale->setRange(static_cast<int>(Appearance::kSmallest * 100), static_cast<int>(Appearance::kLargest * 100));
    m_textScale->setSingleStep(10);
    m_textScale->setSuffix(tr(" %"));
    m_language->setObjectName(QStringLiteral("language"));
    m_language->addItem(tr("as the system"), QString());
    m_language->addItem(QStringLiteral("English"), QStringLiteral("en"));
    m_language->addItem(QStringLiteral("Deutsch"), QStringLiteral("de"));
    m_motion->setObjectName(QStringLiteral("motion"));
    m_motion->setText(tr("&Fade in changes"));
    m_clickLooks->setObjectName(QStringLiteral("clickLooks"));
    m_clickLooks->setText(tr("A click only s&hows a head; Ctrl+click ablates it"));
    form->addRow(tr("&Look"), m_look);
    form->addRow(tr("Text &size"), m_textScale);
    form->addRow(tr("Motion"), m_motion);
    form->addRow(tr("Heads"), m_clickLooks);
    form->addRow(tr("Lan&guage"), m_language);
    return group;
}

void SettingsDialog::addFolder(QFormLayout& form, const QString& title, QLineEdit* line, const QString& hint)
{
    line->setPlaceholderText(hint);
    auto* choose = new QPushButton(tr("Choose …"));
    auto* row = new QHBoxLayout;
    row->addWidget(line, 1);
    row->addWidget(choose);
    form.addRow(title, row);
    if (auto* label = qobject_cast<QLabel*>(form.labelForField(row)))
        label->setBuddy(line);
    connect(choose, &QPushButton::clicked, this, [this, line] {
        const QString folder = QFileDialog::getExistingDirectory(this, windowTitle(), line->text());
        if (!folder.isEmpty())
            line->setText(QDir::toNativeSeparators(folder));
    });
}

void SettingsDialog::watch()
{
    for (QComboBox* box : {m_device, m_dtype, m_startToken, m_boundary, m_look, m_language})
        connect(box, &QComboBox::currentTextChanged, this, &SettingsDialog::refresh);
    for (QSpinBox* box : {m_threads, m_keptPacked, m_textScale, m_patience, m_examples})
        connect(box, &QSpinBox::valueChanged, this, &SettingsDialog::refresh);
    for (QDoubleSpinBox* box : {m_stopWidth, m_stopLevel})
        connect(box, &QDoubleSpinBox::valueChanged, this, &SettingsDialog::refresh);
    for (QCheckBox* box : {m_motion, m_clickLooks})
        connect(box, &QCheckBox::toggled, this, &SettingsDialog::refresh);
    for (QLineEdit* line : {m_memory, m_order, m_seed, m_data, m_words})
        connect(line, &QLineEdit::textChanged, this, &SettingsDialog::refresh);
}

void SettingsDialog::setSettings(const WindowSettings& settings)
{
    m_now = settings;
    fill(settings);
    refresh();
}

void SettingsDialog::fill(const WindowSettings& settings)
{
    const app::Settings& work = settings.work;
    choose(*m_device, QString::fromStdString(work.device));
    choose(*m_dtype, QString::fromStdString(work.dtype));
    m_threads->setValue(work.threads);
    m_memory->setText(number(static_cast<std::uint64_t>(work.memory)));
    m_keptPacked->setValue(inGigabytes(work.keptPacked));
    choose(*m_startToken, QLatin1String(app::name(work.startToken)));
    choose(*m_boundary, QLatin1String(engine::name(work.boundary)));
    m_patience->setValue(settings.patience);
    m_examples->setValue(work.examples);
    m_stopWidth->setValue(work.stopWidth / 2); // to either side
    m_stopLevel->setValue(work.stopLevel * 100);
    m_order->setText(number(work.orderSeed));
    m_seed->setText(number(work.seed));
    m_data->setText(shown(work.dataFolder));
    m_words->setText(shown(work.wordsFolder));
    choose(*m_look, static_cast<int>(settings.look));
    m_textScale->setValue(static_cast<int>(std::lround(settings.textScale * 100)));
    m_motion->setChecked(settings.motion);
    m_clickLooks->setChecked(settings.clickLooks);
    choose(*m_language, settings.language);
}

Result<WindowSettings> SettingsDialog::settings() const
{
    WindowSettings read = m_now;
    read.work.device = word(*m_device);
    read.work.dtype = word(*m_dtype);
    read.work.threads = m_threads->value();
    read.work.memory = 0;
    if (const QString amount = m_memory->text().trimmed(); !amount.isEmpty()) {
        const auto bytes = app::parseMemory(amount.toStdString());
        if (!bytes.has_value())
            return bytes.error();
        read.work.memory = *bytes;
    }
    if (m_keptPacked->value() != inGigabytes(m_now.work.keptPacked))
        read.work.keptPacked = m_keptPacked->value() * kGigabyte;
    const auto token = app::parseStartToken(word(*m_startToken));
    if (!token.has_value())
        return token.error();
    read.work.startToken = *token;
    read.work.boundary = engine::boundaryNamed(word(*m_boundary));
    const auto order = seedIn(*m_order), seed = seedIn(*m_seed);
    if (!order || !seed)
        return inputError(tr("A seed is a whole number of 0 or more.").toStdString());
    read.work.orderSeed = *order;
    read.work.seed = *seed;
    read.work.dataFolder = folderIn(*m_data);
    read.work.wordsFolder = folderIn(*m_words);
    for (const QLineEdit* line : {m_data, m_words})
        if (const QString folder = line->text().trimmed();
            !folder.isEmpty() && (folder.contains(QChar::Null) || !QDir(folder).exists()))
            return inputError(tr("There is no folder %1.").arg(folder).toStdString());
    if (const auto good = app::check(read.work); !good.has_value())
        return good.error();
    read.patience = m_patience->value();
    read.work.examples = m_examples->value();
    if (m_stopWidth->value() != roundedAs(*m_stopWidth, m_now.work.stopWidth / 2))
        read.work.stopWidth = 2 * m_stopWidth->value();
    if (m_stopLevel->value() != roundedAs(*m_stopLevel, m_now.work.stopLevel * 100))
        read.work.stopLevel = m_stopLevel->value() / 100;
    read.look = static_cast<Appearance::Look>(m_look->currentData().toInt());
    if (m_textScale->value() != std::lround(m_now.textScale * 100)) // keeps a scale that is no whole per cent
        read.textScale = m_textScale->value() / 100.0;
    read.motion = m_motion->isChecked();
    read.clickLooks = m_clickLooks->isChecked();
    read.language = m_language->currentData().toString();
    return read;
}

QString SettingsDialog::note() const
{
    return m_note->text();
}

void SettingsDialog::refresh()
{
    const auto read = settings();
    m_note->setText(read.has_value() ? consequence(m_now, *read) : QString::fromStdString(read.error().message));
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(read.has_value());
    m_buttons->button(QDialogButtonBox::Apply)->setEnabled(read.has_value() && *read != m_now);
}

void SettingsDialog::apply()
{
    const auto read = settings();
    if (!read.has_value() || *read == m_now)
        return;
    m_now = *read;
    Q_EMIT applied(m_now);
    refresh();
}

} // namespace headscope::gui
