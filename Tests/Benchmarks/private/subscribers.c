// Users with open subscriptions, each with one WebSocket (graphql-transport-ws) on which all its operations run.
//
//   subscribers PORT BROKER_PORT PID TOKENS SECONDS FILE …
//   subscribers PORT BROKER_PORT PID TOKENS first:OUT FILE …
//
// TOKENS has one token a line; the number of the line is the user's number at the broker. FILE is the JSON of a subscription;
// one with `$symbols` gets the symbols of the user's positions. Fifty connections are opened a second, so that the polls of
// the servers, every five seconds, are spread evenly. The measurement begins when each user has the first values.
//
// Printed are events a second, bytes of an event's message, processor time of the process PID for an event in microseconds
// (user and system) and for the opening of a user's subscriptions in milliseconds, the broker's calls a second, the resident
// memory in KiB, and failures: events with errors, ended subscriptions, and users without an event.
//
// `first:OUT` writes the first events of each subscription to OUT, so that two servers can be compared: repeated events are left
// out, since a server may read a value twice at first, and the order in which a server sends what it knows is its own.
#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>

#include "market.h"
#include "measure.h"

enum { INPUT = 64 << 10, MAX_OPERATIONS = 4, FIRST = HELD + 5, MESSAGE = 4 << 10 };

struct user {
    int fd, is_upgraded, length;
    long events;
    char *input;
    int first_count[MAX_OPERATIONS];
    char *first[MAX_OPERATIONS][FIRST];
};

static struct user *users;
static char **tokens, *operations[MAX_OPERATIONS];
static int user_count, operation_count, poller, port, is_comparing;
static long events, bytes, failures;

// Sends a text message with the mask 0, which leaves the bytes as they are.
static void send_frame(struct user *user, int opcode, const char *text, size_t length) {
    char frame[MESSAGE + 8] = {(char)(0x80 | opcode)};
    size_t head = length < 126 ? 6 : 8;
    if (length > MESSAGE) abort();
    frame[1] = (char)(0x80 | (length < 126 ? length : 126));
    if (length >= 126) {
        frame[2] = (char)(length >> 8);
        frame[3] = (char)length;
    }
    memcpy(frame + head, text, length);
    if (write(user->fd, frame, head + length) != (ssize_t)(head + length)) {
        perror("subscribers: write");
        exit(1);
    }
}

static void send_text(struct user *user, const char *text) { send_frame(user, 1, text, strlen(text)); }

static void subscribe(struct user *user, int operation) {
    char message[MESSAGE], list[512] = "";
    long number = user - users;
    const char *body = operations[operation];
    for (int place = 0; place < HELD; place++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s\"%s\"", place ? "," : "", symbols[held_symbol(number, place)]);
    }
    int length = (int)strlen(body);
    while (length && body[length - 1] != '}') length--;
    if (strstr(body, "$symbols"))
        snprintf(message, sizeof message, "{\"id\":\"%d\",\"type\":\"subscribe\",\"payload\":%.*s,\"variables\":{\"symbols\":[%s]}}}",
            operation, length - 1, body, list);
    else
        snprintf(message, sizeof message, "{\"id\":\"%d\",\"type\":\"subscribe\",\"payload\":%.*s}", operation, length, body);
    send_text(user, message);
}

// MARK: Events

// Keeps an event if it is one of the first that differ.
static void keep(struct user *user, int operation, const char *payload) {
    int *count = &user->first_count[operation];
    for (int index = 0; index < *count; index++)
        if (!strcmp(user->first[operation][index], payload)) return;
    if (*count < FIRST) user->first[operation][(*count)++] = strdup(payload);
}

static void fail(struct user *user, const char *message) {
    if (failures++ < 3) fprintf(stderr, "user %ld: %.600s\n", (long)(user - users), message);
}

static void handle(struct user *user, const char *message) {
    const char *id = strstr(message, "\"id\":\""), *payload = strstr(message, "\"payload\":");
    if (strstr(message, "\"type\":\"next\"") && id && payload) {
        events++;
        bytes += (long)strlen(message);
        user->events++;
        if (strstr(payload, "\"errors\"")) fail(user, message);
        if (is_comparing) keep(user, atoi(id + 6), payload);
    } else if (strstr(message, "\"type\":\"connection_ack\"")) {
        for (int operation = 0; operation < operation_count; operation++) subscribe(user, operation);
    } else if (strstr(message, "\"type\":\"ping\"")) {
        send_text(user, "{\"type\":\"pong\"}");
    } else {
        fail(user, message);
    }
}

// Handles a frame of the server; the number of its bytes, 0 if it is not complete.
static int take_frame(struct user *user, unsigned char *frame, int available) {
    int head = 2, length = available < 2 ? 0 : frame[1];
    if (available < 2) return 0;
    if (length == 126) {
        head = 4;
        if (available < head) return 0;
        length = frame[2] << 8 | frame[3];
    } else if (length == 127) {
        head = 10;
        if (available < head) return 0;
        length = frame[6] << 24 | frame[7] << 16 | frame[8] << 8 | frame[9];
    }
    if (available < head + length) return 0;
    char *text = (char *)frame + head, next = text[length];
    text[length] = 0;
    switch (frame[0] & 15) {
        case 1: handle(user, text); break;
        case 9: send_frame(user, 10, text, (size_t)length); break;
        case 8: fail(user, length > 2 ? text + 2 : "closed"); break;
        default: break;
    }
    text[length] = next;
    return head + length;
}

