import GraphQL

/// The token of a socket's first message: where browsers put it, who cannot send an Authorization field.
enum ConnectionInitToken {
    /// Names, in lower case, under which clients send the bare token.
    private static let bareNames: Set<String> = ["token", "authtoken", "accesstoken", "access_token"]

    /// The token of `{"Authorization": "Bearer <token>"}` or `{"authToken": "<token>"}`; nil where there is none.
    ///
    /// It may also stand in a member `headers`. Names are in any case, as those of fields are.
    ///
    /// - Throws: `AuthenticationError` where it is there in another form.
    static func read(_ payload: InputObject) throws(AuthenticationError) -> String? {
        for (name, value) in payload.fields {
            if name.matches("authorization") {
                if let text = try text(value) { return try BearerToken.read(text) }
            } else if bareNames.contains(name.lowercased()) {
                // Some put the whole of the field there.
                if let text = try text(value) {
                    return try BearerToken.read(text.contains(" ") ? text : "Bearer \(text)")
                }
            }
        }
        for (name, value) in payload.fields {
            if name.matches("headers"), case .object(let headers) = value { return try read(headers) }
        }
        return nil
    }

    /// A text that says something; nil for what a client sends that has no token.
    private static func text(_ value: InputValue) throws(AuthenticationError) -> String? {
        switch value {
        case .null: nil
        case .string(let text): text.isEmpty ? nil : text
        default: throw .notBearer
        }
    }
}
