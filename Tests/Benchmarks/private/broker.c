// A simulated Alpaca for load tests: one thread, epoll, keep-alive, each response DELAY_MS after its request.
//
//   broker PORT     PORT is the trading API, PORT + 1 the market-data API
//
// With CHANGES, the number of a user's positions that have another price at each read, positions change in turn; without it
// all values are constant.
//
// It serves /v2/account, /v2/positions and /v2/stocks/snapshots?symbols=… The user is the number at the end of the key
// ID; all amounts depend on it, so that a response with the data of another user is detected. `GET /counts` returns the
// number of calls of each kind, without a delay.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
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

enum { MAX_FD = 65536, INPUT = 16 << 10, MAX_USERS = 100000 };

struct text {
    char *bytes;
    int length, capacity;
};

struct connection {
    int is_open;
    uint32_t generation;
    int input_length;
    char *input;
    struct text output;
    int sent;
};

// A response that is due; the delay is constant, so the queue is in the order of the times.
struct response {
    uint64_t due;
    int fd;
    uint32_t generation;
    struct text text;
    struct response *next;
};

static struct connection connections[MAX_FD];
static struct response *first_due, *last_due;
static int poller, timer;
static uint64_t delay = 4000000;
static int changes;
static long account_calls, position_calls, snapshot_calls, other_calls, opened;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void reserve(struct text *text, int count) {
    if (text->length + count <= text->capacity) return;
    text->capacity = (text->length + count) * 2;
    text->bytes = realloc(text->bytes, (size_t)text->capacity);
    if (!text->bytes) abort();
}

static void append(struct text *text, const char *format, ...) {
    va_list arguments;
    reserve(text, 2048);
    va_start(arguments, format);
    text->length += vsnprintf(text->bytes + text->length, 2048, format, arguments);
    va_end(arguments);
}

// MARK: Bodies

static void write_account(struct text *body, long user) {
    double equity = 100000 + (double)user, cash = 4000 + (double)user * 0.01;
    append(body,
        "{\"id\":\"4bb0fd6b-8d1c-4a5c-a3f7-%012lx\",\"account_number\":\"PB%010ld\",\"status\":\"ACTIVE\","
        "\"crypto_status\":\"ACTIVE\",\"currency\":\"USD\",\"cash\":\"%.2f\",\"buying_power\":\"%.2f\","
        "\"regt_buying_power\":\"%.2f\",\"daytrading_buying_power\":\"0\",\"non_marginable_buying_power\":\"%.2f\","
        "\"options_buying_power\":\"%.2f\",\"accrued_fees\":\"0\",\"portfolio_value\":\"%.2f\",",
        user, user, cash, 2 * cash, 2 * cash, cash, cash, equity);
    append(body,
        "\"pattern_day_trader\":false,\"trading_blocked\":false,\"transfers_blocked\":false,\"account_blocked\":false,"
        "\"created_at\":\"2024-03-05T14:02:11.318Z\",\"trade_suspended_by_user\":false,\"multiplier\":\"2\","
        "\"shorting_enabled\":true,\"equity\":\"%.2f\",\"last_equity\":\"%.2f\",\"long_market_value\":\"%.2f\","
        "\"short_market_value\":\"0\",\"initial_margin\":\"900\",\"maintenance_margin\":\"450\","
        "\"last_maintenance_margin\":\"450\",\"sma\":\"100000\",\"daytrade_count\":0,\"crypto_tier\":1}",
        equity, equity - 8, equity - cash);
}

static void write_positions(struct text *body, long user) {
    static int reads[MAX_USERS];
    int changed = user < MAX_USERS ? reads[user]++ * changes : 0;
    append(body, "[");
    for (int place = 0; place < HELD; place++) {
        int symbol = held_symbol(user, place), count = quantity(user, place);
        int cents = price(symbol) + (changed + HELD - 1 - place) / HELD;
        double cost = cents * 0.0075, value = count * cents / 100.0;
        append(body,
            "%s{\"asset_id\":\"9a2c41d0-33aa-4c0e-8d0b-%012x\",\"symbol\":\"%s\",\"exchange\":\"NASDAQ\","
            "\"asset_class\":\"us_equity\",\"asset_marginable\":true,\"qty\":\"%d\",\"avg_entry_price\":\"%.4f\","
            "\"side\":\"long\",\"market_value\":\"%.2f\",\"cost_basis\":\"%.2f\",\"unrealized_pl\":\"%.2f\","
            "\"unrealized_plpc\":\"0.25\",\"unrealized_intraday_pl\":\"%.2f\",\"unrealized_intraday_plpc\":\"0.0021\","
            "\"current_price\":\"%.2f\",\"lastday_price\":\"%.2f\",\"change_today\":\"0.0021\",\"qty_available\":\"%d\"}",
            place ? "," : "", symbol, symbols[symbol], count, cost, value, count * cost, value - count * cost,
            count * (cents - previous_close(symbol)) / 100.0, cents / 100.0, previous_close(symbol) / 100.0, count);
    }
    append(body, "]");
}

