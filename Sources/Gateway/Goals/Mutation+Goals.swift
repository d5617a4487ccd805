import GraphQL
import Storage

extension Mutation {
    /// What changes goals.
    @FieldsBuilder<Mutation> static var goals: [Field<Mutation>] {
        Field(
            "createGoal", InputArguments<GoalInput>.self,
            once: { arguments, context in try context.createGoal(arguments.input.content) })
        Field(
            "updateGoal", ChangeArguments<GoalPatchInput>.self,
            once: { arguments, context in
                try context.updateGoal(id: arguments.id, arguments.input.patch)
            })
        Field(
            "deleteGoal", IDArguments.self,
            once: { arguments, context in try context.deleteGoal(id: arguments.id) })
    }
}
