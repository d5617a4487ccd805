import NIOCore
import NIOHTTP1

/// Rejects requests that browsers send for pages of other sites.
///
/// These pages can send requests to a server on its reader's machine, including those of ``ControlAPI``.
/// With DNS rebinding, under their own name, they can also read the responses. Browsers send the site in
/// `Origin` with every POST and every WebSocket, and in `Host` the server's name that the page uses. Programs
/// send no `Origin`, and may omit `Host`.
struct CrossOriginProtection: Sendable {
    /// The name or address that the server listens on, in lower case.
    private let host: String
    private let isOnThisMachine: Bool

    /// - Parameter host: The name or address that the server listens on.
    init(listeningOn host: String) {
        self.host = host.lowercased()
        isOnThisMachine = Self.isLoopback(self.host)
    }

    /// The response to a request for another server, or from a page of another site; nil for an accepted
    /// request.
    func rejection(of request: SandboxRequest) -> SandboxResponse? {
        if let host = request.headers["Host"].first(where: { !accepts($0) }) {
            let reason = """
                "\(host.prefix(100))" is not a host of this sandbox. Use localhost or the address that it \
                listens on, or start it with --host and the name or address that clients use
                """
            return Self.rejection(reason, .misdirectedRequest)
        }
        if let origin = request.headers["Origin"].first(where: { !isOwn($0, request) }) {
            return Self.rejection(
                "Pages of \"\(origin.prefix(100))\" cannot use this sandbox. Send the request from a program, "
                    + "without an Origin", .forbidden)
        }
        return nil
    }

    private static func rejection(_ reason: String, _ status: HTTPResponseStatus) -> SandboxResponse {
        .json(["error": .string(reason)], status: status)
    }

    /// Returns true if a Host field names this server.
    ///
    /// Ports are not compared: a mapping may change them. A server that listens beyond this machine accepts
    /// every address, and names without a dot, such as those of containers: public DNS, and therefore a page,
    /// has no such names.
    private func accepts(_ field: String) -> Bool {
        let name = Self.name(in: field)
        if name == host || Self.isLoopback(name) { return true }
        return !isOnThisMachine && (!name.contains(".") || Self.address(name) != nil)
    }

    /// Returns true if a page is the server's own: its origin is the host of the request.
    private func isOwn(_ origin: String, _ request: SandboxRequest) -> Bool {
        request.headers["Host"].contains { origin.lowercased() == "http://\($0.lowercased())" }
    }

    /// Returns the name or address in `name:port`, in lower case, without the brackets of IPv6.
    private static func name(in field: String) -> String {
        if field.hasPrefix("["), let end = field.firstIndex(of: "]") {
            return field[..<end].dropFirst().lowercased()
        }
        let name = field.prefix { $0 != ":" }
        return (name.hasSuffix(".") ? name.dropLast() : name).lowercased()
    }

    /// Names and addresses that every browser resolves to this machine (RFC 6761, section 6.3).
    private static func isLoopback(_ name: String) -> Bool {
        name == "localhost" || name.hasSuffix(".localhost") || address(name)?.isLoopback == true
    }

    private static func address(_ name: String) -> SocketAddress? {
        try? SocketAddress(ipAddress: name, port: 0)
    }
}
