// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/picture.h"

#include "app/window/experiments/experimentspage.h"
#include "app/window/explorer.h"
#include "app/window/lecture/lecturecontroller.h"
#include "widgets/look/picturefile.h"

#include <QApplication>
#include <QBuffer>
#include <QDialog>
#include <QFileInfo>
#include <QTimer>

#include <cstdio>

namespace headscope::gui {

namespace {

// Numbers come in several waves (scores, ranking, curve), each started by the one before.
constexpr int kQuietMs = 1500;

class Photographer : public QObject
{
public:
    Photographer(MainWindow& window, PictureOptions options)
        : QObject(&window), m_window(window), m_options(std::move(options))
    {
        m_quiet.setSingleShot(true);
        m_quiet.setInterval(kQuietMs);
        connect(&m_quiet, &QTimer::timeout, this, [this] { next(); });
        connect(window.worker(), &app::Door::busyChanged, this, [this](bool busy) {
            if (busy)
                m_quiet.stop();
            else
                m_quiet.start();
        });
        if (!window.worker()->busy())
            m_quiet.start(); // the welcome page computes nothing
        connect(window.worker(), &app::Door::failed, this, [](const app::Lane&, const QString& sentence) {
            std::fprintf(stderr, "headscope: %s\n", qPrintable(sentence));
            QApplication::exit(1);
        });
    }

private:
    void next()
    {
        if (const auto* page = m_window.experiments(); page && page->running()) {
            connect(
                page, &ExperimentsPage::finished, this, [this] { m_quiet.start(); },
                static_cast<Qt::ConnectionType>(Qt::AutoConnection | Qt::SingleShotConnection));
            return;
        }
        if (!m_options.ablation.isEmpty()) {
            const auto set = interventions::InterventionSet::parse(m_options.ablation.toStdString());
            m_options.ablation.clear();
            if (!set.has_value()) {
                std::fprintf(stderr, "headscope: %s\n", set.error().message.c_str());
                return QApplication::exit(1);
            }
            return m_window.explorer()->changeAblation(Side::A, *set, tr("Off"));
        }
        if (!m_options.acts.isEmpty()) {
            m_window.act(m_options.acts.takeFirst());
            if (!m_window.worker()->busy())
                m_quiet.start(); // there was nothing to compute
            return;
        }
        QWidget* shown = m_window.lecture()->isOpen() ? static_cast<QWidget*>(m_window.lecture()->view()) : &m_window;
        for (QWidget* other : QApplication::topLevelWidgets())
            if (qobject_cast<QDialog*>(other) && other->isVisible())
                shown = other; // as large as it is
        if (!qobject_cast<QDialog*>(shown))
            shown->resize(m_options.size);
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        const QByteArray format = QFileInfo(m_options.file).suffix().toUtf8();
        const auto saved =
            shown->grab().save(&buffer, format.constData())
                ? widgets::writeBytes(bytes, m_options.file)
                : inputError("A picture cannot be written as '" + format.toStdString() + "'; name a .png.");
        if (!saved.has_value())
            std::fprintf(stderr, "headscope: %s\n", saved.error().message.c_str());
        QApplication::exit(saved.has_value() ? 0 : 1);
    }

    MainWindow& m_window;
    PictureOptions m_options;
    QTimer m_quiet;
};

} // namespace

void takePicture(MainWindow& window, const PictureOptions& options)
{
    window.resize(options.size);
    new Photographer(window, options); // owned by the window
}

} // namespace headscope::gui
