/// A type as written: a name in any number of lists, each level non-null or not (specification, section 2.11).
public struct TypeReference: Sendable {
    /// The innermost, named type.
    public var name: Name
    /// The lists and exclamation marks around it.
    public var wrapping: Wrapping
    /// The whole, with its brackets.
    public var span: SourceSpan
}

/// The lists and non-nulls around a named type.
///
/// Level 0 is the named type, level 1 the list directly around it, and so on outwards; a bit a level tells which
/// are non-null. `[Int!]` has one list and a non-null level 0.
public struct Wrapping: Hashable, Sendable {
    /// How many lists there are around the name, from 0 to `maximumLists`.
    public private(set) var lists: UInt8
    private var nonNullLevels: UInt64

    /// As many lists as one type may have.
    ///
    /// The specification has no bound; no type that is of use comes near this one.
    public static var maximumLists: Int { 62 }

    /// A nullable named type.
    public init() {
        lists = 0
        nonNullLevels = 0
    }

    /// True where the outermost level is non-null.
    public var isNonNull: Bool { nonNullLevels & (1 << UInt64(lists)) != 0 }

    /// True where the outermost level, its exclamation mark aside, is a list.
    public var isList: Bool { lists > 0 }

    /// The same with the outermost level non-null.
    public var nonNull: Wrapping {
        var copy = self
        copy.nonNullLevels |= 1 << UInt64(lists)
        return copy
    }

    /// The same with the outermost level nullable.
    public var nullable: Wrapping {
        var copy = self
        copy.nonNullLevels &= ~(1 << UInt64(lists))
        return copy
    }

    /// A nullable list of this; nil where that would be a list too many.
    public var list: Wrapping? {
        guard Int(lists) < Wrapping.maximumLists else { return nil }
        var copy = self
        copy.lists &+= 1
        return copy
    }

    /// What the outermost list holds, with its own exclamation mark; nil where there is no list.
    public var item: Wrapping? {
        guard lists > 0 else { return nil }
        var copy = nullable
        copy.lists &-= 1
        return copy
    }

    /// Whether a value of this may stand where `other` is asked for, the named types being the same
    /// (specification, AreTypesCompatible and IsValidImplementationFieldType).
    public func isSubtype(of other: Wrapping) -> Bool {
        lists == other.lists && other.nonNullLevels & ~nonNullLevels == 0
    }

    /// `name` with the brackets and exclamation marks around it.
    public func description(around name: String) -> String {
        var text = String(repeating: "[", count: Int(lists)) + name
        for level in 0...UInt64(lists) {
            if level > 0 { text += "]" }
            if nonNullLevels & (1 << level) != 0 { text += "!" }
        }
        return text
    }
}
