extension TypedDocument {
    /// The text of a name.
    func text(_ name: Name) -> String { document.text(name) }

    /// The text of a name between double quotes, as messages show it.
    func quoted(_ name: Name) -> String { "\"\(document.text(name))\"" }

    /// The name of a type between double quotes.
    func quoted(_ type: TypeID) -> String { "\"\(schema[type].name)\"" }

    /// The text of a wrapped type between double quotes.
    func quoted(_ type: WrappedType) -> String { "\"\(schema.describe(type))\"" }

    /// A value in canonical form, as messages show it.
    func printed(_ value: Value) -> String { document.print(value) }
}
