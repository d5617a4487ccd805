import NIOHTTP1

/// What tests and demonstrations do to Saxo's streams, over HTTP and from this machine only.
///
/// `POST /_sandbox/saxo/streams`: `{"demand": "reset", "references": ["p16"]}` tells every listener to begin
/// subscriptions anew, all where none is named; `{"demand": "disconnect"}` ends every session.
struct FakeSaxoControl: Sendable {
    let streams: FakeSaxoStreams

    var routes: [SandboxRoute] {
        [
            .control(.POST, "/saxo/streams") { request in
                try perform(JSONDocument(parsing: request.body))
                return SandboxResponse(status: .noContent)
            }
        ]
    }

    private func perform(_ json: JSONDocument) throws(ScriptError) {
        try json.requireMembers(["demand", "references"])
        let references = json["references"]?.elements ?? []
        guard json["references"]?.elements != nil || json["references"] == nil,
            references.allSatisfy({ $0.string != nil })
        else {
            throw ScriptError("\"references\" must be a list of reference ids")
        }
        switch json["demand"]?.string {
        case "reset": streams.demandReset(references.compactMap(\.string))
        case "disconnect":
            guard json["references"] == nil else {
                throw ScriptError("\"references\" belong to the demand \"reset\"")
            }
            streams.demandDisconnect()
        case .some, nil: throw ScriptError("\"demand\" must be one of reset, disconnect")
        }
    }
}
