import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("A token that has ended")
struct EndedTokenTests {
    private static func environment(_ folder: URL) -> [String: String] {
        ["PORTICO_DATA": folder.path, "PORTICO_PASSWORD_COST": "4"]
    }

    private static let password = "correct horse battery"

    /// Signs a guest up, which ends the guest's own tokens.
    ///
    /// - Returns: The token of the same user.
    private static func signUp(_ server: RunningServer, guest: String) async throws -> String {
        try await server.token(of: signUp, token: guest)
    }

    private static let signUp = #"signUp(input: { username: "ann", password: "\#(password)" })"#

    private static func signIn(_ server: RunningServer) async throws -> String {
        try await server.token(
            of: #"signIn(input: { username: "ann", password: "\#(password)", scopes: [READ, WRITE, TRADE] })"#
        )
    }

    /// A way to end the token of a session of Ann, by another request or by another process.
    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let act: @Sendable (RunningServer, _ token: String, _ folder: URL) async throws -> Void

        private static func mutation(_ name: String, _ text: String) -> End {
            End(testDescription: name) { server, token, _ in
                let answer = try await server.ask("mutation { \(text) }", token: token)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
        }

        private static func command(_ arguments: String...) -> End {
            End(testDescription: "portico users " + arguments.joined(separator: " ")) { _, _, folder in
                let run = try await Program.run(
                    ["users"] + arguments + ["--sandbox", "--data", folder.path],
                    environment: ["PORTICO_PASSWORD_COST": "4"])
                #expect(run.status == 0, "\(run.errors)")
            }
        }

        static let all = [
            mutation("signOut", "signOut { deletedId }"),
            mutation(
                "changePassword",
                #"changePassword(input: { currentPassword: "\#(password)", newPassword: "another password" }) { token }"#
            ),
            mutation("deleteUser", #"deleteUser(password: "\#(password)") { deletedId }"#),
            End(testDescription: "revokeOtherSessions") { server, _, _ in
                let other = try await EndedTokenTests.signIn(server)
                let answer = try await server.ask(
                    "mutation { revokeOtherSessions { deletedId } }", token: other)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            },
            command("reset-password", "ann"), command("delete", "ann", "--yes"),
        ]
    }

    static func socket(_ server: RunningServer, token: String) async throws -> SocketClient {
        let client = try RawClient(port: server.port, patience: 20)
        try await client.send(SocketClient.handshake())
        #expect(try await client.response().status == 101)
        let socket = SocketClient(client: client)
        try await socket.say(#"{"type":"connection_init","payload":{"Authorization":"Bearer \#(token)"}}"#)
        return socket
    }

    static func open(_ server: RunningServer, token: String) async throws -> SocketClient {
        let socket = try await socket(server, token: token)
        #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
        return socket
    }

    private static let stream = "subscription { goalsProgress { target } }"

    /// `SocketCloseTests` checks that the sockets are closed within one second, in virtual time.
    ///
    /// Here a keep-alive would close them after half a minute, and the client of a socket waits at most twenty
    /// seconds.
    @Test(
        "closes its sockets, also idle ones, and each stream gets UNAUTHENTICATED without `complete`",
        arguments: End.all)
    func ends(end: End) async throws {
        try await withFolder { folder in
            try await withServer(environment: Self.environment(folder)) { server in
                _ = try await server.token(
                    of: #"signUp(input: { username: "ann", password: "\#(Self.password)" })"#)
                let token = try await Self.signIn(server)
                let idle = try await Self.open(server, token: token)
                let busy = try await Self.open(server, token: token)
                try await busy.subscribe("1", Self.stream)
                #expect(try await busy.next().text.contains(#""goalsProgress":{"target":"0"}"#))
                let events = try RawClient(port: server.port, patience: 20)
                let request = RawRequest.post(
                    RawRequest.query(Self.stream),
                    fields: ["Accept: text/event-stream", "Authorization: Bearer \(token)"])
                try await events.send(request.replacing("HTTP/1.1", with: "HTTP/1.0"))
                var received = ""
                while !received.contains(#""target":"0"}}}"#) { received += try await events.take(1) }

                try await end.act(server, token, folder)

                let last = try JSONValue(parsing: try await busy.next().text)
                #expect(last["type"] == "next", "\(last)")
                #expect(
                    last["payload"]?["errors"]?[0]?["extensions"]?["code"] == "UNAUTHENTICATED", "\(last)")
                for socket in [busy, idle] {
                    let close = try await socket.next()
                    #expect(close.closeCode == 4403, "\(close.text)")
                    #expect(close.closeMessage == "The session has ended: connect again with another token")
                }
                let rest = try await events.rest()
                #expect(rest.contains(#""extensions":{"code":"UNAUTHENTICATED""#), "\(rest)")
                #expect(!rest.contains("event: complete"), "\(rest)")
            }
        }
    }

    @Test("starts no operation on its sockets; a client that connects with the new token continues")
    func beginsNothing() async throws {
        try await withFolder { folder in
            try await withServer(environment: Self.environment(folder)) { server in
                _ = try await server.token(
                    of: #"signUp(input: { username: "ann", password: "\#(Self.password)" })"#)
                let old = try await Self.signIn(server)
                let socket = try await Self.open(server, token: old)
                let out = try await server.ask("mutation { signOut { deletedId } }", token: old)
                #expect(out.failures.isEmpty, "\(out.body)")
                let new = try await Self.signIn(server)
                try await socket.subscribe(
                    "1", "mutation { createWatchlist(input: { name: \"A\" }) { watchlist { id } } }")
                #expect(try await socket.next().closeCode == 4403)
                // As if the client connected again with the old token.
                let again = try await Self.socket(server, token: old)
                #expect(try await again.next().closeCode == 4403)
                let fresh = try await Self.open(server, token: new)
                try await fresh.subscribe("1", "{ watchlists { name } }")
                #expect(try await fresh.next().text.contains(#"{"watchlists":[]}"#))
            }
        }
    }

    @Test("places no order on a socket after a sign-out elsewhere")
    func noOrder() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = Upstream(sandbox).environment
                    .merging(Self.environment(folder)) { $1 }
                    .merging(["PORTICO_SIGN_UP": "open"]) { $1 }
                try await withServer(environment: environment) { server in
                    _ = try await server.token(
                        of: #"signUp(input: { username: "ann", password: "\#(Self.password)" })"#)
                    let old = try await Self.signIn(server)
                    let key = SandboxUser.demo.alpaca
                    let connected = try await server.ask(
                        """
                        mutation { connectProvider(input: { provider: "alpaca" environment: PAPER
                          credential: { apiKey: { key: "\(key.keyID)", secret: "\(key.secretKey)" } } }) {
                          connection { accounts { id } } } }
                        """, token: old)
                    let connection = connected.json?["data"]?["connectProvider"]?["connection"]
                    let account = try #require(
                        connection?["accounts"]?[0]?["id"]?.string, "\(connected.body)")
                    func order(_ key: String) -> String {
                        """
                        mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)" side: BUY
                          instrument: { symbol: "AMD" } size: { quantity: "1" } price: { limit: "2.5" } }) {
                          order { clientOrderId } } }
                        """
                    }
                    let socket = try await Self.open(server, token: old)
                    let out = try await server.ask("mutation { signOut { deletedId } }", token: old)
                    #expect(out.failures.isEmpty, "\(out.body)")
                    try await socket.subscribe("1", order("ended"))
                    #expect(try await socket.next().closeCode == 4403)
                    let new = try await Self.signIn(server)
                    let orders = try await server.ask("{ orders { nodes { id } } }", token: new)
                    #expect(orders.json?["data"]?["orders"]?["nodes"] == .array([]), "\(orders.body)")
                    #expect(sandbox.calls[.alpaca, "POST /v2/orders"] == 0)
                    // The same message on a socket of the new session.
                    let other = try await Self.open(server, token: new)
                    try await other.subscribe("1", order("new"))
                    #expect(try await other.next().text.contains(#"{"clientOrderId":"new"}"#))
                    #expect(sandbox.calls[.alpaca, "POST /v2/orders"] == 1)
                }
            }
        }
    }

    private static let creation = #"createWatchlist(input: { name: "A" }) { watchlist { id } }"#
    private static let refusedCreation = [FieldFailure("createWatchlist", "UNAUTHENTICATED", nil)]

    private static func expectNoWatchlist(
        _ server: RunningServer, token: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let lists = try await server.ask("{ watchlists { name } }", token: token)
        #expect(
            lists.json?["data"]?["watchlists"] == .array([]), "\(lists.body)", sourceLocation: sourceLocation
        )
    }

