public import GraphQL

extension GraphQLResponse {
    /// Checks that the response is JSON, with the members of its outcome (specification, section 7.1).
    public func check() {
        let text = String(decoding: body, as: UTF8.self)
        let limits = JSONLimits(depth: 1_000, bytes: .max, values: .max)
        guard let value = try? InputValue(json: body, limits: limits),
            case .object(let members) = value
        else { return claim(false, "No JSON object: \(text)") }
        let hasErrors: Bool
        switch members["errors"] {
        case .list(let errors)?: hasErrors = !errors.isEmpty
        case .null?, .boolean?, .int?, .number?, .string?, .enum?, .object?, nil: hasErrors = false
        }
        switch outcome {
        case .complete: claim(members["data"] != nil && members["errors"] == nil, text)
        case .partial: claim(members["data"] != nil && hasErrors, text)
        case .requestError, .notAllowed: claim(members["data"] == nil && hasErrors, text)
        }
    }
}
