/// What limits count in a selection and all that is selected below it.
///
/// Sums that do not fit an integer stay at `Int.max`: a short document may write out to more fields than
/// there are numbers for.
struct SelectionCount: Equatable {
    /// Levels of fields; below `__schema` and `__type` those of introspection.
    var depth = 0
    /// Levels of fields at and below `__schema` and `__type`.
    var introspectionDepth = 0
    /// Fields with an alias.
    var aliases = 0
    /// Fields.
    var fields = 0
    /// Fields of the selection set itself, those below them left out.
    var width = 0

    /// Takes in a selection of the same set.
    mutating func add(_ other: SelectionCount) {
        depth = max(depth, other.depth)
        introspectionDepth = max(introspectionDepth, other.introspectionDepth)
        aliases = aliases.stoppingSum(other.aliases)
        fields = fields.stoppingSum(other.fields)
        width = width.stoppingSum(other.width)
    }

    /// What a field with this selection set comes to.
    func field(isAliased: Bool, isIntrospection: Bool) -> SelectionCount {
        let depth = depth.stoppingSum(1)
        return SelectionCount(
            depth: isIntrospection ? 1 : depth,
            introspectionDepth: isIntrospection ? depth : introspectionDepth,
            aliases: aliases.stoppingSum(isAliased ? 1 : 0),
            fields: fields.stoppingSum(1),
            width: 1)
    }
}
