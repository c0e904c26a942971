// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/models/modelsdialog.h"

#include "app/present/heads/modelchoice.h"
#include "app/present/text.h"
#include "app/window/models/modelarrival.h"
#include "widgets/look/labels/plainlabel.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

enum { ModelSortRole = Qt::UserRole + 1, IndexRole };
enum ModelColumn { Name, KindColumn, Family, Layers, Parameters, Files, Memory, Place, Columns };

QString nativePath(const std::filesystem::path& path)
{
    return QDir::toNativeSeparators(text(path.string()));
}

QString placeText(io::ModelOrigin origin)
{
    switch (origin) {
    case io::ModelOrigin::Shipped: return ModelsDialog::tr("included");
    case io::ModelOrigin::Cached: return ModelsDialog::tr("cache");
    case io::ModelOrigin::Own:
    case io::ModelOrigin::Folder: break;
    }
    return ModelsDialog::tr("folder added");
}

QString parametersText(std::int64_t parameters)
{
    const double millions = static_cast<double>(parameters) / 1e6;
    if (millions >= 1000)
        return ModelsDialog::tr("%L1 billion").arg(millions / 1000, 0, 'f', 2);
    if (millions >= 1)
        return ModelsDialog::tr("%L1 million").arg(millions, 0, 'f', millions < 10 ? 1 : 0);
    return ModelsDialog::tr("%L1 thousand").arg(millions * 1000, 0, 'f', 0);
}

QStandardItem* wordItem(const QString& words)
{
    auto* item = new QStandardItem(words);
    item->setData(words.toCaseFolded(), ModelSortRole);
    return item;
}

QStandardItem* numberItem(std::int64_t number, const QString& words)
{
    auto* item = new QStandardItem(number > 0 ? words : QString());
    item->setData(static_cast<qlonglong>(number), ModelSortRole);
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

QString memoryCell(const app::ListedModel& model)
{
    const QString size = sizeText(static_cast<std::uint64_t>(model.memory));
    return model.fits ? size : ModelsDialog::tr("%1: too much").arg(size);
}

QList<QStandardItem*> modelRow(const app::ListedModel& model, int index)
{
    QList<QStandardItem*> row(Columns);
    row[Name] = wordItem(text(model.folder.name));
    row[KindColumn] = wordItem(model.kind ? kindText(*model.kind) : QString());
    row[Family] = wordItem(model.family.empty() ? ModelsDialog::tr("cannot be opened") : text(model.family));
    row[Layers] = numberItem(model.layers, QLocale().toString(model.layers));
    row[Parameters] = numberItem(model.parameters, parametersText(model.parameters));
    row[Files] = numberItem(model.fileBytes, sizeText(static_cast<std::uint64_t>(model.fileBytes)));
    row[Memory] = numberItem(model.memory, memoryCell(model));
    row[Place] = wordItem(placeText(model.folder.origin));
    for (QStandardItem* item : row)
        item->setData(index, IndexRole);
    return row;
}

QString aboutText(const app::ListedModel& model, std::optional<std::int64_t> freeMemory)
{
    const QString path = nativePath(model.folder.path);
    if (!model.problem.empty())
        return path + QLatin1Char('\n') + text(model.problem);
    const QString size = sizeText(static_cast<std::uint64_t>(model.memory)), dtype = text(model.dtype);
    if (!freeMemory)
        return path + QLatin1Char('\n') + ModelsDialog::tr("As %1 it needs %2 of memory.").arg(dtype, size);
    const QString there = sizeText(static_cast<std::uint64_t>(*freeMemory));
    const QString told = ModelsDialog::tr("As %1 it needs %2 of memory; %3 are free.").arg(dtype, size, there);
    return path + QLatin1Char('\n')
           + (model.fits ? told : told + QLatin1Char(' ') + ModelsDialog::tr("Quantized weights need less."));
}

} // namespace

ModelsDialog::ModelsDialog(const std::filesystem::path& shipped, QWidget* parent)
    : QDialog(parent), m_door(shipped), m_rows(new QStandardItemModel(this)), m_shown(new QSortFilterProxyModel(this)),
      m_search(new QLineEdit(this)), m_table(new QTableView(this)), m_about(new widgets::PlainLabel(this)),
      m_type(new QComboBox(this)), m_openA(new QPushButton(tr("Open as &A"), this)),
      m_openB(new QPushButton(tr("Open as &B"), this)), m_add(new QPushButton(tr("A&dd a folder …"), this)),
      m_forget(new QPushButton(tr("&Remove the folder"), this)), m_get(new QPushButton(tr("&Get a model …"), this))
{
    setWindowTitle(tr("Models"));
    arrange();
    connectParts();
    refresh();
}

