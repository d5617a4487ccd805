package import Storage

/// What users have entrusted to Portico: who they are and what is theirs.
package struct UserData: Sendable {
    /// The file that it all is kept in.
    let file: UserDatabase
    let connections: ConnectionStore
    let watchlists: WatchlistStore
    let goals: GoalStore
    /// Who may come in, and how.
    package let authentication: AuthenticationService
    let orders: OrderWorkflow
    /// How often clients may send requests that are expensive.
    package let limits: CallLimits

    /// What a file holds; for the start of the process: it waits.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - master: The key that its secrets are sealed with.
    ///   - people: How users come in.
    ///   - report: Is told why something could not be kept or read; clients hear less.
    /// - Throws: `wrongMasterKey` where they were sealed with another.
    package init(
        in file: UserDatabase, _ master: MasterKey, userPolicy: UserPolicy = UserPolicy(),
        report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        self.file = file
        limits = userPolicy.limits
        watchlists = WatchlistStore(in: file)
        goals = GoalStore(in: file)
        orders = OrderWorkflow(journal: OrderJournal(in: file))
        connections = try ConnectionStore(in: file, master)
        authentication = try AuthenticationService(in: file, master, userPolicy, report: report)
    }

    /// Settles the writes to brokers of an earlier process.
    ///
    /// It is called before the first request, so that no client receives an order that is then removed
    /// because it was never sent.
    ///
    /// - Throws: `StorageError` if the journal cannot be written; ``OrderReconciliation`` tries again.
    package func abandonUnattendedWrites() async throws(StorageError) {
        try await orders.journal.abandonUnattended()
    }

    /// One that is forgotten with this value.
    package static func temporary(
        userPolicy: UserPolicy = UserPolicy()
    ) throws(StorageError) -> UserData {
        try UserData(in: .temporary(), .random(), userPolicy: userPolicy)
    }
}
