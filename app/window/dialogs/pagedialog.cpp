// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/pagedialog.h"

#include "widgets/look/boxes/plainedit.h"
#include "widgets/look/labels/plainlabel.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace headscope::gui {

using namespace Qt::StringLiterals;

namespace {

/// A heading and a line for each text; nothing where there is none.
QString linesBelow(const QString& heading, const QJsonValue& texts)
{
    QString lines;
    for (const QJsonValue& one : texts.toArray())
        lines += u"\n  "_s + one.toString();
    return lines.isEmpty() ? QString() : u"\n\n"_s + heading + lines;
}

} // namespace

PageDialog::PageDialog(QString program, QWidget* parent)
    : QDialog(parent), m_title(new QLineEdit(this)), m_samples(new QSpinBox(this)), m_heads(new QComboBox(this)),
      m_story(new QComboBox(this)), m_save(new QPushButton(tr("&Save page …"), this)),
      m_stop(new QPushButton(tr("S&top"), this)), m_said(new widgets::PlainLabel(this)),
      m_contents(new widgets::PlainEdit(this)), m_run(std::move(program))
{
    setWindowTitle(tr("Export as a web page"));
    arrange();
    connect(m_title, &QLineEdit::editingFinished, this, [this] {
        if (m_title->isModified())
            preview();
    });
    connect(m_samples, &QSpinBox::valueChanged, this, &PageDialog::preview);
    connect(m_heads, &QComboBox::activated, this, &PageDialog::preview);
    connect(m_story, &QComboBox::activated, this, &PageDialog::preview);
    connect(m_save, &QPushButton::clicked, this, &PageDialog::chooseFile);
    connect(m_stop, &QPushButton::clicked, &m_run, &ProgramRun::stop);
    connect(&m_run, &ProgramRun::lineArrived, m_said, &QLabel::setText);
    connect(&m_run, &ProgramRun::ended, this, &PageDialog::end);
    refresh();
}

void PageDialog::arrange()
{
    m_title->setPlaceholderText(tr("The names of the models"));
    m_samples->setRange(0, 1000);
    m_samples->setValue(3);
    m_samples->setKeyboardTracking(false);
    m_heads->addItem(tr("All heads"), u"all"_s);
    m_heads->addItem(tr("The first eight of each ranking"), u"ranked"_s);
    m_story->setObjectName(u"story"_s);
    m_save->setObjectName(u"save"_s);
    m_stop->setObjectName(u"stop"_s);
    m_said->setObjectName(u"said"_s);
    m_said->setWordWrap(true);
    m_contents->setReadOnly(true);
    m_contents->setAccessibleName(tr("Contents of the page"));
    auto* form = new QFormLayout;
    form->addRow(tr("T&itle"), m_title);
    form->addRow(tr("&Prompts with patterns"), m_samples);
    form->addRow(tr("P&atterns of"), m_heads);
    form->addRow(tr("&Guided story"), m_story);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_save, QDialogButtonBox::ActionRole);
    buttons->addButton(m_stop, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(m_contents, 1);
    column->addWidget(m_said);
    column->addWidget(buttons);
    resize(640, 560);
}

void PageDialog::offer(const QString& session, const QList<widgets::Choice>& stories)
{
    m_session = session;
    m_story->clear();
    m_story->addItem(tr("none"));
    for (const widgets::Choice& story : stories)
        m_story->addItem(story.name, story.id);
    preview();
    show();
    raise();
    activateWindow();
}

void PageDialog::chooseFile()
{
    const QString file = QFileDialog::getSaveFileName(this, windowTitle(), u"study.html"_s, tr("Web pages (*.html)"));
    if (!file.isEmpty())
        saveTo(file);
}

void PageDialog::saveTo(const QString& file)
{
    if (m_previewed && !m_run.running())
        run(file);
}

void PageDialog::preview()
{
    m_title->setModified(false);
    m_previewed = false;
    m_outdated = m_run.running();
    m_contents->clear();
    if (m_outdated)
        m_run.stop();
    else
        run({});
}

void PageDialog::run(const QString& file)
{
    m_target = file;
    m_said->setText(file.isEmpty() ? tr("Previewing the page …") : tr("Writing %1 …").arg(file));
    QStringList arguments{u"page"_s,      m_session,
                          u"--json"_s,    u"--quiet"_s,
                          u"--output"_s,  file.isEmpty() ? m_folder.filePath(u"page.html"_s) : file,
                          u"--samples"_s, QString::number(m_samples->value()),
                          u"--head"_s,    m_heads->currentData().toString()};
    if (!m_title->text().isEmpty())
        arguments << u"--title"_s << m_title->text();
    if (const QString story = m_story->currentData().toString(); !story.isEmpty())
        arguments << u"--story"_s << story;
    m_run.start(arguments);
    refresh();
}

void PageDialog::end(bool complete, const QByteArray& output)
{
    if (m_outdated) {
        m_outdated = false;
        return run({});
    }
    if (complete && m_target.isEmpty())
        describe(output);
    else if (complete)
        m_said->setText(tr("The page is in %1.").arg(m_target));
    else if (m_run.log().isEmpty())
        m_said->setText(tr("Stopped."));
    refresh();
}

void PageDialog::describe(const QByteArray& json)
{
    const QJsonObject page = QJsonDocument::fromJson(json).object();
    m_previewed = true;
    m_said->setText(
        tr("The page has %L1 MB and opens without a network.").arg(page[u"bytes"_s].toDouble() / 1e6, 0, 'f', 2));
    const std::pair<const char*, QString> counts[] = {
        {"heads", tr("heads with patterns")}, {"samples", tr("prompts")},
        {"states", tr("measured states")},    {"rankings", tr("rankings")},
        {"analyses", tr("analyses")},         {"questions", tr("questions of the story")}};
    QStringList parts;
    for (const auto& [key, words] : counts)
        parts << words + u": "_s + QString::number(page[QLatin1String(key)].toInt());
    m_contents->setPlainText(
        parts.join(u", "_s) + linesBelow(tr("Models:"), page[u"models"_s])
        + linesBelow(tr("Names and notes that readers will see:"), page[u"names"_s])
        + linesBelow(tr("Folders of this computer that are left out:"), page[u"folders_left_out"_s])
        + linesBelow(tr("Not on the page:"), page[u"left_out"_s]));
}

void PageDialog::refresh()
{
    m_save->setEnabled(m_previewed && !m_run.running());
    m_stop->setEnabled(m_run.running());
}

} // namespace headscope::gui
