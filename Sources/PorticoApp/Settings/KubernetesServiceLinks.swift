/// The environment variables that Kubernetes sets in a container for each Service of its namespace.
///
/// A Service `portico` sets `PORTICO_PORT=tcp://10.0.0.11:80`, `PORTICO_SERVICE_HOST`, `PORTICO_SERVICE_PORT`,
/// `PORTICO_SERVICE_PORT_HTTP`, `PORTICO_PORT_80_TCP`, `PORTICO_PORT_80_TCP_PROTO`, `…_PORT` and `…_ADDR`. They are
/// recognized by the form of name and value, because a setting has the name `PORTICO_PORT`. `enableServiceLinks:
/// false` in the specification of the pod turns them off.
///
/// Source: Kubernetes documentation, "Service", section "Environment variables".
enum KubernetesServiceLinks {
    /// Whether Kubernetes has set a variable.
    static func contains(_ name: String, _ value: String) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") { return isAddress(value) }
        if name.hasSuffix("_SERVICE_PORT") { return isPort(value) }
        if name.hasSuffix("_PORT"), isURL(value) { return true }
        if name.contains(#/_SERVICE_PORT_[A-Z0-9_]+$/#) { return isPort(value) }
        guard let match = name.firstMatch(of: #/_PORT_[0-9]{1,5}_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?$/#)
        else {
            return false
        }
        switch match.2 {
        case "_PROTO": return value == match.1.lowercased()
        case "_PORT": return isPort(value)
        case "_ADDR": return isAddress(value)
        default: return isURL(value)
        }
    }

    /// `tcp://10.0.0.11:80`, also with an IPv6 address in brackets.
    private static func isURL(_ text: String) -> Bool {
        guard let match = text.wholeMatch(of: #/(tcp|udp|sctp)://(.+):([0-9]{1,5})/#) else { return false }
        return isAddress(String(match.2)) && isPort(String(match.3))
    }

    private static func isPort(_ text: String) -> Bool { UInt16(text) != nil }

    private static func isAddress(_ text: String) -> Bool {
        text.wholeMatch(of: #/[0-9]{1,3}(\.[0-9]{1,3}){3}|\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*\]?/#) != nil
    }
}
