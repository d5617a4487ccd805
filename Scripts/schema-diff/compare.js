'use strict';
// Generates pairs of schemas from a seed, and compares `portico schema diff` with findBreakingChanges and
// findDangerousChanges of graphql-js.
//
//   node compare.js PORTICO [PAIRS] [SEED]
//
// Exit status 0: the changes of all pairs are equal, except for those that `isAdditional` and `isExplained` describe;
// 1: they differ, or a kind of change occurs in no pair.
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const graphql = require('graphql');

// Kinds of changes that Portico reports and graphql-js 16 does not. docs/contract-testing.md explains them.
const additionalKinds = new Set([
  'ROOT_TYPE_CHANGED', 'ONE_OF_ADDED', 'INPUT_FIELD_DEFAULT_VALUE_CHANGE', 'SPECIFIED_BY_CHANGED',
  'SPECIFIED_BY_REMOVED', 'APPLIED_DIRECTIVE_ADDED', 'APPLIED_DIRECTIVE_REMOVED', 'SCHEMA_DIRECTIVE_ADDED',
  'SCHEMA_DIRECTIVE_REMOVED',
]);

// graphql-js 16 does not compare the arguments that a directive keeps.
const isAdditional = (change) => additionalKinds.has(change.kind)
  || (['ARG_CHANGED_KIND', 'ARG_DEFAULT_VALUE_CHANGE'].includes(change.kind) && change.coordinate.startsWith('@'));

// ---- Random choices: mulberry32, which gives the same numbers for the same seed.

class Random {
  constructor(seed) { this.state = seed >>> 0; }
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  below(count) { return Math.floor(this.next() * count); }
  chance(probability) { return this.next() < probability; }
  of(items) { return items[this.below(items.length)]; }
}

// ---- The model of a schema: plain objects, which mutations change and `print` writes as SDL.

const standardScalars = ['Int', 'Float', 'String', 'Boolean', 'ID'];
const locations = ['QUERY', 'FIELD', 'FRAGMENT_SPREAD', 'VARIABLE_DEFINITION', 'OBJECT', 'ENUM_VALUE'];

class Model {
  constructor(random) {
    this.random = random;
    this.counter = 0;
    this.types = [];
    this.directives = [];
    for (let i = 0; i < 2; i++) this.types.push(this.newScalar());
    for (let i = 0; i < 3; i++) this.types.push(this.newEnum());
    for (let i = 0; i < 3; i++) this.types.push(this.newInput());
    for (let i = 0; i < 2; i++) this.types.push(this.newObject('interface'));
    for (let i = 0; i < 5; i++) this.types.push(this.newObject('object'));
    this.types.push(this.newUnion());
    this.types.push({ ...this.newObject('object'), name: 'Query', interfaces: [] });
    this.types.push({ ...this.newObject('object'), name: 'Mutation', interfaces: [] });
    for (let i = 0; i < 2; i++) this.directives.push(this.newDirective());
    for (const type of this.types.filter((type) => type.kind === 'object' && random.chance(0.5))) {
      this.implement(type, random.of(this.kind('interface')));
    }
  }

  name(prefix) { return `${prefix}${++this.counter}`; }
  kind(...kinds) { return this.types.filter((type) => kinds.includes(type.kind)); }
  copy() { return Object.assign(Object.create(Model.prototype), this, JSON.parse(JSON.stringify({ types: this.types, directives: this.directives }))); }

  wrapped(name) {
    let text = name;
    for (let depth = this.random.below(3); depth > 0; depth--) {
      if (this.random.chance(0.4) && !text.endsWith('!')) text += '!';
      if (this.random.chance(0.4)) text = `[${text}]`;
    }
    return text;
  }
  outputType() {
    const names = this.kind('scalar', 'enum', 'object', 'interface', 'union').map((type) => type.name);
    return this.wrapped(this.random.of([...standardScalars, ...names.filter((name) => !['Query', 'Mutation'].includes(name))]));
  }
  inputType() {
    return this.wrapped(this.random.of([...standardScalars, ...this.kind('scalar', 'enum', 'input').map((type) => type.name)]));
  }

