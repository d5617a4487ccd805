import TestSupport
import Testing
import Web

@Suite("The name and version of a client application")
struct ClientApplicationTests {
    private static func counts(_ server: TestServer) async throws -> [String] {
        let text = try await server.ask(RawRequest.get("/metrics")).body
        return text.split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("portico_graphql_client_operations_total{")
        }
    }

    @Test(
        "are read from the header fields of Apollo's and of other clients",
        arguments: [
            (["apollographql-client-name: web", "apollographql-client-version: 1.2"], "web", "1.2"),
            (["GraphQL-Client-Name: ios app"], "ios app", ""),
            (
                [
                    "apollographql-client-name: a\"b\\c",
                    "graphql-client-version: \(String(repeating: "1", count: 101))",
                ], #"a\"b\\c"#, ""
            ),
        ])
    func fields(_ fields: [String], name: String, version: String) async throws {
        try await withServer { server in
            _ = try await server.ask(RawRequest.post(RawRequest.query("{ hello }"), fields: fields))
            #expect(
                try await Self.counts(server) == [
                    #"portico_graphql_client_operations_total{client="\#(name)",version="\#(version)",outcome="complete"} 1"#
                ])
        }
    }

    @Test(
        "are ignored if they are missing, empty or too long",
        arguments: [
            [], ["apollographql-client-version: 1"], ["apollographql-client-name: "],
            ["apollographql-client-name: \(String(repeating: "x", count: 101))"],
        ])
    func ignored(_ fields: [String]) async throws {
        try await withServer { server in
            _ = try await server.ask(RawRequest.post(RawRequest.query("{ hello }"), fields: fields))
            #expect(try await Self.counts(server).isEmpty)
        }
    }

    @Test(
        "are read from the payload of `connection_init`",
        arguments: [
            #"{"apollographql-client-name":"web","apollographql-client-version":"7"}"#,
            #"{"headers":{"GraphQL-Client-Name":"web","graphql-client-version":"7"}}"#,
        ])
    func payload(_ payload: String) async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server, payload: payload)
            try await socket.say(
                #"{"id":"a","type":"subscribe","payload":{"query":"subscription { count(to: 1) }"}}"#)
            _ = try await socket.next()
            #expect(
                try await Self.counts(server) == [
                    #"portico_graphql_client_operations_total{client="web",version="7",outcome="complete"} 1"#
                ])
        }
    }
}
