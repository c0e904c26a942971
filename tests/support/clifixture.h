// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli as a person or a script calls it, for the tests of its commands. The shipped tiny-transformer is the
// model.

#include <QByteArray>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>

#include <memory>

namespace clifixture {

using namespace Qt::StringLiterals;

inline const QString kModel = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer");
inline const QString kLlama = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/llama"); ///< without a tokenizer
constexpr int kLongEnough = 300000; // ms; a stop for a hung program, not a measure

struct Outcome {
    int code = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

inline Outcome finished(QProcess& process)
{
    if (!process.waitForFinished(kLongEnough))
        process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
}

/// headscope-cli that is loaded already (forkedcli.cpp), beside the program itself.
class LoadedCli : public QProcess
{
public:
    static LoadedCli& instance()
    {
        static QPointer<LoadedCli> loaded;
        if (loaded.isNull() || loaded->state() == NotRunning) {
            delete loaded;
            loaded = new LoadedCli;
        }
        return *loaded;
    }
    ~LoadedCli() override { stop(); }
    /// `standardOutput`: a file or a device; else what is written there is in the outcome.
    Outcome answer(const QStringList& arguments, const QString& standardOutput = {})
    {
        QTemporaryFile out, err;
        if (!out.open() || !err.open())
            return {};
        const QString to = standardOutput.isEmpty() ? out.fileName() : standardOutput;
        QByteArray request;
        for (const QString& word : QStringList{QDir::currentPath(), to, err.fileName()}
                                       + QProcessEnvironment::systemEnvironment().toStringList()
                                       + QStringList{QString()} + arguments)
            request += word.toLocal8Bit() + '\0';
        write(QByteArray::number(request.size()) + '\n' + request);
        while (!canReadLine())
            if (!waitForReadyRead(kLongEnough)) {
                stop();
                return {-1, out.readAll(), err.readAll()};
            }
        return {readLine().trimmed().toInt(), out.readAll(), err.readAll()};
    }

private:
    LoadedCli() : QProcess(QCoreApplication::instance())
    {
        setProcessChannelMode(ForwardedErrorChannel);
        start(QFileInfo(qEnvironmentVariable("HEADSCOPE_CLI")).path() + u"/forkedcli"_s, QStringList());
    }
    void stop()
    {
        closeWriteChannel();
        if (!waitForFinished(1000))
            kill();
    }
};

/// Everything runs on the processor, also where there is a GPU.
inline Outcome run(const QStringList& arguments, const QString& standardOutput = {})
{
    return LoadedCli::instance().answer(arguments + QStringList{u"--device"_s, u"cpu"_s}, standardOutput);
}

/// The same in a process that is loaded for it: what libraries read of the environment, they read then.
inline Outcome runAnew(const QStringList& arguments)
{
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments + QStringList{u"--device"_s, u"cpu"_s});
    return finished(process);
}

inline QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

/// A safetensors file with vectors of 128 numbers: names and shapes.
inline QByteArray vectors(float scale, const QList<std::pair<QByteArray, QByteArray>>& tensors)
{
    QByteArray numbers, header = "{";
    for (const auto& [name, shape] : tensors) {
        header += (numbers.isEmpty() ? "\"" : ",\"") + name + R"(":{"dtype":"F32","shape":)" + shape
                  + ",\"data_offsets\":[" + QByteArray::number(numbers.size()) + ','
                  + QByteArray::number(numbers.size() + 512) + "]}";
        for (int i = 0; i < 128; ++i) {
            const float number = scale * static_cast<float>(i % 7 - 3);
            numbers.append(reinterpret_cast<const char*>(&number), sizeof number);
        }
    }
    header += '}';
    const qint64 size = header.size();
    return QByteArray(reinterpret_cast<const char*>(&size), sizeof size) + header + numbers;
}

/// A LoRA adapter of the shipped model that turns the queries of layer 0; its base is not named.
inline void writeAdapter(const QString& folder)
{
    QDir().mkpath(folder);
    write(folder + u"/adapter_config.json"_s, R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1})");
    write(folder + u"/adapter_model.safetensors"_s,
          vectors(0.1F, {{"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", "[1,128]"},
                         {"base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", "[128,1]"}}));
}

/// The first entry of a list of scores that is about this task.
inline QJsonObject entry(const QJsonArray& list, const QString& task)
{
    for (const QJsonValue& value : list)
        if (value[u"task"_s].toString() == task)
            return value.toObject();
    return {};
}

/// A folder for each test, which also holds what the program remembers from run to run.
class Folder
{
public:
    Folder() { qputenv("XDG_CONFIG_HOME", m_folder.path().toUtf8()); }
    [[nodiscard]] QString path(const QString& name = {}) const
    {
        return name.isEmpty() ? m_folder.path() : m_folder.filePath(name);
    }
    /// A copy of the shipped model that a test may damage.
    [[nodiscard]] QString copiedModel(const QStringList& without = {}) const
    {
        const QString copy = path(u"model"_s);
        QDir().mkpath(copy);
        for (const QString& name :
             {u"config.json"_s, u"model.safetensors"_s, u"tokenizer.json"_s, u"tokenizer_config.json"_s})
            if (!without.contains(name))
                QFile::copy(kModel + u'/' + name, copy + u'/' + name);
        return copy;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace clifixture

#define VERIFY_DONE(outcome)                                                                                           \
    do {                                                                                                               \
        const clifixture::Outcome done = (outcome);                                                                    \
        QVERIFY2(done.code == 0, (QByteArray::number(done.code) + ": " + done.err).constData());                       \
    } while (false)

/// Failing: exit code 1, nothing on stdout, one sentence on stderr that holds `part`.
#define VERIFY_FAILS(outcome, part)                                                                                    \
    do {                                                                                                               \
        const clifixture::Outcome failed = (outcome);                                                                  \
        QVERIFY2(failed.code == 1, (QByteArray::number(failed.code) + ": " + failed.err).constData());                 \
        QVERIFY2(failed.out.isEmpty(), failed.out.constData());                                                        \
        QVERIFY2(failed.err.startsWith("headscope-cli: ") && failed.err.count('\n') == 1, failed.err.constData());     \
        QVERIFY2(failed.err.trimmed().endsWith('.'), failed.err.constData());                                          \
        QVERIFY2(failed.err.contains(part), failed.err.constData());                                                   \
    } while (false)