  // A value of an input type; null if it has none that this model writes.
  literal(type, depth = 0) {
    if (type.endsWith('!')) return this.literal(type.slice(0, -1), depth);
    if (type.startsWith('[')) {
      const items = Array.from({ length: this.random.below(3) }, () => this.literal(type.slice(1, -1), depth + 1));
      return items.includes(null) ? null : `[${items.join(', ')}]`;
    }
    switch (type) {
      case 'Int': return String(this.random.below(100) - 50);
      case 'Float': return this.random.of(['1.5', '-0.25', '3', '1e3']);
      case 'String': return this.random.of(['"a"', '"\\"quoted\\""', '"""block"""', '""']);
      case 'Boolean': return this.random.of(['true', 'false']);
      case 'ID': return this.random.of(['"id"', '7']);
    }
    const named = this.types.find((other) => other.name === type);
    if (named && named.kind === 'enum') return this.random.of(named.values).name;
    if (named && named.kind === 'input' && depth < 2) {
      const given = named.fields.filter((field) => field.type.endsWith('!') || this.random.chance(0.5));
      const members = given.map((field) => [field.name, this.literal(field.type, depth + 1)]);
      return members.some(([, value]) => value === null) ? null
        : `{${members.map(([name, value]) => `${name}: ${value}`).join(', ')}}`;
    }
    return null;
  }

  newInputValue(prefix) {
    const type = this.inputType();
    return { name: this.name(prefix), type, default: this.random.chance(0.4) ? this.literal(type) : null };
  }
  newField() {
    return {
      name: this.name('field'), type: this.outputType(),
      arguments: Array.from({ length: this.random.below(3) }, () => this.newInputValue('argument')),
    };
  }
  newScalar() { return { kind: 'scalar', name: this.name('Scalar') }; }
  newEnum() {
    return { kind: 'enum', name: this.name('Enum'), values: Array.from({ length: 2 + this.random.below(3) }, () => ({ name: this.name('VALUE') })) };
  }
  newInput() {
    return { kind: 'input', name: this.name('Input'), fields: Array.from({ length: 1 + this.random.below(3) }, () => this.newInputValue('field')) };
  }
  newObject(kind) {
    return {
      kind, name: this.name(kind === 'object' ? 'Object' : 'Interface'), interfaces: [],
      fields: Array.from({ length: 1 + this.random.below(3) }, () => this.newField()),
    };
  }
  newUnion() {
    const objects = this.kind('object').map((type) => type.name);
    return { kind: 'union', name: this.name('Union'), members: objects.filter((_, index) => index === 0 || this.random.chance(0.5)) };
  }
  newDirective() {
    return {
      name: this.name('directive'), repeatable: this.random.chance(0.5),
      locations: locations.filter((_, index) => index === 0 || this.random.chance(0.4)),
      arguments: Array.from({ length: this.random.below(3) }, () => this.newInputValue('argument')),
    };
  }
  implement(type, other) {
    if (!other || type.name === other.name || type.interfaces.includes(other.name)) return;
    type.interfaces.push(other.name);
    for (const field of other.fields) {
      if (!type.fields.some((own) => own.name === field.name)) type.fields.push(JSON.parse(JSON.stringify(field)));
    }
  }

