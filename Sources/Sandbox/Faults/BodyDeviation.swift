/// A difference between a response and the provider's documents, as after an upgrade of the provider.
package enum BodyDeviation: String, Sendable, Hashable, CaseIterable {
    /// The objects do not have the member.
    case absentMember = "absent_member"
    /// A text or a number is an object.
    case otherType = "other_type"
    /// The objects have another member beside this one.
    case extraMember = "extra_member"
    /// A text is another name.
    case unknownName = "unknown_name"

    /// The name of the added member.
    package static let addedMember = "sandbox_deviation"
    /// The name that no enumeration has.
    package static let addedName = "SandboxDeviation"

    /// Changes each object of a JSON body that has the member; another body stays unchanged.
    func apply(to body: inout [UInt8], at member: String) {
        guard let document = try? JSONDocument(parsing: body) else { return }
        body = changed(document, at: member).bytes
    }

    private func changed(_ value: JSONDocument, at member: String) -> JSONDocument {
        switch value {
        case .array(let elements): .array(elements.map { changed($0, at: member) })
        case .object(let members): .object(members.flatMap { changed($0, at: member) })
        case .null, .bool, .number, .scientific, .string: value
        }
    }

    private func changed(_ item: JSONDocument.Member, at member: String) -> [JSONDocument.Member] {
        guard item.name == member else {
            return [JSONDocument.Member(name: item.name, value: changed(item.value, at: member))]
        }
        switch self {
        case .absentMember: return []
        case .otherType: return [JSONDocument.Member(name: member, value: ["value": item.value])]
        case .extraMember: return [item, JSONDocument.Member(name: Self.addedMember, value: "new")]
        case .unknownName: return [JSONDocument.Member(name: member, value: .string(Self.addedName))]
        }
    }
}