    @Test("starts no operation that arrived while it was valid, after a stream on the same connection")
    func pipelined() async throws {
        try await withServer { server in
            let old = try await server.token()
            let client = try RawClient(port: server.port)
            defer { client.close() }
            func request(_ document: String, _ fields: String...) -> String {
                RawRequest.post(
                    RawRequest.query(document), fields: ["Authorization: Bearer \(old)"] + fields)
            }
            let mutation = request("mutation { \(Self.creation) }")
            try await client.send(
                request(Self.stream, "Accept: text/event-stream") + mutation + mutation
                    + request("{ viewer { id } providers { provider: name } }"))
            var received = ""
            while !received.contains(#""target":"0"}}}"#) { received += try await client.take(1) }

            let new = try await Self.signUp(server, guest: old)

            while !received.hasSuffix("\r\n0\r\n\r\n") { received += try await client.take(1) }
            #expect(received.contains(#""extensions":{"code":"UNAUTHENTICATED""#), "\(received)")
            for _ in 0..<2 {
                let answer = try await client.response()
                #expect(answer.failures == Self.refusedCreation, "\(answer.body)")
            }
            let query = try await client.response()
            #expect(query.failures == [FieldFailure("viewer", "UNAUTHENTICATED", nil)], "\(query.body)")
            #expect(query.json?["data"]?["providers"]?.elements?.isEmpty == false)
            try await Self.expectNoWatchlist(server, token: new)
        }
    }

    /// Sends the head of a request, ends the token after the head was received, and sends the body.
    ///
    /// - Returns: The new token, and the response.
    private static func end(
        _ old: String, between head: String, and body: String, _ server: RunningServer
    ) async throws -> (new: String, answer: RawResponse) {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        try await client.send(head)
        #expect(try await client.response().status == 100)
        let new = try await signUp(server, guest: old)
        try await client.send(body)
        return (new, try await client.response())
    }

    @Test("starts no operation whose body arrives after it has ended")
    func lateBody() async throws {
        try await withServer { server in
            let old = try await server.token()
            let body = RawRequest.query("mutation { \(Self.creation) }")
            let request = RawRequest.post(
                body, fields: ["Authorization: Bearer \(old)", "Expect: 100-continue"])
            let (new, answer) = try await Self.end(
                old, between: String(request.dropLast(body.count)), and: body, server)
            #expect(answer.failures == Self.refusedCreation, "\(answer.body)")
            try await Self.expectNoWatchlist(server, token: new)
        }
    }

    @Test("gets no export if the request is complete only after it has ended")
    func lateExport() async throws {
        try await withServer { server in
            let old = try await server.token()
            let head = RawRequest.get(
                "/export",
                fields: ["Authorization: Bearer \(old)", "Content-Length: 2", "Expect: 100-continue"])
            let (_, answer) = try await Self.end(old, between: head, and: "{}", server)
            #expect(answer.status == 401)
            #expect(answer.message == Self.ended)
        }
    }

    @Test("starts no field of a mutation that needs it after an earlier field has ended it")
    func laterFields() async throws {
        try await withServer { server in
            let old = try await server.token()
            let answer = try await server.ask(
                """
                mutation {
                  \(Self.signUp) { token session { current } viewer { id sessions { id } connections { id } } }
                  \(Self.creation)
                  startGuestSession { token }
                }
                """, token: old)
            #expect(answer.failures == Self.refusedCreation, "\(answer.body)")
            let data = try #require(answer.json?["data"], "\(answer.body)")
            #expect(data["signUp"]?["viewer"]?["sessions"]?.elements?.count == 1)
            #expect(data["startGuestSession"]?["token"]?.string != nil)
            let new = try #require(data["signUp"]?["token"]?.string)
            try await Self.expectNoWatchlist(server, token: new)
        }
    }

    private static let ended = "The session has ended, or never was: sign in again."

    /// A guest's token that has just ended.
    private static func endedToken(_ server: RunningServer) async throws -> String {
        let ended = try await server.token()
        let answer = try await server.ask("mutation { signOut { deletedId } }", token: ended)
        #expect(answer.failures.isEmpty, "\(answer.body)")
        return ended
    }

    @Test("leaves fields that need no session, and each other field fails at its path")
    func fields() async throws {
        try await withServer { server in
            let token = try await Self.endedToken(server)
            for accept in ["application/json", "application/graphql-response+json"] {
                let answer = try await server.send(
                    RawRequest.post(
                        RawRequest.query(
                            """
                            { quotes(symbols: ["AAPL"]) { price instrument { symbol inWatchlists { id } } }
                              providers { provider: name } viewer { id } accounts { id } held: positions { symbol } }
                            """),
                        fields: ["Authorization: Bearer \(token)", "Accept: \(accept)"]))
                #expect(answer.status == 200)
                #expect(answer["www-authenticate"] == nil)
                #expect(
                    Set(answer.failures)
                        == Set(
                            ["viewer", "accounts", "held", "quotes.0.instrument.inWatchlists"].map {
                                FieldFailure($0, "UNAUTHENTICATED", nil)
                            }), "\(answer.body)")
                for error in answer.json?["errors"]?.elements ?? [] {
                    #expect(error["message"]?.string == Self.ended)
                }
                #expect(answer.json?["data"]?["quotes"]?[0]?["price"]?.string != nil)
                #expect(answer.json?["data"]?["providers"]?.elements?.isEmpty == false)
            }
        }
    }

