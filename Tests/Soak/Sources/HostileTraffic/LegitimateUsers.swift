import Dispatch
import Synchronization
import TestSupport

/// Users with sessions, each connected with a broker, who repeatedly open the home screen during the attack.
package final class LegitimateUsers: Sendable {
    /// The users' results.
    package struct Result: Sendable {
        package var latencies: [Duration] = []
        package var failures: [String] = []

        /// The latency that 99 of 100 screens did not exceed.
        package var p99: Duration {
            let sorted = latencies.sorted()
            return sorted.isEmpty ? .zero : sorted[sorted.count * 99 / 100]
        }
    }

    private struct User {
        let name: String
        let token: String
        let address: String
    }

    private static let password = "the-password-of-a-user"
    private static let home = """
        { account { equity cash stale } positions { symbol quantity marketValue stale quote { price change stale } } }
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
            let user = User(name: name, token: token, address: address)
            _ = try await Self.data(connect, [address, "Authorization: Bearer \(token)"], client)
            users.append(user)
        }
        self.users = users
    }

    /// Each user opens the screen at a steady rate until `goesOn` returns false, and signs in again at
    /// intervals.
    package func work(_ goesOn: @escaping @Sendable () -> Bool) async -> Result {
        await withTaskGroup(of: Result.self) { group in
            // On the global executor, the providers of the same process would delay the measured moments.
            let executor = QueueExecutor()
            for user in users {
                group.addTask(executorPreference: executor) { [self] in await work(user, goesOn) }
            }
            var all = Result()
            for await result in group {
                all.latencies += result.latencies
                all.failures += result.failures
            }
            return all
        }
    }

    private func work(_ user: User, _ goesOn: () -> Bool) async -> Result {
        var result = Result()
        let fields = [user.address, "Authorization: Bearer \(user.token)"]
        var (client, next, screens) = (RawClient?.none, ContinuousClock.now, 0)
        while goesOn() {
            do {
                let connected = try client ?? RawClient(port: port, patience: 60)
                client = connected
                let start = ContinuousClock.now
                _ = try await Self.data(Self.home, fields, connected)
                result.latencies.append(start.duration(to: .now))
                screens += 1
                if screens % 200 == 1 { try await signIn(user, connected) }
            } catch {
                result.failures.append("\(user.name): \(error)")
                client = nil
            }
            next = max(next + .milliseconds(100), .now - .seconds(1))
            try? await Task.sleep(until: next, clock: .continuous)
        }
        return result
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
        // An executor must run each job exactly once, which the compiler cannot follow into the closure: it is called once.
        let job = UnownedJob(job)
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

private struct UserFailure: Error, CustomStringConvertible {
    let description: String
}
