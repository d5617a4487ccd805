package import Redis

/// The merge of clients' rate limits among replicas.
///
/// For each client, Redis stores the time at which its bucket will be full again, by its own clock. A replica adds what the
/// client spent there, and gets the time that follows for all replicas, as a duration from now: clocks of replicas have no
/// effect. The keys contain hashes of addresses and tokens under a secret key.
package struct RedisLimitMerge: Sendable {
    /// The most clients in one script; the server executes no other command meanwhile.
    private static let scriptClients = 256

    /// Adds to each time, and returns the durations from now until the new times, in microseconds.
    ///
    /// A value that is no number counts as a full bucket.
    private static let script = """
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local debts = {}
        for i, key in ipairs(KEYS) do
            local full = math.max(tonumber(redis.call('GET', key) or '0') or 0, now) + tonumber(ARGV[i])
            redis.call('SET', key, string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000) + 1)
            debts[i] = full - now
        end
        return debts
        """

    private let client: RedisClient
    private let keyspace: RedisKeyspace

    package init(_ client: RedisClient, _ keyspace: RedisKeyspace) {
        self.client = client
        self.keyspace = keyspace
    }

    /// Adds what clients spent, and returns the time until each bucket will be full again.
    ///
    /// - Parameter spent: For each client, by its name, the time by which it is ahead of its rate.
    /// - Returns: The time from now, by the names of the clients.
    /// - Throws: The failure of Redis; some amounts may have been added.
    package func add(_ spent: [String: Duration]) async throws(RedisFailure) -> [String: Duration] {
        let clients = Array(spent)
        var debts: [String: Duration] = [:]
        for start in stride(from: 0, to: clients.count, by: Self.scriptClients) {
            let part = clients[start..<min(start + Self.scriptClients, clients.count)]
            let reply = try await client.send([
                RedisCommand(
                    script: Self.script, keys: part.map { keyspace.name("limit", $0.key) },
                    arguments: part.map { "\($0.value.wholeMicroseconds)" })
            ])
            guard case .array(let times)? = reply.first else {
                if case .error(let code)? = reply.first { throw .refused(code: code) }
                throw .protocolViolation(.badNumber)
            }
            for (client, time) in zip(part, times) {
                if let microseconds = time.integer, microseconds > 0 {
                    debts[client.key] = .microseconds(microseconds)
                }
            }
        }
        return debts
    }
}

extension Duration {
    /// Whole microseconds, rounded up; at most a day, which is longer than the time of any limit.
    fileprivate var wholeMicroseconds: Int64 {
        let bounded = min(max(self, .zero), .seconds(86_400))
        let (seconds, attoseconds) = bounded.components
        return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }
}
