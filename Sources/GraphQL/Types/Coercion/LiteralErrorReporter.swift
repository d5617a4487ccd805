/// Reports why a literal does not fit its type, with the wording of the reference implementation.
struct LiteralErrorReporter {
    let document: Document
    let schema: Schema
    /// The values of the variables in the literal; nil during validation, where other rules check variables.
    var variables: VariableValues?
    let suggests: Bool
    private var faults: InputCoercionErrors

    private init(
        document: Document, schema: Schema, variables: VariableValues?, suggests: Bool, limit: Int
    ) {
        self.document = document
        self.schema = schema
        self.variables = variables
        self.suggests = suggests
        faults = InputCoercionErrors(limit: limit)
    }

    /// Returns the errors of `literal` as a value of `type`, at most `limit` + 1; empty if it fits.
    static func faults(
        of literal: Value, as type: GraphQLType, in document: Document, schema: Schema,
        variables: VariableValues? = nil, suggests: Bool = true, limit: Int = .max
    ) -> [InputCoercionError] {
        var diagnosis = LiteralErrorReporter(
            document: document, schema: schema, variables: variables, suggests: suggests, limit: limit)
        diagnosis.check(literal, type)
        return diagnosis.faults.found
    }

    private mutating func check(_ literal: Value, _ type: GraphQLType) {
        if case .variable(let name, let span) = literal { return check(name, span, type) }
        if case .null(let span) = literal {
            if type.wrapping.isNonNull {
                faults.report(
                    "Expected value of non-null type \"\(schema.describe(type))\" not to be null.", span)
            }
            return
        }
        if let item = type.wrapping.item {
            return checkList(literal, items: GraphQLType(type.type, item))
        }
        switch schema[type.type].kind {
        case .scalar(let scalar): checkScalar(literal, scalar, type.type)
        case .enum(let definition): checkEnum(literal, definition, type.type)
        case .inputObject(let object): checkObject(literal, object, type.type)
        // Another rule reports output types at input positions.
        case .object, .interface, .union: return
        }
    }

    private mutating func check(_ name: Name, _ span: SourceSpan, _ type: GraphQLType) {
        guard let variables, type.wrapping.isNonNull else { return }
        let variable = "Expected variable \"$\(document.text(name))\" provided to"
        switch variables[name] {
        case nil:
            faults.report(
                "\(variable) type \"\(schema.describe(type))\" to provide a runtime value.", span)
        case .null:
            faults.report("\(variable) non-null type \"\(schema.describe(type))\" not to be null.", span)
        case .boolean, .int, .number, .string, .enum, .list, .object:
            return
        }
    }

    private mutating func checkList(_ literal: Value, items type: GraphQLType) {
        guard case .list(let run, _) = literal else { return check(literal, type) }
        for (position, index) in run.indices.enumerated() {
            faults.enter(.index(position))
            check(document.values[index], type)
            faults.exit()
        }
    }

    private mutating func checkScalar(_ literal: Value, _ scalar: ScalarType, _ id: TypeID) {
        do throws(InputCoercionError) {
            if let builtIn = scalar.builtIn {
                _ = try builtIn.read(literal, in: document)
            } else {
                try checkCustom(literal, schema[id].name)
            }
        } catch {
            faults.report(error.message, error.span)
        }
    }

    private func checkCustom(_ literal: Value, _ name: String) throws(InputCoercionError) {
        guard let coercion = schema.scalarCoercions[name] else { return }
        let value = UntypedLiteral(document: document, variables: variables).value(of: literal)
        do throws(GraphQLError) {
            _ = try coercion.read(value)
        } catch {
            throw InputCoercionError(message: error.message, span: literal.span)
        }
    }

    private mutating func checkEnum(_ literal: Value, _ definition: EnumType, _ id: TypeID) {
        if case .enum(let name) = literal, definition.value(named: document.text(name)) != nil { return }
        let refusal = { [document, schema, suggests] in
            let written = document.quoted(literal)
            let hint = definition.suggestion(for: written, suggests ? schema.synonyms : nil)
            if case .enum = literal {
                return "Value \"\(written)\" does not exist in \"\(schema[id].name)\" enum.\(hint)"
            }
            return "Enum \"\(schema[id].name)\" cannot represent non-enum value: \(written).\(hint)"
        }
        faults.report(refusal(), literal.span)
    }
}

