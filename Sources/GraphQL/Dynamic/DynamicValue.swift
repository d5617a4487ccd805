/// A value that fields resolve from where no Swift type stands behind them: JSON, with properties that are found
/// fast however many there are.
enum DynamicValue: Sendable {
    case null
    case boolean(Bool)
    case int(Int)
    /// A number that is no 64-bit integer, in JSON's digits.
    case number(String)
    case string(String)
    case list([DynamicValue])
    case object(DynamicObject)

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The property of an object with this name: null where there is none, or no object.
    subscript(name: String) -> DynamicValue {
        guard case .object(let object) = self else { return .null }
        return object[name] ?? .null
    }
}

/// The properties of a JSON object, in their order.
struct DynamicObject: Sendable {
    let properties: [(name: String, value: DynamicValue)]
    /// The positions of the properties; nil where they are so few that looking through them is as fast.
    private let positions: [String: Int]?

    private static let few = 8

    /// - Parameter properties: no two with the same name.
    init(_ properties: [(name: String, value: DynamicValue)]) {
        self.properties = properties
        positions =
            properties.count <= DynamicObject.few
            ? nil
            : Dictionary(
                properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> DynamicValue? {
        if let positions { return positions[name].map { properties[$0].value } }
        return properties.first { $0.name == name }?.value
    }
}

extension DynamicValue {
    /// A JSON value.
    init(_ value: InputValue) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .int(let number): self = .int(number)
        case .number(let digits): self = .number(digits)
        case .string(let text), .enum(let text): self = .string(text)
        case .list(let items): self = .list(items.map(DynamicValue.init))
        case .object(let object):
            self = .object(DynamicObject(object.fields.map { ($0.name, DynamicValue($0.value)) }))
        }
    }

    /// The same as the JSON value that it was made of: what messages show, and what custom scalars pass on.
    var inputValue: InputValue {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .int(let number): .int(number)
        case .number(let digits): .number(digits)
        case .string(let text): .string(text)
        case .list(let items): .list(items.map(\.inputValue))
        case .object(let object):
            .object(InputObject(object.properties.map { ($0.name, $0.value.inputValue) }))
        }
    }

    /// The names of types that objects in it say they have.
    var typeNames: Set<String> {
        var names: Set<String> = []
        collectTypeNames(into: &names)
        return names
    }

    private func collectTypeNames(into names: inout Set<String>) {
        switch self {
        case .null, .boolean, .int, .number, .string: break
        case .list(let items):
            for item in items { item.collectTypeNames(into: &names) }
        case .object(let object):
            if case .string(let name) = object[DynamicValue.typeNameProperty] { names.insert(name) }
            for property in object.properties { property.value.collectTypeNames(into: &names) }
        }
    }

    /// The property by which an object says which type of an interface or union it has.
    static let typeNameProperty = "__typename"
}
