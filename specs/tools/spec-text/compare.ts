/**
 * Compares the layer `spec` with the text of the spec, SPEC.md, in both directions: what the contract states is in the text about it, and
 * the operations, statuses, names and numbers of the text are in the contract.
 */
import { kebabCase } from '@cdn/kit/letter-case'
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { type Clause, operationIn } from './clauses.ts'
import {
  type DocumentOperation,
  type Node,
  operationsOf,
  type Steps,
  schemesIn,
  schemesOf,
  toArray,
  wordsOf,
} from './document-operations.ts'
import { type Comparison, compareRequired, compareSchema } from './schemas.ts'
import { hasWord, namesIn, numbersIn, type Page, readPage, statusesIn } from './spec-page.ts'

/** A difference, in one sentence without a full stop, at a place of the contract or in a line of SPEC.md. */
export interface Difference {
  readonly message: string
  readonly place: { readonly interface: string; readonly at: Steps } | { readonly line: number }
}

type Documents = Readonly<Record<string, Node>>

/**
 * @param text the text of SPEC.md
 * @param documents the bundled layer `spec` of each interface
 * @returns the differences; empty if the contract states what the page states
 */
export function compareWithText(text: string, documents: Documents): Difference[] {
  const page = readPage(text, Object.keys(documents))
  const operations = Object.entries(documents).flatMap(([name, document]) => operationsOf(name, document))
  const found: Difference[] = []
  const reportAt = (name: string) => (at: Steps, message: string) =>
    void found.push({ message, place: { interface: name, at } })
  for (const operation of operations)
    compareOperation(operation, toRecord(documents[operation.interface]), page, reportAt(operation.interface))
  for (const [name, document] of Object.entries(documents)) compareRoot(name, document, page, reportAt(name))
  const reportLine = (line: number, message: string) => void found.push({ message, place: { line } })
  for (const clause of page.clauses) compareClause(clause, page, operations, documents, reportLine)
  compareOpenPoints(page, operations, documents, reportLine)
  return found
}

function compareOperation(
  operation: DocumentOperation,
  document: Node,
  page: Page,
  report: Comparison['report'],
): void {
  const { key, node, at } = operation
  const own = page.clauses.filter(({ subject }) => subject === key)
  const section = own.find((clause) => clause.section.startsWith('4.'))?.section
  if (section === undefined)
    return void report(
      at,
      `SPEC.md has no section 4.N with \`${key}\`: correct path or method, or add the section to SPEC.md`,
    )
  const ofAll = page.clauses.filter((clause) => isShared(clause, operation.interface))
  const ofSection = page.clauses.filter((clause) => clause.section === section)
  const about = [...own, ...ofAll]
  const stated = about.filter(({ open }) => !open)
  const missing = `the text about \`${key}\``

  if (node['operationId'] !== undefined && !stated.some(({ text }) => hasWord(text, String(node['operationId']))))
    report([...at, 'operationId'], `${missing} does not have this name`)
  for (const tag of operation.interface === 'management' ? toArray(node['tags']) : [])
    if (!ofSection.some(({ text }) => text.toLowerCase().includes(String(tag).toLowerCase())))
      report([...at, 'tags', 0], `§${section} does not name the area \`${tag}\``)
  for (const [index, scope] of toArray(node['x-scopes']).entries())
    if (!stated.some(({ text, subject }) => subject === key && hasWord(text, String(scope))))
      report([...at, 'x-scopes', index], `${missing} does not have the scope \`${scope}\``)
  compareEffect(operation, own, report)
  compareResponses(operation, about, report)

  const schemes = Object.keys(schemesOf(document))
  const isRule = ({ section: number, subject, text }: Clause) =>
    number === '5' ||
    (subject === key &&
      (/\b(?:needs|takes) no credential/.test(text) || schemes.some((scheme) => hasWord(text, scheme))))
  const rules = stated.filter(isRule)
  const nearest = [key, operation.interface].map((subject) => rules.filter((clause) => clause.subject === subject))
  const rule = nearest.find((clauses) => clauses.length > 0) ?? rules
  compareSchemes(schemesIn(node['security'] ?? document['security']), rule, document, key, (message) =>
    report(node['security'] ? [...at, 'security'] : at, message),
  )

  const isNaming = (field: string) => (clause: Clause) => hasWord(clause.text.replaceAll(/\{\w+\}/g, ''), field)
  const naming = (field: string) =>
    [own, ofSection, ofAll].map((clauses) => clauses.filter(isNaming(field)).map((clause) => aboutField(clause, field)))
  const all = { document, naming, report, isResponse: false }
  for (const { node: parameter, at: place } of operation.parameters) {
    const name = String(parameter['name'])
    const inPath = key.includes(`{${name}}`)
    if ((parameter['in'] === 'path') !== inPath)
      report([...place, 'in'], `\`${name}\` is ${inPath ? '' : 'not '}in the path \`${key}\``)
    if (!inPath && !ofSection.some(({ text }) => hasWord(text, name)))
      report([...place, 'name'], `§${section} has no parameter \`${name}\``)
    if (!inPath) compareRequired(name, parameter['required'] === true, [...place, 'required'], all)
    compareSchema(parameter['schema'], name, [...place, 'schema'], all)
  }
  compareBodies(operation, own, all)
  for (const kind of ['x-requirements', 'x-unspecified'])
    for (const [index, statement] of toArray(node[kind]).entries()) {
      const place = [...at, kind, index, 'section']
      const cited = String(toRecord(statement)['section'])
      const message =
        cited.startsWith('4.') && cited !== section
          ? `\`${key}\` is in §${section}, not in §${cited}`
          : faultOfStatement(toRecord(statement), kind === 'x-unspecified', about, page)
      if (message) report(place, message)
    }
}

