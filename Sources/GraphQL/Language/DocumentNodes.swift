/// The arrays of a `Document` while it is parsed; what they hold is said there.
struct DocumentNodes {
    let source: SourceText
    var definitions: [Definition] = []
    var selections: [Selection] = []
    var arguments: [Argument] = []
    var directives: [Directive] = []
    var values: [Value] = []
    var objectFields: [ObjectField] = []
    var variableDefinitions: [VariableDefinition] = []
    var fieldDefinitions: [FieldDefinition] = []
    var inputValueDefinitions: [InputValueDefinition] = []
    var enumValueDefinitions: [EnumValueDefinition] = []
    var nameLists: [Name] = []
    var operationTypeDefinitions: [OperationTypeDefinition] = []
}
