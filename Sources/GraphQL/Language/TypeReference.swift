/// A type reference: a named type in any number of lists, each level non-null or nullable (specification,
/// section 2.11).
public struct TypeReference: Sendable {
    /// The innermost, named type.
    public var name: Name
    /// The lists and non-null markers around the named type.
    public var wrapping: Wrapping
    /// The whole range, with brackets.
    public var span: SourceSpan
}

/// The lists and non-nulls around a named type.
///
/// Level 0 is the named type, level 1 the list directly around it, and so on outwards. One bit per level
/// marks the non-null levels. `[Int!]` has one list and a non-null level 0.
public struct Wrapping: Hashable, Sendable {
    /// The number of lists around the name, from 0 to `maximumLists`.
    public private(set) var lists: UInt8
    private var nonNullLevels: UInt64

    /// The maximum number of lists of a type.
    ///
    /// The specification has no limit; no practical type is near this one.
    public static var maximumLists: Int { 62 }

    /// Creates the wrapping of a nullable named type.
    public init() {
        lists = 0
        nonNullLevels = 0
    }

    /// True if the outermost level is non-null.
    public var isNonNull: Bool { nonNullLevels & (1 << UInt64(lists)) != 0 }

    /// True if the outermost level is a list, nullable or not.
    public var isList: Bool { lists > 0 }

    /// This wrapping with the outermost level non-null.
    public var nonNull: Wrapping {
        var copy = self
        copy.nonNullLevels |= 1 << UInt64(lists)
        return copy
    }

    /// This wrapping with the outermost level nullable.
    public var nullable: Wrapping {
        var copy = self
        copy.nonNullLevels &= ~(1 << UInt64(lists))
        return copy
    }

    /// A nullable list of this wrapping; nil if that exceeds `maximumLists`.
    public var list: Wrapping? {
        guard Int(lists) < Wrapping.maximumLists else { return nil }
        var copy = self
        copy.lists &+= 1
        return copy
    }

    /// The item type of the outermost list, with its non-null marker; nil if there is no list.
    public var item: Wrapping? {
        guard lists > 0 else { return nil }
        var copy = nullable
        copy.lists &-= 1
        return copy
    }

    /// Returns true if a value of this wrapping is valid for `other`, given the same named type
    /// (specification, AreTypesCompatible and IsValidImplementationFieldType).
    public func isSubtype(of other: Wrapping) -> Bool {
        lists == other.lists && other.nonNullLevels & ~nonNullLevels == 0
    }

    /// Returns `name` with the brackets and exclamation marks around it.
    public func description(around name: String) -> String {
        var text = String(repeating: "[", count: Int(lists)) + name
        for level in 0...UInt64(lists) {
            if level > 0 { text += "]" }
            if nonNullLevels & (1 << level) != 0 { text += "!" }
        }
        return text
    }
}
