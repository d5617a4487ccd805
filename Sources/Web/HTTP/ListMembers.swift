extension StringProtocol {
    /// Without spaces and tabs around it.
    var trimmed: SubSequence {
        let end = lastIndex { $0 != " " && $0 != "\t" }
        guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }), let end else {
            return self[endIndex...]
        }
        return self[start...end]
    }

    /// The members of a comma-separated list.
    var listMembers: some Sequence<SubSequence.SubSequence> {
        split(separator: ",").lazy.map(\.trimmed)
    }
}
