// A simulated market-data stream of Alpaca for load tests: one thread, epoll, one trade on each connection every INTERVAL_MS.
//
//   stream PORT
//
// A client connects to /v2/{feed}, sends any key, and subscribes to symbols, whose trades follow in turn. The n-th trade of a
// symbol is n cents above the price of the broker's snapshots, and the first trade comes two intervals after the
// subscription: so two servers that read the first snapshot in that time receive the same prices.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "market.h"

// A timer runs SLOTS times in an interval, so that the connections take turns.
enum { MAX_FD = 65536, INPUT = 16 << 10, SLOTS = 100, FIRST_TRADE = 2 };

struct connection {
    int is_open, is_upgraded, input_length;
    // -1 before the subscription; the first FIRST_TRADE are none.
    long trades;
    int symbol_count;
    unsigned char subscribed[SYMBOLS];
    char *input;
};

static struct connection connections[MAX_FD];
static int poller, last_fd;

// A message that does not fit into the socket's buffer ends the connection, like a client that reads too slowly at Alpaca.
static void send_bytes(int fd, const char *bytes, size_t length) {
    if (write(fd, bytes, length) != (ssize_t)length) shutdown(fd, SHUT_RDWR);
}

static void send_message(int fd, const char *text) {
    char frame[1 << 12];
    size_t length = strlen(text), head = length < 126 ? 2 : 4;
    frame[0] = (char)0x81;
    frame[1] = (char)(length < 126 ? length : 126);
    frame[2] = (char)(length >> 8);
    frame[3] = (char)length;
    if (head + length > sizeof frame) abort();
    memcpy(frame + head, text, length);
    send_bytes(fd, frame, head + length);
}

static void send_trade(int fd) {
    struct connection *connection = &connections[fd];
    long number = connection->trades++ - FIRST_TRADE;
    if (number < 0) return;
    int symbol = connection->subscribed[number % connection->symbol_count];
    double cents = price(symbol) + 1 + (double)(number / connection->symbol_count);
    char message[512], time_text[32];
    struct timespec time;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &parts);
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(message, sizeof message,
        "[{\"T\":\"t\",\"S\":\"%s\",\"i\":%ld,\"x\":\"V\",\"p\":%.8g,\"s\":100,\"c\":[\"@\"],\"t\":\"%s.%06ldZ\",\"z\":\"C\"}]",
        symbols[symbol], 71130000 + number, cents / 100, time_text, time.tv_nsec / 1000);
    send_message(fd, message);
}

// MARK: Requests

