import Brokerage
import Sandbox
import TestSupport
import Testing

/// The messages of a frame, decoded independently of the sandbox's code.
struct SaxoMessage: Equatable {
    let id: UInt64
    let reference: String
    let payload: JSONValue

    static func all(in frame: StreamClient.Frame) throws -> [SaxoMessage] {
        guard case .binary(let bytes) = frame else { return [] }
        var (messages, rest) = ([SaxoMessage](), bytes[...])
        func take(_ count: Int) throws -> [UInt8] {
            try #require(rest.count >= count)
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func number(_ count: Int) throws -> UInt64 {
            try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        while !rest.isEmpty {
            let id = try number(8)
            #expect(try take(2) == [0, 0])
            let reference = String(decoding: try take(Int(number(1))), as: UTF8.self)
            #expect(try number(1) == 0)
            let text = String(decoding: try take(Int(number(4))), as: UTF8.self)
            messages.append(SaxoMessage(id: id, reference: reference, payload: try JSONValue(parsing: text)))
        }
        return messages
    }
}

extension JSONValue {
    /// Returns an object with the members of a delta merged in, recursively.
    func merged(with delta: JSONValue) -> JSONValue {
        guard let members, let changes = delta.members else { return delta }
        return .object(members.merging(changes) { $0.merged(with: $1) })
    }
}

@Suite("Saxo's stream", .timeLimit(.minutes(20)))
struct SaxoStreamTests {
    static let path = "/saxo-streaming/connect?contextId=ctx-1"
    static let headers = RunningSandbox.saxoDemo

    private func subscribe(
        _ fixture: RunningSandbox, _ reference: String, uic: Int = 21, context: String = "ctx-1",
        _ more: String = "",
        groups: String = "\"Quote\",\"PriceInfo\""
    ) async throws -> Client.Reply {
        try await fixture.saxo(
            "POST", "/trade/v1/prices/subscriptions",
            """
            {"Arguments":{"Uic":\(uic),"AssetType":"FxSpot","FieldGroups":[\(groups)]},"ContextId":"\(context)",\
            "ReferenceId":"\(reference)","RefreshRate":500\(more)}
            """)
    }

    private func expectValid(_ message: SaxoMessage, _ shape: String) throws {
        let schema = try Golden.schema(of: "saxo").definition(shape)
        #expect(schema.violations(in: message.payload) == [])
    }

    /// Advances the clock by a second, and reads the frame.
    private static func tick(
        _ clock: ManualClock, _ stream: inout StreamClient
    ) async throws -> [SaxoMessage] {
        clock.advance(by: .seconds(1))
        return try SaxoMessage.all(in: try await stream.next())
    }

    @Test("a snapshot and all deltas since are the price of the moment")
    func deltas() async throws {
        try await withClock { fixture, clock in
            let reply = try await subscribe(fixture, "p21")
            #expect(reply.status == 201)
            let subscription = try JSONValue(parsing: reply.body)
            let schema = try Golden.schema(of: "saxo")
            #expect(try schema.definition("PriceSubscription").violations(in: subscription) == [])
            #expect(subscription["RefreshRate"]?.digits == "1000")
            let start = try #require(subscription["Snapshot"])
            let (client, sandbox) = (fixture.client, fixture.sandbox)
            try await StreamClient.open(Self.path, of: client, Self.headers) { stream in
                var price = start
                var ids: [UInt64] = []
                for _ in 0..<5 {
                    for message in try await Self.tick(clock, &stream) {
                        #expect(message.reference == "p21")
                        #expect(message.payload["Uic"] == nil)
                        ids.append(message.id)
                        price = price.merged(with: message.payload)
                    }
                }
                #expect(ids == Array(1...5))
                let now = try await RunningSandbox(sandbox: sandbox).saxoDocument(
                    "/trade/v1/infoprices?Uic=21&AssetType=FxSpot&FieldGroups=Quote,PriceInfo")
                #expect(price == now)
                #expect(sandbox.streams[.saxo, "GET /connect"] == 1)
            }
            #expect(fixture.sandbox.calls[.saxo, "GET /connect"] == 1)
        }
    }

    @Test("one frame carries the news of several subscriptions; lists are told by Uic")
    func several() async throws {
        try await withClock { fixture, clock in
            #expect(try await subscribe(fixture, "p21").status == 201)
            #expect(try await subscribe(fixture, "p42", uic: 42).status == 201)
            let list = try await fixture.saxo(
                "POST", "/trade/v1/infoprices/subscriptions",
                #"{"Arguments":{"Uics":"16,31","AssetType":"FxSpot"},"ContextId":"ctx-1","ReferenceId":"list"}"#
            )
            #expect(list.status == 201)
            #expect(try JSONValue(parsing: list.body)["Snapshot"]?["Data"]?.elements?.count == 2)
            try await StreamClient.open(Self.path, of: fixture.client, Self.headers) { stream in
                let messages = try await Self.tick(clock, &stream)
                #expect(messages.map(\.reference) == ["p21", "p42", "list"])
                let uics = try #require(messages[2].payload.elements).map { $0["Uic"]?.digits }
                #expect(uics.allSatisfy { ["16", "31"].contains($0) } && !uics.isEmpty)
            }
        }
    }

    @Test("what is silent gives a heartbeat")
    func heartbeat() async throws {
        try await withClock(at: Moment.weekend, { $0.saxo.heartbeatInterval = 3 }) { fixture, clock in
            #expect(try await subscribe(fixture, "p21").status == 201)
            let shape = "Heartbeat"
            try await StreamClient.open(Self.path, of: fixture.client, Self.headers) { stream in
                clock.advance(by: .seconds(3))
                let message = try #require(SaxoMessage.all(in: await stream.next()).first)
                #expect(message.reference == "_heartbeat")
                try expectValid(message, shape)
                #expect(message.payload[0]?["Heartbeats"]?[0]?["OriginatingReferenceId"] == "p21")
            }
        }
    }

    @Test("a reset names its subscriptions, which are silent until they are made anew")
    func reset() async throws {
        try await withClock { fixture, clock in
            #expect(try await subscribe(fixture, "p21").status == 201)
            #expect(try await subscribe(fixture, "p42", uic: 42).status == 201)
            let sandbox = fixture.sandbox
            let shape = "ResetSubscriptions"
            try await StreamClient.open(Self.path, of: fixture.client, Self.headers) { stream in
                let fixture = RunningSandbox(sandbox: sandbox)
                let demand = #"{"demand":"reset","references":["p21"]}"#
                #expect(try await fixture.client.post("/_sandbox/saxo/streams", demand).status == 204)
                let messages = try await Self.tick(clock, &stream)
                #expect(messages.map(\.reference) == ["_resetsubscriptions", "p42"])
                try expectValid(messages[0], shape)
                #expect(messages[0].payload[0]?["TargetReferenceIds"]?[0] == "p21")
                #expect(try await Self.tick(clock, &stream).map(\.reference) == ["p42"])
                #expect(try await subscribe(fixture, "p21").status == 409)
                #expect(try await subscribe(fixture, "p21b", ",\"ReplaceReferenceId\":\"p21\"").status == 201)
                #expect(try await Self.tick(clock, &stream).map(\.reference) == ["p42", "p21b"])
            }
        }
    }

    @Test("a disconnect is the last message; so it is when the token has run out")
    func disconnect() async throws {
        for isScripted in [true, false] {
            try await withClock({ $0.saxo.developerTokenLifetime = .seconds(60) }) { fixture, clock in
                let shape = "Disconnect"
                let sandbox = fixture.sandbox
                try await StreamClient.open(Self.path, of: fixture.client, Self.headers) { stream in
                    // A task that waits for the clock has a listener; a demand applies to existing listeners
                    // only.
                    try await waitUntil { clock.waiterCount > 0 }
                    if isScripted { sandbox.saxoStreams.demandDisconnect() }
                    clock.advance(by: .seconds(isScripted ? 1 : 60))
                    let messages = try SaxoMessage.all(in: try await stream.next())
                    #expect(messages.map(\.reference) == ["_disconnect"])
                    try expectValid(messages[0], shape)
                    #expect(try await stream.next() == .close(code: 1000))
                }
            }
        }
    }

    @Test("a token renewed in time keeps the stream alive")
    func renewed() async throws {
        try await withClock({ $0.saxo.accessTokenLifetime = .seconds(60) }) { fixture, clock in
            func access() async throws -> [String: String] {
                let reply = try await fixture.client.send(
                    "POST", "/saxo-auth/token",
                    FakeSaxoOAuthTests.basic.merging(["Content-Length": "\(form.utf8.count)"]) { $1 }, form)
                let tokens = try JSONValue(parsing: reply.body)
                form =
                    "grant_type=refresh_token&refresh_token=\(try #require(tokens["refresh_token"]?.string))"
                return ["Authorization": "Bearer \(try #require(tokens["access_token"]?.string))"]
            }
            var form =
                "grant_type=refresh_token&refresh_token=\(FakeSaxoClient.demo.credentials.refreshToken)"
            #expect(try await subscribe(fixture, "p21").status == 201)
            let first = try await access()
            clock.advance(by: .seconds(30))
            let second = try await access()
            let client = fixture.client
            try await StreamClient.open(Self.path, of: client, first) { stream in
                _ = try await stream.next()
                let renewal = try await client.send(
                    "PUT", "/saxo-streaming/authorize?contextid=ctx-1", second)
                #expect(renewal.status == 202)
                clock.advance(by: .seconds(40))
                #expect(try SaxoMessage.all(in: await stream.next()).map(\.reference) == ["p21"])
                let other = try await client.send(
                    "PUT", "/saxo-streaming/authorize?contextid=other", second)
                #expect(other.status == 404)
                #expect(
                    try await client.send("PUT", "/saxo-streaming/authorize?contextid=ctx-1", first).status
                        == 401)
            }
        }
    }

    @Test("who comes again with the last message's id gets what came after it")
    func replay() async throws {
        try await withClock { fixture, clock in
            #expect(try await subscribe(fixture, "p21").status == 201)
            let (client, sandbox) = (fixture.client, fixture.sandbox)
            let seen = try await StreamClient.open(Self.path, of: client, Self.headers) { stream in
                var seen: [SaxoMessage] = []
                for _ in 0..<4 { seen += try await Self.tick(clock, &stream) }
                try await stream.send(opcode: 8)
                _ = try await stream.next()
                return seen
            }
            #expect(seen.count == 4)
            // The server has seen the end of the stream when the context is free again.
            try await waitUntil { sandbox.streams[.saxo, "GET /connect"] == 0 }
            try await StreamClient.open(
                Self.path
                    + "&messageid=\(seen[1].id)&authorization=BEARER%20\(FakeSaxoClient.demo.credentials.accessToken)",
                of: client
            ) { stream in
                let replayed = try SaxoMessage.all(in: await stream.next())
                #expect(replayed == Array(seen[2...]))
                let news = try await Self.tick(clock, &stream)
                #expect(news.map(\.id) == [5])
            }
        }
    }

    @Test("an id that is no longer known resets everything")
    func forgotten() async throws {
        try await withClock({ $0.saxo.replayMaximum = 1 }) { fixture, clock in
            #expect(try await subscribe(fixture, "p21").status == 201)
            let (client, sandbox) = (fixture.client, fixture.sandbox)
            try await StreamClient.open(Self.path, of: client, Self.headers) { stream in
                for _ in 0..<4 { _ = try await Self.tick(clock, &stream) }
            }
            try await waitUntil { sandbox.streams[.saxo, "GET /connect"] == 0 }
            try await StreamClient.open(Self.path + "&messageid=1", of: client, Self.headers) { stream in
                let messages = try SaxoMessage.all(in: await stream.next())
                #expect(messages.map(\.reference) == ["_resetsubscriptions"])
                #expect(messages[0].payload[0]?["TargetReferenceIds"] == JSONValue.array([]))
            }
        }
    }

    @Test(
        "the door is shut to strangers, to nameless contexts, and to a second listener",
        arguments: [
            ("/saxo-streaming/connect?contextId=ctx-1", [:], 401),
            ("/saxo-streaming/connect?contextId=ctx-1&authorization=BEARER%20nobody", [:], 401),
            ("/saxo-streaming/connect", SaxoStreamTests.headers, 400),
            ("/saxo-streaming/connect?contextId=ctx-1", SaxoStreamTests.headers, 409),
        ])
    func refused(path: String, headers: [String: String], status: Int) async throws {
        try await withClock { fixture, clock in
            let client = fixture.client
            try await StreamClient.open(Self.path, of: client, Self.headers) { _ in
                // A task that waits for the clock has an accepted listener.
                try await waitUntil { clock.waiterCount > 0 }
                let error = await #expect(throws: StreamClient.Rejected.self) {
                    try await StreamClient.open(path, of: client, headers) { _ in }
                }
                #expect(error?.status == status, Comment(rawValue: error?.head ?? "none"))
            }
        }
    }

