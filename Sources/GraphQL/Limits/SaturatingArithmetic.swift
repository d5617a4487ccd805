// Counts of what a document writes out to: where they do not fit an integer they stop at its end, so that a limit is
// seen to be passed whatever the excess.
extension Int {
    /// The sum of two counts, or `Int.max` where it is more.
    func stoppingSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// The product of two counts, or `Int.max` where it is more.
    func stoppingProduct(_ other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
