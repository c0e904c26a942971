// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/http.h"

#include "core/io/textfiles/quote.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>

namespace headscope::hub {

namespace {

/// What the callbacks of one transfer share.
struct Transfer {
    CURL* curl = nullptr;
    const Request* request = nullptr;
    const Control* control = nullptr;
    bool begun = false, refused = false;
};

std::size_t onBytes(char* bytes, std::size_t, std::size_t count, void* data)
{
    auto& transfer = *static_cast<Transfer*>(data);
    long status = 0;
    curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 && status != 206)
        return count; // the page of an error, which nobody reads
    if (!transfer.begun && transfer.request->begin && !transfer.request->begin(status == 206))
        transfer.refused = true;
    transfer.begun = true;
    if (!transfer.refused && !transfer.request->sink({bytes, count}))
        transfer.refused = true;
    return transfer.refused ? 0 : count;
}

int onProgress(void* data, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    return static_cast<Transfer*>(data)->control->stopped() ? 1 : 0;
}

std::string hostOf(const char* url)
{
    std::string host;
    if (CURLU* parts = curl_url(); parts != nullptr) {
        char* text = nullptr;
        if (url && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK
            && curl_url_get(parts, CURLUPART_HOST, &text, 0) == CURLUE_OK)
            host = text;
        curl_free(text);
        curl_url_cleanup(parts);
    }
    return host;
}

void setUp(CURL* curl, Transfer& transfer, const HubSettings& settings)
{
    const Request& request = *transfer.request;
    curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "headscope");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
    // Never from an encrypted host to one that is not, and nowhere else than to hosts: no file:, no ftp:.
    const char* const protocols = request.url.starts_with("https:") ? "https" : "http,https";
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols);
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, static_cast<long>(settings.stalled.count()));
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, static_cast<long>(settings.stalled.count()));
    if (!settings.token.empty() && request.url.starts_with(settings.endpoint + "/")) {
        // libcurl keeps this from any other host or port that the request is redirected to.
        curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
        curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, settings.token.c_str());
    }
    if (!settings.certificates.empty())
        curl_easy_setopt(curl, CURLOPT_CAINFO, settings.certificates.c_str());
    if (request.from > 0)
        curl_easy_setopt(curl, CURLOPT_RANGE, (std::to_string(request.from) + "-").c_str());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, onBytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, onProgress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
}

} // namespace

Answer get(const Request& request, const HubSettings& settings, const Control& control)
{
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), &curl_easy_cleanup);
    Answer answer;
    if (!curl) {
        answer.problem = "libcurl could not be started";
        return answer;
    }
    Transfer transfer{curl.get(), &request, &control};
    setUp(curl.get(), transfer, settings);
    const CURLcode code = curl_easy_perform(curl.get());
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer.status);
    curl_off_t wait = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RETRY_AFTER, &wait);
    answer.retryAfter = static_cast<long>(wait);
    const char* url = nullptr;
    curl_easy_getinfo(curl.get(), CURLINFO_EFFECTIVE_URL, &url);
    answer.host = hostOf(url);
    answer.refusedBySink = transfer.refused;
    answer.insecure = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR
                      || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR;
    if (code != CURLE_OK)
        answer.problem = curl_easy_strerror(code);
    // An answer without bytes has not begun anything.
    if (code == CURLE_OK && (answer.status == 200 || answer.status == 206) && !transfer.begun && request.begin)
        static_cast<void>(request.begin(answer.status == 206));
    return answer;
}

bool isRetryable(const Answer& answer)
{
    if (answer.insecure || answer.refusedBySink)
        return false;
    const bool fault = answer.status == 408 || answer.status == 429 || answer.status >= 500;
    return fault || (!answer.problem.empty() && (answer.status == 0 || answer.status == 200 || answer.status == 206));
}

bool waitBefore(int next, const Answer& last, const HubSettings& settings, const Control& control)
{
    constexpr std::chrono::seconds kLongest{60};
    using Milliseconds = std::chrono::milliseconds;
    Milliseconds left = settings.firstWait * (1 << std::clamp(next - 2, 0, 10));
    left = std::min<Milliseconds>(std::max<Milliseconds>(left, std::chrono::seconds(last.retryAfter)), kLongest);
    constexpr Milliseconds kStep{50}; // a person who stops does not wait
    for (; left.count() > 0 && !control.stopped(); left -= kStep)
        std::this_thread::sleep_for(std::min(left, kStep));
    return !control.stopped();
}

Result<std::string> getText(const std::string& url, std::size_t limit, const std::string& what,
                            const HubSettings& settings, const Control& control)
{
    Answer last;
    for (int number = 1; number <= settings.tries; ++number) {
        if (number > 1 && !waitBefore(number, last, settings, control))
            return cancelledError();
        std::string text;
        last = get({.url = url,
                    .sink =
                        [&](std::string_view bytes) {
                            text += bytes;
                            return text.size() <= limit;
                        }},
                   settings, control);
        if (control.stopped())
            return cancelledError();
        if (last.refusedBySink)
            return inputError("The hub's answer about " + io::inQuotes(what) + " has more than " + std::to_string(limit)
                              + " bytes, which is too long.");
        if (last.problem.empty() && last.status == 200)
            return text;
        if (!isRetryable(last))
            break;
    }
    return failure(last, what, settings.endpoint + "/" + what, settings);
}

Error failure(const Answer& answer, const std::string& what, const std::string& page, const HubSettings& settings)
{
    const std::string who = "Cannot get " + io::inQuotes(what) + ": ";
    const std::string noun = what.starts_with("datasets/") ? "data set" : "model";
    const std::string host = io::inQuotes(answer.host.empty() ? settings.endpoint : answer.host);
    switch (answer.status) {
    case 401:
        return inputError(who
                          + (settings.token.empty()
                                 ? "there is no such " + noun
                                       + ", or it needs a token; make one on the hub and set HF_TOKEN, or "
                                         "run 'huggingface-cli login'."
                                 : "there is no such " + noun + ", or the token that is set does not open it."));
    case 403:
        return inputError(who + "access is not granted; accept the " + noun + "'s conditions at " + page
                          + (settings.token.empty() ? " and set HF_TOKEN." : " with the account of the token."));
    case 404:
        return inputError(who + "the hub has no such " + noun + ", revision or file; look at " + page
                          + " for its name.");
    case 416: return ioError(who + host + " has fewer bytes than announced; run the download again.");
    case 429:
        return ioError(who + host + " reports too many requests; wait a few minutes"
                       + (settings.token.empty() ? ", or set HF_TOKEN." : "."));
    default: break;
    }
    if (answer.insecure)
        return ioError(who + "the connection to " + host + " is not trusted (" + answer.problem
                       + "); the date, the certificates of "
                       + (settings.certificates.empty()
                              ? "the system"
                              : "SSL_CERT_FILE, " + io::inQuotes(settings.certificates.string()))
                       + " and a proxy in between are worth a look.");
    if (answer.status == 0)
        return ioError(who + host + " cannot be reached (" + answer.problem
                       + "); check the network and try again, which resumes a download.");
    if (answer.status >= 400)
        return ioError(who + host + " answers with status " + std::to_string(answer.status) + "; try again later.");
    return ioError(who + "the transfer from " + host + " failed ("
                   + (answer.problem.empty() ? "status " + std::to_string(answer.status) : answer.problem)
                   + "); what arrived is kept, run the download again.");
}

} // namespace headscope::hub