static void write_snapshot(struct text *body, int symbol, const char *time, const char *day) {
    double last = price(symbol) / 100.0, close = previous_close(symbol) / 100.0;
    append(body,
        "\"%s\":{\"dailyBar\":{\"c\":%.8g,\"h\":%.8g,\"l\":%.8g,\"n\":28113,\"o\":%.8g,\"t\":\"%sT05:00:00Z\",\"v\":1873221,"
        "\"vw\":%.6f},\"latestQuote\":{\"ap\":%.8g,\"as\":1,\"ax\":\"V\",\"bp\":%.8g,\"bs\":3,\"bx\":\"V\",\"c\":[\"R\"],"
        "\"t\":\"%s\",\"z\":\"C\"},\"latestTrade\":{\"c\":[\"@\"],\"i\":%d,\"p\":%.8g,\"s\":100,\"t\":\"%s\",\"x\":\"V\","
        "\"z\":\"C\"},",
        symbols[symbol], last, last + 0.91, last - 0.87, last - 0.13, day, last, last + 0.01, last - 0.02, time,
        71130000 + symbol, last, time);
    append(body,
        "\"minuteBar\":{\"c\":%.8g,\"h\":%.8g,\"l\":%.8g,\"n\":14,\"o\":%.8g,\"t\":\"%s\",\"v\":2210,\"vw\":%.6f},"
        "\"prevDailyBar\":{\"c\":%.8g,\"h\":%.8g,\"l\":%.8g,\"n\":30111,\"o\":%.8g,\"t\":\"2026-11-19T05:00:00Z\","
        "\"v\":2098121,\"vw\":%.6f}}",
        last, last + 0.07, last - 0.06, last, time, last, close, close + 0.66, close - 0.71, close, close);
}

static void write_snapshots(struct text *body, const char *list) {
    char time_text[48], day[16];
    struct timespec time;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &parts);
    size_t length = strftime(time_text, 32, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(time_text + length, 16, ".%06ldZ", time.tv_nsec / 1000);
    strftime(day, sizeof day, "%Y-%m-%d", &parts);
    append(body, "{");
    int is_first = 1;
    for (const char *name = list; *name && *name != '&';) {
        size_t count = strcspn(name, ",%&");
        int symbol = find_symbol(name, (int)count);
        if (symbol >= 0) {
            if (!is_first) append(body, ",");
            is_first = 0;
            write_snapshot(body, symbol, time_text, day);
        }
        name += count;
        if (*name == ',') name++;
        if (!strncasecmp(name, "%2C", 3)) name += 3;
    }
    append(body, "}");
}

// MARK: Responses

static void watch(int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    epoll_ctl(poller, EPOLL_CTL_MOD, fd, &event);
}

static void flush_output(int fd) {
    struct connection *connection = &connections[fd];
    while (connection->sent < connection->output.length) {
        ssize_t count = write(fd, connection->output.bytes + connection->sent,
            (size_t)(connection->output.length - connection->sent));
        if (count < 0) {
            if (errno == EAGAIN) watch(fd, EPOLLIN | EPOLLOUT);
            return;
        }
        connection->sent += (int)count;
    }
    connection->output.length = connection->sent = 0;
}

static void send_text(int fd, struct text *text) {
    struct text *output = &connections[fd].output;
    reserve(output, text->length);
    memcpy(output->bytes + output->length, text->bytes, (size_t)text->length);
    output->length += text->length;
    flush_output(fd);
}

