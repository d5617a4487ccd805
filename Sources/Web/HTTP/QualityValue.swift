/// How much a client likes a form of an answer (RFC 9110, section 12.4.2).
enum QualityValue {
    /// `0.85` is 850; nil for what is no weight.
    static func thousandths(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == "0" || parts[0] == "1" else { return nil }
        let decimals = parts.count > 1 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
            return nil
        }
        let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0
        let quality = (parts[0] == "1" ? 1000 : 0) + thousandths
        return quality <= 1000 ? quality : nil
    }
}