void ModelsDialog::arrange()
{
    m_search->setPlaceholderText(tr("Part of a name, family or place"));
    m_search->setAccessibleName(tr("Search the models"));
    m_search->setObjectName(QStringLiteral("search"));
    m_search->setClearButtonEnabled(true);
    m_shown->setSourceModel(m_rows);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_shown->setFilterKeyColumn(-1);
    m_shown->setSortRole(ModelSortRole);
    m_table->setModel(m_shown);
    m_table->setObjectName(QStringLiteral("models"));
    m_table->setAccessibleName(tr("Models"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); // as they were listed, until somebody sorts
    m_table->setSortingEnabled(true);
    m_about->setObjectName(QStringLiteral("about"));
    m_about->setWordWrap(true);
    m_about->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_about->setFixedHeight(4 * m_about->fontMetrics().lineSpacing()); // nothing moves with what is said
    m_type->addItem(tr("in the type of the settings"), QString());
    for (const char* type : {"fp32", "bf16", "fp16", "int8", "int4"})
        m_type->addItem(tr("in %1").arg(QLatin1String(type)), QLatin1String(type));
    m_type->setAccessibleName(tr("Type of the weights"));
    m_type->setObjectName(QStringLiteral("type"));
    m_openA->setObjectName(QStringLiteral("openA"));
    m_openB->setObjectName(QStringLiteral("openB"));
    m_forget->setObjectName(QStringLiteral("forget"));
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {m_openA, m_openB, m_add, m_forget, m_get}) {
        button->setAutoDefault(button == m_openA);
        buttons->addWidget(button);
    }
    buttons->insertWidget(2, m_type);
    buttons->addStretch();
    auto* close = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(close, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_search);
    column->addWidget(m_table, 1);
    column->addWidget(m_about);
    column->addLayout(buttons);
    resize(960, 520);
}

void ModelsDialog::connectParts()
{
    connect(&m_door, &app::ModelListDoor::listed, this, &ModelsDialog::showList);
    connect(m_search, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &ModelsDialog::showCurrent);
    connect(m_shown, &QAbstractItemModel::rowsRemoved, this, &ModelsDialog::showCurrent);
    connect(m_table, &QTableView::doubleClicked, this, [this] { open(Side::A); });
    connect(m_openA, &QPushButton::clicked, this, [this] { open(Side::A); });
    connect(m_openB, &QPushButton::clicked, this, [this] { open(Side::B); });
    connect(m_add, &QPushButton::clicked, this, &ModelsDialog::askForFolder);
    connect(m_forget, &QPushButton::clicked, this, &ModelsDialog::forgetFolder);
    connect(m_get, &QPushButton::clicked, this, &ModelsDialog::getModelRequested);
}

void ModelsDialog::refresh()
{
    m_door.list();
    showCurrent();
}

void ModelsDialog::showList(const std::shared_ptr<const app::ModelList>& list)
{
    const QString chosen = current() ? nativePath(current()->folder.path) : QString();
    m_list = list;
    m_rows->clear();
    m_rows->setHorizontalHeaderLabels({tr("Model"), tr("Kind"), tr("Family"), tr("Layers"), tr("Parameters"),
                                       tr("Files"), tr("Memory"), tr("Where")});
    QModelIndex kept;
    for (int i = 0; i < static_cast<int>(list->models.size()); ++i) {
        m_rows->appendRow(modelRow(list->models[static_cast<std::size_t>(i)], i));
        if (nativePath(list->models[static_cast<std::size_t>(i)].folder.path) == chosen)
            kept = m_shown->mapFromSource(m_rows->index(i, 0));
    }
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    m_table->resizeColumnsToContents();
    m_table->horizontalHeader()->setSectionResizeMode(Name, QHeaderView::Stretch);
    m_table->setCurrentIndex(kept.isValid() ? kept : m_shown->index(0, 0));
    showCurrent();
}

const app::ListedModel* ModelsDialog::current() const
{
    const QModelIndex index = m_table->currentIndex();
    return m_list && index.isValid() ? &m_list->models[index.data(IndexRole).toULongLong()] : nullptr;
}

std::filesystem::path ModelsDialog::currentFolder() const
{
    const app::ListedModel* model = current();
    if (!model || model->folder.origin != io::ModelOrigin::Own)
        return {};
    for (const std::filesystem::path& folder : io::modelFolders().read())
        if (model->folder.path == folder || model->folder.path.string().starts_with(folder.string() + '/'))
            return folder;
    return {};
}

void ModelsDialog::showCurrent()
{
    const app::ListedModel* model = current();
    const bool opens = model && model->problem.empty();
    m_openA->setEnabled(opens);
    m_openB->setEnabled(opens);
    m_forget->setEnabled(!currentFolder().empty());
    m_about->setText(model                ? aboutText(*model, m_list->freeMemory)
                     : m_door.isRunning() ? tr("Searching …")
                                          : tr("No model fits the search."));
}

void ModelsDialog::addFolder(const QString& folder)
{
    if (const auto added = io::modelFolders().add(folder.toStdString()); !added.has_value()) {
        m_about->setText(text(added.error().message));
        return;
    }
    refresh();
    Q_EMIT foldersChanged();
}

void ModelsDialog::askForFolder()
{
    if (const QString folder = QFileDialog::getExistingDirectory(this, tr("A model, or a folder of models"));
        !folder.isEmpty())
        addFolder(folder);
}

void ModelsDialog::forgetFolder()
{
    if (const auto removed = io::modelFolders().remove(currentFolder()); !removed.has_value()) {
        m_about->setText(text(removed.error().message));
        return;
    }
    refresh();
    Q_EMIT foldersChanged();
}

void ModelsDialog::open(Side side)
{
    const app::ListedModel* model = current();
    if (!model || !model->problem.empty())
        return;
    const bool named =
        model->folder.origin == io::ModelOrigin::Shipped || model->folder.origin == io::ModelOrigin::Cached;
    Q_EMIT openRequested(side, named ? text(model->folder.name) : text(model->folder.path.string()),
                         m_type->currentData().toString());
}

} // namespace headscope::gui
