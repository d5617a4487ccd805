#!/usr/bin/env python3
"""Calculates the load of replicas, PostgreSQL, Redis, providers and network, and writes docs/scale-model.md.

    scale-model.py            writes the page
    scale-model.py --check    fails if the page differs

`COUNTED` has numbers of queries, which are read from the tables of docs/several-replicas.md. `MEASURED` has values that
were measured with prototypes on two shared cores over loopback, and one of the built executable, which is read from
docs/deployment.md. `ASSUMED` has the behavior of users and machines. Everything else on the page is calculated from them.
"""

import re
import sys

PAGE = "docs/scale-model.md"
TABLE = "docs/several-replicas.md"
DEPLOYMENT = "docs/deployment.md"


def documented(row, pattern, page=TABLE):
    """The number that the pattern finds behind the first cell of a row of a page."""
    with open(page, encoding="utf-8") as file:
        found = re.search(rf"^\| {re.escape(row)} \| {pattern}", file.read(), re.MULTILINE)
    if not found:
        sys.exit(f"{page} has no row \"{row}\" with this pattern: {pattern}")
    return int(found[1].replace(",", ""))


HOT = 'public response from the cache (`{ instrument(symbol: "AAPL") { name } }`)'

# name: (value, unit, source)
COUNTED = {
    "idle_statements": (documented("Statements without requests", "at most ([0-9,]+) a minute") / 60, "/s", "PostgreSQL statements of a replica without requests"),
    "idle_commands": (documented("Commands without requests", "about ([0-9]+) a second"), "/s", "Redis commands of a replica without requests"),
    "order_statements": (documented("new order", "([0-9]+), "), "", "PostgreSQL statements of an order"),
    "signin_statements": (documented("sign-in", "([0-9]+), "), "", "PostgreSQL statements of a sign-in"),
    "call_commands": (documented("public value from a provider, for each call", r"[0-9]+ \| ([0-9]+)"), "", "Redis commands of a public value that is read from a provider"),
    "begin_statements": (6, "", "statements of `begin`, by whose rate those of orders and sign-ins are estimated"),
}

MEASURED = {
    "hot_cpu": (documented(HOT, "[0-9,]+ a second, ([0-9]+) µs", DEPLOYMENT) / 1e6, "s", "CPU of a cached public response, of the built executable on one core ([sizing](deployment.md#sizing))"),
    "session_cpu": (43e-6, "s", "client's CPU of a session look-up in PostgreSQL"),
    "session_rate": (20_000, "/s", "session look-ups, 16 callers"),
    "begin_rate": (2_100, "/s", "`begin` of the order journal, 6 statements, with the row lock"),
    "quota_rate": (4_700, "/s", "quota statements, 8 callers, 64 accounts"),
    "quota_cpu": (60e-6, "s", "client's CPU of a quota statement"),
    "redis_get_rate": (59_000, "/s", "Redis GET of 10 KB, one connection, 16 callers"),
    "redis_set_rate": (60_000, "/s", "Redis SET of 10 KB"),
    "redis_script_rate": (42_000, "/s", "Redis scripts (GCRA), 16 callers"),
    "redis_cpu": (17e-6, "s", "client's CPU of a Redis GET of 10 KB"),
    "connections": (27, "", "PostgreSQL connections of 3 replicas, 9 each"),
}

ASSUMED = {
    "active": (0.05, "", "share of users that use the application at the same time"),
    "requests": (0.2, "/s", "requests of an active user (a screen every 5 s)"),
    "public": (0.7, "", "share of requests for public values only"),
    "private_cpu": (200e-6, "s", "CPU of a response with private values, which are cached for 2 s"),
    "private_calls": (0.3, "", "provider calls of such a request, on the user's own connection"),
    "orders": (0.002, "/s", "orders of an active user"),
    "signins": (1 / 28_800, "/s", "sign-ins of an active user (one in eight hours)"),
    "moves": (1 / 60, "/s", "first requests of a session at another replica, of an active user (one a minute)"),
    "symbols": (3_000, "", "public symbols in use, whatever the number of users"),
    "symbols_power": (0.25, "", "exponent by which this number grows with active users above 10,000"),
    "public_calls": (1 / 15, "/s", "reads of a symbol from its provider if it is in use"),
    "batch": (50, "", "symbols in one provider call"),
    "response": (4_000, "B", "bytes of a response, compressed, with its header"),
    "value": (400, "B", "bytes of a public value in Redis"),
    "core_share": (0.6, "", "share of a core that may be used in the peak"),
    "cores": (4, "", "cores of a replica"),
    "network": (125e6, "B/s", "network of the machine of a replica, and of Redis (1 Gbit/s)"),
    "server_quota": (1_000 / 60, "/s", "provider calls that the server's own credentials allow for public values"),
    "connection_quota": (200 / 60, "/s", "provider calls that the connection of one user allows"),
    "postgres_connections": (500, "", "connections that one PostgreSQL server serves well"),
}

