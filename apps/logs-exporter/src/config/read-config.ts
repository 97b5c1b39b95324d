import { assertDefined } from '@cdn/kit/assert-defined'
import { readInputFile } from '@cdn/kit/input-file'
import { decodeStep } from '@cdn/kit/reference'
import { Ajv, type ErrorObject } from 'ajv'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { ConfigurationError } from '../errors.ts'
import type { Config } from './config.ts'
import { type RawConfig, resolveConfig } from './resolve.ts'
import schema from './schema.json' with { type: 'json' }
import { schemaFormats } from './values.ts'
import { substituteVariables } from './variables.ts'

const validate = new Ajv({
  allErrors: true,
  discriminator: true,
  useDefaults: true,
  verbose: true,
  strictTypes: false,
  formats: schemaFormats,
  // Tests prove that the schema is valid. Without this validation, and without optimized code, the program starts in half the time.
  validateSchema: false,
  code: { optimize: false },
}).compile<RawConfig>(schema)

/**
 * Reads a configuration file.
 *
 * @param path of a YAML file, as the user gave it
 * @param env the environment, for `${NAME}` in values. `CDN_LOGGING_URL` and `CDN_MANAGEMENT_URL` are the default addresses,
 *   `CDN_ACCESS_KEY` and `CDN_BEARER_TOKEN` the default credential
 * @returns the configuration with defaults. Relative paths start at the working directory
 * @throws ConfigurationError with one line per mistake: the file, the line, and what would be right
 */
export async function readConfig(path: string, env: NodeJS.ProcessEnv): Promise<Config> {
  const text = await readInputFile(path).then(String, (error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(`The configuration ${path} cannot be read (${error.code}).`)
  })
  return parseConfig(text, path, env)
}

/**
 * Checks a configuration.
 *
 * @param text YAML
 * @param name of the file, for messages
 * @throws ConfigurationError as {@link readConfig} does
 */
export function parseConfig(text: string, name: string, env: NodeJS.ProcessEnv): Config {
  const lines = new LineCounter()
  // No code frames, because they would repeat lines that may hold a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  function refuse(mistakes: readonly Mistake[]): void {
    if (mistakes.length === 0) return
    const withLines = mistakes.map(({ at, sentence }) => ({ line: lines.linePos(offsetOf(at)).line, sentence }))
    const sentences = withLines
      .sort((a, b) => a.line - b.line)
      .map(({ line, sentence }) => `${name}:${line}: ${sentence}`)
    throw new ConfigurationError([...new Set(sentences)].join('\n'))
  }
  refuse(
    document.errors.map(({ pos: [at], code }) => {
      return { at, sentence: `Invalid YAML: ${code.toLowerCase().replaceAll('_', ' ')}.` }
    }),
  )
  refuse(substituteVariables(document, env))
  const raw = toValue(document)
  if (raw === undefined) refuse([{ at: 0, sentence: 'Invalid YAML: an alias has no anchor, or expands to too much.' }])
  if (!validate(raw)) refuse(explainMistakes(assertDefined(validate.errors), document))
  const { config, contradictions } = resolveConfig(raw as RawConfig, env) // it matches the schema
  refuse(contradictions.map(({ path, sentence }) => ({ at: document.getIn(path, true), sentence })))
  return config
}

interface Mistake {
  readonly at: unknown
  readonly sentence: string
}

function offsetOf(at: unknown): number {
  if (typeof at === 'number') return at
  return isNode(at) ? (at.range?.[0] ?? 0) : 0
}

function toValue(document: Document): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

function explainMistakes(errors: readonly ErrorObject[], document: Document): Mistake[] {
  // Within a `oneOf`, only the innermost error is specific. The error of the `oneOf` itself adds nothing.
  const specific = errors.filter(({ keyword }) => keyword !== 'oneOf')
  return (specific.length > 0 ? specific : errors).map((error) => explainMistake(error, document))
}

function explainMistake(
  { keyword, instancePath, params, parentSchema, message }: ErrorObject,
  document: Document,
): Mistake {
  const path = instancePath.split('/').slice(1).map(decodeStep)
  const at = path.length > 0 ? document.getIn(path, true) : document.contents
  if (keyword === 'additionalProperties') {
    const key = String(params['additionalProperty'])
    const known = Object.keys(parentSchema?.['properties']).join(', ')
    return { at: keyNode(at, key), sentence: `${nameOf([...path, key])} is not a setting; expected ${known}.` }
  }
  if (keyword === 'required')
    return { at, sentence: `${nameOf([...path, String(params['missingProperty'])])} is missing.` }
  const right: string | undefined = parentSchema?.['description'] ?? message
  return { at, sentence: `${nameOf(path)} must be ${right}${shown(at, path)}.` }
}

/** The start of the wrong value, unless it may be a secret: users sometimes write a secret instead of the place where it is. */
function shown(node: unknown, path: readonly string[]): string {
  const isSafe =
    path.length > 0 &&
    !path.some((part) => /key|secret|token|bearer|postgres|url|headers|endpoint|container|sas/i.test(part))
  if (!isSafe || !isScalar(node)) return ''
  // The value of an environment variable may be a secret.
  if (node.source?.includes('${')) return `; the value comes from ${node.source.slice(0, 80)}`
  const text = typeof node.value === 'string' ? JSON.stringify(node.value) : (node.source ?? String(node.value))
  return `, not ${text.slice(0, 80)}`
}

function keyNode(node: unknown, key: string): unknown {
  const pair = isMap(node) ? node.items.find((each) => isScalar(each.key) && String(each.key.value) === key) : undefined
  return pair?.key ?? node
}

function nameOf(path: readonly string[]): string {
  if (path.length === 0) return 'The configuration'
  return path
    .map((part, n) => (/^\d+$/.test(part) ? `[${part}]` : `${n === 0 ? '' : '.'}${part}`))
    .join('')
    .replaceAll(/\s+/g, ' ')
}
