package import GraphQL
import Synchronization

/// A recording of the operations of a server, as a scenario of `portico mock`.
///
/// It contains the names of operations, their variables and their responses, without secrets: see `SecretFields`. Documents
/// and headers are not recorded.
package final class ScenarioRecording: Sendable {
    /// The limits of a recording; what exceeds them is not recorded.
    private enum Limits {
        /// Of all data together, as JSON.
        static let bytes = 64 << 20
        /// Responses to one operation with the same variables.
        static let responses = 100
        /// Events of one subscription.
        static let events = 1_000
    }

    /// A valid operation whose responses are recorded.
    package struct Operation: Sendable {
        package let type: OperationType
        fileprivate let name: String
        fileprivate let variables: InputObject
        fileprivate let aliases: Set<String>
        fileprivate let definition: OperationDefinition
        fileprivate let typed: TypedDocument
    }

    /// The position of a subscription's response.
    package struct Subscription: Sendable {
        fileprivate let operation: Operation
        fileprivate let entry: Int
        fileprivate let response: Int
    }

    fileprivate struct Entry {
        let name: String
        let variables: InputObject
        var aliases: Set<String>
        var responses: [Response] = []
    }

    fileprivate struct Response: Equatable {
        /// In milliseconds.
        var latency = 0
        var result = InputObject()
        /// The events of a subscription, each with its time; nil for a response without events.
        var events: [InputObject]?
    }

    private struct State {
        var entries: [Entry] = []
        var positions: [InputValue: Int] = [:]
        var bytes = 0
        var omitted = 0
    }

    private let schema: Schema
    private let secrets: SecretFields
    // Held while a response is added.
    private let state = Mutex(State())

    package init(of schema: Schema) {
        self.schema = schema
        secrets = SecretFields(of: schema)
    }

    /// Returns the operation of a request.
    ///
    /// - Returns: Nil if the operation is not valid for the schema, or has no name, by which a scenario finds it.
    package func operation(of request: GraphQLRequest) -> Operation? {
        guard let document = try? parse(SourceText(request.document)),
            let valid = try? validate(document, against: schema),
            let operation = try? PreparedDocument(valid).operation(named: request.operationName).definition,
            let name = operation.name.map({ document.text($0) })
        else { return nil }
        let secret = secrets.variables(of: operation, in: valid.typed)
        let declared = operation.variables.indices.map {
            document.text(document.variableDefinitions[$0].name)
        }
        let variables = request.variables.fields.filter {
            declared.contains($0.name) && !secret.contains($0.name)
        }
        let aliases = document.selections.compactMap { selection in
            if case .field(let field) = selection { field.alias.map { document.text($0) } } else { nil }
        }
        return Operation(
            type: operation.type, name: name, variables: InputObject(variables.map { ($0.name, $0.value) }),
            aliases: Set(aliases), definition: operation, typed: valid.typed)
    }

    /// Records the response to a query or mutation.
    package func record(_ response: InputObject, to operation: Operation, after latency: Duration) {
        let result = result(response, of: operation)
        add(Response(latency: latency.wholeMilliseconds, result: result), to: operation)
    }

    /// Begins a subscription; its events follow.
    ///
    /// - Returns: Nil if the recording is full.
    package func begin(_ operation: Operation, after latency: Duration) -> Subscription? {
        add(Response(latency: latency.wholeMilliseconds, events: []), to: operation).map {
            Subscription(operation: operation, entry: $0.entry, response: $0.response)
        }
    }

    /// Records an event of a subscription.
    package func record(_ event: InputObject, of subscription: Subscription, after pause: Duration) {
        var event = result(event, of: subscription.operation)
        event["after"] = .int(pause.wholeMilliseconds)
        let bytes = InputValue.object(event).json.count
        state.withLock { state in
            let events = state.entries[subscription.entry].responses[subscription.response].events ?? []
            guard events.count < Limits.events, state.bytes + bytes <= Limits.bytes else {
                state.omitted += 1
                return
            }
            state.bytes += bytes
            state.entries[subscription.entry].responses[subscription.response].events = events + [event]
        }
    }

    @discardableResult
    private func add(_ response: Response, to operation: Operation) -> (entry: Int, response: Int)? {
        let key = InputValue.list([.string(operation.name), .object(operation.variables)])
        let bytes = key.json.count + InputValue.object(response.result).json.count
        return state.withLock { state in
            guard state.bytes + bytes <= Limits.bytes else {
                state.omitted += 1
                return nil
            }
            let entry = state.positions[key] ?? state.entries.count
            if entry == state.entries.count {
                state.positions[key] = entry
                state.entries.append(
                    Entry(name: operation.name, variables: operation.variables, aliases: operation.aliases))
            }
            state.entries[entry].aliases.formUnion(operation.aliases)
            guard state.entries[entry].responses.count < Limits.responses else {
                state.omitted += 1
                return nil
            }
            state.bytes += bytes
            state.entries[entry].responses.append(response)
            return (entry, state.entries[entry].responses.count - 1)
        }
    }

    // MARK: - Responses

    /// The members of a response that a scenario has, without secrets.
    private func result(_ response: InputObject, of operation: Operation) -> InputObject {
        var errors: [InputValue] = []
        var data = response["data"] ?? .null
        if case .list(let items)? = response["errors"] {
            for case .object(let error) in items {
                var kept = InputObject()
                kept["message"] = error["message"] ?? .string("")
                if case .object(let extensions)? = error["extensions"] {
                    let safe = extensions.fields.filter {
                        !SecretFields.isSecretName($0.name) || $0.name == "code"
                    }
                    if !safe.isEmpty {
                        kept["extensions"] = .object(InputObject(safe.map { ($0.name, $0.value) }))
                    }
                }
                if case .list(let path)? = error["path"], case .object = data {
                    kept["path"] = .list(path)
                    data = data.removing(path[...]) ?? data
                }
                errors.append(.object(kept))
            }
        }
        var result = InputObject()
        if case .object = data {
            result["data"] = secrets.removingSecrets(
                from: data, of: operation.definition, in: operation.typed)
        }
        if !errors.isEmpty { result["errors"] = .list(errors) }
        return result
    }

    // MARK: - Scenario

    /// What was recorded.
    package var summary: (responses: Int, operations: Int, omitted: Int) {
        state.withLock { state in
            (state.entries.reduce(0) { $0 + $1.responses.count }, state.entries.count, state.omitted)
        }
    }

    /// The scenario in YAML, as `MockScenario` reads it.
    package var yaml: String {
        let entries = state.withLock(\.entries)
        // The first operation that matches a request responds: those with more variables precede.
        let sorted = entries.enumerated().sorted {
            ($1.element.variables.fields.count, $0.offset) < ($0.element.variables.fields.count, $1.offset)
        }
        let operations = sorted.map { _, entry -> InputValue in
            var operation: InputObject = ["name": .string(entry.name)]
            if !entry.variables.fields.isEmpty { operation["variables"] = .object(entry.variables) }
            let aliases = entry.usedAliases
            if !aliases.isEmpty { operation["aliases"] = .list(aliases.map(InputValue.string)) }
            operation["responses"] = .list(entry.scripted.map(\.value))
            return .object(operation)
        }
        return InputValue.object(["operations": .list(operations)]).yamlLines.joined(separator: "\n") + "\n"
    }
}

