/// Says why a literal does not fit its type, in the words of the reference implementation.
struct LiteralDiagnosis {
    let document: Document
    let schema: Schema
    /// The values of the variables in the literal; nil where the document is checked before it runs: variables are
    /// then left to other rules.
    var variables: VariableValues?
    var suggests = true
    private(set) var faults: [InputFault] = []

    init(document: Document, schema: Schema, variables: VariableValues? = nil, suggests: Bool = true) {
        self.document = document
        self.schema = schema
        self.variables = variables
        self.suggests = suggests
    }

    /// Every fault of `literal` as a value of `type`; empty where it fits.
    static func faults(
        of literal: Value, as type: WrappedType, in document: Document, schema: Schema,
        variables: VariableValues? = nil, suggests: Bool = true
    ) -> [InputFault] {
        var diagnosis = LiteralDiagnosis(
            document: document, schema: schema, variables: variables, suggests: suggests)
        diagnosis.check(literal, type, at: [])
        return diagnosis.faults
    }

    private mutating func report(_ message: String, _ span: SourceSpan, at path: [PathSegment]) {
        faults.append(InputFault(message: message, span: span, path: path))
    }

    private mutating func check(_ literal: Value, _ type: WrappedType, at path: [PathSegment]) {
        if case .variable(let name, let span) = literal { return check(name, span, type, at: path) }
        if case .null(let span) = literal {
            if type.wrapping.isNonNull {
                report(
                    "Expected value of non-null type \"\(schema.describe(type))\" not to be null.", span,
                    at: path)
            }
            return
        }
        if let item = type.wrapping.item {
            return checkList(literal, items: WrappedType(type.type, item), at: path)
        }
        switch schema[type.type].kind {
        case .scalar(let scalar): checkScalar(literal, scalar, type.type, at: path)
        case .enum(let definition): checkEnum(literal, definition, type.type, at: path)
        case .inputObject(let object): checkObject(literal, object, type.type, at: path)
        // A place that takes output types is another rule's concern.
        case .object, .interface, .union: return
        }
    }

    private mutating func check(_ name: Name, _ span: SourceSpan, _ type: WrappedType, at path: [PathSegment])
    {
        guard let variables, type.wrapping.isNonNull else { return }
        let variable = "Expected variable \"$\(document.text(name))\" provided to"
        switch variables[name] {
        case nil:
            report(
                "\(variable) type \"\(schema.describe(type))\" to provide a runtime value.", span, at: path)
        case .null:
            report("\(variable) non-null type \"\(schema.describe(type))\" not to be null.", span, at: path)
        case .boolean, .int, .number, .string, .enum, .list, .object:
            return
        }
    }

    private mutating func checkList(_ literal: Value, items type: WrappedType, at path: [PathSegment]) {
        guard case .list(let run, _) = literal else { return check(literal, type, at: path) }
        for (position, index) in run.indices.enumerated() {
            check(document.values[index], type, at: path + [.index(position)])
        }
    }

    private mutating func checkScalar(
        _ literal: Value, _ scalar: ScalarType, _ id: TypeID, at path: [PathSegment]
    ) {
        do throws(InputFault) {
            if let builtIn = scalar.builtIn {
                _ = try builtIn.read(literal, in: document)
            } else {
                try checkCustom(literal, schema[id].name)
            }
        } catch {
            faults.append(InputFault(message: error.message, span: error.span, path: path))
        }
    }

    private func checkCustom(_ literal: Value, _ name: String) throws(InputFault) {
        guard let coercion = schema.scalarCoercions[name] else { return }
        let value = UntypedLiteral(document: document, variables: variables).value(of: literal)
        do throws(GraphQLError) {
            _ = try coercion.read(value)
        } catch {
            throw InputFault(message: error.message, span: literal.span)
        }
    }

