extension SourceSpan {
    /// Whether the whole of `other` lies in this span.
    func contains(_ other: SourceSpan) -> Bool {
        start <= other.start && other.end <= end
    }
}
