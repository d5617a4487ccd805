package import Redis

/// The report of a replica to the others that it runs, and whether it reaches the database.
package struct RedisHeartbeat: Sendable {
    /// The replicas that reported within ``lifetime``, without this one.
    package struct Peers: Hashable, Sendable {
        package let count: Int
        /// Those that reach the database.
        package let countWithDatabase: Int

        /// Creates the counts; a server may report any number, and they are safe in sums.
        package init(count: Int, countWithDatabase: Int) {
            func safe(_ count: Int) -> Int { min(max(count, 0), 1_000_000) }
            (self.count, self.countWithDatabase) = (safe(count), safe(countWithDatabase))
        }
    }

    /// The time after which a replica that does not report counts as ended, by the clock of Redis.
    package static let lifetime = Duration.seconds(3)
    /// The time between two reports.
    package static let interval = Duration.seconds(1)

    /// Records this replica in two sorted sets by time, removes expired ones, and counts the others.
    private static let script = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local counts = {}
        for i, key in ipairs(KEYS) do
            if ARGV[i + 2] == '1' then redis.call('ZADD', key, now, ARGV[1])
            else redis.call('ZREM', key, ARGV[1]) end
            redis.call('ZREMRANGEBYSCORE', key, '-inf', now - ARGV[2])
            redis.call('PEXPIRE', key, ARGV[2])
            counts[i] = redis.call('ZCARD', key) - ARGV[i + 2]
        end
        return counts
        """

    private let client: RedisClient
    private let keyspace: RedisKeyspace
    /// The id of this replica, which differs after each start.
    private let id: String

    package init(_ client: RedisClient, _ keyspace: RedisKeyspace, id: String) {
        self.client = client
        self.keyspace = keyspace
        self.id = id
    }

    /// Reports this replica, and returns the others.
    package func report(reachesDatabase: Bool) async throws(RedisFailure) -> Peers {
        let reply = try await client.send([
            RedisCommand(
                script: Self.script, keys: names,
                arguments: [id, "\(Self.lifetime.wholeMilliseconds)", "1", reachesDatabase ? "1" : "0"])
        ])
        guard case .array(let counts)? = reply.first, counts.count == 2, let all = counts[0].integer,
            let withDatabase = counts[1].integer
        else {
            if case .error(let code)? = reply.first { throw .refused(code: code) }
            throw .protocolViolation(.badNumber)
        }
        return Peers(count: Int(clamping: all), countWithDatabase: Int(clamping: withDatabase))
    }

    /// Reports that this replica has ended.
    package func leave() async {
        // If Redis fails, the report expires.
        _ = try? await client.send(names.map { RedisCommand(["ZREM", $0, id]) })
    }

    private var names: [String] { [keyspace.name("replicas"), keyspace.name("replicas-with-database")] }
}
