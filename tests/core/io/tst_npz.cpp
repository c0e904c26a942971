// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays in one .npz, read back by our own reader of ZIP archives.
#include "core/io/numpy/npywriter.h"
#include "core/io/pytorch/ziparchive.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;

namespace {

Matrix matrix(int rows, int cols, std::vector<float> values)
{
    Matrix made(rows, cols);
    made.values = std::move(values);
    return made;
}

} // namespace

class TestNpz : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void holdsEachArrayAsNpy();
    void sameArraysSameBytes();

private:
    const Matrix m_a = matrix(2, 3, {1, 2, 3, 4, 5, 6}), m_b = matrix(1, 1, {-0.5F});
    const std::vector<io::NamedMatrix> m_arrays = {{"L1H2", &m_a}, {"L2.attnH5", &m_b}};
    QTemporaryDir m_folder;
    std::string m_path;
};

void TestNpz::initTestCase()
{
    m_path = m_folder.filePath(QStringLiteral("all.npz")).toStdString();
    QVERIFY(io::writeNpz(m_path, m_arrays).has_value());
}

void TestNpz::holdsEachArrayAsNpy()
{
    const auto file = io::OpenFile::open(m_path);
    QVERIFY(file.has_value());
    const auto entries = io::readZipDirectory(*file);
    QVERIFY2(entries.has_value(), entries.has_value() ? "" : entries.error().message.c_str());
    QCOMPARE(entries->size(), m_arrays.size());
    const std::string bytes = *io::npzBytes(m_arrays);
    for (const io::NamedMatrix& array : m_arrays) {
        const io::ZipEntry entry = entries->at(array.name + ".npy");
        QCOMPARE(bytes.substr(entry.begin, entry.end - entry.begin), io::npyBytes(*array.matrix));
    }
}

void TestNpz::sameArraysSameBytes()
{
    QCOMPARE(*io::npzBytes(m_arrays), *io::npzBytes(m_arrays));
    QCOMPARE(io::npzBytes({})->size(), std::size_t{22}); // an archive of nothing
}

QTEST_GUILESS_MAIN(TestNpz)
#include "tst_npz.moc"
