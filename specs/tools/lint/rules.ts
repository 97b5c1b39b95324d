/** Rules of the contract that a configuration of Redocly cannot express. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createValidators } from '@cdn/kit/contract-validator'
import { kebabCase } from '@cdn/kit/letter-case'
import { isSecret } from '@cdn/kit/secrets'
import { parse } from 'yaml'

/** The parts of Redocly's plugin interface that we use; Redocly ships no types for them. */
export interface Location {
  readonly source: { readonly absoluteRef: string }
  child(path: string | number | readonly (string | number)[]): Location
  /** Returns the place of the key instead of the place of the value. */
  key(): Location
}

export interface RuleContext {
  readonly location: Location
  /** Key or index of the visited node in its parent. */
  readonly key: string | number
  readonly type: NodeType
  report(problem: { readonly message: string; readonly location: Location }): void
}

/**
 * Redocly calls a rule once for each linted document, so the state of a rule belongs to one document. The rule returns functions by node
 * type, which get a parsed node and its context. A visited node is never a reference.
 */
export type Rule = () => Readonly<Record<string, unknown>>

export interface NodeType {
  readonly properties: Readonly<Record<string, unknown>>
  /** The type of keys that `properties` lacks, or a function that returns it. If undefined, there are no such keys. */
  readonly additionalProperties?: unknown
}

/** extensions.yaml must list each key that starts with `x-`, for its place. Otherwise a typo would stay unnoticed. */
const knownExtension: Rule = () => ({
  any(node: unknown, { type, report, location }: RuleContext) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const { properties, additionalProperties: map } = type
    for (const [key, value] of Object.entries(node)) {
      // A key is a free name in a map: a field of a body, a header or a component.
      const isName = (typeof map === 'function' ? map(value, key) : map) !== undefined
      if (!key.startsWith('x-') || Object.hasOwn(properties, key) || isName) continue
      const message = `\`${key}\` is not an extension of the contract here; README.md lists the extensions and their places.`
      report({ message, location: location.child(key).key() })
    }
  },
})

/** `x-name` is unique within an interface, because commands and requirement ids contain it. */
const operationName: Rule = () => {
  const seen = new Set<unknown>()
  return {
    Operation({ 'x-name': name }: { 'x-name'?: unknown }, { report, location }: RuleContext) {
      const message = `\`${name}\` is already the name of another operation; names are unique.`
      if (name !== undefined && seen.has(name)) report({ message, location: location.child('x-name') })
      seen.add(name)
    },
  }
}

/**
 * The id of a requirement or of an unspecified point has three parts: the interface, an operation or a subject, and a status or a short
 * name. The id is unique in an interface, because reports, mutants and lists of expected failures refer to it. The interface is the
 * name of the file's folder.
 */
const requirementId: Rule = () => {
  const seen = new Set<string>()
  return {
    Statement({ id }: { id?: unknown }, { report, location: statement }: RuleContext) {
      if (typeof id !== 'string') return // `struct` reports it
      const location = statement.child('id')
      const folder = basename(dirname(statement.source.absoluteRef))
      const form = `\`${folder}.<operation or subject>.<status or short name>\``
      if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z0-9][a-z0-9-]*$/.test(id) || !id.startsWith(`${folder}.`))
        report({ message: `\`${id}\` is not of the form ${form}.`, location })
      if (seen.has(id)) report({ message: `\`${id}\` is already used; ids are unique.`, location })
      seen.add(id)
    },
  }
}

interface Tag {
  readonly name: string
  readonly 'x-unspecified'?: unknown
}

/** An area either has operations, or an `x-unspecified` that says that the spec shows none, so that no gap stays unnoticed. */
const areaShown: Rule = () => {
  const used = new Set<string>()
  return {
    Operation({ tags = [] }: { tags?: readonly string[] }) {
      for (const tag of tags) used.add(tag)
    },
    Root: {
      leave({ tags = [] }: { tags?: readonly Tag[] }, { report, location: root }: RuleContext) {
        for (const [index, { name, 'x-unspecified': unspecified }] of tags.entries()) {
          const location = root.child(['tags', index])
          if (unspecified !== undefined && used.has(name))
            report({ message: `The area \`${name}\` has operations; remove its \`x-unspecified\`.`, location })
          if (unspecified === undefined && !used.has(name))
            report({ message: `The area \`${name}\` has no operation; add \`x-unspecified\`.`, location })
        }
      },
    },
  }
}

