import Dispatch
import NIOCore
import NIOPosix
import Testing
import Web

@Suite("The jobs of clients without a named user")
struct FairSchedulerTests {
    @Test("run in turn, one job of each address")
    func turns() async throws {
        let thread = NIOThreadPool(numberOfThreads: 1)
        thread.start()
        let scheduler = FairScheduler(threads: thread)
        let (flooding, other) = (address(1), address(2))
        let gate = DispatchSemaphore(value: 0)
        let order = await withTaskGroup(of: ClientAddress.self) { group in
            // The job occupies the thread until the other jobs are queued.
            group.addTask(executorPreference: scheduler.executor(for: .address(flooding))) {
                Self.pass(gate)
                return flooding
            }
            for client in Array(repeating: flooding, count: 100) + [other] {
                group.addTask(executorPreference: scheduler.executor(for: .address(client))) { client }
            }
            gate.signal()
            return await group.reduce(into: []) { $0.append($1) }
        }
        // The first job, and possibly one that was started before the other address had a job.
        #expect(order.prefix(3).contains(other))
        #expect(order.count == 102)
        try await thread.shutdownGracefully()
    }

    @Test("are those of clients with an address and without a user")
    func clients() {
        let scheduler = FairScheduler()
        #expect(scheduler.executor(for: .address(address(1))) != nil)
        #expect(scheduler.executor(for: .user("ann")) == nil)
        #expect(scheduler.executor(for: nil) == nil)
    }

    private func address(_ last: Int) -> ClientAddress {
        ClientAddress(try? SocketAddress(ipAddress: "203.0.113.\(last)", port: 1))
    }

    private static func pass(_ gate: DispatchSemaphore) { gate.wait() }
}
