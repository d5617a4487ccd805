import Brokerage
import Contract
import Upstream

/// The members of responses that Portico knows and does not read, and those that not every response has.
///
/// The table is recorded from the sandbox, whose responses are compared with the providers' documents.
struct KnownMembers {
    private var names: [String: [String: [String: Set<String>]]] = [:]

    static let recorded = KnownMembers(RecordedFiles.knownMembers)

    /// Reads `{"alpaca": {"account": {"unread": ["pattern_day_trader"], "absent": []}}}`.
    private init(_ text: [UInt8]) {
        // A test compares the file with the sandbox.
        let names = try? JSONReader.read(text) { reader throws(JSONError) in
            try reader.map { reader throws(JSONError) in
                try reader.map { reader throws(JSONError) in
                    try reader.map { reader throws(JSONError) in Set(try reader.array(of: String.self)) }
                }
            }
        }
        self.names = names ?? [:]
    }

    /// Whether the table has the member of a finding, so that the finding is no difference.
    func contains(_ finding: JSONInspection.Finding, in operation: String, of provider: ProviderID) -> Bool {
        let kind =
            switch finding.kind {
            case .unread: "unread"
            case .absent: "absent"
            case .unknownName, .unreadable, .list: ""
            }
        // The members of a response of another form have no names that are known.
        guard ProviderID.allCases.contains(provider) else { return kind != "" }
        return names[provider.name.text]?[operation]?[kind]?.contains(String(finding.member)) ?? false
    }
}

extension JSONReader {
    /// Reads an object whose keys are data.
    fileprivate mutating func map<Value>(
        _ value: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> [String: Value] {
        var values: [String: Value] = [:]
        try object { key, reader throws(JSONError) in values[key.string] = try value(&reader) }
        return values
    }
}
