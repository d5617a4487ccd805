extension GraphQLResponse {
    /// The same response with more in `extensions` (specification, section 7.1).
    ///
    /// - Parameter more: what is added, under names that the response's extensions do not have yet; the engine itself
    ///   writes `cost`.
    /// - Returns: the response itself where nothing is added.
    public func adding(extensions more: InputObject) -> GraphQLResponse {
        guard !more.fields.isEmpty, body.last == UInt8(ascii: "}") else { return self }
        // What is closed again by what follows: the response, and its extensions where there are some.
        var extended = Array(body.dropLast(hasExtensions ? 2 : 1))
        extended += hasExtensions ? ",".utf8 : ",\"extensions\":{".utf8
        extended += InputValue.object(more).json.dropFirst()
        extended.append(UInt8(ascii: "}"))
        return GraphQLResponse(body: extended, outcome: outcome, hasExtensions: true)
    }
}
