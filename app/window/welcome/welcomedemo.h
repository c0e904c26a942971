// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs the two models of the welcome page on a worker of its own while that page is visible, independently of the
// window's models and session. GUI thread.

#include "app/backend/door.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <array>
#include <memory>
#include <optional>

namespace headscope::widgets {
class LiveDemo;
}

namespace headscope::gui {

class WelcomeDemo : public QObject
{
    Q_OBJECT

public:
    /// A shipped model and the head that the demo switches: the one that this model's KV retrieval depends on most.
    struct Part {
        const char* model;
        const char* head; ///< "L2H5"
    };

    /// `worker`: the window's own, which takes precedence.
    WelcomeDemo(widgets::LiveDemo& view, const app::ModelsOptions& options, const app::Door& worker,
                const std::array<Part, 2>& parts, QObject* parent);
    /// Starts a moment after the page is shown, and not while the window opens models of its own: those named at the
    /// start or stored in a session take precedence, and then this page is hidden. Ends at once.
    void setShown(bool shown);

private:
    void begin();
    void modelOpened(Side side, const app::ModelSummary& model);
    void ask(Side side);
    void showAnswer(Side side, const app::NextTokensRequest& request, const app::NextTokenReply& reply);
    void showMap(Side side, const app::PatternPreview& preview);

    struct Opened {
        std::optional<app::ModelSummary> model;
        QString withHead; ///< its answer with the head on
    };
    widgets::LiveDemo& m_view;
    app::ModelsOptions m_options;
    const app::Door& m_worker;
    std::array<Part, 2> m_parts;
    std::array<Opened, 2> m_opened;
    app::Prompt m_prompt;
    QTimer m_pause;
    std::unique_ptr<app::Door> m_door;
};

} // namespace headscope::gui
