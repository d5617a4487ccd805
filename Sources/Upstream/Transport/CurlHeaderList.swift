import CCurl

/// libcurl's list of header lines, freed with this value.
@safe
struct CurlHeaderList: ~Copyable {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init() {
        unsafe pointer = nil
    }

    deinit {
        unsafe curl_slist_free_all(pointer)
    }

    /// Appends a copy of `line`; false without memory, and nothing is lost then.
    mutating func append(_ line: String) -> Bool {
        guard let longer = unsafe curl_slist_append(pointer, line) else { return false }
        unsafe pointer = longer
        return true
    }
}
