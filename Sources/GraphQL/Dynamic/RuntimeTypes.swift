/// The object types that values of an interface or union may turn out to have, with the plan for each
/// (specification, section 6.4.3, ResolveAbstractType).
struct RuntimeTypes: Sendable {
    let schema: Schema
    /// The interface's or union's name.
    let name: String
    /// By the name of the object type; only types that occur in the data.
    let plans: [String: ObjectPlanReference<DynamicValue>]

    /// The plan for the type that a value says it has.
    ///
    /// - Throws: why the value has no type, or none that is possible here.
    func plan(
        for value: DynamicValue, at coordinate: String
    ) throws(CompletionError) -> ObjectPlanReference<DynamicValue> {
        guard case .string(let typeName) = value[DynamicValue.typeNameProperty] else {
            throw .unresolvedType(of: name, at: coordinate)
        }
        if let plan = plans[typeName] { return plan }
        guard let type = schema.type(named: typeName) else { throw .unknownType(typeName, of: name) }
        guard case .object = type.kind else { throw .notAnObjectType(typeName, of: name) }
        throw .impossibleType(typeName, of: name)
    }
}
