import Brokerage
import GraphQL
import Storage
import Upstream

extension Mutation {
    /// The mutations of alerts.
    @FieldsBuilder<Mutation> static var alerts: [Field<Mutation>] {
        Field(
            "createAlert", InputArguments<CreateAlertInput>.self,
            once: { arguments, scope in try AlertService(scope).createAlert(arguments.input) })
        Field(
            "updateAlert", ChangeArguments<AlertPatchInput>.self,
            once: { arguments, scope in try AlertService(scope).updateAlert(id: arguments.id, arguments.input)
            })
        Field(
            "deleteAlert", IDArguments.self,
            once: { arguments, scope in try AlertService(scope).deleteAlert(id: arguments.id) })
    }
}

extension AlertService {
    /// The requesting user, who has a name.
    ///
    /// Alerts make calls in the background, which cannot be counted for the address of a guest.
    ///
    /// - Throws: `FieldError` UNAUTHENTICATED without a session, FORBIDDEN for a guest.
    func namedOwner() throws(FieldError) -> OwnerID {
        let owner = try scope.owner()
        guard !scope.session.isGuest else {
            throw FieldError(.forbidden, "A guest has no alerts and webhooks. Sign up first: `signUp`.")
        }
        return owner
    }

    func createAlert(_ input: CreateAlertInput) throws -> MaybeAsync<AlertPayload?> {
        let owner = try namedOwner()
        if let pause = input.rearmAfter {
            try FieldError.check(pause, of: "input.rearmAfter", in: StoredAlert.pauses)
        }
        return .async { [self] in
            let condition = try await condition(input)
            let label = input.label?.text
            let store = store
            let alert = try await store.create(
                condition, label: label?.isEmpty == true ? nil : label, rearmAfter: input.rearmAfter,
                for: owner)
            guard let alert else {
                throw FieldError.argument(
                    "input",
                    "There are \(store.limits.alerts) alerts, which is as many as one may have; delete one first."
                )
            }
            return didChange(alert, of: owner)
        }
    }

    func updateAlert(id: String, _ input: AlertPatchInput) throws -> MaybeAsync<AlertPayload?> {
        let owner = try scope.owner()
        guard let own = AlertObject.ownID(id) else { throw FieldError.noAlert(id) }
        let patch = try input.patch()
        return .async { [self] in
            if case .set = patch.rearmAfter {
                let current = try await store.alerts([own], of: owner).first
                if case .orderState? = current?.condition { throw FieldError.orderAlertFiresOnce }
            }
            guard let alert = try await store.update(own, patch, for: owner) else {
                throw FieldError.noAlert(id)
            }
            return didChange(alert, of: owner)
        }
    }

    func deleteAlert(id: String) throws -> MaybeAsync<DeletePayload?> {
        let owner = try scope.owner()
        guard let own = AlertObject.ownID(id) else { throw FieldError.noAlert(id) }
        return .async { [self] in
            guard try await store.delete(own, for: owner) else {
                throw FieldError.noAlert(id)
            }
            events.alertsChanged(of: owner)
            return DeletePayload(deletedID: id)
        }
    }

    private func didChange(_ alert: StoredAlert, of owner: OwnerID) -> AlertPayload {
        events.alertsChanged(of: owner)
        events.publish([alert], of: owner)
        return AlertPayload(alert: AlertObject(alert))
    }

    // MARK: Conditions

    /// The condition of an input, whose subject exists.
    ///
    /// - Throws: `FieldError` that names the argument.
    private func condition(_ input: CreateAlertInput) async throws -> AlertCondition {
        let path = "input.condition."
        switch input.condition {
        case .price(let condition, let field):
            if case .dayFall(_, let percent) = condition, percent >= 100 {
                throw FieldError.argument(
                    path + "dayFall.percentage",
                    "It is \(percent); it must be above 0 and below 100, because a price does not fall to 0.")
            }
            try await check(condition, at: path + field)
            return condition
        case .order(let order):
            guard input.rearmAfter == nil else { throw FieldError.orderAlertFiresOnce }
            return try await condition(order, at: path + "orderState")
        case .goal(let id):
            guard let goal = try await GoalService(scope).goal(id: id).value() else {
                throw FieldError.noGoal(id).of(argument: path + "goalReached")
            }
            return .goalReached(goal: goal.goal.id)
        case .connection(let id):
            let own = ProviderConnection.id(ofGlobal: id)
            guard let link = ConnectionDirectory(scope).own.first(where: { $0.id == own }) else {
                throw FieldError.noConnection(id).of(argument: path + "connectionNeedsRenewal")
            }
            return .connectionNeedsRenewal(connection: link.id)
        }
    }

    /// Checks that a provider knows the instrument.
    private func check(_ condition: AlertCondition, at path: String) async throws {
        guard let symbol = condition.symbol else { return }
        do {
            _ = try await InstrumentService(scope).instruments(for: [symbol]).value().first?.get()
        } catch let error as FieldError {
            throw error.of(argument: path + ".symbol")
        }
    }

    private func condition(_ input: AlertOrderInput, at path: String) async throws -> AlertCondition {
        guard !input.states.isEmpty else {
            throw FieldError.argument(path + ".states", "It is empty; name at least one state.")
        }
        guard let order = try await OrderService(scope).orderIfAny(input.orderID).value() else {
            throw FieldError.noOrder(input.orderID).of(argument: path + ".orderId")
        }
        let state = order.order.state
        guard !state.isFinal || input.states.contains(state) else {
            throw FieldError.argument(
                path + ".orderId", code: .conflict, "The order has ended: its state is \(state.rawValue).")
        }
        // Under its present name: an order that another one replaced has ended.
        return .orderState(order: order.globalID, input.states)
    }
}

/// `AlertPayload` of the schema.
struct AlertPayload: Sendable {
    let alert: AlertObject
}

extension AlertPayload: GraphQLObject {
    static let graphQL = ObjectType<AlertPayload>("AlertPayload") {
        Field("alert", \.alert)
        Field("alertEdge") { ConnectionEdge($0.alert) }
    }
}

extension FieldError {
    static func noAlert(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no alert \"\(id.beginning(80))\".")
    }

    fileprivate static let orderAlertFiresOnce = FieldError.argument(
        "input.rearmAfter", "An alert on the state of an order fires once; leave it out.")
}
