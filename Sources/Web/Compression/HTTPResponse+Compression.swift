extension HTTPResponse {
    /// Compresses the body where it is worth it and the client accepts it.
    mutating func compress(_ policy: CompressionPolicy, acceptsGzip: Bool) {
        guard policy.level > 0, case .whole(let bytes) = body, policy.sizes.contains(bytes.count) else {
            return
        }
        headers.append(Header("vary", "accept-encoding"))
        guard acceptsGzip, let compressed = Gzip.compress(bytes, level: policy.level),
            compressed.count < bytes.count
        else { return }
        headers.append(Header("content-encoding", "gzip"))
        body = .whole(compressed)
    }
}
