#!/usr/bin/env python3
"""Prints the Swift files of the sources that do not declare the type of their name, and have no reason below.

A file is named after its main type, `Type+Concern.swift` after the type that it extends.
"""
import glob
import os
import re
import sys

# A path, as a regular expression, and why its files have another name.
REASONS = [
    (r'Sources/Providers/.*', 'a kind of data of the provider: a conformance of its client, with the wire types'),
    (r'Sources/GraphQL/(Types|Validation)/(\w+/)*(SDL)?Rules/.*', 'the rules of one section of the specification'),
    (r'Sources/Gateway/.*(Mutations|Object|Search|Settling|Validation|Increments)',
     'a topic: extensions of the query, the mutations or the service that it belongs to'),
    (r'Sources/Gateway/.*(Page|Connection)', 'a list of a topic: an extension of ConnectionPage with its arguments'),
    (r'Sources/PorticoApp/Commands/ClientKit/\w+Kit', 'the kit of one library: an extension of ClientKit'),
    (r'.*/\w*(Arguments|Inputs|Enums|Scalars|Types|Queries|Figures|Nodes|Members|Values|Functions|Services|Commands|Messages)',
     'several small types of one idea'),
    (r'.*/\w+(Coercion|Decoding|Encoding|Matching|Compression|Arithmetic|Valuation)', 'a function of several types'),
    (r'Sources/Brokerage/(CorporateAction|Currency)', 'the kinds of a value, none of which is the main one'),
    (r'Sources/GraphQL/Language/ASCII', 'the characters of the grammar, as an extension of UInt8'),
    (r'Sources/GraphQLTools/SchemaLint/(SchemaLint|StrictRules)', 'the rules of the lint: extensions of LintFinding.Rule'),
    (r'Sources/ProviderFile/FileProviderDescriptor', 'the descriptor of a described provider, an extension as of the compiled ones'),
    (r'Sources/Sandbox/AlphaVantage/FakeAlphaVantageCorporateActions', 'a kind of data of the fake'),
    (r'Sources/Storage/Migrations/ReplicaMigration', 'the part of the baseline for several processes'),
]
TYPE = re.compile(
    r'^(?:@[\w(),: ."]+ +)*(?:(?:public|package|internal|final|indirect|nonisolated|private|fileprivate) +)*'
    r'(?:struct|class|enum|protocol|actor|typealias|extension) +([\w.]+)', re.MULTILINE)

used = set()
for path in sorted(glob.glob('Sources/**/*.swift', recursive=True)):
    name = os.path.basename(path)[:-len('.swift')].split('+')[0]
    with open(path, encoding='utf-8') as file:
        types = {type.split('.')[-1] for type in TYPE.findall(file.read())}
    if name in types:
        continue
    reason = next((pattern for pattern, _ in REASONS if re.fullmatch(pattern, path[:-len('.swift')])), None)
    used.add(reason)
    if reason is None:
        print(path)
unused = [pattern for pattern, _ in REASONS if pattern not in used]
if unused:
    sys.exit(f'No file needs these reasons: {unused}')
