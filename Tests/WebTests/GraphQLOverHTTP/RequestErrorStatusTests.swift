import GraphQL
import TestSupport
import Testing
import Web

@Suite("Request errors over each protocol")
struct RequestErrorStatusTests {
    /// The members of a request that cannot be run, and the code of its error.
    static let requests = [
        (#""query":"{ hello""#, "GRAPHQL_PARSE_FAILED"),
        (#""query":"{ nothing }""#, "GRAPHQL_VALIDATION_FAILED"),
        (#""query":"query ($t: String!) { echo(text: $t) }""#, "BAD_USER_INPUT"),
        (#""query":"query A { hello } query B { hello }""#, "OPERATION_RESOLUTION_FAILURE"),
        (#""query":"query A { hello }","operationName":"B""#, "OPERATION_RESOLUTION_FAILURE"),
    ]

    @Test(
        "have the status 400 with application/graphql-response+json, 200 with application/json",
        arguments: requests)
    func status(request: String, code: String) async throws {
        try await withServer(LiveService.make()) { server in
            for (accept, status) in [("application/graphql-response+json", 400), ("application/json", 200)] {
                let response = try await server.ask(
                    RawRequest.post("{\(request)}", fields: ["Accept: \(accept)"]))
                #expect(response.status == status)
                #expect(response.code == code)
                #expect(response["content-type"]?.hasPrefix(accept) == true)
                #expect(!response.body.contains(#""data""#))
            }
        }
    }

    @Test(
        "are in an `error` message of a WebSocket, an event, a part and the element of an array",
        arguments: requests)
    func streams(request: String, code: String) async throws {
        var limits = ServerLimits.patient
        limits.batch = 2
        try await withServer(LiveService.make(), limits: limits) { server in
            let extensions = #""extensions":{"code":"\#(code)"}}]"#
            let socket = try await SocketClient.begin(server)
            try await socket.say(#"{"id":"a","type":"subscribe","payload":{\#(request)}}"#)
            let message = try await socket.next().text
            #expect(message.hasPrefix(#"{"id":"a","type":"error","payload":[{"message":"#), "\(message)")
            #expect(message.hasSuffix("\(extensions)}"), "\(message)")
            for accept in ["text/event-stream", "multipart/mixed;subscriptionSpec=1.0"] {
                let response = try await server.ask(
                    RawRequest.post("{\(request)}", fields: ["Accept: \(accept)"]))
                #expect(response.status == 200)
                #expect(response.body.contains("\(extensions)}"), "\(response.body)")
            }
            let array = try await server.ask(RawRequest.post("[{\(request)},{\(request)}]"))
            #expect(array.status == 200)
            #expect(array.body.ranges(of: extensions).count == 2, "\(array.body)")
        }
    }

    @Test(
        "have METHOD_NOT_ALLOWED and the id of the request for a mutation with GET and a subscription in an array"
    )
    func notAllowed() async throws {
        var limits = ServerLimits.patient
        limits.batch = 2
        try await withServer(LiveService.make(), limits: limits) { server in
            let get = try await server.ask(RawRequest.get("/graphql?query=mutation%20%7B%20act%20%7D"))
            #expect(get.status == 405 && get["allow"] == "POST" && get.code == "METHOD_NOT_ALLOWED")
            #expect(get.message == "A mutation operation cannot be run by this kind of request.")
            let id = try #require(get["x-request-id"])
            #expect(get.json?["errors"]?[0]?["extensions"]?["requestId"]?.string == id)
            let subscription = RawRequest.query("subscription { count(to: 1) }")
            let array = try await server.ask(RawRequest.post("[\(subscription)]"))
            #expect(array.status == 200)
            let batch = try #require(array["x-request-id"])
            #expect(
                array.body
                    == #"[{"errors":[{"message":"A subscription operation cannot be run by this kind of request.","#
                    + #""extensions":{"code":"METHOD_NOT_ALLOWED","requestId":"\#(batch)"}}]}]"#)
        }
    }
}