/** Whether a clause outside section 4 is about every operation of an interface. */
function isShared({ section, subject }: Clause, name: string): boolean {
  return !section.startsWith('4.') && (subject === undefined || subject === name)
}

/** Leaves out what a clause says in parentheses after other names: `Name` (required) or `Path`. */
function aboutField(clause: Clause, field: string): Clause {
  const text = clause.text.replaceAll(/`([^`]+)` \([^()]*\)/g, (all, name) => (name === field ? all : `\`${name}\``))
  return { ...clause, text }
}

function compareEffect(
  { key, node, at }: DocumentOperation,
  own: readonly Clause[],
  report: Comparison['report'],
): void {
  const { 'x-effect': effect, 'x-change': change } = node
  const deletes = own.some(({ text, open }) => !open && /\b(?:delet|remov|purg|reset|clear|destroy)/i.test(text))
  const isRead = /^(?:GET|HEAD|OPTIONS) /.test(key)
  if ((effect === 'read' && !isRead && deletes) || (effect !== 'read' && isRead))
    report([...at, 'x-effect'], `\`${effect}\` does not fit the method or the text of \`${key}\``)
  if ((effect === 'destructive' && !deletes) || (effect === 'write' && /^DELETE /.test(key)))
    report([...at, 'x-effect'], `\`${effect}\` does not fit the text about \`${key}\`: a destructive operation deletes`)
  if (!isRecord(change)) return
  const names = [
    ...Object.keys(toRecord(change['set'])),
    ...['add', 'to', 'remove', 'from'].map((word) => change[word]),
  ]
  for (const name of names) {
    const spoken = kebabCase(String(name).replace(/\/.*/, '')).replaceAll('-', '[ -]?')
    if (name !== undefined && !own.some(({ text }) => new RegExp(`\\b${spoken}\\b`, 'i').test(text)))
      report([...at, 'x-change'], `the text about \`${key}\` does not have \`${name}\``)
  }
}

