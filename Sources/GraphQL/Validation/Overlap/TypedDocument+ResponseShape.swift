extension TypedDocument {
    /// The type that a selected field returns; nil where unknown.
    ///
    /// `__typename` and the other fields of introspection have none here, as in the reference implementation: on
    /// different object types `__typename` may share its response key with a field of another type.
    func returnType(at index: Int) -> WrappedType? {
        guard case .defined(let position) = selections[index].field, let parent = selections[index].parentType
        else {
            return nil
        }
        switch schema.types[parent.index].kind {
        case .object(let composite), .interface(let composite): return composite.fields[position].type
        case .scalar, .union, .enum, .inputObject: return nil
        }
    }

    /// Whether values of two types look different in a response: other lists or exclamation marks around them, or
    /// scalars and enums that are not the same (specification, SameResponseShape).
    func shapesConflict(_ one: WrappedType, _ other: WrappedType) -> Bool {
        if one == other { return false }
        if one.wrapping != other.wrapping { return true }
        if one.type == other.type { return false }
        return kind(of: one.type).isLeaf || kind(of: other.type).isLeaf
    }

    /// Whether no object can have both types, so that at most one of two fields on them is ever in a response.
    func areExclusive(_ one: TypeID?, _ other: TypeID?) -> Bool {
        guard let one, let other, one != other else { return false }
        return kind(of: one) == .object && kind(of: other) == .object
    }
}
