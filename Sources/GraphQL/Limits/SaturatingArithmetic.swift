// Saturating arithmetic for counts of expanded documents, so that an overflow still exceeds a limit.
extension Int {
    /// Returns the sum of two counts, at most `Int.max`.
    func saturatingSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// Returns the product of two counts, at most `Int.max`.
    func saturatingProduct(_ other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
