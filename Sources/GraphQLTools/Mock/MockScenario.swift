import Foundation
package import GraphQL
import PorticoCore
import Yams

/// The responses of a mock to named operations, from a file in YAML or JSON.
///
/// ```yaml
/// operations:
///   - name: Home
///     variables: {symbol: AAPL}     # only for requests with these variables; may be left out
///     responses:                    # of the first call, the second one, …; the last one is repeated
///       - latency: 500              # milliseconds
///         data: {account: {equity: "1200.50"}}
///         errors: [{path: [account, positions], message: No data., extensions: {code: PROVIDER_UNAVAILABLE}}]
///       - errors: [{message: Too many requests., extensions: {code: RATE_LIMITED}}]
///   - name: Prices
///     responses:
///       - events: [{after: 100, data: {quotes: {price: "1.5"}}}, {after: 200, data: {quotes: {price: "1.6"}}}]
/// ```
///
/// `data` has response keys, as in a response; values that it lacks are generated. Each key is a field of the schema, or in
/// `aliases` of the operation. An error with a path is that of the field; an error without one is the whole response.
package struct MockScenario: Sendable {
    package private(set) var operations: [Operation] = []

    package struct Operation: Sendable {
        let name: String
        let variables: InputObject
        package let responses: [Response]
    }

    package struct Response: Sendable {
        /// The time before the response, or before the first event.
        package let latency: Duration
        /// The data with the errors of its fields; nil if all is generated.
        package let data: InputValue?
        /// The errors without a path.
        package let errors: [GraphQLError]
        /// The events of a subscription; nil for generated ones.
        package let events: [Response]?
    }

    /// The longest latency: an hour.
    private static let maximumMilliseconds = 3_600_000

    package init() {}

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - schema: The schema that has the fields of the data.
    /// - Throws: `UsageError` with the place of the first value that has the wrong form, or that is of no field.
    package init(path: String, for schema: Schema) throws {
        let file = try InputFile(path: path)
        let root: Node?
        do {
            // JSON is also YAML. Nodes keep the digits of numbers.
            root = try Yams.compose(yaml: String(decoding: file.bytes, as: UTF8.self))
        } catch {
            throw UsageError("\(file.name) is not YAML or JSON: \(error)")
        }
        let reader = Reader(file: file.name, schema: schema)
        let object = try reader.object(reader.value(root), "the file", allowing: ["operations"])
        operations = try reader.list(object["operations"], "operations").enumerated().map { index, value in
            try reader.operation(value, "operations[\(index)]")
        }
    }

    /// Returns the index of the first operation that matches a request; nil if none does.
    package func index(of request: GraphQLRequest, named name: String?) -> Int? {
        operations.firstIndex { operation in
            operation.name == name
                && operation.variables.fields.allSatisfy { request.variables[$0.name] == $0.value }
        }
    }

    /// Reads the values of a file; each error has the path of its value.
    private struct Reader {
        let file: String
        let schema: Schema

        func fail(_ place: String, _ expected: String) -> UsageError {
            UsageError("\(file): \(place) is not \(expected).")
        }

        func operation(_ value: InputValue, _ place: String) throws -> Operation {
            let fields = try object(value, place, allowing: ["name", "variables", "aliases", "responses"])
            guard case .string(let name)? = fields["name"] else {
                throw fail("\(place).name", "the name of an operation")
            }
            let variables = try fields["variables"].map {
                try object($0, "\(place).variables", allowing: nil)
            }
            let aliases = try list(fields["aliases"] ?? .list([]), "\(place).aliases").map { alias in
                guard case .string(let alias) = alias else {
                    throw fail("\(place).aliases", "a list of texts")
                }
                return alias
            }
            let data = ScenarioData(file: file, schema: schema, aliases: Set(aliases))
            let responses = try list(fields["responses"], "\(place).responses")
            guard !responses.isEmpty else { throw fail("\(place).responses", "a list with a response") }
            return Operation(
                name: name, variables: variables ?? InputObject(),
                responses: try responses.enumerated().map { index, value in
                    try response(value, "\(place).responses[\(index)]", time: "latency", data)
                })
        }

        func response(
            _ value: InputValue, _ place: String, time: String, _ known: ScenarioData
        ) throws -> Response {
            let isEvent = time == "after"
            let fields = try object(
                value, place, allowing: [time, "data", "errors"] + (isEvent ? [] : ["events"]))
            var data = fields["data"]
            if let data {
                _ = try object(data, "\(place).data", allowing: nil)
                try known.check(data, at: "\(place).data")
            }
            var errors: [GraphQLError] = []
            for (index, value) in try list(fields["errors"] ?? .list([]), "\(place).errors").enumerated() {
                let place = "\(place).errors[\(index)]"
                let error = try object(value, place, allowing: ["message", "path", "extensions"])
                guard case .string(let message)? = error["message"] else {
                    throw fail("\(place).message", "a text")
                }
                let extensions = try error["extensions"].map {
                    try object($0, "\(place).extensions", allowing: nil)
                }
                if let path = error["path"] {
                    let steps = try list(path, "\(place).path")[...]
                    let failure: InputValue = .object([
                        "__error": .string(message), "__extensions": .object(extensions ?? InputObject()),
                    ])
                    data =
                        try (data ?? .object(InputObject())).replacing(steps, with: failure)
                        ?? { throw fail("\(place).path", "a path in the data") }()
                    if let alone = InputValue.object(InputObject()).replacing(steps, with: .null) {
                        try known.check(alone, at: "\(place).path")
                    }
                } else {
                    errors.append(GraphQLError(message, extensions: extensions ?? InputObject()))
                }
            }
            let events = try fields["events"].map { value in
                try list(value, "\(place).events").enumerated().map { index, value in
                    try response(value, "\(place).events[\(index)]", time: "after", known)
                }
            }
            return Response(
                latency: try milliseconds(fields[time], "\(place).\(time)"), data: data, errors: errors,
                events: events)
        }

        func milliseconds(_ value: InputValue?, _ place: String) throws -> Duration {
            guard let value else { return .zero }
            guard case .int(let number) = value, (0...MockScenario.maximumMilliseconds).contains(number)
            else {
                throw fail(place, "a number of milliseconds from 0 to \(MockScenario.maximumMilliseconds)")
            }
            return .milliseconds(number)
        }

        func object(_ value: InputValue, _ place: String, allowing names: [String]?) throws -> InputObject {
            guard case .object(let object) = value else { throw fail(place, "an object") }
            if let names, let other = object.fields.first(where: { !names.contains($0.name) }) {
                throw UsageError(
                    "\(file): \(place) has the unknown property \"\(other.name)\". It may have \(names.joined(separator: ", "))."
                )
            }
            return object
        }

        func list(_ value: InputValue?, _ place: String) throws -> [InputValue] {
            guard case .list(let items)? = value else { throw fail(place, "a list") }
            return items
        }

        func value(_ node: Node?) throws -> InputValue {
            switch node {
            case nil: return .null
            case .scalar(let scalar)?: return Reader.value(scalar, node)
            case .sequence(let items)?: return .list(try items.map(value))
            case .mapping(let pairs)?:
                return .object(
                    InputObject(
                        try pairs.map { key, item in
                            guard let name = key.scalar?.string else { throw fail("a key", "a text") }
                            return (name, try value(item))
                        }))
            case .alias?: throw UsageError("\(file): aliases are not supported.")
            }
        }

        private static func value(_ scalar: Node.Scalar, _ node: Node?) -> InputValue {
            let text = scalar.string
            guard let node, scalar.style == .plain || scalar.style == .any else { return .string(text) }
            // YAML has fewer forms of numbers than JSON: it reads 1e5 as a text.
            if let value = try? InputValue(json: Array(text.utf8)), value.isNumber { return value }
            switch Resolver.default.resolveTag(of: node) {
            case .null: return .null
            case .bool: return .boolean(node.bool ?? false)
            case .int: return node.int.map { .int($0) } ?? .string(text)
            case .float: return (try? InputValue(json: Array(text.utf8))) ?? .string(text)
            default: return .string(text)
            }
        }
    }
}

extension InputValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .number: true
        case .null, .boolean, .string, .enum, .list, .object: false
        }
    }

    /// Returns the value with another value at a path; nil if the path leads through a leaf.
    ///
    /// Objects and items that do not exist are added.
    fileprivate func replacing(_ path: ArraySlice<InputValue>, with value: InputValue) -> InputValue? {
        guard let first = path.first else { return value }
        switch (self, first) {
        case (.object(var object), .string(let name)):
            let child = object[name] ?? (path.count > 1 ? path.dropFirst().first?.container : .null) ?? .null
            guard let changed = child.replacing(path.dropFirst(), with: value) else { return nil }
            object[name] = changed
            return .object(object)
        case (.list(var items), .int(let index)):
            guard (0..<1_000).contains(index) else { return nil }
            while items.count <= index { items.append(.object(InputObject())) }
            guard let changed = items[index].replacing(path.dropFirst(), with: value) else { return nil }
            items[index] = changed
            return .list(items)
        default: return nil
        }
    }

    /// The empty list or object in which a part of a path is.
    private var container: InputValue {
        if case .int = self { .list([]) } else { .object(InputObject()) }
    }
}
