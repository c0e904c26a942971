// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The whole window with a shipped model open, and settings that nobody else sees.

#include "app/window/explorer.h"
#include "app/window/mainwindow.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <memory>

namespace headscope::testing {

class WindowFixture
{
public:
    static constexpr int kWait = 60000; ///< ms; for slow machines, nothing is timed

    /// Until a model is open; false: it did not come. `session`: the name of a file in folder(); empty: none.
    [[nodiscard]] bool open(const QString& model, const QString& session = {})
    {
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        gui::WindowOptions options;
        options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
        options.backend.device = "cpu";
        if (!session.isEmpty())
            options.session = file(session);
        m_window = std::make_unique<gui::MainWindow>(options);
        m_window->show();
        m_window->openModels(model);
        return QTest::qWaitFor([this] { return explorer().model(Side::A) != nullptr; }, kWait);
    }
    [[nodiscard]] bool showSample(const QString& task, int index = 0)
    {
        m_window->worker()->ask(app::SampleRequest{task.toStdString(), index});
        return QTest::qWaitFor([&] { return explorer().prompt().task == task.toStdString(); }, kWait);
    }
    /// Until no such request runs for A.
    template <typename Request> [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor([&] { return !m_window->worker()->isRunning<Request>(Side::A); }, kWait);
    }
    void ablate(const char* set) const
    {
        const auto parsed = interventions::InterventionSet::parse(set); // empty: all heads on
        m_window->state()->changeAblation(Side::A, parsed.has_value() ? *parsed : interventions::InterventionSet(),
                                          QLatin1String(set));
    }
    /// As a file manager that proposes to move them; false: they were not taken, or not as copies.
    bool drop(const QStringList& files) const
    {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls.append(QUrl::fromLocalFile(file));
        data.setUrls(urls);
        const QPoint at = m_window->rect().center();
        QDragEnterEvent enter(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(m_window.get(), &enter);
        QDropEvent event(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
        if (enter.isAccepted())
            QApplication::sendEvent(m_window.get(), &event);
        return enter.isAccepted() && enter.dropAction() == Qt::CopyAction && event.dropAction() == Qt::CopyAction;
    }
    void close() { m_window.reset(); }

    [[nodiscard]] gui::MainWindow& window() const { return *m_window; }
    [[nodiscard]] gui::Explorer& explorer() const { return *m_window->explorer(); }
    [[nodiscard]] QString file(const QString& name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<gui::MainWindow> m_window;
};

} // namespace headscope::testing
