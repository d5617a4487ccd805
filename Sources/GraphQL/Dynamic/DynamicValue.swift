/// A JSON value as the source of dynamic fields, with fast lookup of properties in objects of any size.
enum DynamicValue: Sendable {
    case null
    case boolean(Bool)
    case int(Int)
    /// A number that is not a 64-bit integer, with its JSON digits.
    case number(String)
    case string(String)
    case list([DynamicValue])
    case object(DynamicObject)

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The property of an object with this name; null if it is absent or the value is no object.
    subscript(name: String) -> DynamicValue {
        guard case .object(let object) = self else { return .null }
        return object[name] ?? .null
    }
}

/// The properties of a JSON object, in their order.
struct DynamicObject: Sendable {
    let properties: [(name: String, value: DynamicValue)]
    /// The positions of the properties; nil if a linear search is as fast.
    private let positions: [String: Int]?

    private static let maximumLinearSearch = 8

    /// Creates an object.
    ///
    /// - Parameter properties: The properties, without duplicate names.
    init(_ properties: [(name: String, value: DynamicValue)]) {
        self.properties = properties
        positions =
            properties.count <= DynamicObject.maximumLinearSearch
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
    /// Creates a value from a JSON value.
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

    /// The original JSON value, for messages and custom scalars.
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

    /// The type names in the objects of the value.
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

    /// The property with the object type of a value of an interface or union.
    static let typeNameProperty = "__typename"
}