// MARK: - Input objects

extension LiteralErrorReporter {
    private mutating func checkObject(_ literal: Value, _ object: InputObjectType, _ id: TypeID) {
        let expected = "Expected value of type \"\(schema[id].name)\""
        guard case .object(let run, let span) = literal else {
            return faults.report(
                "\(expected) to be an object, found: \(document.quoted(literal)).", literal.span)
        }
        var given = [Value?](repeating: nil, count: object.fields.count)
        for index in run.indices {
            let field = document.objectFields[index]
            if let position = object.fieldIndex(named: document.text(field.name)) {
                given[position] = field.value
            }
        }
        for (position, field) in object.fields.enumerated() {
            guard let value = given[position] else {
                if field.isRequired {
                    faults.report(
                        "\(expected) to include required field \"\(field.name)\", found: \(document.quoted(literal)).",
                        span)
                }
                continue
            }
            checkField(value, field, of: object, id, in: span)
        }
        let known = reportUnknownFields(of: literal, run, object, expected)
        if object.isOneOf { checkOneOf(known, id, span) }
    }

    private mutating func checkField(
        _ value: Value, _ field: SchemaInputValue, of object: InputObjectType, _ id: TypeID,
        in span: SourceSpan
    ) {
        if let variables, case .variable(let name, _) = value {
            if object.isOneOf {
                let variable = """
                    Expected variable "$\(document.text(name))" provided to field "\(field.name)" for OneOf Input \
                    Object type "\(schema[id].name)"
                    """
                if variables[name] == nil { faults.report("\(variable) to provide a runtime value.", span) }
                if variables[name] == .null { faults.report("\(variable) not to be null.", span) }
            } else if variables[name] == nil, !field.isRequired {
                return
            }
        }
        faults.enter(.key(field.name))
        check(value, field.type)
        faults.exit()
    }

    /// Reports unknown fields and returns the fields that the type has.
    private mutating func reportUnknownFields(
        of literal: Value, _ run: NodeRange<ObjectField>, _ object: InputObjectType, _ expected: String
    ) -> [ObjectField] {
        var known: [ObjectField] = []
        for index in run.indices {
            let field = document.objectFields[index]
            let name = document.text(field.name)
            if object.fieldIndex(named: name) != nil {
                known.append(field)
                continue
            }
            let refusal = { [document, schema, suggests] in
                let hint = object.suggestion(for: name, suggests ? schema.synonyms : nil)
                return
                    "\(expected) not to include unknown field \"\(name)\"\(hint): \(document.quoted(literal))."
            }
            faults.report(refusal(), field.span)
        }
        return known
    }

    private mutating func checkOneOf(_ known: [ObjectField], _ id: TypeID, _ span: SourceSpan) {
        let message = schema[id].exactlyOneField
        guard known.count == 1, let field = known.first else { return faults.report(message, span) }
        guard case .null = field.value else { return }
        faults.enter(.key(document.text(field.name)))
        faults.report(message, span)
        faults.exit()
    }
}

// MARK: - Words that values of literals and of variables share

extension Document {
    /// Returns the literal as in messages: at most 256 bytes, because many messages can contain the same literal.
    func quoted(_ literal: Value) -> String { print(literal).shortened() }
}

extension NamedType {
    /// The wording of the requirement for a value of a oneOf type.
    var exactlyOneField: String {
        """
        Within OneOf Input Object type "\(name)", exactly one field must be specified, and the value for that field \
        must be non-null.
        """
    }
}

extension EnumType {
    /// Returns ` Did you mean the enum value "A"?`, or an empty string.
    ///
    /// Without synonyms nothing is suggested.
    func suggestion(for written: String, _ synonyms: Synonyms?) -> String {
        guard let synonyms else { return "" }
        return Suggestions.didYouMean(
            Suggestions.names(for: written, among: values.map(\.name), synonyms), "the enum value")
    }
}

extension InputObjectType {
    /// Returns the text between an unknown field and the found value: `. Did you mean "a"? Found`, or `,
    /// found`.
    ///
    /// Without synonyms nothing is suggested.
    func suggestion(for name: String, _ synonyms: Synonyms?) -> String {
        guard let synonyms else { return ", found" }
        let hint = Suggestions.didYouMean(name, among: fields.map(\.name), synonyms)
        return hint.isEmpty ? ", found" : ".\(hint) Found"
    }
}