  print() {
    const described = (item) => (item.description ? `${JSON.stringify(item.description)} ` : '');
    const deprecated = (item) => (item.deprecated ? ` @deprecated(reason: ${JSON.stringify(item.deprecated)})` : '');
    const input = (value) => `${described(value)}${value.name}: ${value.type}${value.default === null ? '' : ` = ${value.default}`}${deprecated(value)}`;
    const field = (item) => `  ${described(item)}${item.name}${item.arguments.length ? `(${item.arguments.map(input).join(', ')})` : ''}: ${item.type}${deprecated(item)}`;
    const definition = (type) => {
      const interfaces = type.interfaces && type.interfaces.length ? ` implements ${type.interfaces.join(' & ')}` : '';
      switch (type.kind) {
        case 'scalar': return `scalar ${type.name}${type.url ? ` @specifiedBy(url: "${type.url}")` : ''}`;
        case 'enum': return `enum ${type.name} {\n${type.values.map((value) => `  ${described(value)}${value.name}${deprecated(value)}`).join('\n')}\n}`;
        case 'input': return `input ${type.name} {\n${type.fields.map((value) => `  ${input(value)}`).join('\n')}\n}`;
        case 'union': return `union ${type.name} = ${type.members.join(' | ')}`;
        default: return `${type.kind === 'object' ? 'type' : 'interface'} ${type.name}${interfaces} {\n${type.fields.map(field).join('\n')}\n}`;
      }
    };
    const directive = (item) => `directive @${item.name}${item.arguments.length ? `(${item.arguments.map(input).join(', ')})` : ''}${item.repeatable ? ' repeatable' : ''} on ${item.locations.join(' | ')}`;
    return [...this.directives.map(directive), ...this.types.map((type) => described(type) + definition(type))].join('\n\n') + '\n';
  }

  // ---- Mutations

  remove(items, minimum = 1) { if (items.length > minimum) items.splice(this.random.below(items.length), 1); }
  inputValues() {
    return [
      ...this.kind('input').flatMap((type) => type.fields),
      ...this.kind('object', 'interface').flatMap((type) => type.fields).flatMap((field) => field.arguments),
      ...this.directives.flatMap((directive) => directive.arguments),
    ];
  }
  rewrapped(type) {
    switch (this.random.below(5)) {
      case 0: return type.endsWith('!') ? type.slice(0, -1) : `${type}!`;
      case 1: return `[${type}]`;
      case 2: return type.startsWith('[') && type.endsWith(']') ? type.slice(1, -1) : `${type.replace(/!$/, '')}!`;
      case 3: return type.startsWith('[') ? type.replace(/!(\]!?)$/, '$1') : type;
      default: return type.replace(/(\w)(\]|$)/, '$1!$2');
    }
  }
  mutate() {
    const random = this.random;
    const composite = () => random.of(this.kind('object', 'interface'));
    const field = () => random.of(composite().fields);
    const input = () => random.of(this.kind('input'));
    const enumeration = () => random.of(this.kind('enum'));
    const union = () => random.of(this.kind('union'));
    const directive = () => random.of(this.directives);
    const value = () => random.of(this.inputValues());
    random.of([
      () => this.remove(this.types),
      () => this.types.push(random.of([() => this.newScalar(), () => this.newEnum(), () => this.newInput(), () => this.newObject('object'), () => this.newObject('interface'), () => this.newUnion()])()),
      () => {
        const type = random.of(this.types.filter((type) => !['Query', 'Mutation'].includes(type.name)));
        const other = random.of([() => this.newScalar(), () => this.newEnum(), () => this.newInput(), () => this.newObject('object'), () => this.newObject('interface'), () => this.newUnion()])();
        this.types[this.types.indexOf(type)] = { ...other, name: type.name };
      },
      () => composite().fields.push(this.newField()),
      () => this.remove(composite().fields),
      () => { field().type = this.outputType(); },
      () => { const item = field(); item.type = this.rewrapped(item.type); },
      () => { const item = field(); item.type = this.rewrapped(item.type); },
      () => field().arguments.push(this.newInputValue('argument')),
      () => this.remove(field().arguments, 0),
      () => { const item = value(); item.type = this.inputType(); item.default = null; },
      () => { const item = value(); item.type = this.rewrapped(item.type); },
      () => { const item = value(); item.default = random.chance(0.3) ? null : this.literal(item.type); },
      () => { const item = value(); if (item.default !== null) item.default = this.literal(item.type); },
      () => input().fields.push(this.newInputValue('field')),
      () => this.remove(input().fields),
      () => enumeration().values.push({ name: this.name('VALUE') }),
      () => this.remove(enumeration().values),
      () => { const type = union(); const other = random.of(this.kind('object')).name; if (!type.members.includes(other)) type.members.push(other); },
      () => this.remove(union().members),
      () => this.implement(random.of(this.kind('object', 'interface')), random.of(this.kind('interface'))),
      () => this.remove(composite().interfaces, 0),
      () => this.directives.push(this.newDirective()),
      () => this.remove(this.directives, 0),
      () => directive().arguments.push(this.newInputValue('argument')),
      () => this.remove(directive().arguments, 0),
      () => { const item = directive(); item.repeatable = !item.repeatable; },
      () => this.remove(directive().locations),
      () => { const item = directive(); const other = random.of(locations); if (!item.locations.includes(other)) item.locations.push(other); },
      () => { random.of(this.types).description = this.name('Description '); },
      () => { random.of(enumeration().values).deprecated = this.name('Reason '); },
      () => { random.of(this.kind('scalar')).url = `https://example.com/${this.name('format')}`; },
    ])();
  }

  // Applies mutations that leave the schema valid.
  mutated() {
    let model = this;
    const original = schemaOf(this.print());
    for (let wanted = 1 + this.random.below(8), attempts = 0; wanted > 0 && attempts < 60; attempts++) {
      const candidate = model.copy();
      // A mutation may need an element of a kind that the schema no longer has.
      try { candidate.mutate(); } catch { continue; }
      const changed = schemaOf(candidate.print());
      model.counter = candidate.counter;
      if (changed === null || !canCompare(original, changed)) continue;
      model = candidate;
      wanted--;
    }
    return model;
  }
}

