import GraphQL
import GraphQLTools
import Synchronization
import Upstream
import Web

/// The session of a token at a proxy, which forwards operations to a server and records the responses.
final class MockRecordSession: GraphQLSession {
    private let server: RecordedServer
    private let recording: ScenarioRecording
    private let headers: HTTPClientHeaders

    /// - Parameters:
    ///   - server: The server.
    ///   - recording: Records the responses.
    ///   - token: The token of the client, which is forwarded and not recorded; nil for none.
    init(_ server: RecordedServer, _ recording: ScenarioRecording, token: String?) {
        self.server = server
        self.recording = recording
        headers = server.headers(token: token)
    }

    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse> {
        if let type = request.operationType, !context.allowedOperations.contains(type) {
            return .ready(GraphQLResponse(notAllowing: type))
        }
        guard let request = request.unprepared else { return .ready(MockRecordSession.failure) }
        return .async { [self] in await forward(request, for: context.application) }
    }

    func subscribe(
        _ request: PreparedRequest, in context: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError> {
        guard let unprepared = request.unprepared else {
            return .failure(SubscriptionError(MockRecordSession.failure))
        }
        guard request.operationType == .subscription else {
            let response = await forward(unprepared, for: context.application)
            guard response.outcome != .requestError else { return .failure(SubscriptionError(response)) }
            let (responses, continuation) = AsyncStream.makeStream(of: GraphQLResponse.self)
            continuation.yield(response)
            continuation.finish()
            return .success(ResponseStream(responses))
        }
        return await follow(unprepared, for: context.application)
    }

    private func forward(
        _ request: GraphQLRequest, for application: ClientApplication?
    ) async -> GraphQLResponse {
        let operation = recording.operation(of: request)
        let start = ContinuousClock.now
        switch await server.send(request, headers, application) {
        case .failure(let failure): return failure.response
        case .success(let body):
            if let operation {
                recording.record(body.value, to: operation, after: ContinuousClock.now - start)
            }
            return GraphQLResponse(body: body.bytes, outcome: RecordedServer.outcome(of: body.value))
        }
    }

    /// Forwards a subscription over a WebSocket of its own.
    private func follow(
        _ request: GraphQLRequest, for application: ClientApplication?
    ) async -> Result<ResponseStream, SubscriptionError> {
        let start = ContinuousClock.now
        let events: RecordedSubscription
        do throws(RecordedServer.Failure) {
            events = try await server.subscribe(request, headers, application)
        } catch {
            return .failure(SubscriptionError(error.response))
        }
        let first: InputObject
        switch await events.next() {
        case .event(let event): first = event
        case .rejection(let response): return .failure(SubscriptionError(response))
        case .end:
            let (responses, continuation) = AsyncStream.makeStream(of: GraphQLResponse.self)
            continuation.finish()
            return .success(ResponseStream(responses))
        }
        let subscription = recording.operation(of: request).flatMap { recording.begin($0, after: .zero) }
        let (responses, continuation) = AsyncStream.makeStream(
            of: GraphQLResponse.self, bufferingPolicy: .bufferingNewest(1_000))
        let task = Task { [recording] in
            var (event, last) = (first, start)
            while true {
                let now = ContinuousClock.now
                if let subscription { recording.record(event, of: subscription, after: now - last) }
                last = now
                continuation.yield(
                    GraphQLResponse(
                        body: InputValue.object(event).json, outcome: RecordedServer.outcome(of: event)))
                guard case .event(let next) = await events.next() else { break }
                event = next
            }
            continuation.finish()
            events.close()
        }
        continuation.onTermination = { _ in
            task.cancel()
            events.close()
        }
        return .success(ResponseStream(responses))
    }

    private static let failure = GraphQLResponse(requestErrors: [
        GraphQLError("Internal server error", extensions: ["code": .string("INTERNAL_SERVER_ERROR")])
    ])
}

/// A server whose responses are recorded.
struct RecordedServer: Sendable {
    /// The GraphQL endpoint.
    let endpoint: HTTPURL
    /// Headers of all requests.
    let ownHeaders: HTTPClientHeaders
    let client: HTTPClient

    /// The reason why the server sent no response of GraphQL.
    struct Failure: Error {
        let message: String

        var response: GraphQLResponse { GraphQLResponse(requestErrors: [GraphQLError(message)]) }
    }

    /// The headers of a client's requests; its token replaces that of the environment.
    func headers(token: String?) -> HTTPClientHeaders {
        var headers = HTTPClientHeaders()
        for field in ownHeaders.fields where token == nil || field.name.lowercased() != "authorization" {
            headers.add(field.name, field.value)
        }
        if let token { headers.add("Authorization", "Bearer \(token)") }
        return headers
    }

