// A closed loop of requests by many users, one request at a time on each connection.
//
//   load PORT TOKENS CONNECTIONS SECONDS PAUSE_MS ORDER BROKER_PORT PID WEIGHT:FILE …
//
// TOKENS has one token a line; the number of the line is the user's number at the broker. FILE is the JSON of a request, and
// WEIGHT its share. ORDER is `turn` or `random`. A user is not asked again within PAUSE_MS after the last response, so that
// cached values have expired. Before the measurement each user is asked once, and then the case runs for two seconds.
//
// Each response must have the status 200, no "errors", and the equity of its own user. Printed are requests a second,
// percentiles, the broker's calls for a request, and the processor time of the process PID for a request (user and system).
#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>

#include "measure.h"

enum { INPUT = 256 << 10, OUTPUT = 8 << 10, MAX_OPERATIONS = 8, MAX_LATENCY_US = 4000000 };

struct connection {
    int fd, length, user, operation, is_idle;
    uint64_t begun;
    char *input;
};

struct operation {
    char *body;
    int length, weight, has_equity;
};

static struct operation operations[MAX_OPERATIONS];
static int operation_count, total_weight, user_count, port, poller, is_random;
static char **tokens;
static uint64_t *free_from, pause_time;
static uint32_t latencies[MAX_LATENCY_US / 10 + 1];
static long responses, failures, starved;
static int is_measuring;

static uint32_t random_number(void) {
    static uint64_t state = 0x9E3779B97F4A7C15;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(state >> 33);
}

// MARK: Requests

// The next user who may be asked; -1 if there is none.
static int next_user(uint64_t time) {
    static int turn;
    for (int attempt = 0; attempt < 64; attempt++) {
        int user = is_random ? (int)(random_number() % (uint32_t)user_count) : turn;
        if (!is_random && free_from[user] <= time) turn = (turn + 1) % user_count;
        if (free_from[user] <= time) return user;
        if (!is_random) return -1;
    }
    return -1;
}

static int next_operation(void) {
    int rest = (int)(random_number() % (uint32_t)total_weight);
    for (int index = 0; index < operation_count; index++)
        if ((rest -= operations[index].weight) < 0) return index;
    return 0;
}

static void ask(struct connection *connection, int user, int operation, uint64_t time) {
    static char head[OUTPUT];
    int length = snprintf(head, sizeof head,
        "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n"
        "Content-Length: %d\r\n\r\n%s",
        port, tokens[user], operations[operation].length, operations[operation].body);
    connection->user = user;
    connection->operation = operation;
    connection->begun = time;
    connection->length = 0;
    connection->is_idle = 0;
    // The next response of this user is awaited.
    free_from[user] = UINT64_MAX;
    if (write(connection->fd, head, (size_t)length) != length) {
        perror("load: write");
        exit(1);
    }
}

static void ask_next(struct connection *connection, uint64_t time) {
    int user = next_user(time);
    if (user < 0) {
        starved += is_measuring && !connection->is_idle;
        connection->is_idle = 1;
        return;
    }
    ask(connection, user, next_operation(), time);
}

static void check(struct connection *connection, const char *body) {
    char equity[64];
    snprintf(equity, sizeof equity, "\"equity\":\"%.2f\"", 100000 + (double)connection->user);
    int is_right = !strncmp(connection->input + 9, "200", 3) && !strstr(body, "\"errors\"") &&
        (!operations[connection->operation].has_equity || strstr(body, equity));
    if (is_right) return;
    if (failures++ < 3)
        fprintf(stderr, "user %d: %.*s\n", connection->user, 600, body);
}

