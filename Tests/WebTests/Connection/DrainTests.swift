import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing
import Web

@Suite("A server that shuts down")
struct DrainTests {
    @Test("finishes requests in flight, closes idle connections, and refuses new requests")
    func drains() async throws {
        let (service, started, gate) = TestService.gated()
        try await withServer(service) { server in
            let idle = try server.client()
            try await idle.send(RawRequest.get("/health/live"))
            #expect(try await idle.response().status == 200)
            let busy = try server.client()
            try await busy.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            server.stop()
            #expect(try await idle.rest() == "")
            let refusal = try await server.ask(RawRequest.post(RawRequest.query("{ hello }")))
            #expect(refusal.status == 503)
            #expect(refusal["connection"] == "close")
            #expect(refusal["retry-after"] == "1")
            #expect(refusal.code == "SHUTTING_DOWN")
            #expect(
                refusal.message
                    == "The server is shutting down and did not start the request. Send it again in a moment."
            )
            gate.happen()
            let response = try await busy.response()
            #expect(response.body == #"{"data":{"slow":"done"}}"#)
            #expect(response["connection"] == "close")
            #expect(try await busy.rest() == "")
            busy.close()
            try await server.running.value
            #expect(throws: RawClient.Failure.self) { try server.client() }
        }
    }

    @Test("reports to monitoring that it is not ready, while it finishes requests in flight")
    func monitoring() async throws {
        let (service, started, gate) = TestService.gated()
        try await withServer(service) { server in
            let busy = try server.client()
            try await busy.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            server.stop()
            try await server.waitUntilItDrains()
            let answers = [("/health/ready", 503), ("/health/live", 200), ("/metrics", 200)]
            for (path, status) in answers {
                let answer = try await server.ask(RawRequest.get(path))
                #expect(answer.status == status, "\(path)")
                #expect(answer["connection"] == "close", "\(path)")
            }
            #expect(
                try await server.ask(RawRequest.get("/health/ready")).body == #"{"status":"stopping"}"#)
            gate.happen()
            #expect(try await busy.response().status == 200)
        }
    }

    @Test("responds to every request that has arrived on a connection, and then refuses the next")
    func drainsPipelinedRequests() async throws {
        let (service, started, gate) = TestService.gated()
        try await withServer(service) { server in
            let client = try server.client()
            let request = RawRequest.post(RawRequest.query("{ slow }"))
            try await client.send(
                request + RawRequest.post(RawRequest.query("{ hello }")) + request.dropLast(3))
            await started.wait()
            server.stop()
            try await server.waitUntilItDrains()
            gate.happen()
            #expect(try await client.response().body == #"{"data":{"slow":"done"}}"#)
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            try await client.send(request.suffix(3) + request)
            #expect(try await client.response().body == #"{"data":{"slow":"done"}}"#)
            let refusal = try await client.response()
            #expect(refusal.status == 503)
            #expect(refusal.code == "SHUTTING_DOWN")
            #expect(refusal["connection"] == "close")
            #expect(try await client.rest() == "")
        }
    }

    @Test("responds to a request whose body is still arriving")
    func drainsHalfRequest() async throws {
        try await withServer { server in
            let client = try server.client()
            let request = RawRequest.post(RawRequest.query("{ hello }"), fields: ["Expect: 100-continue"])
            try await client.send(String(request.dropLast(5)))
            #expect(try await client.response().status == 100)
            server.stop()
            try await server.waitUntilItDrains()
            try await client.send(String(request.suffix(5)))
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            #expect(try await client.rest() == "")
        }
    }

    @Test("cancels unfinished work at the end of the grace period")
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
            let response = try await client.response()
            #expect(response.status == 503)
            #expect(response["connection"] == "close")
            #expect(response["retry-after"] == nil)
            #expect(response.code == "REQUEST_ABORTED")
            #expect(
                response.message
                    == "The server is shutting down, and did not finish the request within 0.05 seconds. A query "
                    + "can be sent again; after a mutation, check first whether it took effect.")
            await cancelled.wait()
            #expect(try await client.rest() == "")
            try await server.running.value
        }
    }

    @Test("gives every request a response when the grace period ends: waiting, half received, or queued")
    func abortsEveryRequest() async throws {
        var limits = ServerLimits.patient
        limits.drainTimeout = .milliseconds(50)
        limits.lingerTimeout = .seconds(30)
        limits.requestsInFlight = 1
        let started = Event<Void>()
        let service = TestService.make(later: {
            started.happen()
            try await waitForCancellation(telling: Event<Void>())
        })
        try await withServer(service, limits: limits) { server in
            let slow = RawRequest.post(RawRequest.query("{ slow }"))
            let running = try server.client()
            try await running.send(slow + slow)
            await started.wait()
            let queued = try server.client()
            // After this response, the server has received the request behind it.
            try await queued.send(RawRequest.get("/health/live") + slow)
            #expect(try await queued.response().status == 200)
            let halfBody = try server.client()
            try await halfBody.send(
                RawRequest.get("/health/live")
                    + RawRequest.post("{}", fields: ["Expect: 100-continue"]).dropLast())
            #expect(try await halfBody.response().status == 200)
            #expect(try await halfBody.response().status == 100)
            let halfHead = try server.client()
            try await halfHead.send(RawRequest.get("/health/live") + "GET /graphql HTTP/1.1\r\n")
            #expect(try await halfHead.response().status == 200)
            server.stop()
            for (client, codes) in [
                (running, ["REQUEST_ABORTED", "REQUEST_ABORTED"]), (queued, ["REQUEST_ABORTED"]),
                (halfBody, ["REQUEST_ABORTED"]), (halfHead, ["SHUTTING_DOWN"]),
            ] {
                for code in codes { #expect(try await client.response().code == code) }
                #expect(try await client.rest() == "")
                client.close()
            }
            try await server.running.value
        }
    }

    @Test("gives requests in flight the grace period of Kubernetes")
    func gracePeriod() {
        #expect(ServerLimits().drainTimeout == .seconds(30))
    }

    @Test("stops with its service group")
    func stopsWithGroup() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await HTTPServer.start(
            ServerConfiguration(port: 0), service: TestService.make().service, logger: logger)
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

extension TestServer {
    /// Waits until the server refuses new requests.
    fileprivate func waitUntilItDrains() async throws {
        // A connection that is idle when the shutdown begins is closed without a response.
        try await waitUntil { (try? await ask(RawRequest.get("/schema.graphql")))?.status == 503 }
    }
}

@Suite("A server that cannot start")
struct StartTests {
    @Test("reports the address and the reason")
    func addressInUse() async throws {
        try await withServer { server in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let failure = await #expect(throws: ServerStartError.self) {
                try await HTTPServer.start(
                    ServerConfiguration(port: server.port), service: TestService.make().service,
                    logger: logger)
            }
            #expect(
                failure?.description
                    == "Cannot listen on 127.0.0.1 port \(server.port): the port is in use. "
                    + "Free it, or choose another; port 0 takes a free one.")
        }
    }

    private static let reasons: [(Int32, String)] = [
        (
            EADDRNOTAVAIL,
            """
            the address is not one of this machine. Use an address of this machine, such as 127.0.0.1, or 0.0.0.0 \
            for all its addresses.
            """
        ),
        (EADDRINUSE, "the port is in use. Free it, or choose another; port 0 takes a free one."),
        (EACCES, "the system reserves the port for privileged processes. Choose another, such as 8080."),
        (EMFILE, "Too many open files."),
    ]

    @Test("has a remedy for each reason", arguments: reasons)
    func reason(code: Int32, message: String) {
        let failure = ServerStartError(
            host: "a.example", port: 80, IOError(errnoCode: code, reason: "bind"))
        #expect(failure.description == "Cannot listen on a.example port 80: \(message)")
    }
}
