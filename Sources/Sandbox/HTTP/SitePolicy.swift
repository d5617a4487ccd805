import NIOCore
import NIOHTTP1

/// Refuses what pages of other sites make a browser send.
///
/// Such a page can send requests to a server on its reader's machine, where the control desk is; with DNS rebinding, under a
/// name of its own, it can also read the answers. Browsers name the site in `Origin` with every POST and every WebSocket, and
/// the server's name, as the page knows it, in `Host`. Programs send no `Origin`, and may leave out `Host`.
struct SitePolicy: Sendable {
    /// The name or address that the server listens on, in lower case.
    private let host: String
    private let isOnThisMachine: Bool

    /// - Parameter host: The name or address that the server listens on.
    init(listeningOn host: String) {
        self.host = host.lowercased()
        isOnThisMachine = Self.isLoopback(self.host)
    }

    /// What a request gets that is not for this server, or not from a page of it; nil where it is to be answered.
    func refusal(of request: Request) -> Response? {
        if let host = request.headers["Host"].first(where: { !accepts($0) }) {
            return Self.refusal(
                "\"\(host.prefix(100))\" is no host of this sandbox; ask localhost or the address that it listens on, or "
                    + "start it with --host and the name or address that clients ask for", .misdirectedRequest
            )
        }
        if let origin = request.headers["Origin"].first(where: { !isOwn($0, request) }) {
            return Self.refusal(
                "pages of \"\(origin.prefix(100))\" may not use this sandbox; ask it from a program, which sends no "
                    + "Origin", .forbidden)
        }
        return nil
    }

    private static func refusal(_ reason: String, _ status: HTTPResponseStatus) -> Response {
        .json(["error": .string(reason)], status: status)
    }

    /// Whether a Host field names this server.
    ///
    /// Ports are not compared: a mapping may change them. A server that listens beyond this machine is known by every address,
    /// and by names without a dot, as containers have them: public DNS, and so a page, has no such names.
    private func accepts(_ field: String) -> Bool {
        let name = Self.name(in: field)
        if name == host || Self.isLoopback(name) { return true }
        return !isOnThisMachine && (!name.contains(".") || Self.address(name) != nil)
    }

    /// Whether a page is the server's own: its origin is the host that the request names.
    private func isOwn(_ origin: String, _ request: Request) -> Bool {
        request.headers["Host"].contains { origin.lowercased() == "http://\($0.lowercased())" }
    }

    /// The name or address in `name:port`, in lower case, without the brackets of IPv6.
    private static func name(in field: String) -> String {
        if field.hasPrefix("["), let end = field.firstIndex(of: "]") {
            return field[..<end].dropFirst().lowercased()
        }
        let name = field.prefix { $0 != ":" }
        return (name.hasSuffix(".") ? name.dropLast() : name).lowercased()
    }

    /// Names and addresses that lead to this machine in every browser (RFC 6761, section 6.3).
    private static func isLoopback(_ name: String) -> Bool {
        name == "localhost" || name.hasSuffix(".localhost") || address(name)?.isLoopback == true
    }

    private static func address(_ name: String) -> SocketAddress? {
        try? SocketAddress(ipAddress: name, port: 0)
    }
}
