// libpq, the client library of PostgreSQL. Debian's package has its headers in a directory of their own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// A message that a server sends beside a result, which libpq would print.
static inline void cpq_ignore_notice(void *context, const PGresult *result) {}

static inline void cpq_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, cpq_ignore_notice, 0);
}

// The five characters of the class and kind of an error; null if the server did not send it.
static inline const char *cpq_sql_state(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}
