// What the programs that load a server share: the clock, connections, and what the server and the broker have used.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static inline int dial(int to) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)to), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
        perror("connect");
        exit(1);
    }
    return fd;
}

// The number of calls that the broker has received.
static inline long broker_calls(int broker) {
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

static inline size_t read_process_file(int pid, const char *name, char *text, size_t capacity) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    FILE *file = fopen(path, "r");
    size_t count = file ? fread(text, 1, capacity - 1, file) : 0;
    text[count] = 0;
    if (file) fclose(file);
    return count;
}

// Microseconds of processor time that a process has used, with all its threads.
static inline double processor_time(int pid) {
    char text[1024];
    read_process_file(pid, "stat", text, sizeof text);
    unsigned long user = 0, system = 0;
    char *rest = strrchr(text, ')');
    if (rest) sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return (double)(user + system) * 1e6 / (double)sysconf(_SC_CLK_TCK);
}

// The resident memory of a process in KiB.
static inline long resident_memory(int pid) {
    char text[4096];
    read_process_file(pid, "status", text, sizeof text);
    char *found = strstr(text, "VmRSS:");
    return found ? atol(found + 6) : 0;
}

static inline char *content(const char *path) {
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

// The lines of a file.
static inline char **lines(const char *path, int *count) {
    char **found = NULL;
    *count = 0;
    for (char *line = strtok(content(path), "\n"); line; line = strtok(NULL, "\n")) {
        found = realloc(found, sizeof *found * (size_t)(*count + 1));
        found[(*count)++] = line;
    }
    return found;
}