// A valid schema; null if the text is none.
function schemaOf(text) {
  try {
    const schema = graphql.buildSchema(text);
    return graphql.validateSchema(schema).length === 0 && hasValidDefaults(schema) ? schema : null;
  } catch { return null; }
}

// graphql-js 16 does not validate defaults, and Portico accepts no schema with an invalid one.
function hasValidDefaults(schema) {
  const fields = Object.values(schema.getTypeMap())
    .filter((type) => type.astNode && type.getFields).flatMap((type) => Object.values(type.getFields()));
  const values = [...fields, ...fields.flatMap((field) => field.args || []), ...schema.getDirectives().flatMap((directive) => directive.args)];
  return values.every((value) => !value.astNode || !value.astNode.defaultValue || isValue(value.astNode.defaultValue, value.type));
}

function isValue(node, type) {
  if (graphql.isNonNullType(type)) return node.kind !== 'NullValue' && isValue(node, type.ofType);
  if (node.kind === 'NullValue') return true;
  if (graphql.isListType(type)) {
    return node.kind === 'ListValue' ? node.values.every((item) => isValue(item, type.ofType)) : isValue(node, type.ofType);
  }
  if (!graphql.isInputObjectType(type)) return graphql.valueFromAST(node, type) !== undefined;
  const fields = type.getFields();
  return node.kind === 'ObjectValue'
    && node.fields.every((field) => fields[field.name.value] && isValue(field.value, fields[field.name.value].type))
    && Object.values(fields).every((field) => !graphql.isRequiredInputField(field) || node.fields.some((given) => given.name.value === field.name));
}

// graphql-js 16 cannot print an object as the default of an argument whose type was an input object and is a scalar now.
function canCompare(older, newer) {
  try {
    graphql.findBreakingChanges(older, newer);
    return true;
  } catch { return false; }
}

function validModel(random) {
  for (;;) {
    const model = new Model(random);
    if (schemaOf(model.print())) return model;
  }
}

