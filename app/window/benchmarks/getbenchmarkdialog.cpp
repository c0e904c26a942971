// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/benchmarks/getbenchmarkdialog.h"

#include "app/present/scores/tasknames.h"
#include "widgets/look/labels/plainlabel.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

constexpr int kBenchmarkSteps = 1000; // of the bar: a file's bytes do not fit into its int
constexpr int kBenchmarkLines = 9;

QString aboutBenchmark(const app::RemoteBenchmark& benchmark)
{
    const auto text = [](const std::string& from) { return QString::fromStdString(from); };
    int rows = 0;
    for (const tasks::HubFile& file : benchmark.files.files)
        rows += file.rows;
    QStringList lines{text(benchmark.title.empty() ? benchmark.files.task : benchmark.title)};
    lines.append(benchmark.licence.empty() ? GetBenchmarkDialog::tr("Licence: see its page")
                                           : GetBenchmarkDialog::tr("Licence: %1").arg(text(benchmark.licence)));
    lines.append(GetBenchmarkDialog::tr("From %1").arg(text(benchmark.page)));
    lines.append(GetBenchmarkDialog::tr("%L1 files with %L2 rows, %3 in total; %4 to download")
                     .arg(benchmark.plan.files.size())
                     .arg(rows)
                     .arg(sizeText(benchmark.plan.total), sizeText(benchmark.plan.missing)));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

GetBenchmarkDialog::GetBenchmarkDialog(const hub::HubSettings& settings, QWidget* parent)
    : QDialog(parent), m_door(settings), m_fetch(new QPushButton(tr("&Get it"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)), m_about(new widgets::PlainLabel(this)),
      m_said(new widgets::PlainLabel(this)), m_bar(new QProgressBar(this))
{
    setWindowTitle(tr("Get a benchmark"));
    arrange();
    connectDoor();
    connect(m_fetch, &QPushButton::clicked, this, &GetBenchmarkDialog::fetch);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_door.stop(); });
    refresh();
}

void GetBenchmarkDialog::arrange()
{
    m_fetch->setObjectName(QStringLiteral("fetch"));
    m_stop->setObjectName(QStringLiteral("stop"));
    m_about->setObjectName(QStringLiteral("about"));
    m_said->setObjectName(QStringLiteral("said"));
    m_bar->setRange(0, kBenchmarkSteps);
    m_bar->setAccessibleName(tr("Progress of the file"));
    for (QLabel* label : {m_about, m_said}) {
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    auto* area = new QScrollArea(this); // a group is several benchmarks
    area->setWidget(m_about);
    area->setWidgetResizable(true);
    area->setMinimumHeight(kBenchmarkLines * m_about->fontMetrics().lineSpacing());
    m_said->setFixedHeight(3 * m_said->fontMetrics().lineSpacing()); // nothing moves with what is said
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {m_fetch, m_stop}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    buttons->addStretch();
    auto* close = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(close, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->addWidget(area, 1);
    column->addWidget(m_bar);
    column->addWidget(m_said);
    column->addLayout(buttons);
    resize(600, sizeHint().height());
}

void GetBenchmarkDialog::connectDoor()
{
    connect(&m_door, &app::HubDoor::benchmarksFound, this,
            [this](std::shared_ptr<const std::vector<app::RemoteBenchmark>> found) {
                m_found = std::move(found);
                QStringList parts;
                for (const app::RemoteBenchmark& benchmark : *m_found)
                    parts.append(aboutBenchmark(benchmark));
                parts.append(tr("Its files go into %1.").arg(QDir::toNativeSeparators(m_folder)));
                m_about->setText(parts.join(QStringLiteral("\n\n")));
                m_said->setText(tr("Nothing is downloaded until you confirm."));
                refresh();
            });
    connect(&m_door, &app::HubDoor::progressed, this, [this](const QString& file, qint64 done, qint64 total) {
        m_bar->setValue(total > 0 ? static_cast<int>(kBenchmarkSteps * done / total) : 0);
        m_said->setText(m_arrival.progressed(file, done, total));
    });
    connect(&m_door, &app::HubDoor::benchmarksFetched, this, [this] {
        m_bar->setValue(kBenchmarkSteps);
        m_said->setText(tr("Downloaded to the data folder with all rows; scoring starts again."));
        m_found.reset();
        refresh();
        Q_EMIT fetched(m_folder);
    });
    connect(&m_door, &app::HubDoor::failed, this, [this](const QString& sentence) {
        m_said->setText(sentence.isEmpty()
                            ? tr("Stopped. Downloaded parts are kept, and the download resumes next time.")
                            : sentence);
        refresh();
    });
}

void GetBenchmarkDialog::ask(const QString& task, const QString& folder)
{
    setWindowTitle(tr("Get a benchmark: %1").arg(taskTitle(task)));
    m_folder = folder;
    m_found.reset();
    m_about->clear();
    m_bar->setValue(0);
    m_said->setText(tr("Asking the hub …"));
    m_door.findBenchmarks(task.toStdString());
    refresh();
    show();
    raise();
    activateWindow();
}

void GetBenchmarkDialog::fetch()
{
    m_arrival.forget();
    m_said->setText(tr("Downloading …"));
    m_door.fetchBenchmarks(m_found, m_folder.toStdString());
    refresh();
}

void GetBenchmarkDialog::refresh()
{
    m_fetch->setEnabled(!m_door.isRunning() && m_found);
    m_stop->setEnabled(m_door.isRunning());
}

} // namespace headscope::gui
