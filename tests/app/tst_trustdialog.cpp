// SPDX-License-Identifier: GPL-3.0-or-later
// "Compare quantized weights": the shipped model in both forms, a stop, and a program or a task that is not there.
#include "app/window/models/trustdialog.h"
#include "widgets/why/views/numbertable.h"

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::TrustDialog;

namespace {

constexpr int kWait = 300000; // a stop for a hung program, not a measure
const QString kModel = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer");

} // namespace

class TestTrustDialog : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_dialog = std::make_unique<TrustDialog>(qEnvironmentVariable("HEADSCOPE_CLI")); }
    void comparesTheModelInBothForms();
    void isStopped();
    void whatFailsIsSaid();

private:
    [[nodiscard]] QPushButton* button(const char* name) const
    {
        return m_dialog->findChild<QPushButton*>(QString::fromLatin1(name));
    }
    [[nodiscard]] QString said() const { return m_dialog->findChild<QLabel*>(u"said"_s)->text(); }
    [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor([this] { return !button("stop")->isEnabled(); }, kWait);
    }
    std::unique_ptr<TrustDialog> m_dialog;
};

void TestTrustDialog::comparesTheModelInBothForms()
{
    QVERIFY(!button("compare")->isEnabled()); // of nothing
    m_dialog->ask(kModel, {u"toy_kv:pairs=8"_s, u"toy_mc"_s}, {});
    m_dialog->findChild<QSpinBox*>()->setValue(20);
    button("compare")->click();
    QVERIFY(button("stop")->isEnabled() && !button("compare")->isEnabled());
    QVERIFY(settled());
    const auto* numbers = m_dialog->findChild<widgets::NumberTable*>()->numbers();
    QCOMPARE(numbers->rowCount(), 2);
    QCOMPARE(numbers->index(0, 1).data().toInt(), 20);
    QVERIFY(numbers->index(0, 8).data(widgets::NumberTableModel::kSortRole).toDouble() > 0.5);
    QVERIFY2(said().startsWith(u"In int8 the weights need 0.26 of their memory"_s), qPrintable(said()));
}

void TestTrustDialog::isStopped()
{
    m_dialog->ask(kModel, {u"toy_kv:pairs=16"_s}, {});
    m_dialog->findChild<QSpinBox*>()->setValue(100'000);
    button("compare")->click();
    button("stop")->click();
    QVERIFY(settled());
    QCOMPARE(m_dialog->findChild<widgets::NumberTable*>()->numbers()->rowCount(), 0);
    QVERIFY(button("compare")->isEnabled());
}

void TestTrustDialog::whatFailsIsSaid()
{
    m_dialog->ask(kModel, {u"no_such_task"_s}, {});
    button("compare")->click();
    QVERIFY(settled());
    QVERIFY2(said().contains(u"no_such_task"_s), qPrintable(said()));
    TrustDialog other(u"/no/such/program"_s);
    other.ask(kModel, {u"toy_mc"_s}, {});
    const auto* compare = other.findChild<QPushButton*>(u"compare"_s);
    const auto openFiles = [] { return QDir(u"/proc/self/fd"_s).entryList(QDir::Files | QDir::System).size(); };
    const qsizetype before = openFiles();
    for (int time = 0; time < 3; ++time) {
        other.findChild<QLabel*>(u"said"_s)->clear();
        other.findChild<QPushButton*>(u"compare"_s)->click();
        QVERIFY(QTest::qWaitFor(
            [&] { return other.findChild<QLabel*>(u"said"_s)->text().contains(u"/no/such/program"_s); }));
        QVERIFY(QTest::qWaitFor([&] { return compare->isEnabled(); }));
    }
    QCOMPARE(openFiles(), before); // Qt keeps a pipe of each start that fails
}

QTEST_MAIN(TestTrustDialog)
#include "tst_trustdialog.moc"
