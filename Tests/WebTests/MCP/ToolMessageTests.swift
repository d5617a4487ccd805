import Foundation
import GraphQL
import NIOCore
import NIOHTTP1
import SocketInputs
import Synchronization
import TestSupport
import Testing
import Web

/// Generated messages to the route of `/mcp`, without sockets.
@Suite("Generated messages of the Model Context Protocol")
struct ToolMessageTests {
    /// FUZZ_RUNS sets the number of messages.
    private static let runs = ProcessInfo.processInfo.environment["FUZZ_RUNS"].flatMap { Int($0) } ?? 2_000

    @Test("get a response of JSON-RPC with the id of the message, or an error of HTTP")
    func responses() async throws {
        let handler = try ToolHandler()
        var inputs = ToolInputs(seed: 1)
        var statuses: [Int: Int] = [:]
        var (results, toolErrors) = (0, 0)
        for number in 0..<Self.runs {
            let input = inputs.next()
            let response = try await handler.completeResponse(to: input)
            statuses[Int(response.status.code), default: 0] += 1
            do {
                let message = try ToolMessage(response, to: input)
                if message.result != nil { results += 1 }
                if message.result?["isError"] as? Bool == true { toolErrors += 1 }
            } catch {
                Issue.record("message \(number): \(error)\n\(input.text)")
                return
            }
        }
        // Each kind of response occurs.
        #expect(Set(statuses.keys).isSuperset(of: [200, 202, 400, 401, 403, 404, 406, 415]), "\(statuses)")
        #expect(results > Self.runs / 20 && toolErrors > Self.runs / 200, "\(results), \(toolErrors)")
    }
}

/// A call whose client asks for its progress.
@Suite("The stream of a tool's call")
struct ToolStreamTests {
    private static func call(_ more: String, accept: String) -> ToolInputs.Input {
        let body = #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Slow"\#(more)}}"#
        return ToolInputs.Input(
            fields: ["Content-Type: application/json", "Accept: \(accept)"], body: Array(body.utf8), id: "7")
    }

    @Test("tells that the call has started, before its result is available")
    func stream() async throws {
        let context = ToolContext()
        let handler = try ToolHandler(context)
        let response = try await handler.response(
            to: Self.call(#","_meta":{"progressToken":"p"}"#, accept: "application/json, text/event-stream"))
        guard case .streamed(let body) = response.body else {
            Issue.record("the body is complete")
            return
        }
        #expect(response.contentType.map { "\($0)" } == "text/event-stream; charset=utf-8")
        let parts = Mutex<[String]>([])
        try await body.produce(
            BodyWriter { part, _ in
                parts.withLock { $0.append(String(buffer: part)) }
                // The client has the first event.
                context.gate.happen()
            })
        #expect(
            parts.withLock(\.self).first == """
                event: message
                data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":0,\
                "total":1,"message":"The operation Slow has started."}}

                :


                """)
        #expect(
            parts.withLock(\.self).dropFirst().first == #"""
                event: message
                data: {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":\#
                "{\"data\":{\"slow\":\"done\"}}"}],"isError":false,"structuredContent":{"data":{"slow":"done"}}}}


                """#)
    }

    @Test(
        "is one object for a client that asks for no progress, or accepts no events",
        arguments: [
            ("", "application/json, text/event-stream"),
            (#","_meta":{"progressToken":"p"}"#, "application/json"),
            (#","_meta":{"progressToken":1.5}"#, "application/json, text/event-stream"),
        ])
    func object(more: String, accept: String) async throws {
        let context = ToolContext()
        context.gate.happen()
        let response = try await ToolHandler(context).response(to: Self.call(more, accept: accept))
        guard case .complete(let body) = response.body else {
            Issue.record("the body is a stream")
            return
        }
        #expect(String(decoding: body, as: UTF8.self).hasPrefix(#"{"jsonrpc":"2.0","id":7,"result":"#))
    }
}

/// A response to a message, which obeys JSON-RPC 2.0 and the Model Context Protocol.
struct ToolMessage {
    /// The reason why a response is not valid.
    struct Invalid: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// The member `result`; nil for an error, and for the response to a notification.
    let result: [String: Any]?

    /// - Throws: `Invalid`, or Foundation's error for a body that is not JSON.
    init(_ response: HTTPResponse, to input: ToolInputs.Input) throws {
        guard case .complete(let body) = response.body else { throw Invalid("the body is not complete") }
        if response.status == .accepted {
            guard body.isEmpty, input.id == nil else { throw Invalid("202 with a body, or for a request") }
            result = nil
            return
        }
        let json = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        guard let json else { throw Invalid("the body is no object") }
        guard json["jsonrpc"] as? String == "2.0" else {
            // An error of HTTP before the route: of another site.
            guard response.status == .forbidden, json["errors"] is [Any] else {
                throw Invalid("\(response.status) without a message of JSON-RPC")
            }
            result = nil
            return
        }
        let isAnswer =
            response.status == .ok || response.status == .badRequest || response.status == .notFound
        if let id = input.id, isAnswer, !body.starts(with: #"{"jsonrpc":"2.0","id":\#(id),"#.utf8) {
            // The id is compared as it was sent, except for an escaped character.
            guard id.contains("\\"), json["id"] as? String == "é" else { throw Invalid("the id differs") }
        }
        if let error = json["error"] as? [String: Any] {
            guard json["result"] == nil, error["code"] is Int, (error["message"] as? String)?.isEmpty == false
            else { throw Invalid("the error is malformed") }
            result = nil
            return
        }
        guard response.status == .ok, let result = json["result"] as? [String: Any] else {
            throw Invalid("neither a result nor an error")
        }
        self.result = result
        guard let content = result["content"] as? [[String: Any]] else { return }
        guard content.count == 1, content[0]["type"] as? String == "text",
            (content[0]["text"] as? String)?.isEmpty == false, let isError = result["isError"] as? Bool,
            isError == (result["structuredContent"] == nil)
        else { throw Invalid("the result of the tool is malformed") }
    }
}