static void upgrade(int fd, const char *head) {
    char accepted[128], response[512], text[64];
    unsigned char digest[SHA_DIGEST_LENGTH];
    const char *key = strcasestr(head, "\nsec-websocket-key:");
    if (!key) {
        shutdown(fd, SHUT_RDWR);
        return;
    }
    key += strlen("\nsec-websocket-key:");
    while (*key == ' ') key++;
    int length = (int)strcspn(key, " \r");
    snprintf(accepted, sizeof accepted, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", length < 64 ? length : 64, key);
    SHA1((unsigned char *)accepted, strlen(accepted), digest);
    EVP_EncodeBlock((unsigned char *)text, digest, sizeof digest);
    snprintf(response, sizeof response,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
        text);
    send_bytes(fd, response, strlen(response));
    connections[fd].is_upgraded = 1;
    send_message(fd, "[{\"T\":\"success\",\"msg\":\"connected\"}]");
}

// Of the confirmation, clients read only the type.
static void confirm(int fd) {
    send_message(fd, "[{\"T\":\"subscription\",\"trades\":[],\"quotes\":[],\"bars\":[]}]");
}

static void subscribe(int fd, const char *message) {
    struct connection *connection = &connections[fd];
    const char *list = strstr(message, "\"trades\":["), *end = list ? strchr(list, ']') : NULL;
    if (!end) return;
    unsigned char is_wanted[SYMBOLS] = {0};
    for (const char *name = strchr(list, '['); name && name < end;) {
        name = strchr(name, '"');
        if (!name || name > end) break;
        int length = (int)strcspn(++name, "\"");
        int symbol = find_symbol(name, length);
        if (symbol >= 0) is_wanted[symbol] = 1;
        name += length + 1;
    }
    connection->symbol_count = 0;
    for (int symbol = 0; symbol < SYMBOLS; symbol++)
        if (is_wanted[symbol]) connection->subscribed[connection->symbol_count++] = (unsigned char)symbol;
    connection->trades = connection->symbol_count ? 0 : -1;
    confirm(fd);
}

static void handle(int fd, int opcode, const char *message) {
    if (opcode == 8) shutdown(fd, SHUT_RDWR);
    if (opcode != 1 && opcode != 2) return;
    if (strstr(message, "\"auth\"")) send_message(fd, "[{\"T\":\"success\",\"msg\":\"authenticated\"}]");
    if (strstr(message, "\"subscribe\"")) subscribe(fd, message);
    // The next subscription replaces all symbols.
    if (strstr(message, "\"unsubscribe\"")) confirm(fd);
}

// Handles one frame of a client; the number of its bytes, 0 if it is not complete.
static int take_frame(int fd, unsigned char *bytes, int available) {
    int length = available < 2 ? 0 : bytes[1] & 127, head = length == 126 ? 8 : 6;
    if (available < head || length == 127) return 0;
    if (length == 126) length = bytes[2] << 8 | bytes[3];
    if (available < head + length) return 0;
    char message[INPUT + 1];
    const unsigned char *mask = bytes + head - 4, *masked = bytes + head;
    for (int index = 0; index < length; index++) message[index] = (char)(masked[index] ^ mask[index & 3]);
    message[length] = 0;
    handle(fd, bytes[0] & 15, message);
    return head + length;
}

// Handles the head of the first request; the number of its bytes, 0 if it is not complete.
static int take_head(int fd, char *bytes, int available) {
    char *end = memmem(bytes, (size_t)available, "\r\n\r\n", 4);
    if (!end) return 0;
    end[2] = 0;
    upgrade(fd, bytes);
    return (int)(end + 4 - bytes);
}

static void receive(int fd) {
    struct connection *connection = &connections[fd];
    ssize_t count = read(fd, connection->input + connection->input_length, (size_t)(INPUT - connection->input_length));
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        close(fd);
        connection->is_open = 0;
        return;
    }
    connection->input_length += (int)count;
    int used = 0, taken;
    do {
        char *bytes = connection->input + used;
        int available = connection->input_length - used;
        taken = connection->is_upgraded ? take_frame(fd, (unsigned char *)bytes, available) : take_head(fd, bytes, available);
        used += taken;
    } while (taken);
    connection->input_length -= used;
    memmove(connection->input, connection->input + used, (size_t)connection->input_length);
    if (connection->input_length == INPUT) shutdown(fd, SHUT_RDWR);
}

static void accept_all(int listening) {
    int fd, one = 1;
    while ((fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (fd >= MAX_FD) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        char *input = connections[fd].input ? connections[fd].input : malloc(INPUT);
        if (!input) abort();
        connections[fd] = (struct connection){.is_open = 1, .trades = -1, .input = input};
        if (fd > last_fd) last_fd = fd;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
    }
}

int main(int count, char **arguments) {
    long interval = getenv("INTERVAL_MS") ? atol(getenv("INTERVAL_MS")) : 1000;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1, slot = 0;
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)(count > 1 ? atoi(arguments[1]) : 4602)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timespec pause = {interval / 1000 / SLOTS, interval * 1000000 / SLOTS % 1000000000};
    struct itimerspec times = {.it_interval = pause, .it_value = pause};
    signal(SIGPIPE, SIG_IGN);
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) || listen(listening, 4096)) {
        perror("stream: bind");
        return 1;
    }
    poller = epoll_create1(0);
    for (int index = 0; index < 2; index++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = index ? timer : listening};
        epoll_ctl(poller, EPOLL_CTL_ADD, event.data.fd, &event);
    }
    timerfd_settime(timer, 0, &times, NULL);
    for (;;) {
        struct epoll_event events[256];
        int ready = epoll_wait(poller, events, 256, -1);
        for (int index = 0; index < ready; index++) {
            int fd = events[index].data.fd;
            uint64_t expirations = 0;
            if (fd == listening) {
                accept_all(fd);
            } else if (fd != timer) {
                receive(fd);
            } else if (read(timer, &expirations, sizeof expirations) > 0) {
                for (; expirations; expirations--, slot = (slot + 1) % SLOTS)
                    for (int client = slot; client <= last_fd; client += SLOTS)
                        if (connections[client].is_open && connections[client].trades >= 0) send_trade(client);
            }
        }
    }
}