    @Test("does not prevent a sign-in of its client", arguments: ["signIn", "signUp", "startGuestSession"])
    func recovers(field: String) async throws {
        try await withFolder { folder in
            try await withServer(environment: Self.environment(folder)) { server in
                let token = try await Self.endedToken(server)
                let mutation =
                    switch field {
                    case "signIn": #"signIn(input: { username: "ann", password: "\#(Self.password)" })"#
                    case "signUp": #"signUp(input: { username: "bob", password: "\#(Self.password)" })"#
                    default: field
                    }
                _ = try await server.token(
                    of: #"signUp(input: { username: "ann", password: "\#(Self.password)" })"#)
                let new = try await server.token(of: mutation, token: token)
                let viewer = try await server.ask("{ viewer { id } }", token: new)
                #expect(viewer.json?["data"]?["viewer"]?["id"]?.string != nil, "\(viewer.body)")
                let out = try await server.ask("mutation { signOut { deletedId } }", token: token)
                #expect(out.failures == [FieldFailure("signOut", "UNAUTHENTICATED", nil)], "\(out.body)")
            }
        }
    }

    @Test("follows public prices over HTTP, but no private data")
    func streams() async throws {
        try await withServer { server in
            let token = try await Self.endedToken(server)
            let fields = ["Accept: text/event-stream", "Authorization: Bearer \(token)"]
            let prices = try RawClient(port: server.port)
            defer { prices.close() }
            try await prices.send(
                RawRequest.post(
                    RawRequest.query("subscription { quotes(symbols: [\"AAPL\"]) { symbol } }"),
                    fields: fields))
            var received = ""
            while !received.contains(#""symbol":"AAPL""#) { received += try await prices.take(1) }
            let refused = try await server.send(
                RawRequest.post(RawRequest.query("subscription { orders { id } }"), fields: fields))
            #expect(refused.status == 200)
            #expect(refused.body.contains(#""extensions":{"code":"UNAUTHENTICATED""#), "\(refused.body)")
            #expect(refused.body.contains(Self.ended), "\(refused.body)")
        }
    }

    @Test("is refused by an export; every route refuses a malformed Authorization field")
    func refusals() async throws {
        try await withServer { server in
            let token = try await Self.endedToken(server)
            let export = try await server.get("/export", token: token)
            #expect(export.status == 401)
            #expect(export.message == Self.ended)
            #expect(export["www-authenticate"] == #"Bearer realm="graphql", error="invalid_token""#)
            for value in ["Basic YTpi", "Bearer", "Bearer a b", token] {
                let answer = try await server.send(
                    RawRequest.post(
                        RawRequest.query("{ providers { provider: name } }"),
                        fields: ["Authorization: \(value)"]))
                #expect(answer.status == 401)
                #expect(answer.message == #"The Authorization field must be "Bearer <token>"."#)
                #expect(answer["www-authenticate"] == #"Bearer realm="graphql", error="invalid_request""#)
            }
        }
    }
}