    @Test("subscriptions are known by their reference, their tag and their context, to their user alone")
    func unsubscribe() async throws {
        try await withClock { fixture, _ in
            let path = "/trade/v1/prices/subscriptions"
            for (reference, more, status) in [
                ("p1", ",\"Tag\":\"t\"", 201), ("p2", "", 201), ("p2", "", 409),
            ] {
                let reply = try await subscribe(fixture, reference, more)
                #expect(reply.status == status)
            }
            for (name, headers, status) in [
                ("p1", RunningSandbox.saxoSecond, 404), ("?Tag=t", RunningSandbox.saxoDemo, 202),
                ("p1", RunningSandbox.saxoDemo, 404), ("p2", RunningSandbox.saxoDemo, 202),
            ] {
                let target = "\(path)/ctx-1" + (name.hasPrefix("?") ? name : "/" + name)
                let reply = try await fixture.saxo("DELETE", target, "", headers)
                #expect(reply.status == status)
            }
        }
    }

    @Test(
        "a subscription without form is refused",
        arguments: [
            ("_p", "ctx", "21"), ("p p", "ctx", "21"), ("p", "c/x", "21"), ("p", "", "21"),
            ("p", "ctx", "\"21\""),
            ("p", "ctx", "1"), (String(repeating: "p", count: 51), "ctx", "21"),
        ])
    func malformed(reference: String, context: String, uic: String) async throws {
        try await withClock { fixture, _ in
            let reply = try await fixture.saxo(
                "POST", "/trade/v1/prices/subscriptions",
                """
                {"Arguments":{"Uic":\(uic),"AssetType":"FxSpot"},"ContextId":"\(context)","ReferenceId":"\(reference)"}
                """)
            #expect(reply.status == 400)
            let document = try JSONValue(parsing: reply.body)
            #expect(try Golden.schema(of: "saxo").definition("Error").violations(in: document) == [])
        }
    }

