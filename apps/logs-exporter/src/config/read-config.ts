import { readFile } from 'node:fs/promises'
import { defined } from '@cdn/kit/defined'
import { decodeStep } from '@cdn/kit/reference'
import { Ajv, type ErrorObject } from 'ajv'
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import { ExporterConfigurationError } from '../errors.ts'
import type { Config } from './config.ts'
import { contradictions, type RawConfig, toConfig } from './resolve.ts'
import schema from './schema.json' with { type: 'json' }
import { schemaFormats } from './values.ts'

const validate = new Ajv({
  allErrors: true,
  discriminator: true,
  useDefaults: true,
  verbose: true,
  strictTypes: false,
  formats: schemaFormats,
}).compile<RawConfig>(schema)

/**
 * Reads a configuration file.
 *
 * @param path of a YAML file, as the user gave it
 * @param env the environment: `CDN_LOGGING_URL` is the default of `loggingUrl`; `CDN_ACCESS_KEY` and `CDN_BEARER_TOKEN` are
 *   the default credential
 * @returns the configuration with defaults. Relative paths start at the working directory
 * @throws ExporterConfigurationError with one line per mistake: the file, the line, and what would be right
 */
export async function readConfig(path: string, env: NodeJS.ProcessEnv): Promise<Config> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ExporterConfigurationError(`The configuration ${path} cannot be read (${error.code}).`)
  })
  return parseConfig(text, path, env)
}

/**
 * Checks a configuration.
 *
 * @param text YAML
 * @param name of the file, for messages
 * @throws ExporterConfigurationError as {@link readConfig} does
 */
export function parseConfig(text: string, name: string, env: NodeJS.ProcessEnv): Config {
  const lines = new LineCounter()
  // No code frames, because they would repeat lines that may hold a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const unreadable = document.errors.map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    sentence: `Invalid YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}.`,
  }))
  refuse(name, unreadable)
  const raw = toValue(document, name)
  refuse(name, formerSinks(document, lines))
  if (!validate(raw)) throw toError(name, mistakes(defined(validate.errors), document, lines))
  refuse(
    name,
    contradictions(raw, env).map(({ path, sentence }) => ({
      line: lineOf(document.getIn(path, true), lines),
      sentence,
    })),
  )
  return toConfig(raw, env)
}

function toValue(document: Document, name: string): unknown {
  try {
    return document.toJS()
  } catch {
    throw toError(name, [{ line: 1, sentence: 'Invalid YAML: an alias has no anchor, or expands to too much.' }])
  }
}

function mistakes(errors: readonly ErrorObject[], document: Document, lines: LineCounter): Mistake[] {
  // Within a `oneOf`, only the innermost error is specific. The error of the `oneOf` itself adds nothing.
  const specific = errors.filter(({ keyword }) => keyword !== 'oneOf')
  return (specific.length > 0 ? specific : errors).map((error) => explainMistake(error, document, lines))
}

/** Two types of sinks became deliveries. */
function formerSinks(document: Document, lines: LineCounter): Mistake[] {
  const type = document.getIn(['sink', 'type'], true)
  if (!isScalar(type) || (type.value !== 'otlp' && type.value !== 'stdout')) return []
  const sentence = `sink.type ${type.value} is a delivery: store the rows in a sink of type files, s3, azure, gcs or postgres, and move this one to deliver: [{ type: ${type.value}, ... }].`
  return [{ line: lineOf(type, lines), sentence }]
}

function refuse(name: string, list: readonly Mistake[]): void {
  if (list.length > 0) throw toError(name, list)
}

function toError(name: string, list: readonly Mistake[]): ExporterConfigurationError {
  const sentences = new Set(
    list.toSorted((a, b) => a.line - b.line).map(({ line, sentence }) => `${name}:${line}: ${sentence}`),
  )
  return new ExporterConfigurationError([...sentences].join('\n'))
}

interface Mistake {
  readonly line: number
  readonly sentence: string
}

/** Describes a schema error: the line, and what would be right. */
function explainMistake(error: ErrorObject, document: Document, lines: LineCounter): Mistake {
  const path = error.instancePath.split('/').slice(1).map(decodeStep)
  const name = nameOf(path)
  const at = (node: unknown) => lineOf(node, lines)
  const here = path.length > 0 ? document.getIn(path, true) : document.contents
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params['additionalProperty'])
      const known = Object.keys(error.parentSchema?.['properties']).join(', ')
      return {
        line: at(keyNode(here, key)),
        sentence: `${nameOf([...path, key])} is not a setting; expected ${known}.`,
      }
    }
    case 'required':
      return { line: at(here), sentence: `${nameOf([...path, String(error.params['missingProperty'])])} is missing.` }
    default: {
      const right: string | undefined = error.parentSchema?.['description'] ?? error.message
      return { line: at(here), sentence: `${name} must be ${right}${shown(here, path)}.` }
    }
  }
}

/** The line of a node in a document. If `node` is something else, the first line. */
function lineOf(node: unknown, lines: LineCounter): number {
  return lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0).line
}

/** The wrong value, if it is short and cannot be a secret. Users sometimes write a secret where its place is expected. */
function shown(node: unknown, path: readonly string[]): string {
  const isSafe =
    path.length > 0 &&
    !path.some((part) => /key|secret|token|bearer|postgres|url|headers|endpoint|container|sas/i.test(part))
  if (!isSafe || !isScalar(node)) return ''
  const text = typeof node.value === 'string' ? JSON.stringify(node.value) : (node.source ?? String(node.value))
  return `, not ${text.slice(0, 80)}`
}

function keyNode(node: unknown, key: string): Node | undefined {
  if (!isMap(node)) return isNode(node) ? node : undefined
  const match = node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)?.key
  return isNode(match) ? match : node
}

function nameOf(path: readonly string[]): string {
  if (path.length === 0) return 'The configuration'
  return path
    .map((part, n) => (/^\d+$/.test(part) ? `[${part}]` : `${n === 0 ? '' : '.'}${part}`))
    .join('')
    .replaceAll(/\s+/g, ' ')
}
