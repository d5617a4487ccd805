import NIOHTTP1

extension HTTPResponse {
    /// Names what an answer to GET says, and leaves it out where the client has it already.
    ///
    /// Not where nothing may be kept.
    mutating func validate(_ method: HTTPMethod, ifNoneMatch: String?) {
        guard method == .GET || method == .HEAD, status == .ok, case .whole(let bytes) = body,
            !headers.contains(where: { "\($0.name)" == "cache-control" && $0.value == "no-store" })
        else { return }
        let tag = prepared?.tag ?? EntityTag(of: bytes)
        headers.append(Header("etag", tag.text))
        guard tag.matches(ifNoneMatch) else { return }
        status = .notModified
        contentType = nil
        body = .whole([])
    }
}
