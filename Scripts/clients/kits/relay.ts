import { buildSchema, getNamedType, getNullableType, isListType, isObjectType, isLeafType, parse } from "graphql";
import type { GraphQLObjectType, GraphQLSchema, OperationDefinitionNode, SelectionSetNode, ValueNode } from "graphql";
import { createOperationDescriptor } from "relay-runtime";
import { createPortico } from "../../../clients/relay/environment.ts";
import type { Answer, Library } from "./library.ts";

const schema = buildSchema(await Deno.readTextFile(new URL("../../../schema/schema.graphql", import.meta.url)), {
  assumeValid: true,
});

/** The artifact of an operation as relay-compiler writes it, for the parts of the language that the cases use. */
function compile(text: string, id: string | null): any {
  const operation = parse(text).definitions[0] as OperationDefinitionNode;
  const [name, kind] = [operation.name!.value, operation.operation];
  const root = schema.getRootType(kind)!;
  const argumentDefinitions = (operation.variableDefinitions ?? []).map((variable) => ({
    kind: "LocalArgument", name: variable.variable.name.value, defaultValue: null,
  }));
  return {
    kind: "Request",
    fragment: {
      kind: "Fragment", name, type: root.name, abstractKey: null, metadata: null, argumentDefinitions,
      selections: selections(schema, operation.selectionSet, root, false),
    },
    operation: {
      kind: "Operation", name, argumentDefinitions, selections: selections(schema, operation.selectionSet, root, true),
    },
    params: { id, cacheID: text, metadata: {}, name, operationKind: kind, text: id ? null : text },
  };
}

function value(name: string, node: ValueNode): any {
  if (node.kind === "Variable") return { kind: "Variable", name, variableName: node.name.value };
  const literal = (one: ValueNode): any =>
    one.kind === "ListValue" ? one.values.map(literal) : one.kind === "IntValue" ? +one.value : (one as any).value;
  return node.kind === "ObjectValue"
    ? { kind: "ObjectValue", name, fields: node.fields.map((field) => value(field.name.value, field.value)) }
    : { kind: "Literal", name, value: literal(node) };
}

function selections(schema: GraphQLSchema, set: SelectionSetNode, type: GraphQLObjectType, defers: boolean): any[] {
  return set.selections.flatMap((selection): any[] => {
    if (selection.kind === "InlineFragment") {
      const inner = selections(schema, selection.selectionSet, type, defers);
      return defers ? [{ kind: "Defer", if: null, label: "part", metadata: null, selections: inner }] : inner;
    }
    if (selection.kind !== "Field") throw new Error("no fragments");
    const name = selection.name.value;
    const args = selection.arguments!.map((one) => value(one.name.value, one.value));
    const field = { alias: selection.alias?.value ?? null, args: args.length ? args : null, name, storageKey: null };
    const result = type.getFields()[name]?.type;
    const named = result && getNamedType(result);
    if (!named || isLeafType(named)) return [{ ...field, kind: "ScalarField" }];
    return [{
      ...field,
      kind: "LinkedField", plural: isListType(getNullableType(result)), concreteType: isObjectType(named) ? named.name : null,
      selections: selections(schema, selection.selectionSet!, named as GraphQLObjectType, defers),
    }];
  });
}

export const relay: Library = {
  name: "Relay",
  lacks: {
    "a list that failed is null, and a further page that failed leaves the list": "lists are the store's own",
    "a further page is added to the list, of nodes and of edges": "lists are the store's own",
  },
  open(page) {
    const environment: any = createPortico({ ...page, application: "cases" });
    const prepare = (text: string, variables: Record<string, unknown>) => {
      const name = /^\w+ (\w+)/.exec(text)![1];
      return createOperationDescriptor(compile(text, page.ids?.[name] ?? null), variables as any);
    };
    const answer = (operation: any, response: any): Answer => ({
      // Relay gives each event of a subscription a root of its own.
      data: environment.lookup({
        ...operation.fragment, dataID: response.extensions?.__relay_subscription_root_id ?? operation.fragment.dataID,
      }).data,
      errors: (response.errors ?? []).map((error: Error) => error.message),
    });
    return {
      query: (text, variables = {}) => {
        const operation: any = prepare(text, variables);
        const isMutation = operation.request.node.params.operationKind === "mutation";
        const sent = isMutation ? environment.executeMutation({ operation }) : environment.execute({ operation });
        return new Promise((resolve, reject) => {
          let last: Answer | undefined;
          sent.subscribe({
            next: (response: any) => (last = answer(operation, response)),
            error: (error: Error) => resolve({ data: null, errors: [error.message] }),
            complete: () => (last ? resolve(last) : reject(new Error("no response"))),
          });
        });
      },
      subscribe(text, onEvent, onEnd) {
        const operation: any = prepare(text, {});
        const running = environment.executeSubscription({ operation }).subscribe({
          next: (response: any) => onEvent(answer(operation, response)), error: onEnd, complete: () => onEnd(),
        });
        return () => running.unsubscribe();
      },
      close: () => {},
    };
  },
};
