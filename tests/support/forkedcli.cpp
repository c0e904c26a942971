// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli for tests that call it hundreds of times: loaded once, and each command line runs in a process forked
// from it. Loading takes four times as long as a small model needs for its answer. clifixture.h asks on the standard
// input and reads the exit status on the standard output.

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

int cliMain(int argc, char** argv); // main() of app/cli/main.cpp

namespace {

void become(int stream, const char* file, int flags)
{
    const int opened = ::open(file, flags);
    if (opened < 0 || ::dup2(opened, stream) < 0)
        std::_Exit(255);
    ::close(opened);
}

/// `words`: the folder, the files of both outputs, the environment, an empty word, the arguments.
[[noreturn]] void answer(std::vector<char*> words)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::chdir(words[0]) != 0)
        std::_Exit(255);
    become(STDIN_FILENO, "/dev/null", O_RDONLY);
    become(STDOUT_FILENO, words[1], O_WRONLY);
    become(STDERR_FILENO, words[2], O_WRONLY);
    ::clearenv();
    std::size_t next = 3;
    for (; *words[next] != '\0'; ++next)
        ::putenv(words[next]);
    words[next] = const_cast<char*>("headscope-cli");
    const int count = static_cast<int>(words.size() - next);
    words.push_back(nullptr);
    std::exit(cliMain(count, words.data() + next));
}

} // namespace

int main()
{
    // A request: the length of what follows on a line of its own, then words that each end with a zero.
    for (std::size_t length = 0; std::scanf("%zu", &length) == 1 && std::getchar() == '\n';) {
        std::string request(length, '\0');
        if (std::fread(request.data(), 1, length, stdin) != length)
            return 1;
        std::vector<char*> words;
        for (std::size_t at = 0; at < length; at = request.find('\0', at) + 1)
            words.push_back(request.data() + at);
        const pid_t child = ::fork();
        if (child == 0)
            answer(std::move(words));
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) != child)
            return 1;
        std::printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        std::fflush(stdout);
    }
    return 0;
}
