/// The format of the payloads of incremental delivery.
public enum IncrementalFormat: Hashable, Sendable {
    /// Specification pull request 1110: `pending`, `incremental` and `completed`.
    case pendingAndCompleted
    /// The older format, whose media type has `deferSpec=20220824`: each part has a path and a label.
    case labelAndPath
}

extension IncrementalFormat {
    /// Creates the format of a parameter in a media type, or of an extension of a request; nil if the name or the
    /// version is unknown.
    package init?(parameter name: String, value: String) {
        // `extensions` may contain any text.
        guard value.utf8.count <= 16 else { return nil }
        switch (name.lowercased(), value) {
        case ("incrementalspec", "v0.2"): self = .pendingAndCompleted
        case ("deferspec", "20220824"): self = .labelAndPath
        default: return nil
        }
    }

    /// Reads the format from the extensions of a request.
    init?(_ extensions: InputObject) {
        for name in ["incrementalSpec", "deferSpec"] {
            guard case .string(let value)? = extensions[name],
                let format = IncrementalFormat(parameter: name, value: value)
            else { continue }
            self = format
            return
        }
        return nil
    }
}

/// An active `@defer` in the plan of a selection: a fragment of its objects that is delivered separately.
struct DeferUsage: Sendable {
    let label: String?
    /// The deferred fragment that contains this one, as an index of `Planner.deferUsages`; nil if none.
    let parent: Int?
    /// The position of the directive in the document.
    let position: UInt32
}

/// An active `@stream` of a field.
@usableFromInline
struct StreamUsage: Sendable {
    let label: String?
    private let initialCount: InitialCount

    private enum InitialCount: Sendable {
        case constant(Int)
        case variable(Name)
        case invalid(StreamArgumentError)
    }

    /// Creates a use that is an error of its field.
    init(invalid error: StreamArgumentError) {
        label = nil
        initialCount = .invalid(error)
    }

    init(label: String?, initialCount: Value?, in document: Document) {
        self.label = label
        switch initialCount {
        case .variable(let name, _): self.initialCount = .variable(name)
        case .int(let span): self.initialCount = .constant(Int(document.source.text(span)) ?? 0)
        // Validation rejects all other values for an integer.
        default: self.initialCount = .constant(0)
        }
    }

    /// Returns the number of items in the first payload.
    ///
    /// - Throws: If the number is negative or null.
    @usableFromInline
    func initialCount(_ variables: VariableValues) throws(StreamArgumentError) -> Int {
        switch initialCount {
        case .constant(let count): return try StreamUsage.checked(count)
        case .invalid(let error): throw error
        case .variable(let name):
            switch variables[name] {
            case .int(let count): return try StreamUsage.checked(count)
            case nil: return 0
            default: throw .nullInitialCount
            }
        }
    }

    private static func checked(_ count: Int) throws(StreamArgumentError) -> Int {
        guard count >= 0 else { throw .negativeInitialCount }
        return count
    }
}

/// The error that an argument of `@stream` has an invalid value; an error of the field.
@usableFromInline
enum StreamArgumentError: ClientVisibleError {
    case negativeInitialCount
    case nullInitialCount
    case inSubscription

    @usableFromInline
    var message: String {
        switch self {
        case .negativeInitialCount: "initialCount must be a positive integer"
        case .inSubscription:
            """
            `@stream` directive not supported on subscription operations. Disable `@stream` by setting the `if` \
            argument to `false`.
            """
        case .nullInitialCount: "Argument \"initialCount\" of non-null type \"Int!\" must not be null."
        }
    }

    @usableFromInline
    var extensions: InputObject {
        switch self {
        case .negativeInitialCount, .nullInitialCount: RequestErrorCode.badUserInput.extensions
        case .inSubscription: RequestErrorCode.validationFailed.extensions
        }
    }
}

/// The deferred fragments around selection sets that are planned.
struct DeferScope: Hashable, Sendable {
    /// The innermost deferred fragment of each selection set, parallel to the selection sets; nil if none.
    ///
    /// Empty if no selection set is in a deferred fragment.
    var usages: [Int?] = []
    /// The fragments that contain the objects: their fields are part of the same payload as the objects.
    var delivered: [Int] = []
    /// The fragment in whose payload the objects are, in the older format; nil for the first payload.
    var enclosing: Int?
}

/// The fields of a selection by response key, with the deferred fragment of each.
struct DeferredFieldCollection {
    /// Fields with the same response key that are merged.
    struct Entry {
        var fields: FieldGroup
        /// The innermost deferred fragment of each field; nil if none.
        var usages: [Int?]
        /// The id of the response key's name.
        let name: UInt32
    }

    private struct Key: Hashable {
        let name: UInt32
        /// In the older format, fields of different deferred fragments are not merged.
        let usage: Int?
    }

    private(set) var entries: [Entry] = []
    private(set) var newUsages: [Int] = []
    /// The response keys of several entries, by the id of the name; only in the older format.
    private(set) var sharedNames: Set<UInt32> = []
    private var names: Set<UInt32> = []
    private var positions: [Key: Int] = [:]
    /// The fragments that have been collected, by name, with the innermost deferred fragment around each; nil if none.
    private var collectedFragments: [UInt32: Set<Int?>] = [:]
    private let format: IncrementalFormat

    init(_ format: IncrementalFormat) {
        self.format = format
    }

    mutating func add(_ field: SelectedField, of usage: Int?) {
        let key = Key(name: field.responseKey.id, usage: format == .labelAndPath ? usage : nil)
        if let position = positions[key] {
            entries[position].fields.append(field)
            entries[position].usages.append(usage)
        } else {
            positions[key] = entries.count
            entries.append(Entry(fields: FieldGroup(field), usages: [usage], name: key.name))
            if !names.insert(key.name).inserted { sharedNames.insert(key.name) }
        }
    }

    mutating func add(_ usage: Int) {
        newUsages.append(usage)
    }

    /// Returns true if the fields of a fragment are still to be collected.
    ///
    /// In the older format, a part has the fields of a fragment unless a part around it has them, which is delivered before
    /// it: a client does not know the order of other parts.
    ///
    /// - Parameters:
    ///   - fragment: The name of the fragment.
    ///   - isDeferred: True if the spread has an active `@defer`.
    ///   - deferred: The deferred fragments of or around the spread, the innermost first, and nil for the object's own
    ///     payload. The older format distinguishes the uses of a directive, the current one only its position.
    /// - Returns: False if they are already collected.
    mutating func collects(spreadOf fragment: UInt32, isDeferred: Bool, in deferred: [Int?]) -> Bool {
        let known = collectedFragments[fragment, default: []]
        if isDeferred && format == .labelAndPath { return true }
        if deferred.contains(where: known.contains) { return false }
        collectedFragments[fragment, default: []].insert(deferred.first ?? nil)
        return true
    }
}
