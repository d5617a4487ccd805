import NIOHTTP1

/// A file that is served as it is, made ready once: its tag and its compressed form.
struct StaticFile: Sendable {
    let response: HTTPResponse

    /// - Parameters:
    ///   - name: its last path component, by which it goes how long it may be kept.
    ///   - type: what browsers take it for.
    ///   - bytes: all of it.
    ///   - level: of compression, from 1 to 9; 0 compresses nothing.
    init(_ name: String, _ type: FileType, _ bytes: [UInt8], level: Int) {
        var response = HTTPResponse(.ok, type.contentType, body: bytes)
        response.prepared = HTTPResponse.Prepared(
            tag: EntityTag(of: bytes),
            gzip: level > 0 && type != .png ? Gzip.compress(bytes, level: level) : nil)
        response.headers =
            [HTTPResponse.Header("cache-control", StaticFile.caching(of: name))]
            + ContentSecurityPolicy.headers(isPage: type.isPage)
        self.response = response
    }

    /// A name with a version names the same content for ever; any other is asked for again, by its tag.
    private static func caching(of name: String) -> String {
        name.contains(/[-.]\d+\.\d+\.\d+\./) ? "public, max-age=31536000, immutable" : "no-cache"
    }
}
