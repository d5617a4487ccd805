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
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

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

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint32_t random_number(void) {
    static uint64_t state = 0x9E3779B97F4A7C15;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(state >> 33);
}

static int dial(int to) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)to), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
        perror("load: connect");
        exit(1);
    }
    return fd;
}

// MARK: The broker and the server

static long broker_calls(int broker) {
    const char *request = "GET /counts HTTP/1.1\r\nHost: broker\r\n\r\n";
    char text[2048] = "";
    int fd = dial(broker);
    size_t length = 0;
    ssize_t count = write(fd, request, strlen(request));
    while (count > 0 && !strchr(text, '}') && length < sizeof text - 1) {
        count = read(fd, text + length, sizeof text - 1 - length);
        if (count > 0) text[length += (size_t)count] = 0;
    }
    close(fd);
    const char *names[] = {"\"account\":", "\"positions\":", "\"quotes\":", "\"other\":"};
    long sum = 0;
    for (int index = 0; index < 4; index++) {
        char *found = strstr(text, names[index]);
        if (found) sum += atol(found + strlen(names[index]));
    }
    return sum;
}

// Microseconds of processor time that a process has used, with all its threads.
static double processor_time(int pid) {
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    size_t count = fread(text, 1, sizeof text - 1, file);
    text[count] = 0;
    fclose(file);
    unsigned long user = 0, system = 0;
    char *rest = strrchr(text, ')');
    if (rest) sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return (double)(user + system) * 1e6 / (double)sysconf(_SC_CLK_TCK);
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

static char *content(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length = getdelim(&text, &capacity, 0, file);
    fclose(file);
    if (length < 0) exit(1);
    return text;
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
    char *text = content(arguments[2]);
    for (char *token = strtok(text, "\n"); token; token = strtok(NULL, "\n")) {
        tokens = realloc(tokens, sizeof *tokens * (size_t)(user_count + 1));
        tokens[user_count++] = token;
    }
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