CONNECTIONS = "PostgreSQL: connections"
REPLICAS = [1, 10, 100]
USERS = [10**4, 10**5, 10**6, 10**7]


def m(name):
    return MEASURED[name][0]


def c(name):
    return COUNTED[name][0]


def a(name):
    return ASSUMED[name][0]


def load(users, replicas):
    """The share of each resource that is used, by its name; 1 is its limit."""
    active = users * a("active")
    requests = active * a("requests")
    public, private = requests * a("public"), requests * (1 - a("public"))
    symbols = a("symbols") * max(1, active / 10_000) ** a("symbols_power")
    reads = symbols * a("public_calls")
    # With several replicas each reads a value once, by Redis or from the provider.
    shared_reads = reads * replicas if replicas > 1 else 0
    calls = reads / a("batch")
    private_calls = private * a("private_calls")
    orders, signins, moves = active * a("orders"), active * a("signins"), active * a("moves") * (replicas > 1)

    cpu = public * m("hot_cpu") + private * a("private_cpu")
    cpu += (calls + private_calls) * m("quota_cpu") + moves * m("session_cpu") + shared_reads * m("redis_cpu")
    # Several kinds of statements share one server: the sum of the shares of each rate.
    postgres = (calls + private_calls) / m("quota_rate") + moves / m("session_rate")
    statements = orders * c("order_statements") + signins * c("signin_statements")
    postgres += statements / c("begin_statements") / m("begin_rate") + replicas * c("idle_statements") / m("session_rate")
    # A read from a provider is a SET of the value, and look-ups and claims.
    redis = shared_reads / m("redis_get_rate") + reads * (replicas > 1) / m("redis_set_rate")
    redis += (reads * (c("call_commands") - 1) + replicas * c("idle_commands")) * (replicas > 1) / m("redis_get_rate")
    # A merge of each active client at each replica that it used, at most four a second.
    merges = min(requests, 4 * active) * (replicas > 1)
    redis += merges / m("redis_script_rate")
    return {
        "replica: CPU": cpu / (replicas * a("cores") * a("core_share")),
        "replica: network": requests * a("response") / replicas / a("network"),
        "PostgreSQL: statements": postgres,
        CONNECTIONS: replicas * m("connections") / 3 / a("postgres_connections"),
        "Redis: commands": redis,
        "Redis: network": (shared_reads + reads * (replicas > 1)) * a("value") / a("network"),
        "provider: server's quota": calls / a("server_quota"),
        "provider: quota of one user": a("requests") * (1 - a("public")) * a("private_calls") / a("connection_quota"),
    }


def limit(resource, replicas):
    """The number of users at which a resource reaches its limit; None below 10^12."""
    low, high = 1.0, 1e12
    if load(high, replicas)[resource] < 1:
        return None
    while high / low > 1.001:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if load(middle, replicas)[resource] < 1 else (low, middle)
    return low


def number(value):
    if value is None:
        return "none"
    for size, name in ((1e9, " billion"), (1e6, " million"), (1e3, ",000")):
        if value >= size:
            scaled = value / size
            if name == ",000":
                return f"{round(value, -3):,.0f}"
            return (f"{scaled:.1f}" if scaled < 10 else f"{scaled:.0f}") + name
    return f"{value:.0f}"


def share(value):
    text = f"{value:.0%}" if value >= 0.01 else f"{value:.1%}" if value >= 0.001 else "< 0.1%"
    return f"**{text}**" if value >= 1 else text


def constants(values):
    lines = ["| value | unit | |", "|---|---|---|"]
    for value, unit, source in values.values():
        if unit == "s":
            text, unit = f"{value * 1e6:.0f}", "µs"
        elif value >= 1e6:
            text = f"{value:,.0f}"
        elif value < 0.1:
            text = f"{value:.2g}"
        else:
            text = f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"
        lines.append(f"| {text} | {unit} | {source} |")
    return lines


