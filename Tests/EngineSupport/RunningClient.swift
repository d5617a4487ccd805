import Foundation
package import NIOCore
import NIOPosix
import PorticoCore
package import Redis
import Synchronization
import TestSupport

/// A client that keeps its connection for as long as a test needs it, with the changes that it reported.
package final class RunningClient: Sendable {
    package let client: RedisClient
    private let reported: Changes

    /// The reported changes, in order.
    private final class Changes: Sendable {
        let list = Mutex<[RedisClient.Change]>([])
    }

    /// Long enough for a machine with many tests; the tests of time limits set their own.
    package static var limits: RedisClient.Limits {
        var limits = RedisClient.Limits()
        limits.reply = .seconds(30)
        limits.connect = .seconds(30)
        limits.breaker.pause = .milliseconds(5)
        limits.breaker.maximumPause = .milliseconds(20)
        return limits
    }

    private init(_ url: String, _ limits: RedisClient.Limits, _ group: any EventLoopGroup) throws {
        let reported = Changes()
        self.reported = reported
        client = RedisClient(try RedisURL(url), limits, on: group) { change in
            reported.list.withLock { $0.append(change) }
        }
    }

    package var changes: [RedisClient.Change] { reported.list.withLock { $0 } }

    package func waitForChanges(_ count: Int) async throws {
        try await waitUntil { changes.count >= count }
    }

    /// Runs a test with a client, whose connection is closed afterwards; by default it is open at the begin.
    package static func with<Value>(
        _ url: String, _ limits: RedisClient.Limits = limits, waitsForConnection: Bool = true,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        _ body: (RunningClient) async throws -> Value
    ) async throws -> Value {
        let running = try RunningClient(url, limits, group)
        let task = Task { await running.client.run() }
        let result = await Result.of {
            if waitsForConnection { try await waitUntil { running.client.isUp } }
            return try await body(running)
        }
        task.cancel()
        await task.value
        return try result.get()
    }
}

extension RedisCommand {
    /// A command of words with spaces between them.
    package init(line: String) { self.init(line.split(separator: " ").map(String.init)) }
}

extension RESPValue {
    package var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}
