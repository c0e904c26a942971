// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/models/getmodeldialog.h"

#include "widgets/look/labels/plainlabel.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

constexpr int kSteps = 1000; // of the bar: a file's bytes do not fit into its int
constexpr int kLines = 8;

QString memoryText(const app::RemoteModel& model)
{
    if (!model.problem.empty())
        return QString::fromStdString(model.problem);
    QStringList lines{GetModelDialog::tr("Family %1, %L2 million parameters")
                          .arg(QString::fromStdString(model.family))
                          .arg(static_cast<double>(model.parameters) / 1e6, 0, 'f', 0)};
    if (!model.packing.empty())
        lines.append(GetModelDialog::tr("Weights packed as %1").arg(QString::fromStdString(model.packing)));
    for (const app::MemoryNeed& need : model.memory)
        lines.append((need.fits ? GetModelDialog::tr("As %1 it needs %2 of memory, which is available.")
                                : GetModelDialog::tr("As %1 it needs %2 of memory, which is NOT available."))
                         .arg(QString::fromStdString(need.dtype), sizeText(static_cast<std::uint64_t>(need.bytes))));
    return lines.join(QLatin1Char('\n'));
}

QString aboutModel(const app::RemoteModel& model)
{
    const hub::Plan& plan = model.plan;
    const QString files = GetModelDialog::tr("Files: %1, %2 in total; %3 to download, %4 free on the disk")
                              .arg(plan.files.size())
                              .arg(sizeText(plan.total), sizeText(plan.missing), sizeText(plan.free));
    QStringList lines{files, memoryText(model)};
    if (!model.hasTokenizer)
        lines.append(GetModelDialog::tr("It has no tokenizer; the program asks for one when you open it."));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

GetModelDialog::GetModelDialog(const hub::HubSettings& settings, QWidget* parent)
    : QDialog(parent), m_door(settings), m_name(new QLineEdit(this)), m_look(new QPushButton(tr("&Look"), this)),
      m_fetch(new QPushButton(tr("&Get it"), this)), m_stop(new QPushButton(tr("&Stop"), this)),
      m_openA(new QPushButton(tr("Open as &A"), this)), m_openB(new QPushButton(tr("Open as &B"), this)),
      m_about(new widgets::PlainLabel(this)), m_said(new widgets::PlainLabel(this)), m_bar(new QProgressBar(this))
{
    setWindowTitle(tr("Get a model"));
    arrange();
    connectDoor();
    connect(m_name, &QLineEdit::returnPressed, this, &GetModelDialog::look);
    connect(m_name, &QLineEdit::textChanged, this, &GetModelDialog::refresh);
    connect(m_look, &QPushButton::clicked, this, &GetModelDialog::look);
    connect(m_fetch, &QPushButton::clicked, this, &GetModelDialog::fetch);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_door.stop(); });
    connect(m_openA, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(Side::A, m_folder); });
    connect(m_openB, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(Side::B, m_folder); });
    refresh();
}

void GetModelDialog::arrange()
{
    m_name->setPlaceholderText(tr("organisation/name of a model on the Hugging Face hub"));
    m_name->setAccessibleName(tr("Name of the model"));
    m_name->setObjectName(QStringLiteral("name"));
    m_look->setObjectName(QStringLiteral("look"));
    m_fetch->setObjectName(QStringLiteral("fetch"));
    m_stop->setObjectName(QStringLiteral("stop"));
    m_openA->setObjectName(QStringLiteral("openA"));
    m_about->setObjectName(QStringLiteral("about"));
    m_said->setObjectName(QStringLiteral("said"));
    m_look->setDefault(true);
    m_bar->setRange(0, kSteps);
    m_bar->setAccessibleName(tr("Progress of the file"));
    for (QLabel* label : {m_about, m_said}) {
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    }
    m_about->setFixedHeight(kLines * m_about->fontMetrics().lineSpacing()); // nothing moves with what is said
    m_said->setFixedHeight(3 * m_said->fontMetrics().lineSpacing());
    auto* asked = new QHBoxLayout;
    asked->addWidget(m_name, 1);
    asked->addWidget(m_look);
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {m_fetch, m_stop, m_openA, m_openB}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    buttons->addStretch();
    auto* close = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(close, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->addLayout(asked);
    column->addWidget(m_about);
    column->addWidget(m_bar);
    column->addWidget(m_said);
    column->addLayout(buttons);
    resize(600, sizeHint().height());
}

void GetModelDialog::connectDoor()
{
    connect(&m_door, &app::HubDoor::looked, this, &GetModelDialog::showModel);
    connect(&m_door, &app::HubDoor::progressed, this, &GetModelDialog::progress);
    connect(&m_door, &app::HubDoor::fetched, this, [this](const QString& folder) {
        m_folder = folder;
        m_bar->setValue(kSteps);
        m_said->setText(tr("The model is in the cache and can be opened."));
        refresh();
        Q_EMIT fetched();
    });
    connect(&m_door, &app::HubDoor::failed, this, [this](const QString& sentence) {
        m_said->setText(sentence.isEmpty()
                            ? tr("Stopped. Downloaded parts are kept, and the download resumes next time.")
                            : sentence);
        refresh();
    });
}

void GetModelDialog::look()
{
    const QString name = m_name->text().trimmed();
    if (name.isEmpty())
        return;
    m_model.reset();
    m_folder.clear();
    m_about->clear();
    m_bar->setValue(0);
    m_said->setText(tr("Asking the hub …"));
    m_door.look(name.toStdString());
    refresh();
}

void GetModelDialog::fetch()
{
    m_arrival.forget();
    m_said->setText(tr("Downloading …"));
    m_door.fetch(m_model->plan);
    refresh();
}

void GetModelDialog::showModel(std::shared_ptr<const app::RemoteModel> model)
{
    m_model = std::move(model);
    m_about->setText(aboutModel(*m_model));
    const bool here = m_model->plan.missing == 0 && std::filesystem::exists(m_model->plan.snapshot);
    m_folder = here ? QString::fromStdString(m_model->plan.snapshot.string()) : QString();
    m_said->setText(here ? tr("Already downloaded.") : QString());
    if (!here && m_model->plan.missing > m_model->plan.free)
        m_said->setText(tr("The disk of the cache is too full for it."));
    refresh();
}

void GetModelDialog::progress(const QString& file, qint64 done, qint64 total)
{
    m_bar->setValue(total > 0 ? static_cast<int>(kSteps * done / total) : 0);
    m_said->setText(m_arrival.progressed(file, done, total));
}

void GetModelDialog::refresh()
{
    const bool busy = m_door.isRunning();
    m_look->setEnabled(!busy && !m_name->text().trimmed().isEmpty());
    m_fetch->setEnabled(!busy && m_model && m_folder.isEmpty() && m_model->plan.missing <= m_model->plan.free);
    m_stop->setEnabled(busy);
    m_openA->setEnabled(!busy && !m_folder.isEmpty());
    m_openB->setEnabled(!busy && !m_folder.isEmpty());
}

} // namespace headscope::gui
