/// Copies the bytes of one run from the fuzzer's buffer.
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: start, count: count))
}

extension [UInt8] {
    /// The bytes before and after the first zero; all bytes and none without a zero.
    public var parts: (first: [UInt8], second: [UInt8]) {
        guard let separator = firstIndex(of: 0) else { return (self, []) }
        return (Array(self[..<separator]), Array(self[(separator + 1)...]))
    }
}