    /// Sends a query or mutation, once.
    func send(
        _ request: GraphQLRequest, _ headers: HTTPClientHeaders, _ application: ClientApplication?
    ) async -> Result<(bytes: [UInt8], value: InputObject), Failure> {
        var headers = RecordedServer.adding(application, to: headers)
        headers.add("Content-Type", "application/json")
        headers.add("Accept", "application/graphql-response+json, application/json")
        let call = HTTPClientRequest(
            .post, endpoint, headers: headers, body: InputValue.object(request.payload).json,
            deadline: .now + .seconds(60))
        let response: HTTPClientResponse
        do {
            response = try await client.send(call)
        } catch {
            return .failure(Failure(message: "\(endpoint) did not respond: \(error)"))
        }
        guard
            case .object(let value)? = try? InputValue(
                json: response.body, limits: LargeStackThread.jsonLimits),
            value["data"] != nil || value["errors"] != nil
        else {
            return .failure(
                Failure(
                    message: "\(endpoint) responded with status \(response.status) and no GraphQL response."))
        }
        return .success((response.body, value))
    }

    /// Starts a subscription (GraphQL over WebSocket).
    func subscribe(
        _ request: GraphQLRequest, _ headers: HTTPClientHeaders, _ application: ClientApplication?
    ) async throws(Failure) -> RecordedSubscription {
        var headers = RecordedServer.adding(application, to: headers)
        headers.add("Sec-WebSocket-Protocol", "graphql-transport-ws")
        do {
            let socket = try await WebSocketConnection.open(
                endpoint, headers: headers, before: .now + .seconds(10))
            try await socket.send(.text(#"{"type":"connection_init"}"#))
            let message: InputObject = [
                "id": .string("1"), "type": .string("subscribe"), "payload": .object(request.payload),
            ]
            return RecordedSubscription(
                socket, start: WebSocketMessage(.text, InputValue.object(message).json))
        } catch {
            throw Failure(message: "\(endpoint) accepts no WebSocket: \(error)")
        }
    }

    private static func adding(
        _ application: ClientApplication?, to headers: HTTPClientHeaders
    ) -> HTTPClientHeaders {
        var headers = headers
        if let application {
            headers.add("apollographql-client-name", application.name)
            if !application.version.isEmpty {
                headers.add("apollographql-client-version", application.version)
            }
        }
        return headers
    }

    static func outcome(of response: InputObject) -> GraphQLResponse.Outcome {
        if response["data"] == nil { return .requestError }
        return response["errors"] == nil ? .complete : .partial
    }
}

/// A subscription at a server, over a WebSocket of its own.
final class RecordedSubscription: Sendable {
    private let socket: WebSocketConnection
    private let start: WebSocketMessage

    enum Part {
        case event(InputObject)
        /// The server has refused the operation.
        case rejection(GraphQLResponse)
        case end
    }

    /// - Parameters:
    ///   - socket: A WebSocket whose first message was sent.
    ///   - start: The message that starts the operation, sent when the server has accepted the WebSocket.
    init(_ socket: WebSocketConnection, start: WebSocketMessage) {
        (self.socket, self.start) = (socket, start)
    }

    /// Returns the next event; answers pings meanwhile.
    func next() async -> Part {
        while let bytes = try? await socket.receive().bytes {
            guard
                case .object(let message)? = try? InputValue(json: bytes, limits: LargeStackThread.jsonLimits),
                case .string(let type)? = message["type"]
            else { return .end }
            switch (type, message["payload"]) {
            case ("connection_ack", _): try? await socket.send(start)
            case ("ping", _): try? await socket.send(.text(#"{"type":"pong"}"#))
            case ("next", .object(let response)?): return .event(response)
            case ("error", let errors?):
                return .rejection(
                    GraphQLResponse(
                        body: InputValue.object(["errors": errors]).json, outcome: .requestError))
            case ("complete", _): return .end
            default: continue
            }
        }
        return .end
    }

    func close() { socket.close() }
}

extension GraphQLRequest {
    /// The request in JSON (GraphQL over HTTP, section "JSON Encoding").
    fileprivate var payload: InputObject {
        var payload: InputObject = ["query": .string(document)]
        if let operationName { payload["operationName"] = .string(operationName) }
        if !variables.fields.isEmpty { payload["variables"] = .object(variables) }
        if !extensions.fields.isEmpty { payload["extensions"] = .object(extensions) }
        return payload
    }
}
