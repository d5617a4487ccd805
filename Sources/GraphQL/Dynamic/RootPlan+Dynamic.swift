extension RootPlan {
    /// The plan of an operation that begins from a JSON value: nothing in it is loaded.
    init(_ value: DynamicValue, _ plan: ObjectPlanReference<DynamicValue>) {
        hasLoads = false
        subscribe = nil
        prepare = { _, _ in }
        prepareInSeries = { _ in }
        write = { writer in
            unsafe withUnsafePointer(to: value) { unsafe plan.write($0, row: 0, to: &writer) }
        }
    }
}
