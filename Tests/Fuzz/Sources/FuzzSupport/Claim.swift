/// Traps, which makes the input a finding, unless the condition holds.
public func claim(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { fatalError(message()) }
}
