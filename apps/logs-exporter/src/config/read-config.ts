import { readFile } from 'node:fs/promises'
import { defined } from '@cdn/kit/defined'
import { Ajv, type ErrorObject } from 'ajv'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { ExporterConfigurationError } from '../errors.ts'
import type { Config } from './config.ts'
import { explainMistake, lineOf, type Mistake } from './explain.ts'
import { schemaFormats } from './formats.ts'
import { contradictions, type RawConfig, toConfig } from './resolve.ts'
import schema from './schema.json' with { type: 'json' }

const validate = new Ajv({
  allErrors: true,
  discriminator: true,
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
 * @throws ConfigurationError with one line per mistake: the file, the line, and what would be right
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
 * @throws ConfigurationError as {@link readConfig} does
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

function refuse(name: string, list: readonly Mistake[]): void {
  if (list.length > 0) throw toError(name, list)
}

function toError(name: string, list: readonly Mistake[]): ExporterConfigurationError {
  const sentences = new Set(
    list.toSorted((a, b) => a.line - b.line).map(({ line, sentence }) => `${name}:${line}: ${sentence}`),
  )
  return new ExporterConfigurationError([...sentences].join('\n'))
}
