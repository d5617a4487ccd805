/// A field error of a response: an entry of `errors`.
package struct FieldFailure: Sendable, Hashable {
    /// The path, for instance `positions.0.quote`.
    package let path: String?
    package let code: String?
    package let provider: String?

    package init(_ path: String?, _ code: String?, _ provider: String? = "alpaca") {
        self.path = path
        self.code = code
        self.provider = provider
    }
}

extension JSONValue {
    /// The entries of `errors`, in order.
    package var failures: [FieldFailure] {
        (self["errors"]?.elements ?? []).map { error in
            let path = error["path"]?.elements?.map { $0.string ?? $0.digits ?? "?" }.joined(separator: ".")
            return FieldFailure(
                path, error["extensions"]?["code"]?.string, error["extensions"]?["provider"]?.string)
        }
    }

    /// The paths of nulls in `data`, in the form of ``FieldFailure/path``.
    package var nulls: Set<String> { self["data"]?.nulls(at: []) ?? [] }

    private func nulls(at path: [String]) -> Set<String> {
        switch self {
        case .null: [path.joined(separator: ".")]
        case .array(let elements):
            Set(elements.enumerated().flatMap { $0.element.nulls(at: path + ["\($0.offset)"]) })
        case .object(let members): Set(members.flatMap { $0.value.nulls(at: path + [$0.key]) })
        case .bool, .number, .string: []
        }
    }
}

extension RawResponse {
    /// See ``JSONValue/failures``; empty if the body is not JSON.
    package var failures: [FieldFailure] { json?.failures ?? [] }

    /// See ``JSONValue/nulls``.
    package var nulls: Set<String> { json?.nulls ?? [] }
}