    private mutating func checkEnum(
        _ literal: Value, _ definition: EnumType, _ id: TypeID, at path: [PathSegment]
    ) {
        let written = document.print(literal)
        let message: String
        if case .enum(let name) = literal {
            if definition.value(named: document.text(name)) != nil { return }
            message = "Value \"\(written)\" does not exist in \"\(schema[id].name)\" enum."
        } else {
            message = "Enum \"\(schema[id].name)\" cannot represent non-enum value: \(written)."
        }
        report(message + definition.suggestion(for: written, suggests), literal.span, at: path)
    }
}

// MARK: - Input objects

extension LiteralDiagnosis {
    private mutating func checkObject(
        _ literal: Value, _ object: InputObjectType, _ id: TypeID, at path: [PathSegment]
    ) {
        let expected = "Expected value of type \"\(schema[id].name)\""
        guard case .object(let run, let span) = literal else {
            let found = document.print(literal)
            return report("\(expected) to be an object, found: \(found).", literal.span, at: path)
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
                    let found = document.print(literal)
                    report(
                        "\(expected) to include required field \"\(field.name)\", found: \(found).", span,
                        at: path)
                }
                continue
            }
            checkField(value, field, of: object, id, in: span, at: path)
        }
        let known = reportUnknownFields(of: literal, run, object, expected, at: path)
        if object.isOneOf { checkOneOf(known, id, span, at: path) }
    }

    private mutating func checkField(
        _ value: Value, _ field: SchemaInputValue, of object: InputObjectType, _ id: TypeID,
        in span: SourceSpan, at path: [PathSegment]
    ) {
        if let variables, case .variable(let name, _) = value {
            if object.isOneOf {
                let variable = """
                    Expected variable "$\(document.text(name))" provided to field "\(field.name)" for OneOf Input \
                    Object type "\(schema[id].name)"
                    """
                if variables[name] == nil {
                    report("\(variable) to provide a runtime value.", span, at: path)
                }
                if variables[name] == .null { report("\(variable) not to be null.", span, at: path) }
            } else if variables[name] == nil, !field.isRequired {
                return
            }
        }
        check(value, field.type, at: path + [.key(field.name)])
    }

    /// Returns the fields that the type has.
    private mutating func reportUnknownFields(
        of literal: Value, _ run: Run<ObjectField>, _ object: InputObjectType, _ expected: String,
        at path: [PathSegment]
    ) -> [ObjectField] {
        var known: [ObjectField] = []
        for index in run.indices {
            let field = document.objectFields[index]
            let name = document.text(field.name)
            if object.fieldIndex(named: name) != nil {
                known.append(field)
                continue
            }
            let hint = object.suggestion(for: name, suggests)
            report(
                "\(expected) not to include unknown field \"\(name)\"\(hint): \(document.print(literal)).",
                field.span, at: path)
        }
        return known
    }

    private mutating func checkOneOf(
        _ known: [ObjectField], _ id: TypeID, _ span: SourceSpan, at path: [PathSegment]
    ) {
        let message = schema[id].exactlyOneField
        guard known.count == 1, let field = known.first else { return report(message, span, at: path) }
        if case .null = field.value { report(message, span, at: path + [.key(document.text(field.name))]) }
    }
}

// MARK: - Words that values of literals and of variables share

extension NamedType {
    /// What is asked of a value for a oneOf type.
    var exactlyOneField: String {
        """
        Within OneOf Input Object type "\(name)", exactly one field must be specified, and the value for that field \
        must be non-null.
        """
    }
}

extension EnumType {
    /// ` Did you mean the enum value "A"?`, or nothing.
    func suggestion(for written: String, _ suggests: Bool) -> String {
        guard suggests else { return "" }
        return Suggestions.didYouMean(
            Suggestions.resembling(written, among: values.map(\.name)), "the enum value")
    }
}

extension InputObjectType {
    /// What stands between an unknown field and what was found: `. Did you mean "a"? Found`, or `, found`.
    func suggestion(for name: String, _ suggests: Bool) -> String {
        guard suggests else { return ", found" }
        let hint = Suggestions.didYouMean(name, among: fields.map(\.name))
        return hint.isEmpty ? ", found" : ".\(hint) Found"
    }
}