// ---- The comparison

// The wording of graphql-js 16 as that of version 17, which Portico uses. Each text names the changed element.
const wordings = {
  VALUE_REMOVED_FROM_ENUM: [/^(\w+) was removed from enum type (\w+)\.$/, 'Enum value $2.$1 was removed.'],
  REQUIRED_INPUT_FIELD_ADDED: [/^A required field (\w+) on input type (\w+) was added\.$/, 'A required field $2.$1 was added.'],
  OPTIONAL_INPUT_FIELD_ADDED: [/^An optional field (\w+) on input type (\w+) was added\.$/, 'An optional field $2.$1 was added.'],
  FIELD_REMOVED: [/^(\w+\.\w+ was removed\.)$/, 'Field $1'],
  FIELD_CHANGED_KIND: [/^(\w+\.\w+ changed type from .*)$/, 'Field $1'],
  REQUIRED_ARG_ADDED: [/^A required arg (\w+) on (\w+\.\w+) was added\.$/, 'A required argument $2($1:) was added.'],
  OPTIONAL_ARG_ADDED: [/^An optional arg (\w+) on (\w+\.\w+) was added\.$/, 'An optional argument $2($1:) was added.'],
  ARG_REMOVED: [/^(\w+\.\w+) arg (\w+) was removed\.$/, 'Argument $1($2:) was removed.'],
  ARG_CHANGED_KIND: [/^(\w+\.\w+) arg (\w+) has changed type from (.*)$/, 'Argument $1($2:) has changed type from $3'],
  ARG_DEFAULT_VALUE_CHANGE: [/^(\w+\.\w+) arg (\w+) (.*)$/s, '$1($2:) $3'],
  DIRECTIVE_REMOVED: [/^(\w+) was removed\.$/, 'Directive @$1 was removed.'],
  DIRECTIVE_ARG_REMOVED: [/^(\w+) was removed from (\w+)\.$/, 'Argument @$2($1:) was removed.'],
  REQUIRED_DIRECTIVE_ARG_ADDED: [/^A required arg (\w+) on directive (\w+) was added\.$/, 'A required argument @$2($1:) was added.'],
  DIRECTIVE_REPEATABLE_REMOVED: [/^Repeatable flag was removed from (\w+)\.$/, 'Repeatable flag was removed from @$1.'],
  DIRECTIVE_LOCATION_REMOVED: [/^(\w+) was removed from (\w+)\.$/, '$1 was removed from @$2.'],
  VALUE_ADDED_TO_ENUM: [/^(\w+) was added to enum type (\w+)\.$/, 'Enum value $2.$1 was added.'],
};

function expectedChanges(older, newer) {
  const changes = (impact, found) => found.map(({ type, description }) => {
    const wording = wordings[type];
    return comparable(impact, type, wording ? description.replace(wording[0], wording[1]) : description);
  });
  return [
    ...changes('BREAKING', graphql.findBreakingChanges(older, newer)),
    ...changes('DANGEROUS', graphql.findDangerousChanges(older, newer)),
  ].sort();
}

// The values of a changed default are left out: graphql-js 16 prints coerced values, Portico prints the text.
function comparable(impact, kind, message) {
  return `${impact} ${kind}: ${message.replace(/ has changed defaultValue from .*/s, ' has changed defaultValue')}`;
}

// True if graphql-js 16 and Portico compare different values of a default. graphql-js 16 coerces a default, which adds the
// defaults of input fields and makes 1e3 equal to 1000. Portico compares the text, as graphql-js 17 does.
function isExplained(change, isReported, older, newer) {
  const match = /^DANGEROUS ARG_DEFAULT_VALUE_CHANGE: (\w+)\.(\w+)\((\w+):\) has changed defaultValue$/.exec(change);
  if (!match) return false;
  const [before, after] = [older, newer].map((schema) => {
    const argument = schema.getType(match[1]).getFields()[match[2]].args.find((other) => other.name === match[3]);
    return [graphql.print(sorted(argument.astNode.defaultValue)), graphql.print(sorted(graphql.astFromValue(argument.defaultValue, argument.type)))];
  });
  return isReported ? before[0] !== after[0] && before[1] === after[1] : before[0] === after[0] && before[1] !== after[1];
}

