import NIOHTTP1

/// What tests and demonstrations do to Saxo's streams, over HTTP and from this machine only.
///
/// `POST /_sandbox/saxo/streams`: `{"demand": "reset", "references": ["p16"]}` tells every listener to begin
/// subscriptions anew, all where none is named; `{"demand": "disconnect"}` ends every session.
struct SaxoControl: Sendable {
    let streams: SaxoStreamDesk

    var routes: [Route] {
        [
            .post("/saxo/streams") { request in
                do {
                    try perform(JSON(parsing: request.body))
                    return Response(status: .noContent)
                } catch let error as ScriptError {
                    return .json(["error": .string(error.description)], status: .badRequest)
                } catch let error as JSON.SyntaxError {
                    return .json(["error": .string("not JSON: \(error)")], status: .badRequest)
                }
            }
        ]
    }

    private func perform(_ json: JSON) throws(ScriptError) {
        try json.requireMembers(["demand", "references"])
        let references = json["references"]?.elements ?? []
        guard references.allSatisfy({ $0.string != nil }) else {
            throw ScriptError("\"references\" must be a list of reference ids")
        }
        switch json["demand"]?.string {
        case "reset": streams.demandReset(references.compactMap(\.string))
        case "disconnect": streams.demandDisconnect()
        case .some, nil: throw ScriptError("\"demand\" must be one of reset, disconnect")
        }
    }
}
