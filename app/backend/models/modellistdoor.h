// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's list of models, made on a thread of its own: the headers of many models, some behind a slow network,
// are not read where the window paints. The object lives on the GUI thread.

#include "app/workbench/models/modellist.h"

#include <QObject>

#include <memory>
#include <stop_token>
#include <thread>

namespace headscope::app {

class ModelListDoor : public QObject
{
    Q_OBJECT

public:
    /// `shipped`: the folder of the models that come with the program.
    explicit ModelListDoor(std::filesystem::path shipped, QObject* parent = nullptr);
    /// Waits for the model that is being looked at.
    ~ModelListDoor() override;

    /// `listed` reports them; asked again while it lists, it lists once more.
    void list();
    [[nodiscard]] bool isRunning() const { return m_thread.joinable(); }

Q_SIGNALS:
    void listed(const std::shared_ptr<const headscope::app::ModelList>& list);

private:
    void start();
    void arrived(std::shared_ptr<const ModelList> list);

    std::filesystem::path m_shipped;
    std::stop_source m_stop;
    std::thread m_thread;
    bool m_again = false;
};

} // namespace headscope::app
