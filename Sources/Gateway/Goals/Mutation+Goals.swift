import GraphQL
import Storage

extension Mutation {
    /// What changes goals.
    @FieldsBuilder<Mutation> static var goals: [Field<Mutation>] {
        Field(
            "createGoal", CreateGoalArguments.self,
            once: { arguments, context in try context.createGoal(arguments.input.content) })
        Field(
            "updateGoal", UpdateGoalArguments.self,
            once: { arguments, context in
                try context.updateGoal(id: arguments.id, arguments.input.patch)
            })
        Field(
            "deleteGoal", IDArguments.self,
            once: { arguments, context in try context.deleteGoal(id: arguments.id) })
    }
}

struct CreateGoalArguments: GraphQLArguments {
    let input: GoalInput

    init(_ arguments: ArgumentReader) throws {
        input = try arguments["input"]
    }
}

struct UpdateGoalArguments: GraphQLArguments {
    let id: String
    let input: GoalPatchInput

    init(_ arguments: ArgumentReader) throws {
        id = try arguments["id"]
        input = try arguments["input"]
    }
}