static void set_timer(uint64_t due) {
    struct itimerspec time = {.it_value = {(time_t)(due / 1000000000), (long)(due % 1000000000)}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

static void respond(int fd, const char *status, struct text *body, int is_delayed) {
    static long request;
    struct text text = {0};
    append(&text,
        "HTTP/1.1 %s\r\nDate: Fri, 20 Nov 2026 15:00:00 GMT\r\nContent-Type: application/json; charset=UTF-8\r\n"
        "Content-Length: %d\r\nConnection: keep-alive\r\nX-Request-ID: 5d3f%012lx\r\nVary: Accept-Encoding\r\n\r\n",
        status, body->length, ++request);
    reserve(&text, body->length);
    memcpy(text.bytes + text.length, body->bytes, (size_t)body->length);
    text.length += body->length;
    if (!is_delayed || !delay) {
        send_text(fd, &text);
        free(text.bytes);
        return;
    }
    struct response *response = malloc(sizeof *response);
    if (!response) abort();
    *response = (struct response){now() + delay, fd, connections[fd].generation, text, NULL};
    if (last_due)
        last_due->next = response;
    else
        set_timer((first_due = response)->due);
    last_due = response;
}

static void send_due(void) {
    uint64_t limit = now() + 20000;
    while (first_due && first_due->due <= limit) {
        struct response *response = first_due;
        struct connection *connection = &connections[response->fd];
        first_due = response->next;
        if (!first_due) last_due = NULL;
        if (connection->is_open && connection->generation == response->generation) send_text(response->fd, &response->text);
        free(response->text.bytes);
        free(response);
    }
    if (first_due) set_timer(first_due->due);
}

// The number at the end of the key ID; -1 without a key.
static long user_of(const char *head) {
    const char *value = strcasestr(head, "\napca-api-key-id:");
    if (!value || !strcasestr(head, "\napca-api-secret-key:")) return -1;
    value += strlen("\napca-api-key-id:");
    const char *end = value + strcspn(value, "\r"), *digits = end;
    while (digits > value && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    return atol(digits);
}

static void handle(int fd, char *head) {
    static struct text body;
    char *path = strchr(head, ' ');
    char *end = path ? strchr(path + 1, ' ') : NULL;
    if (!end) return;
    path++;
    *end = 0;
    body.length = 0;
    if (!strcmp(path, "/counts")) {
        append(&body, "{\"account\":%ld,\"positions\":%ld,\"quotes\":%ld,\"other\":%ld,\"connections\":%ld}",
            account_calls, position_calls, snapshot_calls, other_calls, opened);
        return respond(fd, "200 OK", &body, 0);
    }
    long user = user_of(end + 1);
    const char *status = "200 OK", *list = strstr(path, "symbols=");
    if (user < 0) {
        append(&body, "{\"code\":40110000,\"message\":\"request is not authorized\"}");
        status = "401 Unauthorized";
    } else if (!strcmp(path, "/v2/account")) {
        account_calls++;
        write_account(&body, user);
    } else if (!strcmp(path, "/v2/positions")) {
        position_calls++;
        write_positions(&body, user);
    } else if (!strncmp(path, "/v2/stocks/snapshots?", 21) && list) {
        snapshot_calls++;
        write_snapshots(&body, list + strlen("symbols="));
    } else {
        other_calls++;
        append(&body, "{\"code\":40410000,\"message\":\"no such endpoint\"}");
        status = "404 Not Found";
    }
    respond(fd, status, &body, 1);
}

// MARK: Connections

static int listener(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4096)) {
        perror("broker: bind");
        exit(1);
    }
    return fd;
}

static void add(int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
}

static void close_connection(int fd) {
    close(fd);
    connections[fd].is_open = 0;
    connections[fd].generation++;
}

static void accept_all(int listening) {
    int fd, one = 1;
    while ((fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (fd >= MAX_FD) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct connection *connection = &connections[fd];
        connection->is_open = 1;
        connection->generation++;
        connection->input_length = connection->output.length = connection->sent = 0;
        if (!connection->input) connection->input = malloc(INPUT + 1);
        opened++;
        add(fd);
    }
}

static void receive(int fd) {
    struct connection *connection = &connections[fd];
    ssize_t count = read(fd, connection->input + connection->input_length, (size_t)(INPUT - connection->input_length));
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close_connection(fd);
    connection->input_length += (int)count;
    char *start = connection->input, *limit = connection->input + connection->input_length, *end;
    // No request has a body, so that a head is a request.
    while ((end = memmem(start, (size_t)(limit - start), "\r\n\r\n", 4))) {
        end[2] = 0;
        handle(fd, start);
        start = end + 4;
    }
    connection->input_length = (int)(limit - start);
    memmove(connection->input, start, (size_t)connection->input_length);
    if (connection->input_length == INPUT) close_connection(fd);
}

int main(int count, char **arguments) {
    int port = count > 1 ? atoi(arguments[1]) : 4600;
    if (getenv("CHANGES")) changes = atoi(getenv("CHANGES"));
    if (getenv("DELAY_MS")) delay = (uint64_t)(atof(getenv("DELAY_MS")) * 1e6);
    signal(SIGPIPE, SIG_IGN);
    poller = epoll_create1(0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    int trading = listener(port), data = listener(port + 1);
    add(trading);
    add(data);
    add(timer);
    for (;;) {
        struct epoll_event events[256];
        int ready = epoll_wait(poller, events, 256, -1);
        for (int index = 0; index < ready; index++) {
            int fd = events[index].data.fd;
            uint64_t expirations;
            if (fd == trading || fd == data) {
                accept_all(fd);
            } else if (fd == timer) {
                if (read(timer, &expirations, sizeof expirations) < 0) continue;
            } else if (connections[fd].is_open) {
                if (events[index].events & EPOLLOUT) {
                    watch(fd, EPOLLIN);
                    flush_output(fd);
                }
                if (events[index].events & ~(uint32_t)EPOLLOUT) receive(fd);
            }
        }
        send_due();
    }
}
