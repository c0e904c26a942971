// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/comparedialog.h"

#include "app/present/scores/tasknames.h"
#include "widgets/figures/figuretext.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/numbertext.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

struct Comparison {
    Q_DECLARE_TR_FUNCTIONS(Comparison)
};

widgets::TableFigure tableOf(const QString& first, const QString& second,
                             std::span<const sessions::StateChange> changes)
{
    using widgets::numberText;
    using widgets::signedText;
    widgets::TableFigure table;
    table.header = QStringList{
        Comparison::tr("benchmark"),
        first,
        second,
        Comparison::tr("change"),
        QStringLiteral("%1 (%2)").arg(Comparison::tr("95 % interval"), QLatin1String(analysis::kPairedInterval)),
        Comparison::tr("p"),
        Comparison::tr("n")};
    for (const sessions::StateChange& change : changes)
        table.rows.push_back(
            {{taskTitle(QString::fromStdString(change.task))},
             {numberText(change.first, 3)},
             {numberText(change.second, 3)},
             {signedText(change.delta, 3)},
             {QStringLiteral("[%1, %2]").arg(signedText(change.interval.low, 3), signedText(change.interval.high, 3))},
             {widgets::pText(change.p)},
             {QString::number(change.n)}});
    return table;
}

} // namespace

void showComparison(QWidget* parent, const QString& first, const QString& second,
                    std::span<const sessions::StateChange> changes)
{
    const widgets::TableFigure table = tableOf(first, second, changes);
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("comparison"));
    dialog->setWindowTitle(Comparison::tr("%1 against %2").arg(first, second));
    auto* view = new QTableWidget(static_cast<int>(table.rows.size()), static_cast<int>(table.header.size()), dialog);
    view->setHorizontalHeaderLabels(table.header);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
        for (std::size_t column = 0; column < table.rows[row].size(); ++column)
            view->setItem(static_cast<int>(row), static_cast<int>(column),
                          new QTableWidgetItem(table.rows[row][column].text));
    view->resizeColumnsToContents();
    auto* note = new widgets::PlainLabel(
        changes.empty() ? Comparison::tr("The two states have no example in common.")
                        : Comparison::tr("Paired on the examples that both were scored on; exact McNemar test."));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(Comparison::tr("Copy as Markdown"), QDialogButtonBox::ActionRole);
    QObject::connect(copy, &QPushButton::clicked, dialog, [table] {
        if (const auto text = widgets::figureText({.panels = {{{}, table}}}, widgets::FigureText::Markdown);
            text.has_value())
            QApplication::clipboard()->setText(QString::fromUtf8(*text));
    });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(view);
    column->addWidget(note);
    column->addWidget(buttons);
    dialog->resize(720, 320);
    dialog->show();
}

} // namespace headscope::gui