// Whether the response is complete.
static int receive(struct connection *connection) {
    ssize_t count = read(connection->fd, connection->input + connection->length, (size_t)(INPUT - 1 - connection->length));
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return 0;
        fprintf(stderr, "load: the server has closed a connection\n");
        exit(1);
    }
    connection->length += (int)count;
    connection->input[connection->length] = 0;
    char *end = strstr(connection->input, "\r\n\r\n");
    char *size = end ? strcasestr(connection->input, "\r\ncontent-length:") : NULL;
    if (!size || connection->length < end + 4 - connection->input + atol(size + 17)) return 0;
    uint64_t time = now(), took = (time - connection->begun) / 1000;
    check(connection, end + 4);
    free_from[connection->user] = time + pause_time;
    if (is_measuring) {
        responses++;
        latencies[(took < MAX_LATENCY_US ? took : MAX_LATENCY_US) / 10]++;
    }
    return 1;
}

static double percentile(double share) {
    long rank = (long)((double)responses * share), sum = 0;
    for (int index = 0; index <= MAX_LATENCY_US / 10; index++)
        if ((sum += latencies[index]) > rank) return index / 100.0;
    return 0;
}

static void run(struct connection *connections, int count, uint64_t end) {
    struct epoll_event events[256];
    while (now() < end) {
        int idle = 0, ready = epoll_wait(poller, events, 256, 1);
        for (int index = 0; index < ready; index++)
            if (receive(events[index].data.ptr)) ask_next(events[index].data.ptr, now());
        for (int index = 0; index < count; index++) idle += connections[index].is_idle;
        for (int index = 0; idle && index < count; index++)
            if (connections[index].is_idle) ask_next(&connections[index], now());
    }
}

// Asks each user once with the first operation, so that sessions and connections are known.
static void ask_all(struct connection *connections, int count) {
    struct epoll_event events[256];
    int next = 0, open = 0;
    for (int index = 0; index < count && next < user_count; index++, open++) ask(&connections[index], next++, 0, now());
    while (open) {
        int ready = epoll_wait(poller, events, 256, -1);
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!receive(connection)) continue;
            if (next < user_count)
                ask(connection, next++, 0, now());
            else
                open--, connection->is_idle = 1;
        }
    }
}

int main(int count, char **arguments) {
    if (count < 10) return 2;
    port = atoi(arguments[1]);
    int connection_count = atoi(arguments[3]), broker = atoi(arguments[7]), pid = atoi(arguments[8]);
    double seconds = atof(arguments[4]);
    pause_time = (uint64_t)atol(arguments[5]) * 1000000;
    is_random = !strcmp(arguments[6], "random");
    for (int index = 9; index < count && operation_count < MAX_OPERATIONS; index++) {
        struct operation *operation = &operations[operation_count++];
        operation->weight = atoi(arguments[index]);
        operation->body = content(strchr(arguments[index], ':') + 1);
        operation->length = (int)strlen(operation->body);
        operation->has_equity = strstr(operation->body, "equity") != NULL;
        total_weight += operation->weight;
    }
    tokens = lines(arguments[2], &user_count);
    free_from = calloc((size_t)user_count, sizeof *free_from);
    poller = epoll_create1(0);
    struct connection *connections = calloc((size_t)connection_count, sizeof *connections);
    for (int index = 0; index < connection_count; index++) {
        connections[index] = (struct connection){.fd = dial(port), .is_idle = 1, .input = malloc(INPUT)};
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[index]};
        epoll_ctl(poller, EPOLL_CTL_ADD, connections[index].fd, &event);
    }
    ask_all(connections, connection_count);
    run(connections, connection_count, now() + 2000000000);
    long calls = broker_calls(broker);
    double work = processor_time(pid);
    uint64_t start = now();
    is_measuring = 1;
    run(connections, connection_count, start + (uint64_t)(seconds * 1e9));
    double took = (double)(now() - start) / 1e9;
    work = processor_time(pid) - work;
    calls = broker_calls(broker) - calls;
    printf("%.0f %.1f %.1f %.2f %.0f %ld %ld\n", (double)responses / took, percentile(0.5), percentile(0.99),
        (double)calls / (double)(responses ? responses : 1), work / (double)(responses ? responses : 1), failures, starved);
    return failures != 0;
}