def page():
    lines = [
        "# Scale model",
        "",
        "<!-- Written by Scripts/scale-model.py; do not edit. -->",
        "",
        "How much load a number of users causes, and which part reaches its limit first, for 1 to 100 replicas. The inputs are of",
        "three kinds: **counted** values are numbers of queries of the built executable ([sizing](several-replicas.md#sizing)); **measured** values",
        "are of prototypes on two shared cores over loopback, with a disk that confirms a write in 0.12 ms, so that they give orders of",
        "magnitude, and the CPU of a response is of the built executable; **assumed** values are behavior of users and sizes of machines.",
        "All results are **extrapolated** from them by `Scripts/scale-model.py`; none was measured at these sizes.",
        "",
        "## Result",
        "",
    ]
    resources = list(load(1, 1))
    lines += ["Users at which each resource reaches its limit (extrapolated):", ""]
    lines += ["| resource | " + " | ".join(f"{count} replica{'s' * (count > 1)}" for count in REPLICAS) + " |"]
    lines += ["|---|" + "---|" * len(REPLICAS)]
    limits = {resource: [limit(resource, count) for count in REPLICAS] for resource in resources}
    del limits[CONNECTIONS]
    for resource, values in limits.items():
        lines.append(f"| {resource} | " + " | ".join(number(value) for value in values) + " |")
    most = int(a("postgres_connections") * 3 / m("connections"))
    lines += [
        "",
        "\"none\": the load of this resource does not grow with users. The connections of PostgreSQL grow with replicas only: with more",
        f"than {most} replicas they exceed {a('postgres_connections')}, so that `PORTICO_DATABASE_CONNECTIONS` must be reduced there. Fewer replicas are",
        "sufficient: PostgreSQL is the limit long before the CPU of that many replicas is used.",
        "",
    ]
    crossing = next(n for n in range(2, 1_000) if limit("Redis: commands", n) < limit("PostgreSQL: statements", n))
    firsts = []
    for index, count in enumerate(REPLICAS):
        reached = {name: values[index] for name, values in limits.items() if values[index] is not None}
        name = min(reached, key=reached.get)
        firsts.append(f"{'with ' if index else 'With '}{count} replica{'s' * (count > 1)} it is **{name}**, at {number(reached[name])} users")
    lines += ["The first limit: " + "; ".join(firsts).replace("With 1", "with 1") + ".", ""]
    lines += [
        "## What must be partitioned first",
        "",
        "1. **Replicas** need no partition: any replica serves any request, so that more of them are added until PostgreSQL is the",
        "   limit.",
        f"2. **PostgreSQL** is the first part that must be partitioned with up to {crossing - 1} replicas, **by user** (`user_id`). All rows of sessions, connections,",
        "   watchlists, goals, orders and quotas of a user's own connections belong to one user, and no transaction has rows of two. The",
        "   quotas of the server's own credentials, leases and the list of replicas are not of a user; they stay on one server,",
        "   whose load does not grow with users. Before that, a faster disk and more cores help, and session look-ups can be sent to a",
        "   synchronous standby.",
        f"3. **Redis** is the first limit from {crossing} replicas on, because each replica reads each value once: fewer replicas with more",
        "   cores reduce this. It is partitioned **by key** (a hash of the provider and the query). The merges of limits grow with",
        "   clients and are independent of each other, so that they can move to a server of their own first, **by client**.",
        "4. **The quota of the server's own credentials** cannot be partitioned: it bounds the number of public symbols, not of users.",
        "   More credentials, or a provider with a stream, raise it. Calls for private values use the quota of each user's connection,",
        "   so that they grow with users and reach no common limit.",
        "",
        "This is the order of the model. Portico implements no partition of PostgreSQL or Redis.",
        "",
        "## Load",
        "",
        "Used share of each resource (extrapolated); 100% is its limit, and bold values are above it.",
        "",
    ]
    for count in REPLICAS:
        lines += [f"### {count} replica{'s' * (count > 1)}", ""]
        lines += ["| resource | " + " | ".join(f"{number(users)} users" for users in USERS) + " |", "|---|" + "---|" * len(USERS)]
        columns = [load(users, count) for users in USERS]
        for resource in resources:
            lines.append(f"| {resource} | " + " | ".join(share(column[resource]) for column in columns) + " |")
        lines.append("")
    lines += ["## Inputs", "", "### Counted", "", *constants(COUNTED), "", "### Measured", "", *constants(MEASURED), "", "### Assumed", "", *constants(ASSUMED), ""]
    lines += [
        "Not in the model: the wait for a slower disk (at 5 ms for each confirmed write instead of 0.12 ms, one user's orders would",
        "run at about 100 per second, which is extrapolated, and those of different users in parallel), streamed prices (300,000",
        "deliveries a second were measured), and failures.",
    ]
    return "\n".join(lines) + "\n"


def main():
    text = page()
    if sys.argv[1:] == ["--check"]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != text:
                print(f"{PAGE} is not the result of Scripts/scale-model.py: run it.", file=sys.stderr)
                return 1
        return 0
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
