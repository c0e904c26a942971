// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lists the models for the window on its own thread: the headers of many models, some on slow network drives, are not
// read on the thread that paints. The object lives on the GUI thread.

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
    /// Waits until the model being read is finished.
    ~ModelListDoor() override;

    /// Lists all models; `listed` reports them. A call while listing is in progress lists them once more.
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
