/// Something that keeps what was used of a limit, until a reset of the sandbox.
protocol Resettable: Sendable {
    func reset()
}