extension ScenarioRecording.Entry {
    /// The aliases that the responses have: not those of secrets, which are not recorded.
    fileprivate var usedAliases: [String] {
        var names: Set<String> = []
        for response in responses { response.value.collectNames(into: &names) }
        return aliases.intersection(names).sorted()
    }

    /// The responses without repetitions at the end, since a mock repeats the last response.
    fileprivate var scripted: [ScenarioRecording.Response] {
        var responses = responses
        while responses.count > 1,
            responses[responses.count - 1].hasSameContent(as: responses[responses.count - 2])
        {
            responses.removeLast()
        }
        return responses
    }
}

extension ScenarioRecording.Response {
    fileprivate func hasSameContent(as other: ScenarioRecording.Response) -> Bool {
        result == other.result && events == nil && other.events == nil
    }

    fileprivate var value: InputValue {
        var value = InputObject()
        if latency > 0 { value["latency"] = .int(latency) }
        for field in result.fields { value[field.name] = field.value }
        if let events { value["events"] = .list(events.map { .object($0) }) }
        return .object(value)
    }
}

extension Duration {
    /// At most an hour, which is the maximum of a scenario.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 3_600 else { return 3_600_000 }
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}

extension InputValue {
    /// Adds the keys of all objects, and the texts in lists, such as the path of an error.
    fileprivate func collectNames(into names: inout Set<String>) {
        switch self {
        case .object(let object):
            for (name, value) in object.fields {
                names.insert(name)
                value.collectNames(into: &names)
            }
        case .list(let items):
            for item in items {
                if case .string(let text) = item { names.insert(text) }
                item.collectNames(into: &names)
            }
        case .null, .boolean, .int, .number, .string, .enum: break
        }
    }

