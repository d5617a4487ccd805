import GraphQL

/// The token of a socket's first message: where browsers put it, who cannot send an Authorization field.
enum SocketToken {
    /// `{"Authorization": "Bearer <token>"}`, the name in any case, or `{"token": "<token>"}`; nil where neither is
    /// there.
    ///
    /// - Throws: `Unauthorized` where it is there in another form.
    static func read(_ payload: InputObject) throws(Unauthorized) -> String? {
        for (name, value) in payload.fields {
            if name.matches("authorization") {
                guard case .string(let text) = value else {
                    if value == .null { continue }
                    throw .notBearer
                }
                return try BearerToken.read(text)
            }
            if name == "token", case .string(let text) = value {
                return try BearerToken.read("Bearer \(text)")
            }
        }
        return nil
    }
}
