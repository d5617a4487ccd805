import NIOHTTP1

/// Refuses requests that pages of other sites make a browser send to a server that they may not read: by DNS
/// rebinding, by WebSockets, and by requests that browsers send without a CORS preflight.
///
/// A POST needs no check: its content type makes a browser send a preflight first. Clients other than
/// browsers send neither Origin nor Fetch Metadata, and are not affected.
struct CrossSitePolicy: Sendable {
    let hosts: HostPolicy
    let cors: CORSPolicy

    /// Refuses a request whose host is not one of this server.
    ///
    /// A client of HTTP/1.0 may send no host; browsers always do.
    ///
    /// - Throws: `.unknownHost`.
    func checkHost(of head: RequestHead) throws(HTTPError) {
        guard !head.fields.hasHost(where: hosts.accepts) else { return }
        throw .unknownHost(head.fields[.host] ?? "")
    }

    /// Refuses a request that a page of another site makes a browser send.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - includesPOST: Whether a POST is checked, too.
    ///   - isPage: Whether a link of another site may lead to the requested path.
    /// - Throws: `.foreignOrigin`.
    func checkOrigin(
        of head: RequestHead, includesPOST: Bool, isPage: @autoclosure () -> Bool
    ) throws(HTTPError) {
        guard head.method == .GET || head.method == .HEAD || includesPOST, isCrossSite(head) else { return }
        let origin = head.fields.origin
        guard cors.origins != .any, cors.allowed(origin) == nil else { return }
        if origin == nil, head.fields[.fetchMode] == "navigate", isPage() { return }
        throw .foreignOrigin(origin)
    }

    /// Whether a browser sends a request for a page of another site (Fetch Metadata Request Headers; RFC
    /// 6454, section 7).
    ///
    /// Fetch Metadata come from the browser itself, and are valid also if a proxy changes Host.
    func isCrossSite(_ head: RequestHead) -> Bool {
        if let site = head.fields[.fetchSite] { return site != "same-origin" && site != "none" }
        guard let origin = head.fields.origin else { return false }
        return !hosts.isOwn(origin: origin, host: head.fields[.host])
    }
}
