extension HTTPResponse {
    /// Compresses the body where it is worth it and the client accepts it.
    mutating func compress(_ policy: CompressionPolicy, acceptsGzip: Bool) {
        guard policy.level > 0, case .whole(let bytes) = body, policy.sizes.contains(bytes.count) else {
            return
        }
        headers.append(Header("vary", "accept-encoding"))
        guard acceptsGzip, let compressed = gzip(bytes, level: policy.level), compressed.count < bytes.count
        else { return }
        headers.append(Header("content-encoding", "gzip"))
        body = .whole(compressed)
    }

    /// The body in gzip; nil where it has no such form.
    private func gzip(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        prepared.map(\.gzip) ?? Gzip.compress(bytes, level: level)
    }
}