function compareResponses(
  { key, node, at }: DocumentOperation,
  about: readonly Clause[],
  report: Comparison['report'],
): void {
  for (const [status, response] of Object.entries(toRecord(node['responses']))) {
    const place = [...at, 'responses', status]
    const isOpen = about.some(({ open, subject, text }) => open && subject === key && /\bstatus/i.test(text))
    if (!/^\d+$/.test(status) && !isOpen)
      report(place, `SPEC.md does not leave a status of \`${key}\` open: state the status instead of \`${status}\``)
    if (/^\d+$/.test(status) && !about.some(({ open, text }) => !open && statusesIn(text).includes(status)))
      report(place, `the text about \`${key}\` does not have the status ${status}`)
    const { 'x-error-code': code } = toRecord(response)
    const both = ({ text }: Clause) => statusesIn(text).includes(status) && hasWord(text, String(code))
    if (code !== undefined && !about.some(both))
      report([...place, 'x-error-code'], `no line about \`${key}\` has both ${status} and \`${code}\``)
  }
}

const mediaWords: Readonly<Record<string, RegExp>> = {
  'text/plain': /\b(?:text|plain|file|lines?)\b/i,
  'application/octet-stream': /\b(?:binary|raw|bytes|image|file)\b/i,
}

function compareBodies({ key, node, at }: DocumentOperation, own: readonly Clause[], all: Comparison): void {
  const request = own.filter(({ open, text }) => !open && /\bbody\b/i.test(text))
  if (
    node['requestBody'] !== undefined &&
    request.some(({ text }) => /\bno request body\b|request body: none/i.test(text))
  )
    all.report([...at, 'requestBody'], `SPEC.md says that \`${key}\` has no request body`)
  const bodies = [{ body: node['requestBody'], place: ['requestBody'] }]
  for (const [status, body] of Object.entries(toRecord(node['responses'])))
    bodies.push({ body, place: ['responses', status] })
  for (const { body, place } of bodies)
    for (const [type, media] of Object.entries(toRecord(toRecord(followReference(all.document, body))['content']))) {
      const here = [...at, ...place, 'content', type]
      const { schema } = toRecord(media)
      const { type: stated } = toRecord(followReference(all.document, schema))
      if (place[0] === 'requestBody' && request.some(({ text }) => /\bobject\b/.test(text)) && stated !== 'object')
        all.report([...here, 'schema'], `SPEC.md says that the body of \`${key}\` is an object`)
      if (mediaWords[type] && !own.some(({ text }) => mediaWords[type]?.test(text)))
        all.report(here, `the text about \`${key}\` has no body of this type`)
      compareSchema(schema, '', [...here, 'schema'], { ...all, isResponse: place[0] === 'responses' })
    }
}

function compareSchemes(
  accepted: readonly string[],
  rule: readonly Clause[],
  document: Node,
  subject: string,
  report: (message: string) => void,
): void {
  for (const scheme of Object.keys(schemesOf(document))) {
    const isSaid = rule.some(({ text, open }) => !open && hasWord(text, scheme))
    if (isSaid !== accepted.includes(scheme))
      report(`§5 ${isSaid ? 'says' : 'does not say'} that \`${subject}\` accepts \`${scheme}\``)
  }
}

/**
 * Checks that SPEC.md has the section of a statement, with a sentence of its kind, and with the status, names and numbers of a
 * requirement.
 *
 * @param about the clauses about the owner of the statement
 * @returns a sentence without a full stop, or undefined
 */
