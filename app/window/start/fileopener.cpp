// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/fileopener.h"

#include "app/present/text.h"
#include "app/window/benchmarks/benchmarkscontroller.h"
#include "app/window/explorer.h"
#include "core/io/textfiles/textfile.h"
#include "widgets/frame/messagebar.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QStringDecoder>

namespace headscope::gui {

using widgets::MessageBar;

namespace {

constexpr std::uint64_t kLongestText = 4 << 20; // bytes; no model here reads more

/// A file that a person would not call a session.
bool isText(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == QLatin1String("txt") || suffix == QLatin1String("md");
}

/// By the key that every study begins with: one with a fault in it is a study with a fault.
bool isStudy(const QString& path)
{
    constexpr std::uint64_t kLongest = 1 << 20;
    if (QFileInfo(path).suffix().toLower() != QLatin1String("json"))
        return false;
    const auto json = io::readTextFile(path.toStdString(), kLongest);
    return json.has_value() && json->find("\"headscope_study\"") != std::string::npos;
}

/// By its name; a new one has nothing in it yet. One that is none is refused when it is opened.
bool isSession(const QString& path)
{
    const QStringList suffixes{QString(), QStringLiteral("headscope"), QStringLiteral("sqlite"), QStringLiteral("db")};
    return !QFileInfo::exists(path) || suffixes.contains(QFileInfo(path).suffix().toLower());
}

QString sessionFilter()
{
    return FileOpener::tr("Headscope sessions (*.headscope)");
}

} // namespace

FileOpener::FileOpener(Explorer& explorer, MessageBar& messages, QWidget* window)
    : QObject(window), m_explorer(explorer), m_messages(messages), m_window(window)
{
    const MessageController& asks = explorer.controllers().messages;
    connect(&asks, &MessageController::locateWanted, this, &FileOpener::locateModel);
    connect(&asks, &MessageController::tokenizerWanted, this, &FileOpener::chooseTokenizer);
    connect(&asks, &MessageController::smallerTypeWanted, &explorer.controllers().models,
            &ModelController::openInSmallerType);
}

void FileOpener::openModels(const QString& a, const QString& b)
{
    m_explorer.openModel(Side::A, a);
    if (!b.isEmpty())
        m_explorer.openModel(Side::B, b);
}

void FileOpener::openPath(const QString& path)
{
    if (QFileInfo(path).isDir())
        openModels(path);
    else if (isText(path))
        openText(path);
    else if (isStudy(path))
        Q_EMIT studyWanted(path);
    else if (BenchmarksController::isBenchmark(path))
        Q_EMIT benchmarkWanted(path);
    else if (path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
        openModels(path);
    else if (isSession(path))
        Q_EMIT sessionWanted(path);
    else
        m_messages.showMessage(
            MessageBar::Kind::Error,
            tr("%1 cannot be opened; expected a model folder, GGUF file, session, text, task file, table "
               "(CSV, JSON Lines) or study.")
                .arg(QFileInfo(path).fileName()));
}

void FileOpener::openPaths(const QStringList& paths)
{
    QStringList folders;
    for (const QString& path : paths)
        if (QFileInfo(path).isDir())
            folders.append(path);
        else
            openPath(path);
    if (!folders.isEmpty())
        openModels(folders.at(0), folders.value(1));
}

void FileOpener::openText(const QString& path)
{
    const auto bytes = io::readTextFile(path.toStdString(), kLongestText);
    if (!bytes.has_value()) {
        m_messages.showMessage(MessageBar::Kind::Error, text(bytes.error().message));
        return;
    }
    QStringDecoder utf8(QStringDecoder::Utf8);
    QString prompt = utf8(QByteArrayView(*bytes));
    if (utf8.hasError()) {
        m_messages.showMessage(MessageBar::Kind::Error, tr("%1 is not UTF-8 text.").arg(path));
        return;
    }
    // Editors end every file with a line break, and behind it a model goes on with another line.
    const bool broken = prompt.endsWith(u'\n');
    if (broken)
        prompt.chop(prompt.endsWith(QLatin1String("\r\n")) ? 2 : 1);
    m_explorer.usePrompt({.text = prompt.toStdString()});
    m_messages.showMessage(
        MessageBar::Kind::Info,
        (broken ? tr("The prompt is the text of %1 without its last line break.") : tr("The prompt is the text of %1."))
            .arg(QFileInfo(path).fileName()));
}

void FileOpener::askForModel(Side side)
{
    const QString folder = QFileDialog::getExistingDirectory(
        m_window, side == Side::A ? tr("Open a model folder") : tr("Open a model folder as B"));
    if (!folder.isEmpty())
        m_explorer.openModel(side, folder);
}

void FileOpener::askForSession()
{
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Open a session"), {}, sessionFilter());
    if (!path.isEmpty())
        openPath(path);
}

void FileOpener::askForNewSession()
{
    QString path = QFileDialog::getSaveFileName(m_window, tr("New session file"), {}, sessionFilter());
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QLatin1String(".headscope");
    openPath(path);
}

void FileOpener::askForText()
{
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Open a text as the prompt"), {},
                                                      tr("Texts (*.txt *.md);;All files (*)"));
    if (!path.isEmpty())
        openText(path);
}

void FileOpener::askForStudy()
{
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Open a study of your own"), {},
                                                      tr("Studies (*.json);;All files (*)"));
    if (!path.isEmpty())
        Q_EMIT studyWanted(path);
}

void FileOpener::locateModel(Side side)
{
    const QString folder = QFileDialog::getExistingDirectory(m_window, tr("Where is the model?"));
    if (!folder.isEmpty())
        m_explorer.openModel(side, folder);
}

void FileOpener::chooseTokenizer(Side side)
{
    const QString file = QFileDialog::getOpenFileName(m_window, tr("Which tokenizer does the model use?"), {},
                                                      tr("Tokenizers (tokenizer.json vocab.json);;All files (*)"));
    if (!file.isEmpty())
        m_explorer.openWithTokenizer(side, file);
}

} // namespace headscope::gui