/**
 * Every top-level key of an area file is a path item, except `components`. `paths` of openapi.yaml must link each path item by
 * `$ref`. Without the link, the operation would be missing, and no tool would report that. Schema names are unique across the
 * files, because the generated types would otherwise get numbers in their names.
 */
const areaFiles: Rule = () => ({
  Root({ paths = {} }: { paths?: Readonly<Record<string, { $ref?: string }>> }, { report, location }: RuleContext) {
    const entry = location.source.absoluteRef
    const linked = new Map<string | undefined, string>()
    for (const [path, { $ref }] of Object.entries(paths)) {
      const reference = $ref?.replace(/^\.\//, '')
      const message = `\`${linked.get(reference)}\` already links \`${reference}\`: each path has a path item of its own.`
      if (reference !== undefined && linked.has(reference))
        report({ message, location: location.child(['paths', path]).key() })
      linked.set(reference, path)
    }
    const isFile = (file: string) => /(?<!\.overlay)\.yaml$/.test(file)
    const owners = new Map<string, string>()
    for (const file of readdirSync(dirname(entry)).filter(isFile)) {
      const { components, ...items } = parse(readFileSync(join(dirname(entry), file), 'utf8')) ?? {}
      for (const name of Object.keys(components?.schemas ?? {})) {
        const message = `\`${file}\` and \`${owners.get(name)}\` both have a schema \`${name}\`; give one of them another name.`
        if (owners.has(name)) report({ message, location: location.child('paths') })
        owners.set(name, file)
      }
      for (const key of file === basename(entry) ? [] : Object.keys(items)) {
        const reference = `${file}#/${key}`
        const message = `No path links \`${reference}\`; add \`$ref: ${reference}\`.`
        if (!linked.has(reference)) report({ message, location: location.child('paths') })
      }
    }
  },
})

interface OperationNode {
  readonly 'x-name'?: string
  readonly 'x-change'?: unknown
  readonly 'x-requirements'?: readonly { readonly id: string; readonly unchecked?: string }[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses?: Readonly<Record<string, unknown>>
}

const operationRequirement: Rule = () => ({
  Operation(operation: OperationNode, { report, location }: RuleContext) {
    const { 'x-name': name, 'x-requirements': requirements = [], responses = {} } = operation
    const statuses = Object.keys(responses)
    for (const [index, { id, unchecked }] of requirements.entries()) {
      const [, owner, end = ''] = String(id).split('.')
      const at = location.child(['x-requirements', index, 'id'])
      if (owner !== name)
        report({
          message: `\`${id}\` is not about \`${name}\`: state it at the operation that it names.`,
          location: at,
        })
      else if (/^[1-5](\d\d|xx)$/.test(end) && !statuses.some((status) => status.startsWith(end.replace('xx', ''))))
        report({ message: `\`${id}\` is about a status that \`responses\` does not list: add it there.`, location: at })
      else if (end === 'effect' && operation['x-change'] === undefined && unchecked === undefined)
        report({
          message: `\`${id}\` promises an effect: add \`x-change\`, or \`unchecked\` with the reason.`,
          location: at,
        })
    }
  },
})

/** Each parameter of an operation, and each property of a schema, has an option name of its own in the command line, in Latin letters. */
const optionName: Rule = () => {
  const compare = (names: readonly string[], report: (index: number, message: string) => void) => {
    const seen = new Map<string, string>()
    for (const [index, name] of names.entries()) {
      const option = kebabCase(name)
      const other = seen.get(option)
      if (!/^[A-Za-z][\w.-]*$/.test(name))
        report(
          index,
          `\`${name}\` cannot be an option: use Latin letters, digits, \`_\`, \`.\` and \`-\`, such as \`ZoneId\`.`,
        )
      if (other !== undefined)
        report(index, `\`${other}\` and \`${name}\` are both the option \`--${option}\`: rename one of them.`)
      seen.set(option, name)
    }
  }
  return {
    Operation({ parameters = [] }: OperationNode, { report, location }: RuleContext) {
      const names = parameters.map(({ name }) => String(name))
      compare(names, (index, message) => report({ message, location: location.child(['parameters', index, 'name']) }))
    },
    Schema({ properties = {} }: { properties?: object }, { report, location }: RuleContext) {
      const names = Object.keys(properties)
      compare(names, (index, message) =>
        report({ message, location: location.child(['properties', names[index] ?? '']).key() }),
      )
    },
  }
}

type Schema = Readonly<Record<string, unknown>>

const validatorOf = createValidators(false)

/** No lower bound of a schema is above its upper bound, and its `default` fits its other keywords. */
const bounds: Rule = () => ({
  Schema(schema: Schema, { report, location }: RuleContext) {
    for (const [low, high] of [
      ['minimum', 'maximum'],
      ['minLength', 'maxLength'],
      ['minItems', 'maxItems'],
    ] as const) {
      const message = `\`${low}\` ${schema[low]} is above \`${high}\` ${schema[high]}: no value fits both.`
      if (Number(schema[low]) > Number(schema[high])) report({ message, location: location.child(low) })
    }
    const { default: value, $ref, allOf, oneOf, anyOf, items, properties, ...plain } = schema
    if (value !== undefined && !validatorOf(plain, {})(value))
      report({
        message: `\`default\` ${JSON.stringify(value)} does not fit its schema: correct the value or the bounds.`,
        location: location.child('default'),
      })
  },
})

const plainTypes: readonly unknown[] = ['boolean', 'integer', 'number', 'null']

/** A field whose name is that of a secret has `format: password`, so that no program prints it. Programs print numbers and booleans. */
const secretField: Rule = () => ({
  Schema({ properties = {} }: { properties?: Readonly<Record<string, Schema>> }, { report, location }: RuleContext) {
    for (const [name, { type = '', format, 'x-secret': secret }] of Object.entries(properties)) {
      const isPlain = [type].flat().every((each) => plainTypes.includes(each))
      const message = `\`${name}\` is named like a credential: add \`format: password\`, so that no program prints it, or \`x-secret: false\`.`
      if (isSecret(name) && !isPlain && format !== 'password' && secret !== false)
        report({ message, location: location.child(['properties', name]).key() })
    }
  },
})

/** An interface with error codes (§7: logging) states a code for each 4xx and 5xx response, and for no other response. */
const errorCode: Rule = () => {
  const responses: { status: string; code: unknown; location: Location }[] = []
  return {
    Response(response: { 'x-error-code'?: unknown }, { key, location }: RuleContext) {
      responses.push({ status: String(key), code: response['x-error-code'], location })
    },
    Root: {
      leave(_root: unknown, { report }: RuleContext) {
        if (responses.every(({ code }) => code === undefined)) return
        for (const { status, code, location } of responses) {
          const isError = /^[45]/.test(status)
          if (isError && code === undefined)
            report({ message: `The response ${status} states no \`x-error-code\`.`, location: location.key() })
          if (!isError && code !== undefined)
            report({ message: `The response ${status} is not an error; remove its \`x-error-code\`.`, location })
        }
      },
    },
  }
}

/** `per` of a rate limit names a path parameter of an operation. */
const rateLimit: Rule = () => {
  const parameters = new Set<string>()
  const limits: { per: string; location: Location }[] = []
  return {
    Parameter(parameter: { name: string; in: string }) {
      if (parameter.in === 'path') parameters.add(parameter.name)
    },
    RateLimit({ per }: { per: string }, { location }: RuleContext) {
      limits.push({ per, location: location.child('per') })
    },
    Root: {
      leave(_root: unknown, { report }: RuleContext) {
        for (const { per, location } of limits)
          if (!parameters.has(per)) report({ message: `No operation has a path parameter \`${per}\`.`, location })
      },
    },
  }
}

/** The rules by name. Redocly's name of `rateLimit` is `contract/rate-limit`. */
export const rules = {
  areaFiles,
  areaShown,
  bounds,
  errorCode,
  knownExtension,
  operationName,
  operationRequirement,
  optionName,
  rateLimit,
  requirementId,
  secretField,
}