function faultOfStatement(
  { id, text: statement, section }: Node,
  isOpen: boolean,
  about: readonly Clause[],
  page: Page,
): string | undefined {
  const among = isOpen ? page.clauses : about
  const here = among.filter((clause) => clause.section === section && clause.open === isOpen)
  if (!page.clauses.some((clause) => clause.section === section))
    return `SPEC.md has no section ${section}: correct it, or add the section to SPEC.md`
  if (here.length === 0)
    return `§${section} has no ${isOpen ? '**Unspecified**' : 'sentence'} for \`${id}\`: correct the section, or add it to SPEC.md`
  if (isOpen) return undefined
  const text = String(statement)
  const status = /\.([1-5]\d\d)[^.]*$/.exec(String(id))?.[1]
  const spoken = statusesIn(text)
  if (status !== undefined && spoken.length > 0 && !spoken.includes(status))
    return `the id has the status ${status}, the text has ${spoken.join(' and ')}`
  const said = here.map((clause) => clause.text).join('\n')
  const statuses = status === undefined ? spoken : [status, ...spoken]
  const words = text.match(/[\w-]*\w/g) ?? []
  const numbers = numbersIn(text.replaceAll(/\b(?:version|section) \d/gi, ''))
  const missing =
    statuses.find((each) => !statusesIn(said).includes(each)) ??
    words.find((word) => page.names.has(word) && isNameLike(word) && !hasWord(said, word)) ??
    numbers.find((each) => !numbersIn(said).includes(each))
  return missing === undefined ? undefined : `§${section} does not have \`${missing}\` in its text about this`
}

function compareRoot(name: string, document: Node, page: Page, report: Comparison['report']): void {
  const { clauses } = page
  const about = clauses.filter((clause) => clause.section.startsWith('4.') || isShared(clause, name))
  const reportFault = (at: Steps, message: string | undefined) => void (message && report(at, message))
  const compareAll = (owner: Node, at: Steps) => {
    for (const kind of ['x-requirements', 'x-unspecified'])
      for (const [index, statement] of toArray(owner[kind]).entries())
        reportFault(
          [...at, kind, index, 'section'],
          faultOfStatement(toRecord(statement), kind === 'x-unspecified', about, page),
        )
  }
  compareAll(document, [])
  for (const [index, tag] of toArray(document['tags']).map(toRecord).entries()) {
    compareAll(tag, ['tags', index])
    if (name === 'management' && !clauses.some(({ text }) => hasWord(text, String(tag['name']))))
      report(['tags', index], `SPEC.md does not name the area \`${tag['name']}\``)
  }
  const version = String(toRecord(document['info'])['version'])
  if (!clauses.some(({ section, subject, text }) => section === '9' && subject === name && text.includes(version)))
    report(['info', 'version'], `§9 does not have the version ${version}`)
  for (const [scheme, { type, in: place, name: header, scheme: http, bearerFormat }] of Object.entries(
    schemesOf(document),
  )) {
    const form = type === 'http' ? `authorization: ${http} <${bearerFormat}>` : `${header}: <`
    const isForm = ({ section, text }: Clause) =>
      section === '5' && text.toLowerCase().includes(`\`${form}`.toLowerCase())
    if (
      !clauses.some(
        (clause) => isForm(clause) && hasWord(clause.text, scheme) && hasWord(clause.text, String(place ?? 'header')),
      )
    )
      report(['components', 'securitySchemes', scheme], `§5 has no credential \`${scheme}\` of the form \`${form}\``)
  }
  const rule = clauses.filter(({ section, subject }) => section === '5' && subject === name)
  compareSchemes(schemesIn(document['security']), rule, document, `the ${name} interface`, (message) =>
    report(['security'], message),
  )
  const limits = clauses.filter(({ section, subject, open }) => section === '8' && subject === name && !open)
  const { requests, window, per } = toRecord(document['x-rate-limit'])
  const noun = kebabCase(String(per)).replace(/-id$/, '').replaceAll('-', ' ')
  const limit = `${requests} in ${spokenDuration(window)} per ${noun}`
  if (window !== undefined && !limits.some(({ text }) => text.includes(limit)))
    report(['x-rate-limit'], `§8 does not have "${limit}"`)
  const kept = spokenDuration(document['x-retention'])
  if (kept !== '' && !limits.some(({ text }) => text.includes('retention') && hasWord(text, kept)))
    report(['x-retention'], `§8 does not have a retention of ${kept}`)
  const naming = (field: string) => [clauses.filter((clause) => isShared(clause, name) && hasWord(clause.text, field))]
  for (const [schema, node] of Object.entries(toRecord(toRecord(document['components'])['schemas'])))
    if (!isReferred(document, schema))
      compareSchema(node, '', ['components', 'schemas', schema], { document, naming, report, isResponse: true })
}

