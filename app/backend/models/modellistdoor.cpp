// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/models/modellistdoor.h"

#include <utility>

namespace headscope::app {

ModelListDoor::ModelListDoor(std::filesystem::path shipped, QObject* parent)
    : QObject(parent), m_shipped(std::move(shipped))
{
}

ModelListDoor::~ModelListDoor()
{
    m_stop.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void ModelListDoor::list()
{
    if (isRunning())
        m_again = true;
    else
        start();
}

void ModelListDoor::start()
{
    m_again = false;
    m_thread = std::thread([this, stop = m_stop.get_token()] {
        auto list = std::make_shared<const ModelList>(
            listModels(io::ModelPlaces::fromEnvironment(m_shipped), {.stop = stop, .report = {}}));
        QMetaObject::invokeMethod(this, [this, list = std::move(list)] { arrived(list); });
    });
}

void ModelListDoor::arrived(std::shared_ptr<const ModelList> list)
{
    m_thread.join(); // it has nothing left to do
    if (m_again)
        start();
    else
        Q_EMIT listed(list);
}

} // namespace headscope::app
