// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The dialogs for finding a model: the list of local models, and "Get a model". Each is created on first use. GUI
// thread.

#include "core/base/side.h"
#include "core/hub/hubsettings.h"

#include <QObject>

#include <filesystem>

class QDialog;
class QWidget;

namespace headscope::gui {

class GetModelDialog;
class ModelsDialog;

class ModelDialogs : public QObject
{
    Q_OBJECT

public:
    /// `shipped`: the folder of the models that come with the program. The window owns this object.
    ModelDialogs(std::filesystem::path shipped, hub::HubSettings hub, QWidget* window);

    void showList();
    void showGet();
    /// Null before it was shown.
    [[nodiscard]] ModelsDialog* list() const { return m_list; }
    [[nodiscard]] GetModelDialog* get() const { return m_get; }

Q_SIGNALS:
    void openRequested(headscope::Side side, const QString& model, const QString& type);
    /// The set of available models has changed.
    void modelsChanged();

private:
    static void raise(QDialog& dialog);

    std::filesystem::path m_shipped;
    hub::HubSettings m_hub;
    QWidget* m_window;
    ModelsDialog* m_list = nullptr;
    GetModelDialog* m_get = nullptr;
};

} // namespace headscope::gui