/** Whether a word cannot be an ordinary word: it has a capital inside, an underscore or only capitals. */
const isNameLike = (word: string) => /[a-z][A-Z]|_|^[A-Z]{2,}$/.test(word)

/** Whether a reference leads to a schema. If so, the schema is compared where the reference is. */
function isReferred({ paths, components }: Node, schema: string): boolean {
  return JSON.stringify([paths, components]).includes(`"#/components/schemas/${schema}"`)
}

/** A duration as SPEC.md writes it: `10 seconds` for `PT10S`; empty without a duration. */
function spokenDuration(duration: unknown): string {
  const [, ...counts] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(String(duration)) ?? []
  const units = ['day', 'hour', 'minute', 'second']
  return counts
    .flatMap((count, index) => (count ? [`${count} ${units[index]}${count === '1' ? '' : 's'}`] : []))
    .join(' ')
}

/** Reports operations, names, statuses and numbers of a clause that the contract does not state about its subject. */
function compareClause(
  { section, line, text, subject, open }: Clause,
  page: Page,
  operations: readonly DocumentOperation[],
  documents: Documents,
  report: (line: number, message: string) => void,
): void {
  const isKnown = (key: string) => key in documents || operations.some((operation) => operation.key === key)
  const named = operationIn(text)
  if (named !== undefined && !isKnown(named)) report(line, `the contract has no operation \`${named}\``)
  if (subject !== undefined && !isKnown(subject)) return
  const [names, statuses, numbers] = [namesIn(text), statusesIn(text), numbersIn(text)]
  if (open || names.length + statuses.length + numbers.length === 0) return
  const isAbout = ({ key, interface: name }: DocumentOperation) => [undefined, key, name].includes(subject)
  const about = operations.filter(isAbout)
  const isOperation = operations.some(({ key }) => key === subject)
  // The operations of a section may share one table of fields.
  const beside = page.clauses
    .filter((clause) => isOperation && clause.section === section)
    .map((clause) => clause.subject)
  const words = new Set<string>()
  for (const { interface: name, node, parameters } of operations.filter(
    (each) => isAbout(each) || beside.includes(each.key),
  )) {
    const document = toRecord(documents[name])
    wordsOf([node, parameters.map((each) => each.node), Object.keys(schemesOf(document))], document, words)
  }
  for (const [name, document] of Object.entries(documents))
    if (!isOperation && (subject === undefined || subject === name)) wordsOf(document, document, words)
  const unstated = 'which the contract does not state there'
  for (const name of names) if (!words.has(name)) report(line, `§${section} has \`${name}\`, ${unstated}`)
  if (subject === undefined && section !== '5') return
  for (const status of statuses)
    if (!about.every(({ node }) => Object.hasOwn(toRecord(node['responses']), status)))
      report(line, `§${section} has the status ${status}, ${unstated}`)
  const durations = [...words]
    .filter((word) => /^PT?\d/.test(word))
    .flatMap((word) => numbersIn(word.replaceAll(/[A-Z]/g, ' ')))
  for (const number of isOperation || section === '8' ? numbers : [])
    if (!words.has(String(number)) && !durations.includes(number))
      report(line, `§${section} has the number ${number}, ${unstated}`)
}

/** Reports a section with an open point that no `x-unspecified` lists. */
function compareOpenPoints(
  page: Page,
  operations: readonly DocumentOperation[],
  documents: Documents,
  report: (line: number, message: string) => void,
): void {
  const roots = Object.values(documents).flatMap((document) => [document, ...toArray(document['tags']).map(toRecord)])
  const all = [...roots, ...operations.map(({ node }) => node)].flatMap((owner) => toArray(owner['x-unspecified']))
  const listed = new Set(all.map((point) => toRecord(point)['section']))
  for (const { section, line } of page.clauses.filter(({ open }) => open))
    if (!listed.has(section)) report(line, `§${section} leaves a point open that no \`x-unspecified\` lists`)
}
