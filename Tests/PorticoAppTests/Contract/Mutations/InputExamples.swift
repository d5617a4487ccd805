import GraphQL

/// Makes arguments from their types alone.
///
/// A value that has to mean something is one that an earlier answer told under the same name, such as a `state`, or an id
/// of a type that the name speaks of, such as `accountId`; else an example, by its name.
struct InputExamples {
    let schema: Schema
    /// What fields of answers told, by their names, the newest.
    var told: [String: String] = [:]
    /// Ids of the objects that answers had, by type, the newest first.
    private(set) var ids: [String: [String]] = [:]

    /// Texts that stand for something at the sandbox, or must have a form.
    private static let texts: [String: [String]] = [
        "username": ["ann"], "password": [password], "currentPassword": [password],
        "newPassword": [password],
        "symbol": ["AAPL"], "symbols": ["AAPL"], "currency": ["USD"],
        "redirectUri": ["http://localhost:3000/connected"],
        "accessToken": ["sandbox-second-token", "sandbox-saxo-second-access"],
        "key": ["sandbox-polygon-demo"], "url": ["http://127.0.0.1:1/alerts"],
    ]
    private static let password = "correct horse battery"

    /// How many of a type's objects are tried, the newest first.
    private static let candidates = 3

    init(_ schema: Schema) {
        self.schema = schema
    }

    mutating func add(id: String, of type: String) {
        ids[type] = [id] + (ids[type] ?? []).filter { $0 != id }
    }

    /// `(name: value, …)` for a field: with what must be given, with all that may be, or with one thing more.
    ///
    /// What may be used once only has the number in it. Nil where a value that must be given cannot be made.
    func arguments(of field: SchemaField, _ choices: inout Choices, number: Int) -> String? {
        let maker = Maker(examples: self, subject: field.name, number: number)
        guard let values = maker.values(of: field.arguments, &choices) else { return nil }
        return values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
    }

    /// Makes the values of one field's arguments.
    private struct Maker {
        let examples: InputExamples
        /// What the values are for: the field, or the input type that they stand in.
        let subject: String
        let number: Int

        /// `name: value` for each that is given; nil where one that must be given cannot be made.
        func values(of inputs: [SchemaInputValue], _ choices: inout Choices) -> [String]? {
            let optional = inputs.filter { !$0.isRequired }.map(\.name)
            // Inputs with alternatives are given more often, because each alternative must be in a mutation.
            let alternatives = inputs.filter { !$0.isRequired && isOneOf($0.type) }.map { [$0.name] }
            let extents =
                [[], optional] + optional.map { [$0] } + Array(repeating: alternatives, count: 6).joined()
            let given = Set(choices.pick(extents) ?? [])
            var values: [String] = []
            for input in inputs where input.isRequired || given.contains(input.name) {
                if let value = value(of: input.type, named: input.name, &choices) {
                    values.append("\(input.name): \(value)")
                    if !input.isRequired { choices.note(optional: "\(subject).\(input.name)") }
                } else if input.isRequired {
                    return nil
                }
            }
            return values
        }

        private func isOneOf(_ type: GraphQLType) -> Bool {
            guard case .inputObject(let definition) = examples.schema[type.type].kind else { return false }
            return definition.isOneOf
        }

        private func value(of type: GraphQLType, named name: String, _ choices: inout Choices) -> String? {
            let named = examples.schema[type.type]
            if type.wrapping.item != nil {
                // All that there are of a kind, or all but one: a session with all scopes can do everything.
                if case .enum(let definition) = named.kind {
                    let names = definition.values.map(\.name)
                    let lists = [names] + names.map { name in names.filter { $0 != name } }
                    return choices.pick(lists).map { "[\($0.joined(separator: ", "))]" }
                }
                // The sandbox requires no disclaimers, so that no answer has the id of one.
                if name == "ids", subject == "acceptDisclaimers" { return "[]" }
                return plain(named, named: name, &choices).map { "[\($0)]" }
            }
            return plain(named, named: name, &choices)
        }

        private func plain(_ type: NamedType, named name: String, _ choices: inout Choices) -> String? {
            switch type.kind {
            case .enum(let definition): return choices.pick(definition.values.map(\.name))
            case .scalar(let scalar): return scalarValue(scalar, type.name, named: name, &choices)
            case .inputObject(let definition): return object(definition, type.name, &choices)
            case .object, .interface, .union: return nil
            }
        }

        private func object(
            _ definition: InputObjectType, _ name: String, _ choices: inout Choices
        ) -> String? {
            let maker = Maker(examples: examples, subject: name, number: number)
            guard definition.isOneOf else {
                return maker.values(of: definition.fields, &choices).map {
                    "{ \($0.joined(separator: ", ")) }"
                }
            }
            guard let field = choices.pick(definition.fields) else { return nil }
            choices.note(alternative: "\(name).\(field.name)")
            return maker.value(of: field.type, named: field.name, &choices).map { "{ \(field.name): \($0) }" }
        }

        private func scalarValue(
            _ scalar: ScalarType, _ type: String, named name: String, _ choices: inout Choices
        ) -> String? {
            switch scalar.builtIn {
            case .id: return choices.pick(ids(named: name)).map(quoted)
            case .int: return choices.pick(["1", "0"])
            case .float: return "1.5"
            case .boolean: return "true"
            case .string: return text(named: name, &choices).map(quoted)
            case nil: return custom(type, &choices)
            }
        }

        /// Ids of the types that the name of the value speaks of, else that of what it is for; else of all types.
        private func ids(named name: String) -> [String] {
            for words in [name, subject] {
                let spoken = examples.ids.filter { words.lowercased().contains($0.key.lowercased()) }
                // `cancelOrder` speaks of an order, whatever is called Or.
                let longest = spoken.max { ($0.key.count, $0.key) < ($1.key.count, $1.key) }
                if let longest { return Array(longest.value.prefix(InputExamples.candidates)) }
            }
            return examples.ids.sorted { $0.key < $1.key }.compactMap(\.value.first)
        }

        private func text(named name: String, _ choices: inout Choices) -> String? {
            if let told = examples.told[name] { return told }
            if let texts = InputExamples.texts[name] { return choices.pick(texts) }
            return "contract-\(number)"
        }

        private func custom(_ type: String, _ choices: inout Choices) -> String? {
            switch type {
            case "Decimal": choices.pick(["1", "1000"]).map(quoted)
            case "Date": quoted("2028-06-30")
            case "ProviderName":
                choices.pick(["alpaca", "saxo", "alpha-vantage", "yahoo", "polygon"]).map(quoted)
            case "DateTime": quoted("2028-06-30T12:00:00Z")
            case "Number": "1"
            case "UnixTime": "1"
            default: nil
            }
        }

        private func quoted(_ text: String) -> String { "\"\(text)\"" }
    }
}
