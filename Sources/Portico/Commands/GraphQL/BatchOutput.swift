import GraphQL

/// One line of a batch's output.
struct BatchOutput {
    let id: InputValue
    let outcome: Outcome

    enum Outcome {
        case succeeded
        case printed(String)
        /// It could not be done: at least one error says why.
        case failed([GraphQLError])
        /// An operation ran, and its response may have errors of fields.
        case response(GraphQLResponse)
    }

    init(id: InputValue, _ outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }

    /// The answer to a line that is no case.
    init(id: InputValue, error message: String) {
        self.init(id: id, .failed([GraphQLError(message)]))
    }

    /// The result as JSON.
    var line: [UInt8] {
        switch outcome {
        case .succeeded: return object(ok: true, ["errors": .list([])])
        case .printed(let text): return object(ok: true, ["printed": .string(text), "errors": .list([])])
        case .failed(let errors): return object(ok: false, ["errors": .list(errors.map(\.json))])
        case .response(let response):
            // The response is an object with `data` and, where some fields failed, `errors`: its members are taken
            // over as they stand.
            let isComplete = response.outcome == .complete
            let head = object(ok: isComplete, isComplete ? ["errors": .list([])] : [:])
            return head.dropLast() + [UInt8(ascii: ",")] + response.body.dropFirst()
        }
    }

    private func object(ok: Bool, _ members: InputObject) -> [UInt8] {
        InputValue.object(InputObject([("id", id), ("ok", .boolean(ok))] + members.fields)).json
    }
}

extension GraphQLError {
    /// The error with its places, also where there are none, and its path.
    var json: InputValue {
        var members: InputObject = [
            "message": .string(message),
            "locations": .list(
                locations.map { .object(["line": .int($0.line), "column": .int($0.column)]) }),
        ]
        if let path {
            members["path"] = .list(
                path.map { segment in
                    switch segment {
                    case .key(let key): .string(key)
                    case .index(let index): .int(index)
                    }
                })
        }
        return .object(members)
    }
}
