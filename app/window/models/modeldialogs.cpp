// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/models/modeldialogs.h"

#include "app/window/models/getmodeldialog.h"
#include "app/window/models/modelsdialog.h"

#include <utility>

namespace headscope::gui {

ModelDialogs::ModelDialogs(std::filesystem::path shipped, hub::HubSettings hub, QWidget* window)
    : QObject(window), m_shipped(std::move(shipped)), m_hub(std::move(hub)), m_window(window)
{
}

void ModelDialogs::raise(QDialog& dialog)
{
    dialog.show();
    dialog.raise();
    dialog.activateWindow();
}

void ModelDialogs::showList()
{
    if (!m_list) {
        m_list = new ModelsDialog(m_shipped, m_window);
        connect(m_list, &ModelsDialog::openRequested, this, &ModelDialogs::openRequested);
        connect(m_list, &ModelsDialog::getModelRequested, this, &ModelDialogs::showGet);
        connect(m_list, &ModelsDialog::foldersChanged, this, &ModelDialogs::modelsChanged);
    } else {
        m_list->refresh();
    }
    raise(*m_list);
}

void ModelDialogs::showGet()
{
    if (!m_get) {
        m_get = new GetModelDialog(m_hub, m_window);
        connect(m_get, &GetModelDialog::openRequested, this,
                [this](Side side, const QString& folder) { Q_EMIT openRequested(side, folder, {}); });
        connect(m_get, &GetModelDialog::fetched, this, &ModelDialogs::modelsChanged);
        connect(m_get, &GetModelDialog::fetched, this, [this] {
            if (m_list)
                m_list->refresh();
        });
    }
    raise(*m_get);
}

} // namespace headscope::gui
