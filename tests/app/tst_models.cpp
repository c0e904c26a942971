// SPDX-License-Identifier: GPL-3.0-or-later
// The list of models: what is shipped, added and cached, what each takes, search, and both ways out of it.
#include "app/window/models/modeldialogs.h"
#include "app/window/models/modelsdialog.h"
#include "tests/support/windowfixture.h"

#include <QAbstractItemModel>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::ModelsDialog;

namespace {

constexpr int kWait = 60000;

void write(const QString& path, const QByteArray& bytes)
{
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

} // namespace

class TestModels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void listsWhatIsThere();
    void searches();
    void sortsByNumber();
    void opensOnBothSides();
    void addsAndForgetsAFolder();
    void namesOfFoldersAreText();
    void boxesOfModelsLeadToTheList();

private:
    [[nodiscard]] QTableView* table() const { return m_dialog->findChild<QTableView*>(u"models"_s); }
    [[nodiscard]] QPushButton* button(const char* name) const
    {
        return m_dialog->findChild<QPushButton*>(QString::fromLatin1(name));
    }
    [[nodiscard]] QString about() const { return m_dialog->findChild<QLabel*>(u"about"_s)->text(); }
    [[nodiscard]] int rows() const { return table()->model()->rowCount(); }
    [[nodiscard]] QString cell(int row, int column) const
    {
        return table()->model()->index(row, column).data().toString();
    }
    [[nodiscard]] int rowOf(const QString& name) const
    {
        for (int row = 0; row < rows(); ++row)
            if (cell(row, 0) == name)
                return row;
        return -1;
    }
    [[nodiscard]] bool listed(const QString& name) const
    {
        return QTest::qWaitFor([&] { return rowOf(name) >= 0; }, kWait);
    }
    void choose(const QString& name) const { table()->setCurrentIndex(table()->model()->index(rowOf(name), 0)); }

    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<ModelsDialog> m_dialog;
};

void TestModels::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CONFIG_HOME", m_home->path().toUtf8());
    qputenv("HF_HUB_CACHE", m_home->filePath(u"hub"_s).toUtf8());
    m_dialog = std::make_unique<ModelsDialog>(HEADSCOPE_SOURCE_DIR "/resources/models");
    m_dialog->show();
    QVERIFY(listed(u"tiny-hybrid"_s));
}

void TestModels::cleanup()
{
    m_dialog.reset();
}

void TestModels::listsWhatIsThere()
{
    const int row = rowOf(u"tiny-hybrid"_s);
    QCOMPARE(cell(row, 1), u"Hybrid"_s);
    for (int column = 2; column < 8; ++column)
        QVERIFY2(!cell(row, column).isEmpty(), qPrintable(QString::number(column)));
    choose(u"tiny-hybrid"_s);
    QVERIFY2(about().contains(u"As fp32 it needs "_s) && about().contains(u"are free"_s), qPrintable(about()));
    QVERIFY(button("openA")->isEnabled() && button("openB")->isEnabled() && !button("forget")->isEnabled());
}

void TestModels::searches()
{
    auto* search = m_dialog->findChild<QLineEdit*>(u"search"_s);
    search->setText(u"hybrid"_s);
    QVERIFY(rows() > 0);
    for (int row = 0; row < rows(); ++row)
        QVERIFY(cell(row, 0).contains(u"hybrid"_s) || cell(row, 1) == u"Hybrid"_s);
    search->setText(u"nothing is called so"_s);
    QCOMPARE(rows(), 0);
    QCOMPARE(about(), u"No model fits the search."_s);
    QVERIFY(!button("openA")->isEnabled());
}

void TestModels::sortsByNumber()
{
    constexpr int kParameters = 4;
    table()->sortByColumn(kParameters, Qt::DescendingOrder);
    QVERIFY(cell(0, 0).startsWith(u"small-"_s)); // 2.6 million, not "9" of 900,000
    table()->sortByColumn(kParameters, Qt::AscendingOrder);
    QVERIFY(cell(0, 0).startsWith(u"tiny-"_s));
}

void TestModels::opensOnBothSides()
{
    QSignalSpy opened(m_dialog.get(), &ModelsDialog::openRequested);
    choose(u"tiny-ssm"_s);
    button("openB")->click();
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened.front().at(0).value<Side>(), Side::B);
    QCOMPARE(opened.front().at(1).toString(), u"tiny-ssm"_s);
    QCOMPARE(opened.front().at(2).toString(), QString());
    m_dialog->findChild<QComboBox*>(u"type"_s)->setCurrentIndex(4);
    button("openA")->click();
    QCOMPARE(opened.back().at(2).toString(), u"int8"_s);
}

void TestModels::addsAndForgetsAFolder()
{
    const QString disk = m_home->filePath(u"disk"_s);
    write(disk + u"/mine/config.json"_s, "{}");
    QSignalSpy changed(m_dialog.get(), &ModelsDialog::foldersChanged);
    m_dialog->addFolder(disk);
    QVERIFY(listed(u"mine"_s));
    QCOMPARE(changed.count(), 1);
    choose(u"mine"_s);
    QCOMPARE(cell(rowOf(u"mine"_s), 2), u"cannot be opened"_s);
    QVERIFY2(about().startsWith(QDir::toNativeSeparators(disk + u"/mine\n"_s)), qPrintable(about()));
    QVERIFY(!button("openA")->isEnabled() && button("forget")->isEnabled());
    button("forget")->click();
    QVERIFY(QTest::qWaitFor([this] { return rows() > 0 && rowOf(u"mine"_s) < 0; }, kWait));
    QVERIFY(QFile::exists(disk + u"/mine/config.json"_s));
}

void TestModels::namesOfFoldersAreText()
{
    const QString name = u"<img src='x'><b>mine"_s, disk = m_home->filePath(u"disk"_s);
    write(disk + u'/' + name + u"/config.json"_s, "{\"model_type\": \"<i>none</i>\"}");
    m_dialog->addFolder(disk);
    QVERIFY(listed(name));
    choose(name);
    QCOMPARE(m_dialog->findChild<QLabel*>(u"about"_s)->textFormat(), Qt::PlainText);
    QVERIFY(!table()->model()->index(rowOf(name), 0).data(Qt::ToolTipRole).isValid());
}

void TestModels::boxesOfModelsLeadToTheList()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(u"tiny-ssm"_s));
    QComboBox* a = nullptr;
    for (QComboBox* box : fixture.window().findChildren<QComboBox*>())
        if (box->accessibleName() == u"Model A"_s)
            a = box;
    QVERIFY(a);
    QVERIFY(!fixture.window().modelDialogs()->list());
    const QString before = a->currentText();
    a->setCurrentIndex(a->count() - 1);
    Q_EMIT a->activated(a->count() - 1);
    QCOMPARE(a->currentText(), before);
    ModelsDialog* list = fixture.window().modelDialogs()->list();
    QVERIFY(list && list->isVisible());
    Q_EMIT list->openRequested(Side::B, u"tiny-transformer"_s, {});
    QVERIFY(QTest::qWaitFor([&] { return fixture.explorer().model(Side::B) != nullptr; }, kWait));
}

QTEST_MAIN(TestModels)
#include "tst_models.moc"
