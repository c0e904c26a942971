// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands of headscope-cli run inside the test, for tests that run many: a process of its own takes a second to start.
// What a program of its own does differently (signals, its exit) is not shown here.

#include "app/cli/commands/commands.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "core/base/failure.h"
#include "tests/support/clifixture.h"

#include <QTemporaryFile>

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace clifixture {

/// A stream of this process that goes to a file for a while.
class Caught
{
public:
    explicit Caught(FILE* stream) : m_stream(stream)
    {
        m_file.open();
        std::fflush(stream);
        m_before = ::dup(fileno(stream));
        ::dup2(m_file.handle(), fileno(stream));
    }
    ~Caught() { stop(); }
    Caught(const Caught&) = delete;
    Caught& operator=(const Caught&) = delete;
    /// What was written.
    QByteArray stop()
    {
        if (m_before < 0)
            return {};
        std::fflush(m_stream);
        ::dup2(m_before, fileno(m_stream));
        ::close(std::exchange(m_before, -1));
        m_file.seek(0);
        return m_file.readAll();
    }

private:
    FILE* m_stream;
    QTemporaryFile m_file;
    int m_before = -1;
};

/// As run() of clifixture.h, in this process.
inline Outcome runHere(const QStringList& arguments)
{
    using namespace headscope;
    std::vector<std::string> words;
    for (const QString& argument : arguments + QStringList{u"--device"_s, u"cpu"_s})
        words.push_back(argument.toStdString());
    Caught out(stdout), err(stderr);
    int code = 0;
    {
        cli::Context context;
        CLI::App app;
        cli::addCommands(app, context);
        words = cli::withoutAliases(app, std::move(words));
        std::reverse(words.begin(), words.end());
        Result<void> done;
        try {
            app.parse(std::move(words));
            context.resources = HEADSCOPE_SOURCE_DIR "/resources";
            done = context.run();
            if (done.has_value())
                done = cli::finishOutput();
            code = done.has_value() ? 0 : done.error().kind == Error::Kind::Cancelled ? 130 : 1;
        } catch (const CLI::ParseError& error) {
            cli::noteLines(error.what());
            code = 2;
        } catch (const Failure& failure) {
            done = failure.error();
            code = 1;
        }
        if (!done.has_value())
            cli::note("headscope-cli: " + done.error().message);
    }
    return {code, out.stop(), err.stop()};
}

} // namespace clifixture
