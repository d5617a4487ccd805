import GraphQL

extension InputObject {
    /// Whether a socket's first message asks to be told which upstream calls its operations cost:
    /// `{"Portico-Upstream": true}`, where browsers put what they cannot send as a header field.
    ///
    /// The word "true" does as well, as does a member `headers` with either.
    var asksForUpstream: Bool {
        for (name, value) in fields {
            switch value {
            case .boolean(true) where name.matches("portico-upstream"): return true
            case .string(let word) where name.matches("portico-upstream") && word.matches("true"): return true
            case .object(let headers) where name.matches("headers") && headers.asksForUpstream: return true
            default: continue
            }
        }
        return false
    }
}
