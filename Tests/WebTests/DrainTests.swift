import Logging
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import Web

@Suite("A server that stops")
struct DrainTests {
    @Test("finishes what is in flight, closes what is idle, and takes no more")
    func drains() async throws {
        let started = Event<Void>()
        let gate = Event<Void>()
        let service = TestService.make(later: {
            started.happen()
            await gate.wait()
        })
        try await withServer(service) { server in
            let idle = try server.client()
            try await idle.send(RawRequest.get("/health/live"))
            #expect(try await idle.response().status == 200)
            let busy = try server.client()
            try await busy.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            server.stop()
            #expect(try await idle.rest() == "")
            #expect(throws: RawClient.Failure.self) { try server.client() }
            gate.happen()
            let response = try await busy.response()
            #expect(response.body == #"{"data":{"slow":"done"}}"#)
            #expect(response["connection"] == "close")
            #expect(try await busy.rest() == "")
            busy.close()
            try await server.running.value
        }
    }

    @Test("answers a request whose body is still arriving")
    func drainsHalfRequest() async throws {
        try await withServer { server in
            let client = try server.client()
            let request = RawRequest.post(RawRequest.query("{ hello }"), fields: ["Expect: 100-continue"])
            try await client.send(String(request.dropLast(5)))
            #expect(try await client.response().status == 100)
            server.stop()
            #expect(throws: RawClient.Failure.self) { while true { _ = try server.client() } }
            try await client.send(String(request.suffix(5)))
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            #expect(try await client.rest() == "")
        }
    }

    @Test("cancels what is not finished when its time is over")
    func drainsWithinBound() async throws {
        var limits = ServerLimits()
        limits.drainTimeout = .milliseconds(50)
        let started = Event<Void>()
        let cancelled = Event<Void>()
        let service = TestService.make(later: {
            started.happen()
            try await waitForCancellation(telling: cancelled)
        })
        try await withServer(service, limits: limits) { server in
            let client = try server.client()
            try await client.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            server.stop()
            await cancelled.wait()
            #expect(try await client.rest() == "")
            try await server.running.value
        }
    }

    @Test("stops with the group of services that it runs in")
    func stopsWithGroup() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await Server.start(
            ServerConfiguration(port: 0), service: TestService.make(), logger: logger)
        let group = ServiceGroup(services: [server], logger: logger)
        let running = Task { try await group.run() }
        let client = try RawClient(port: server.port)
        try await client.send(RawRequest.get("/health/live"))
        #expect(try await client.response().status == 200)
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(try await client.rest() == "")
    }
}

@Suite("A server that cannot start")
struct StartTests {
    @Test("says where and why")
    func addressInUse() async throws {
        try await withServer { server in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let failure = await #expect(throws: ServerStartFailure.self) {
                try await Server.start(
                    ServerConfiguration(port: server.port), service: TestService.make(), logger: logger)
            }
            #expect(
                failure?.description
                    == "Cannot listen on 127.0.0.1 port \(server.port): Address already in use. "
                    + "Free it, or choose another; port 0 takes a free one.")
        }
    }
}