    /// Returns the data without the null that an error at a path has caused; nil if there is nothing at the path.
    ///
    /// The null may be that of a parent: a scenario generates the parent again, and the error at the path makes it null.
    fileprivate func removing(_ path: ArraySlice<InputValue>) -> InputValue? {
        guard let first = path.first else { return self }
        switch (self, first) {
        case (.object(var object), .string(let name)):
            guard let child = object[name] else { return nil }
            guard child != .null, let changed = child.removing(path.dropFirst()) else {
                return .object(
                    InputObject(object.fields.filter { $0.name != name }.map { ($0.name, $0.value) }))
            }
            object[name] = changed
            return .object(object)
        case (.list(var items), .int(let index)):
            guard items.indices.contains(index) else { return nil }
            items[index] =
                items[index] == .null
                ? .object(InputObject()) : items[index].removing(path.dropFirst()) ?? items[index]
            return .list(items)
        default: return nil
        }
    }
}

// MARK: - YAML

extension InputValue {
    /// The lines of the value in YAML's block style; scalars are written as in JSON, which YAML includes.
    fileprivate var yamlLines: [String] {
        switch self {
        case .object(let object) where !object.fields.isEmpty:
            return object.fields.flatMap { field -> [String] in
                let key = field.name.isPlainKey ? field.name : InputValue.string(field.name).yamlScalar
                guard let nested = field.value.yamlBlock else { return ["\(key): \(field.value.yamlScalar)"] }
                return ["\(key):"] + nested.map { "  \($0)" }
            }
        case .list(let items) where !items.isEmpty:
            return items.flatMap { item -> [String] in
                guard let nested = item.yamlBlock, let first = nested.first else {
                    return ["- \(item.yamlScalar)"]
                }
                return ["- \(first)"] + nested.dropFirst().map { "  \($0)" }
            }
        case .null, .boolean, .int, .number, .string, .enum, .list, .object: return [yamlScalar]
        }
    }

    /// The lines of an object or list that is not empty; nil for other values.
    private var yamlBlock: [String]? {
        switch self {
        case .object(let object): object.fields.isEmpty ? nil : yamlLines
        case .list(let items): items.isEmpty ? nil : yamlLines
        case .null, .boolean, .int, .number, .string, .enum: nil
        }
    }

    /// The value in JSON; characters that YAML does not allow, or reads as the end of a line, are escaped.
    private var yamlScalar: String {
        var text = ""
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension String {
    /// True for a name of GraphQL; YAML would read other names such as `<<` or `a: b` differently.
    fileprivate var isPlainKey: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
    }
}
