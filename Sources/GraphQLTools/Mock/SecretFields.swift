import GraphQL

/// The parts of a schema whose values are secret: tokens, passwords and keys.
///
/// A value is secret by the words of its name, if its type is a scalar that can contain a secret. All values of an input
/// object with a secret field are secret, and so are all scalars of an object type with a secret field: a user name without
/// its password is of no use in a recording.
struct SecretFields: Sendable {
    private let schema: Schema
    /// The input objects that have a secret field, also at greater depth.
    private let inputs: Set<String>
    /// The object types that have a secret field.
    private let outputs: Set<String>

    /// Words of names, in lower case.
    private static let words: Set<String> = [
        "token", "tokens", "secret", "secrets", "password", "passwords", "passphrase", "credential",
        "credentials",
        "authorization", "cookie", "invitation", "otp", "pin",
    ]
    /// Whole names, in lower case.
    private static let names: Set<String> = ["apikey", "accesskey", "privatekey", "jwt", "state", "code"]

    init(of schema: Schema) {
        self.schema = schema
        outputs = Set(
            schema.types.filter { type in
                type.isComposite && type.fields.contains { SecretFields.isSecret($0.name, $0.type, schema) }
            }.map(\.name))
        var inputs: Set<String> = []
        var count = -1
        // Until no input object is added: a field may have the type of a later one.
        while inputs.count > count {
            count = inputs.count
            for type in schema.types {
                guard case .inputObject(let object) = type.kind else { continue }
                let isSecret = object.fields.contains { field in
                    inputs.contains(schema[field.type.type].name)
                        || SecretFields.isSecret(field.name, field.type, schema)
                }
                if isSecret { inputs.insert(type.name) }
            }
        }
        self.inputs = inputs
    }

    /// Returns true for a name with a secret word, such as `accessToken`.
    static func isSecretName(_ name: String) -> Bool {
        names.contains(name.lowercased().replacing("_", with: ""))
            || SecretFields.split(name).contains { words.contains($0) }
    }

    /// Numbers, booleans and enum values are no secrets.
    private static func isSecret(_ name: String, _ type: GraphQLType, _ schema: Schema) -> Bool {
        isSecretName(name) && canBeSecret(type, schema)
    }

    private static func canBeSecret(_ type: GraphQLType, _ schema: Schema) -> Bool {
        let named = schema[type.type]
        guard case .scalar = named.kind else { return false }
        return !["Int", "Float", "Boolean"].contains(named.name)
    }

    /// The words of a name in lower case: `accessToken` and `ACCESS_TOKEN` have two.
    private static func split(_ name: String) -> [String] {
        var words: [String] = [""]
        var wasLower = false
        for character in name {
            if character == "_" || (character.isUppercase && wasLower) { words.append("") }
            if character != "_" { words[words.count - 1] += character.lowercased() }
            wasLower = character.isLowercase || character.isNumber
        }
        return words
    }

    /// Returns true if the values of an argument or input field are secret.
    func isSecret(_ name: String, of type: GraphQLType) -> Bool {
        inputs.contains(schema[type.type].name) || SecretFields.isSecret(name, type, schema)
    }

    /// Returns true if the values of a field are secret.
    func isSecret(_ field: SchemaField, of parent: TypeID) -> Bool {
        SecretFields.canBeSecret(field.type, schema)
            && (outputs.contains(schema[parent].name) || SecretFields.isSecretName(field.name))
    }
}

extension SecretFields {
    /// Returns the names of an operation's variables whose values are secret: by their names, by their types, or by the
    /// arguments and input fields in which they are used.
    func variables(of operation: OperationDefinition, in typed: TypedDocument) -> Set<String> {
        let document = typed.document
        var secret: Set<String> = []
        for index in operation.variables.indices {
            let name = document.text(document.variableDefinitions[index].name)
            if let type = typed.variableTypes[index], isSecret(name, of: type) { secret.insert(name) }
        }
        func collect(_ value: Value) {
            switch value {
            case .variable(let name, _): secret.insert(document.text(name))
            case .list(let items, _): for index in items.indices { collect(document.values[index]) }
            case .object(let fields, _):
                for index in fields.indices { collect(document.objectFields[index].value) }
            case .int, .float, .string, .boolean, .null, .enum: break
            }
        }
        for index in document.arguments.indices {
            let argument = document.arguments[index]
            guard let type = typed.arguments[index].type else { continue }
            if isSecret(document.text(argument.name), of: type) { collect(argument.value) }
        }
        for index in document.objectFields.indices {
            let field = document.objectFields[index]
            guard let type = typed.objectFields[index].type else { continue }
            if isSecret(document.text(field.name), of: type) { collect(field.value) }
        }
        return secret
    }

    /// Returns data without the secret fields, whatever their response keys are.
    func removingSecrets(
        from data: InputValue, of operation: OperationDefinition, in typed: TypedDocument
    ) -> InputValue {
        removingSecrets(from: data, selected: [operation.selectionSet], in: typed)
    }

    private func removingSecrets(
        from value: InputValue, selected sets: [SelectionSet], in typed: TypedDocument
    ) -> InputValue {
        switch value {
        case .list(let items):
            return .list(items.map { removingSecrets(from: $0, selected: sets, in: typed) })
        case .object(let object):
            var selected: [String: Selected] = [:]
            var fragments: Set<Int> = []
            for set in sets { collect(set, in: typed, into: &selected, &fragments) }
            let fields = object.fields.compactMap { field -> (name: String, value: InputValue)? in
                // A key that the operation does not select cannot be judged.
                guard let entry = selected[field.name], !entry.isSecret else { return nil }
                let value =
                    entry.sets.isEmpty
                    ? field.value : removingSecrets(from: field.value, selected: entry.sets, in: typed)
                return (field.name, value)
            }
            return .object(InputObject(fields))
        case .null, .boolean, .int, .number, .string, .enum: return value
        }
    }

    /// The fields with one response key.
    private struct Selected {
        var isSecret = false
        var sets: [SelectionSet] = []
    }

    /// Collects the fields of all fragments, whatever their types are.
    private func collect(
        _ set: SelectionSet, in typed: TypedDocument, into selected: inout [String: Selected],
        _ fragments: inout Set<Int>
    ) {
        for index in set.selections.indices {
            switch typed.document.selections[index] {
            case .field(let field):
                let key = typed.document.text(field.responseKey)
                var entry = selected[key] ?? Selected()
                if let set = field.selectionSet { entry.sets.append(set) }
                // The type's name tells nothing, and scenarios need it.
                if typed.selections[index].field != .typename,
                    let definition = typed.fieldDefinition(at: index),
                    let parent = typed.selections[index].parentType, isSecret(definition, of: parent)
                {
                    entry.isSecret = true
                }
                selected[key] = entry
            case .inlineFragment(let fragment):
                collect(fragment.selectionSet, in: typed, into: &selected, &fragments)
            case .fragmentSpread(let spread):
                guard let fragment = typed.fragment(named: spread.name), fragments.insert(fragment).inserted
                else { continue }
                collect(
                    typed.fragments[fragment].definition.selectionSet, in: typed, into: &selected, &fragments)
            }
        }
    }
}
