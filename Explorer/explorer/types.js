// What samples need of a schema.

/** Asks for the types, with what their fields and inputs take and give. */
export const typesQuery = `query Types {
  __schema {
    queryType { name }
    mutationType { name }
    subscriptionType { name }
    types {
      kind
      name
      isOneOf
      enumValues { name }
      inputFields { name defaultValue type { ...Reference } }
      fields {
        name
        description
        type { ...Reference }
        args { name defaultValue type { ...Reference } }
      }
    }
  }
}

fragment Reference on __Type {
  kind
  name
  ofType { kind name ofType { kind name ofType { kind name } } }
}`;

/** The type in the midst of lists and non-nulls. */
export function named(type) {
  return type.ofType ? named(type.ofType) : type;
}
