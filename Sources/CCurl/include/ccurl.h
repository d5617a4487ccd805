// Swift cannot call C functions with variable arguments, and libcurl sets and reads every option through one.
// Each wrapper here fixes the type of the last argument; there is no logic in this file.

#ifndef CCURL_H
#define CCURL_H

// Without the type checks of curl's own header, which are macros over the very functions wrapped here.
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_prerequest_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
typedef int (*ccurl_socket_callback)(void *context, curl_socket_t socket, curlsocktype purpose);

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the string, except for CURLOPT_POSTFIELDS.
static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_bytes(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl keeps the pointer.
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl keeps the list: it must live until the transfer is over.
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_data_callback(CURL *handle, CURLoption option, ccurl_data_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_prerequest_callback(CURL *handle, ccurl_prerequest_callback value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_set_socket_callback(CURL *handle, ccurl_socket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, value);
}

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

// The string belongs to the handle.
static inline CURLcode ccurl_get_string(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

typedef int (*ccurl_watch_callback)(CURL *handle, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*ccurl_timer_callback)(CURLM *multi, long milliseconds, void *context);

static inline CURLMcode ccurl_multi_set_watch_callback(CURLM *multi, ccurl_watch_callback value, void *context) {
    CURLMcode status = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return status == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value) : status;
}

static inline CURLMcode ccurl_multi_set_timer_callback(CURLM *multi, ccurl_timer_callback value, void *context) {
    CURLMcode status = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return status == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value) : status;
}

// epoll_event is a packed structure with a union, so its fields are read and written here.
static inline int ccurl_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int ccurl_epoll_set(int epoll, int operation, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(epoll, operation, fd, &event);
}

// Waits for events of up to `capacity` descriptors; returns their number.
static inline int ccurl_epoll_wait(int epoll, int *fds, uint32_t *events, int capacity, int milliseconds) {
    struct epoll_event ready[64];
    int count = epoll_wait(epoll, ready, capacity < 64 ? capacity : 64, milliseconds);
    for (int index = 0; index < count; index++) {
        fds[index] = ready[index].data.fd;
        events[index] = ready[index].events;
    }
    return count;
}

static inline int ccurl_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// The union in CURLMsg, for messages of the kind CURLMSG_DONE.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
