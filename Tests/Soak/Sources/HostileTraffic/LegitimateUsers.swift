import Dispatch
import Synchronization
import TestSupport

/// Users with sessions, each connected with a broker, who repeatedly open the home screen during the attack.
package final class LegitimateUsers: Sendable {
    /// The users' results.
    package struct Result: Sendable {
        package var latencies: [Duration] = []
        package var signIns: [Duration] = []
        package var failures: [String] = []

        /// Returns the latency of the screens that a part of them did not exceed.
        ///
        /// - Parameter share: The part, at least 0 and below 1.
        /// - Returns: The latency; zero without screens.
        package func quantile(_ share: Double) -> Duration {
            let sorted = latencies.sorted()
            return sorted.isEmpty ? .zero : sorted[Int(Double(sorted.count) * share)]
        }
    }

    private struct User {
        let number: Int
        let name: String
        let token: String
        let address: String
    }

    private static let password = "the-password-of-a-user"
    /// The time between two screens of a user.
    ///
    /// With three calls for each screen, a user stays below Alpaca's limit of 200 calls a minute; at the
    /// limit, users wait with or without an attack.
    private static let interval = Duration.milliseconds(1_500)
    private static let home = """
        { account { equity cash stale } positions { symbol quantity marketValue stale quote { price stale } } }
        """

    private let port: Int
    private let users: [User]

    /// Signs the users up, and connects each with a broker.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - connecting: For each user, the mutation that connects them with a broker.
    /// - Throws: An error if a user cannot sign up or connect.
    package init(port: Int, connecting: [String]) async throws {
        self.port = port
        var users: [User] = []
        for (number, connect) in connecting.enumerated() {
            let address = "X-Forwarded-For: 192.0.2.\(1 + number)"
            let client = try RawClient(port: port)
            defer { client.close() }
            let name = number == 0 ? HostileRequests.knownUser : "legitimate-\(number)"
            let signedUp = try await Self.data(
                "mutation { signUp(input: { username: \"\(name)\" password: \"\(Self.password)\" }) { token } }",
                [address], client)
            guard let token = signedUp["signUp"]?["token"]?.string else {
                throw UserFailure(description: "no token: \(signedUp)")
            }
            let user = User(number: number, name: name, token: token, address: address)
            _ = try await Self.data(connect, [address, "Authorization: Bearer \(token)"], client)
            users.append(user)
        }
        self.users = users
    }

    /// Like ``work(_:)``, for a time.
    package func work(for duration: Duration) async -> Result {
        let end = ContinuousClock.now + duration
        return await work { ContinuousClock.now < end }
    }

    /// Opens the screen of each user at a steady rate until `shouldContinue` returns false; users sign in again at
    /// intervals.
    package func work(_ shouldContinue: @escaping @Sendable () -> Bool) async -> Result {
        await withTaskGroup(of: Result.self) { group in
            // On the global executor, the providers of the same process would delay the measured times.
            let executor = QueueExecutor()
            let start = ContinuousClock.now
            for (number, user) in users.enumerated() {
                let first = start + Self.interval * number / users.count
                group.addTask(executorPreference: executor) { [self] in
                    await work(user, from: first, shouldContinue)
                }
            }
            var all = Result()
            for await result in group {
                all.latencies += result.latencies
                all.signIns += result.signIns
                all.failures += result.failures
            }
            return all
        }
    }

    private func work(_ user: User, from first: ContinuousClock.Instant, _ shouldContinue: () -> Bool) async
        -> Result
    {
        var result = Result()
        let fields = [user.address, "Authorization: Bearer \(user.token)"]
        var (client, next, screens) = (RawClient?.none, first, 0)
        while shouldContinue() {
            // A screen that starts late because of the previous one takes longer for its user.
            let isLate = next < .now
            try? await Task.sleep(until: next, clock: .continuous)
            let due = isLate ? next : .now
            next += Self.interval
            do {
                let connected = try client ?? RawClient(port: port, patience: 60)
                client = connected
                try check(try await Self.data(Self.home, fields, connected))
                result.latencies.append(due.duration(to: .now))
                screens += 1
                // The users do this at different times.
                if screens % 20 == user.number % 20 {
                    let start = ContinuousClock.now
                    try await signIn(user, connected)
                    result.signIns.append(start.duration(to: .now))
                    // The time of the sign-in does not count as a delay of the screens.
                    next = max(next, .now)
                }
                // A client reads for five minutes at most.
                if screens % 100 == 0 { client = nil }
            } catch {
                result.failures.append("\(user.name): \(error)")
                client = nil
            }
        }
        return result
    }

    /// - Throws: An error if a part of the screen is missing or stale.
    private func check(_ screen: JSONValue) throws {
        let positions = screen["positions"]?.elements ?? []
        let parts = [screen["account"]] + positions + positions.map { $0["quote"] }
        let isComplete =
            screen["account"]?["equity"]?.string != nil && !positions.isEmpty
            && parts.allSatisfy { $0?["stale"] == .bool(false) }
        guard isComplete else { throw UserFailure(description: "an incomplete screen: \(screen)") }
    }

    private func signIn(_ user: User, _ client: RawClient) async throws {
        let begun = try await Self.data(
            "mutation { signIn(input: { username: \"\(user.name)\" password: \"\(Self.password)\" }) { token } }",
            [user.address], client)
        guard let token = begun["signIn"]?["token"]?.string else {
            throw UserFailure(description: "no token: \(begun)")
        }
        _ = try await Self.data(
            "mutation { signOut { deletedId } }", [user.address, "Authorization: Bearer \(token)"], client)
    }

    /// - Throws: An error if the response has errors.
    private static func data(
        _ document: String, _ fields: [String], _ client: RawClient
    ) async throws -> JSONValue {
        try await client.send(RawRequest.post(RawRequest.query(document), fields: fields))
        let response = try await client.response()
        guard response.status == 200, let json = response.json, json["errors"] == nil, let data = json["data"]
        else { throw UserFailure(description: "\(document): \(response.status) \(response.body)") }
        return data
    }
}

/// Runs tasks on a thread of their own.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "legitimate users", qos: .userInteractive)

    func enqueue(_ job: consuming ExecutorJob) {
        // An executor must run each job exactly once. The compiler cannot check this for the closure, which
        // is called once.
        let job = UnownedJob(job)
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

private struct UserFailure: Error, CustomStringConvertible {
    let description: String
}
