// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs Qt in programs without a window: fonts and painters need an application. Main thread.

#include <memory>

class QGuiApplication;

namespace headscope::figures {

/// Starts Qt's offscreen platform unless an application already runs; the locale of numbers is unchanged.
class OffscreenQt
{
public:
    OffscreenQt();
    ~OffscreenQt();
    OffscreenQt(const OffscreenQt&) = delete;
    OffscreenQt& operator=(const OffscreenQt&) = delete;

private:
    char m_name[15] = "headscope-cli", m_option[10] = "-platform", m_platform[10] = "offscreen";
    char* m_arguments[4] = {m_name, m_option, m_platform, nullptr};
    int m_count = 3;
    std::unique_ptr<QGuiApplication> m_application;
};

} // namespace headscope::figures