static int take_head(struct user *user, char *text, int available) {
    char *end = memmem(text, (size_t)available, "\r\n\r\n", 4);
    if (!end) return 0;
    if (strncmp(text, "HTTP/1.1 101", 12)) {
        fprintf(stderr, "subscribers: %.*s\n", available, text);
        exit(1);
    }
    char message[512];
    user->is_upgraded = 1;
    snprintf(message, sizeof message, "{\"type\":\"connection_init\",\"payload\":{\"Authorization\":\"Bearer %s\"}}",
        tokens[user - users]);
    send_text(user, message);
    return (int)(end + 4 - text);
}

static void receive(struct user *user) {
    ssize_t count = read(user->fd, user->input + user->length, (size_t)(INPUT - 1 - user->length));
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return;
        fprintf(stderr, "subscribers: the server has closed a connection\n");
        exit(1);
    }
    user->length += (int)count;
    int used = 0, taken;
    do {
        char *text = user->input + used;
        int available = user->length - used;
        taken = user->is_upgraded ? take_frame(user, (unsigned char *)text, available) : take_head(user, text, available);
        used += taken;
    } while (taken);
    user->length -= used;
    memmove(user->input, user->input + used, (size_t)user->length);
}

static void run(uint64_t end) {
    struct epoll_event ready[256];
    for (uint64_t time = now(); time < end; time = now()) {
        int count = epoll_wait(poller, ready, 256, (int)((end - time) / 1000000) + 1);
        for (int index = 0; index < count; index++) receive(ready[index].data.ptr);
    }
}

static void open_connection(struct user *user) {
    char request[512];
    int length = snprintf(request, sizeof request,
        "GET /graphql HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n",
        port);
    *user = (struct user){.fd = dial(port), .input = malloc(INPUT)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = user};
    epoll_ctl(poller, EPOLL_CTL_ADD, user->fd, &event);
    if (!user->input || write(user->fd, request, (size_t)length) != length) exit(1);
}

static int have_all_begun(void) {
    for (int number = 0; number < user_count; number++)
        if (users[number].events < (long)operation_count * HELD) return 0;
    return 1;
}

static int order(const void *one, const void *other) { return strcmp(*(char *const *)one, *(char *const *)other); }

// The events of the first read in the order of their texts, since that of the server is its own, then the others.
static int write_first(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    for (int number = 0; number < user_count; number++)
        for (int operation = 0; operation < operation_count; operation++) {
            struct user *user = &users[number];
            int count = user->first_count[operation];
            if (count < FIRST) fail(user, "too few events");
            qsort(user->first[operation], (size_t)(count < HELD ? count : HELD), sizeof(char *), order);
            for (int index = 0; index < count; index++) fprintf(file, "%d %s\n", number, user->first[operation][index]);
        }
    return fclose(file) || failures;
}

int main(int count, char **arguments) {
    if (count < 7) return 2;
    int broker = atoi(arguments[2]), pid = atoi(arguments[3]);
    port = atoi(arguments[1]);
    tokens = lines(arguments[4], &user_count);
    is_comparing = !strncmp(arguments[5], "first:", 6);
    for (int index = 6; index < count && operation_count < MAX_OPERATIONS; index++)
        operations[operation_count++] = content(arguments[index]);
    users = calloc((size_t)user_count, sizeof *users);
    poller = epoll_create1(0);
    uint64_t start = now();
    double work = processor_time(pid);
    for (int number = 0; number < user_count; number++) {
        run(start + (uint64_t)number * 20000000);
        open_connection(&users[number]);
    }
    if (is_comparing) {
        run(now() + 10000000000);
        return write_first(arguments[5] + 6);
    }
    while (!have_all_begun() && now() < start + 180000000000) run(now() + 100000000);
    double opened = (processor_time(pid) - work) / 1000 / (double)user_count;
    run(now() + 5000000000);
    long calls = broker_calls(broker);
    for (int number = 0; number < user_count; number++) users[number].events = 0;
    work = processor_time(pid);
    events = bytes = 0;
    start = now();
    run(start + (uint64_t)(atof(arguments[5]) * 1e9));
    double took = (double)(now() - start) / 1e9, all = (double)(events ? events : 1);
    work = processor_time(pid) - work;
    calls = broker_calls(broker) - calls;
    for (int number = 0; number < user_count; number++)
        if (!users[number].events) fail(&users[number], "no event");
    printf("%.0f %.0f %.1f %.2f %.0f %ld %ld\n", (double)events / took, (double)bytes / all, work / all, opened,
        (double)calls / took, resident_memory(pid), failures);
    return failures != 0;
}
