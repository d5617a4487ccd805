package import Storage

/// What users have entrusted to Portico: who they are and what is theirs.
package struct Household: Sendable {
    /// The file that it all is kept in.
    let file: HouseFile

    package init(in file: HouseFile) {
        self.file = file
    }
}
