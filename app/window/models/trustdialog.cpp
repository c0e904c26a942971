// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/models/trustdialog.h"

#include "app/present/scores/tasknames.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/why/views/numbertable.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace headscope::gui {

using namespace Qt::StringLiterals;

namespace {

QVariantList taskRow(const QJsonObject& task)
{
    const QJsonObject likelihood = task[u"log_likelihood"_s].toObject(), costs = task[u"head_costs"_s].toObject();
    return {taskTitle(task[u"task"_s].toString()),
            task[u"examples"_s].toInt(),
            task[u"changed"_s].toInt(),
            100 * task[u"changed_share"_s].toDouble(),
            task[u"lost"_s].toInt(),
            task[u"gained"_s].toInt(),
            likelihood[u"mean_absolute"_s].toDouble(),
            likelihood[u"largest"_s].toDouble(),
            costs.isEmpty() ? QVariant() : QVariant(costs[u"rho"_s].toDouble())};
}

} // namespace

TrustDialog::TrustDialog(QString program, QWidget* parent)
    : QDialog(parent), m_form(new QComboBox(this)), m_against(new QComboBox(this)), m_task(new QComboBox(this)),
      m_limit(new QSpinBox(this)), m_compare(new QPushButton(tr("&Compare"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)), m_said(new widgets::PlainLabel(this)),
      m_table(new widgets::NumberTable(tr("Quantized and full precision"), this)), m_run(std::move(program))
{
    setWindowTitle(tr("Compare quantized weights"));
    arrange();
    connect(m_compare, &QPushButton::clicked, this, &TrustDialog::start);
    connect(m_stop, &QPushButton::clicked, &m_run, &ProgramRun::stop);
    connect(&m_run, &ProgramRun::lineArrived, m_said, &QLabel::setText);
    connect(&m_run, &ProgramRun::ended, this, &TrustDialog::end);
    refresh();
}

void TrustDialog::arrange()
{
    m_form->addItem(tr("8 bits (int8)"), u"int8"_s);
    m_form->addItem(tr("4 bits (int4)"), u"int4"_s);
    m_against->addItems({u"fp32"_s, u"bf16"_s});
    m_limit->setRange(10, 100'000);
    m_limit->setValue(200);
    m_compare->setObjectName(u"compare"_s);
    m_stop->setObjectName(u"stop"_s);
    m_said->setObjectName(u"said"_s);
    m_said->setWordWrap(true);
    m_said->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_said->setFixedHeight(4 * m_said->fontMetrics().lineSpacing()); // nothing moves with what is said
    auto* form = new QFormLayout;
    form->addRow(tr("&Weights in"), m_form);
    form->addRow(tr("compared &with"), m_against);
    form->addRow(tr("&on"), m_task);
    form->addRow(tr("&Examples"), m_limit);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_compare);
    buttons->addWidget(m_stop);
    buttons->addStretch();
    auto* close = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(close, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(m_table, 1);
    column->addWidget(m_said);
    column->addLayout(buttons);
    resize(760, 480);
}

void TrustDialog::ask(const QString& model, const QStringList& tasks, const QString& dataFolder)
{
    m_dataFolder = dataFolder;
    if (model != m_model) {
        m_model = model;
        m_table->setNumbers({});
        m_task->clear();
        m_task->addItem(tr("all of these"), tasks.join(QLatin1Char(',')));
        for (const QString& task : tasks)
            m_task->addItem(taskTitle(task), task);
        m_said->setText(tr("Scores the same examples in both forms and estimates each head's cost in both. Loads a "
                           "second copy of the model."));
    }
    refresh();
    show();
    raise();
    activateWindow();
}

void TrustDialog::start()
{
    QStringList arguments{u"trust"_s,
                          m_model,
                          u"--json"_s,
                          u"--weights"_s,
                          m_form->currentData().toString(),
                          u"--against"_s,
                          m_against->currentText(),
                          u"--task"_s,
                          m_task->currentData().toString(),
                          u"--limit"_s,
                          QString::number(m_limit->value())};
    if (!m_dataFolder.isEmpty())
        arguments << u"--data"_s << m_dataFolder;
    m_said->setText(tr("Comparing …"));
    m_run.start(arguments);
    refresh();
}

void TrustDialog::end(bool complete, const QByteArray& output)
{
    if (complete)
        showReport(output);
    else if (m_run.log().isEmpty())
        m_said->setText(tr("Stopped."));
    refresh();
}

void TrustDialog::showReport(const QByteArray& json)
{
    const QJsonObject told = QJsonDocument::fromJson(json).object();
    std::vector<QVariantList> rows;
    int examples = 0, changed = 0;
    const QJsonArray tasks = told[u"tasks"_s].toArray();
    for (const QJsonValue& task : tasks) {
        rows.push_back(taskRow(task.toObject()));
        examples += task[u"examples"_s].toInt();
        changed += task[u"changed"_s].toInt();
    }
    m_table->setNumbers(
        {.columns = {tr("benchmark"), tr("examples"), tr("changed"), tr("changed, %"), tr("lost"), tr("gained"),
                     tr("|Δ log-likelihood|, nats"), tr("largest"), tr("head costs, rho")},
         .rows = std::move(rows),
         .of = {}});
    m_said->setText(tr("In %1 the weights need %2 of their memory in %3. %L4 of %L5 answers differ.")
                        .arg(told[u"form"_s][u"dtype"_s].toString())
                        .arg(told[u"memory_share"_s].toDouble(), 0, 'f', 2)
                        .arg(told[u"reference"_s][u"dtype"_s].toString())
                        .arg(changed)
                        .arg(examples));
}

void TrustDialog::refresh()
{
    const bool runs = m_run.running();
    m_compare->setEnabled(!runs && !m_model.isEmpty());
    m_stop->setEnabled(runs);
}

} // namespace headscope::gui