// A literal with the fields of its objects in the order of their names.
function sorted(node) {
  return graphql.visit(node, {
    ObjectValue: { leave: (object) => ({ ...object, fields: [...object.fields].sort((one, other) => (one.name.value < other.name.value ? -1 : 1)) }) },
  });
}

function reportedChanges(portico, older, newer) {
  let output;
  try {
    output = execFileSync(portico, ['schema', 'diff', '--json', older, newer], { encoding: 'utf8' });
  } catch (error) {
    if (error.status !== 1) throw error;
    output = error.stdout;
  }
  return JSON.parse(output).changes.filter((change) => change.impact !== 'SAFE');
}

// The elements of a list without those of another one; each element counts as often as it occurs.
function difference(list, other) {
  const rest = [...other];
  return list.filter((item) => {
    const position = rest.indexOf(item);
    if (position >= 0) rest.splice(position, 1);
    return position < 0;
  });
}

function main([portico, pairs = '1000', seed = '1']) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'portico-schema-diff-'));
  const [older, newer] = ['older.graphql', 'newer.graphql'].map((name) => path.join(directory, name));
  const counts = new Map();
  let [differing, explained, additional] = [0, 0, 0];
  try {
    for (let pair = 0; pair < Number(pairs); pair++) {
      const model = validModel(new Random(Number(seed) * 1000003 + pair));
      const texts = [model.print(), model.mutated().print()];
      fs.writeFileSync(older, texts[0]);
      fs.writeFileSync(newer, texts[1]);
      const schemas = texts.map((text) => graphql.buildSchema(text));
      const expected = expectedChanges(...schemas);
      const reported = reportedChanges(portico, older, newer);
      const own = reported.filter(isAdditional);
      additional += own.length;
      const common = reported.filter((change) => !isAdditional(change))
        .map((change) => comparable(change.impact, change.kind, change.message)).sort();
      for (const change of expected) {
        const kind = change.slice(0, change.indexOf(':'));
        counts.set(kind, (counts.get(kind) || 0) + 1);
      }
      const missed = difference(expected, common);
      const surplus = difference(common, expected);
      const unexplained = [
        ...missed.filter((change) => !isExplained(change, false, ...schemas)).map((change) => `only graphql-js: ${change}`),
        ...surplus.filter((change) => !isExplained(change, true, ...schemas)).map((change) => `only Portico: ${change}`),
      ];
      explained += missed.length + surplus.length - unexplained.length;
      if (unexplained.length === 0) continue;
      if (++differing <= 10) console.log(`Pair ${pair} of seed ${seed} differs:\n  ${unexplained.join('\n  ')}`);
    }
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
  for (const [kind, count] of [...counts].sort()) console.log(`${String(count).padStart(6)} ${kind}`);
  const kinds = Object.keys({ ...graphql.BreakingChangeType, ...graphql.DangerousChangeType });
  const missing = kinds.filter((kind) => !counts.has(`BREAKING ${kind}`) && !counts.has(`DANGEROUS ${kind}`));
  if (missing.length !== 0) console.log(`No pair has a change of these kinds: ${missing.join(', ')}`);
  console.log(`${pairs} pairs of schemas, seed ${seed}, graphql-js ${graphql.version}: ${differing} differ. ` +
    `${explained} changes of defaults are compared by text, not by value. ` +
    `Portico also reports ${additional} changes that graphql-js does not compare.`);
  process.exitCode = differing === 0 && missing.length === 0 ? 0 : 1;
}

main(process.argv.slice(2));