    // MARK: Events of orders

    private func follow(_ fixture: RunningSandbox, _ reference: String, _ arguments: String = "") async throws
        -> Client.Reply
    {
        try await fixture.saxo(
            "POST", "/ens/v1/activities/subscriptions",
            """
            {"Arguments":{"Activities":["Orders"]\(arguments)},"ContextId":"ctx-1","ReferenceId":"\(reference)"}
            """)
    }

    @Test("events of orders are told once, and again from a number or a time on")
    func orderEvents() async throws {
        try await withClock({ $0.saxo.ordersPerSecond = nil }) { fixture, clock in
            let first = try await follow(fixture, "o1")
            #expect(first.status == 201)
            #expect(try JSONValue(parsing: first.body)["Snapshot"]?["Data"] == .array([]))
            let sandbox = fixture.sandbox
            let events = try await StreamClient.open(Self.path, of: fixture.client, Self.headers) { stream in
                let fixture = RunningSandbox(sandbox: sandbox)
                let placed = try await fixture.saxo(
                    "POST", "/trade/v2/orders", FakeSaxoOrderTests.order(FakeSaxoOrderTests.limit))
                let id = try #require(try JSONValue(parsing: placed.body)["OrderId"]?.string)
                var messages = try await Self.tick(clock, &stream)
                let path = "/trade/v2/orders/\(id)?\(FakeSaxoOrderTests.accountQuery)"
                #expect(try await fixture.saxo("DELETE", path, "").status == 200)
                messages += try await Self.tick(clock, &stream)
                #expect(messages.map(\.reference) == ["o1", "o1"])
                let shape = try Golden.schema(of: "supplement").definition("SaxoOrderEvents")
                for message in messages { #expect(shape.violations(in: message.payload) == []) }
                let events = messages.flatMap { $0.payload.elements ?? [] }
                #expect(events.allSatisfy { $0["OrderId"]?.string == id })
                return events
            }
            #expect(events.map { $0["Status"]?.string } == ["Placed", "Cancelled"])
            let ids = try events.map { try #require($0["SequenceId"]?.string) }
            let times = try events.map { try #require($0["ActivityTime"]?.string) }
            for (reference, arguments, count) in [
                ("o2", ",\"SequenceId\":\"\(ids[0])\"", 2), ("o3", ",\"SequenceId\":\"\(ids[1])\"", 1),
                ("o4", ",\"FromDateTime\":\"\(times[1])\"", 1),
            ] {
                let body = try JSONValue(parsing: try await follow(fixture, reference, arguments).body)
                #expect(body["Snapshot"]?["Data"]?.elements == Array(events.suffix(count)))
            }
            let unknown = try await follow(fixture, "o5", ",\"SequenceId\":\"1\"")
            #expect(unknown.status == 400)
            #expect(try JSONValue(parsing: unknown.body)["ErrorCode"] == "SequenceIdUnavailable")
        }
    }

    @Test("subscriptions to other activities, or from no time, are refused with the argument")
    func refusedEvents() async throws {
        try await withClock { fixture, _ in
            for (arguments, name) in [
                (#""Activities":["Positions"]"#, "Arguments.Activities"), ("", "Arguments.Activities"),
                (#""Activities":["Orders"],"FromDateTime":"soon""#, "Arguments.FromDateTime"),
            ] {
                let reply = try await fixture.saxo(
                    "POST", "/ens/v1/activities/subscriptions",
                    "{\"Arguments\":{\(arguments)},\"ContextId\":\"c\",\"ReferenceId\":\"r\"}")
                #expect(reply.status == 400)
                #expect(try JSONValue(parsing: reply.body)["ModelState"]?[name] != nil, "\(reply.body)")
            }
        }
    }
}
