import { readFile } from 'node:fs/promises'
import { Ajv, type ErrorObject } from 'ajv'
import { type Document, LineCounter, parseDocument } from 'yaml'
import type { Config } from './config.ts'
import { ConfigurationError } from './configuration-error.ts'
import { explain, type Mistake } from './explain.ts'
import { formats } from './formats.ts'
import schema from './schema.json' with { type: 'json' }
import { contradictions, type Given, toConfig } from './settle.ts'

const validate = new Ajv({
  allErrors: true,
  discriminator: true,
  verbose: true,
  strictTypes: false,
  formats,
}).compile<Given>(schema)

/**
 * Reads a configuration file.
 *
 * @param path of a YAML file, as the user gave it
 * @param env the environment: `CDN_LOGGING_URL` stands in for `loggingUrl`, `CDN_ACCESS_KEY` and `CDN_BEARER_TOKEN` for a
 *   credential where the file names none
 * @returns the configuration with its defaults; relative paths start at the working directory
 * @throws ConfigurationError with a line for each mistake: file, line, what would be right
 */
export async function readConfig(path: string, env: NodeJS.ProcessEnv): Promise<Config> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
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
  // Without a code frame: a frame would repeat lines that may hold a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const unreadable = document.errors.map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    sentence: `This is no YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}.`,
  }))
  refuse(name, unreadable)
  const given = toValue(document, name)
  if (!validate(given)) refuse(name, mistakes(validate.errors ?? [], document, lines))
  else
    refuse(
      name,
      contradictions(given, env).map(({ path, sentence }) => ({ line: lineOf(document, lines, path), sentence })),
    )
  return toConfig(given as Given, env)
}

function toValue(document: Document, name: string): unknown {
  try {
    return document.toJS()
  } catch {
    return refuse(name, [{ line: 1, sentence: 'This is no YAML: an alias stands for nothing, or for too much.' }])
  }
}

function mistakes(errors: readonly ErrorObject[], document: Document, lines: LineCounter): Mistake[] {
  // Of the parts of a choice only the innermost says something: `oneOf` itself repeats them.
  return errors.filter(({ keyword }) => keyword !== 'oneOf').map((error) => explain(error, document, lines))
}

function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  const node = document.getIn(path, true) as { range?: [number, number, number] } | undefined
  return lines.linePos(node?.range?.[0] ?? 0).line
}

function refuse(name: string, found: readonly Mistake[]): void {
  if (found.length === 0) return
  const sentences = new Set(
    found.toSorted((a, b) => a.line - b.line).map(({ line, sentence }) => `${name}:${line}: ${sentence}`),
  )
  throw new ConfigurationError([...sentences].join('\n'))
}
