// The plans of operations with `@defer` and `@stream` (specification pull request 1110). The fields of an
// object are divided by the set of deferred fragments that contain them: the fields of the object's own
// payload, and a group for each other set.

extension Planner {
    /// The maximum number of deferred fragments in one plan, counted for each selection that contains one.
    private static let maximumDeferUsages = 10_000

    /// Plans a selection on an object type for incremental delivery.
    mutating func plan(
        _ object: AnyObjectType, _ type: TypeID, _ selectionSets: [SelectionSet], _ format: IncrementalFormat
    ) throws -> ObjectPlan {
        let scope = deferScope
        defer { deferScope = scope }
        var collection = DeferredFieldCollection(format)
        do throws(GraphQLError) {
            for (position, set) in selectionSets.enumerated() {
                let usage = position < scope.usages.count ? scope.usages[position] : nil
                try collect(set, on: type, of: usage, into: &collection)
            }
            if operationType == .subscription, !collection.newUsages.isEmpty {
                throw GraphQLError(
                    """
                    `@defer` directive not supported on subscription operations. Disable `@defer` by setting the `if` \
                    argument to `false`.
                    """, extensions: RequestErrorCode.validationFailed.extensions)
            }
        } catch {
            let plan = ObjectPlan(failing: error)
            retain(plan)
            return plan
        }
        guard deferUsages.count <= Planner.maximumDeferUsages else {
            throw CompletionError.tooManyDeferredFragments(limit: Planner.maximumDeferUsages)
        }
        guard keys.count + collection.entries.count <= Planner.maximumFields else {
            throw CompletionError.planTooLarge(limit: Planner.maximumFields)
        }
        let plan = try plan(collection, of: object, type, within: scope)
        retain(plan)
        return plan
    }

    private mutating func plan(
        _ collection: DeferredFieldCollection, of object: AnyObjectType, _ type: TypeID,
        within scope: DeferScope
    ) throws -> ObjectPlan {
        var own: [DeferredFieldCollection.Entry] = []
        var groups: [(usages: [Int], entries: [DeferredFieldCollection.Entry])] = []
        var positions: [[Int]: Int] = [:]
        for entry in collection.entries {
            let usages = outermost(entry.usages)
            if conditions.format == .labelAndPath ? usages.isEmpty : usages == scope.delivered {
                own.append(entry)
            } else if let position = positions[usages] {
                groups[position].entries.append(entry)
            } else {
                positions[usages] = groups.count
                groups.append((usages, [entry]))
            }
        }
        if conditions.format == .labelAndPath {
            // In the older format, a fragment without fields is a part, too.
            groups += collection.newUsages.filter { positions[[$0]] == nil }.map { ([$0], []) }
        }
        let fields = try plan(own, of: object, type, within: scope)
        if groups.isEmpty, collection.newUsages.isEmpty { return ObjectPlan(fields) }
        let deferred = try groups.map { usages, entries in
            var inner = scope
            inner.delivered = usages
            if conditions.format == .labelAndPath { inner = DeferScope(enclosing: usages.first) }
            let fields = try plan(entries, of: object, type, within: inner)
            let slot = fields.contains { $0.load != nil } ? newSlot() : nil
            return DeferredGroup(
                usages: usages, fields: fields, slot: slot,
                sharesKeys: entries.contains { collection.sharedNames.contains($0.name) })
        }
        return unsafe ObjectPlan(
            IncrementalObject(
                usages: collection.newUsages.map { ($0, deferUsages[$0]) }, fields: fields,
                // A fragment comes before the fragments in it, which are not delivered before it.
                groups: deferred.sorted { depth(of: $0) < depth(of: $1) }, copy: object.copy))
    }

    private mutating func plan(
        _ entries: [DeferredFieldCollection.Entry], of object: AnyObjectType, _ type: TypeID,
        within scope: DeferScope
    ) throws -> [FieldPlan] {
        var fields: [FieldPlan] = []
        for entry in entries {
            deferScope = scope
            deferScope.usages =
                conditions.format == .labelAndPath || entry.usages.allSatisfy { $0 == nil }
                ? [] : entry.usages
            fields.append(try plan(entry.fields, of: object, type, isFirst: fields.isEmpty))
        }
        return fields
    }

    /// Returns the deferred fragments of merged fields: none if one of them is not deferred, and no fragment
    /// that another one contains.
    private func outermost(_ usages: [Int?]) -> [Int] {
        var known: Set<Int> = []
        for usage in usages {
            guard let usage else { return [] }
            known.insert(usage)
        }
        return known.filter { usage in
            var ancestor = deferUsages[usage].parent
            while let parent = ancestor {
                if known.contains(parent) { return false }
                ancestor = deferUsages[parent].parent
            }
            return true
        }
        .sorted()
    }

    private func depth(of group: DeferredGroup) -> Int {
        group.usages.map { usage in
            var depth = 0
            var ancestor = deferUsages[usage].parent
            while let parent = ancestor {
                depth += 1
                ancestor = deferUsages[parent].parent
            }
            return depth
        }
        .min() ?? 0
    }
}

// MARK: - Collecting fields

extension Planner {
    /// Collects the fields of a selection set with the innermost deferred fragment of each.
    private mutating func collect(
        _ set: SelectionSet, on type: TypeID, of usage: Int?, into collection: inout DeferredFieldCollection
    ) throws(GraphQLError) {
        guard deferUsages.count <= Planner.maximumDeferUsages else { return }
        for index in set.selections.indices {
            switch document.selections[index] {
            case .field(let field):
                if try isIncluded(field.directives) { collection.add(field, of: usage) }
            case .inlineFragment(let fragment):
                guard try isIncluded(fragment.directives), applies(fragment.typeCondition, to: type) else {
                    continue
                }
                let inner = try deferUsage(fragment.directives, in: usage, &collection)
                try collect(fragment.selectionSet, on: type, of: inner ?? usage, into: &collection)
            case .fragmentSpread(let spread):
                guard try isIncluded(spread.directives), let fragment = fragments[spread.name.id] else {
                    continue
                }
                guard applies(fragment.typeCondition, to: type) else { continue }
                let isDeferred = try isDeferred(spread.directives)
                guard
                    collection.collects(
                        spreadOf: spread.name.id, isDeferred: isDeferred,
                        in: fragments(around: spread, isDeferred: isDeferred, of: usage))
                else { continue }
                let inner = try deferUsage(spread.directives, in: usage, &collection)
                try collect(fragment.selectionSet, on: type, of: inner ?? usage, into: &collection)
            }
        }
    }

    /// Returns the deferred fragments for `DeferredFieldCollection.collects`.
    private func fragments(around spread: FragmentSpread, isDeferred: Bool, of usage: Int?) -> [Int?] {
        guard conditions.format == .labelAndPath else {
            let position =
                isDeferred
                ? directive(conditionalDirectives.defer, in: spread.directives)?.span.start
                : usage.map { deferUsages[$0].position }
            return [position.map(Int.init), nil]
        }
        var (fragments, next) = ([Int?](), usage)
        while let fragment = next {
            fragments.append(fragment)
            next = deferUsages[fragment].parent
        }
        return fragments + [nil]
    }

    private func isDeferred(_ directives: NodeRange<Directive>) throws(GraphQLError) -> Bool {
        guard self.directive(conditionalDirectives.defer, in: directives) != nil else { return false }
        return try condition(conditionalDirectives.defer, in: directives) ?? true
    }

    /// Adds the use of an active `@defer`; returns nil if there is none.
    private mutating func deferUsage(
        _ directives: NodeRange<Directive>, in usage: Int?, _ collection: inout DeferredFieldCollection
    ) throws(GraphQLError) -> Int? {
        guard let directive = directive(conditionalDirectives.defer, in: directives),
            try isDeferred(directives)
        else { return nil }
        // In the older format, `usage` is only known for a fragment of the same object.
        let parent = usage ?? deferScope.enclosing
        let new = deferUsages.count
        deferUsages.append(
            DeferUsage(label: label(of: directive), parent: parent, position: directive.span.start))
        collection.add(new)
        return new
    }

    private func directive(_ name: UInt32?, in directives: NodeRange<Directive>) -> Directive? {
        guard let name,
            let index = directives.indices.first(where: { document.directives[$0].name.id == name })
        else { return nil }
        return document.directives[index]
    }

    private func label(of directive: Directive) -> String? {
        guard case .string(let value)? = argument("label", of: directive) else { return nil }
        return document.string(value)
    }

    private func argument(_ name: String, of directive: Directive) -> Value? {
        directive.arguments.indices.first { document.text(document.arguments[$0].name) == name }
            .map { document.arguments[$0].value }
    }
}

// MARK: - Streams

extension Planner {
    /// Returns the active `@stream` of a field; nil if there is none.
    mutating func stream(of field: SelectedField) throws(GraphQLError) -> StreamUsage? {
        guard let directive = directive(conditionalDirectives.stream, in: field.directives),
            try condition(conditionalDirectives.stream, in: field.directives) ?? true
        else { return nil }
        streamCount += 1
        if operationType == .subscription { return StreamUsage(invalid: .inSubscription) }
        return StreamUsage(
            label: label(of: directive), initialCount: argument("initialCount", of: directive), in: document)
    }

    /// Plans the items of a streamed list that are not in the payload of the list: no fragment around the
    /// list applies to them.
    mutating func planningTail<Plan>(_ plan: (inout Planner) throws -> Plan) throws -> Plan {
        let scope = deferScope
        defer { deferScope = scope }
        deferScope = DeferScope()
        return try plan(&self)
    }

    /// Plans the items of a streamed list after the first ones; nil if the field is not streamed.
    @usableFromInline
    mutating func tail<Value: GraphQLOutput>(
        of selected: FieldSelection, _ type: Value.Type
    ) throws -> StreamPlan<Value>? {
        guard let usage = selected.stream else { return nil }
        let selection = try planningTail { planner throws in
            try Value.plan(selected.selectionSets, with: &planner)
        }
        return StreamPlan(usage: usage, selection: selection, slot: newSlot())
    }
}
