/** Lints the contract: each YAML file by itself, then the documents with Redocly. */
import { readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { isMap, isScalar, visit } from 'yaml'
import { specsFolder } from '../bundle.ts'
import { redocly } from '../redocly.ts'
import { offsetOf, readYaml } from './yaml-file.ts'

/** A fault of a file, in one sentence that also says what is right. */
export interface Finding {
  /** Path of the file, relative to the folder of the specs. */
  readonly file: string
  /** Line, from 1. */
  readonly line: number
  readonly rule: string
  readonly message: string
  /** JSON pointer into the linted document, from Redocly. */
  readonly pointer?: string
}

const sentences: Readonly<Record<string, string>> = {
  'no-unresolved-refs': 'This `$ref` leads to nothing: correct its file or its name, or add what it names.',
}

const yamlAdvice: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BLOCK_AS_IMPLICIT_KEY: 'put a text with a colon into quotes',
  DUPLICATE_KEY: 'remove or rename one of the two keys',
  MISSING_CHAR: 'close the quotes or the bracket',
}

/**
 * Finds faults that Redocly reports for another file, or cannot see: YAML that does not parse, numbers that a double cannot hold, and
 * schemas of an area that nothing uses.
 *
 * @param folder an interface's folder
 */
export function lintYaml(folder: string): Finding[] {
  const names = readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  const files = names.map((name) => ({ name, ...readYaml(join(folder, name)) }))
  const references: string[] = []
  for (const { document } of files)
    visit(document, {
      Pair(_, { key, value }) {
        if (isScalar(key) && key.value === '$ref' && isScalar(value)) references.push(String(value.value))
      },
    })
  return files.flatMap(({ name, document, lineAt }) => {
    const fault = (node: unknown, rule: string, message: string): Finding => ({
      file: join(basename(folder), name),
      line: lineAt(offsetOf(node) ?? 0),
      rule,
      message,
    })
    // Only the first error of YAML is reported, because it often causes the others.
    const findings = document.errors.slice(0, 1).map(({ code, message, pos }) => {
      const [sentence = ''] = message.split(/ at line \d+|\n/)
      const advice = yamlAdvice[code] ?? 'compare it with the lines around it'
      return fault({ range: pos }, 'yaml', `This is not valid YAML (${sentence.replace(/[.:]$/, '')}): ${advice}.`)
    })
    const schemas = name === 'openapi.yaml' ? undefined : document.getIn(['components', 'schemas'])
    for (const { key } of isMap(schemas) ? schemas.items : [])
      if (!references.some((reference) => reference.endsWith(`#/components/schemas/${key}`)))
        findings.push(fault(key, 'unused-schema', `No \`$ref\` leads to the schema \`${key}\`: use it, or remove it.`))
    visit(document, {
      Scalar(_, node) {
        const { value, source = '' } = node
        const advice = 'leave it out, and state `format: int64` instead of a limit of 64 bits'
        if (typeof value === 'number' && !isExact(source, value))
          findings.push(fault(node, 'exact-number', `${source} is not exact in 64-bit floating point: ${advice}.`))
      },
    })
    return findings
  })
}

/** Whether a double has the digits of the source. A double keeps all digits of a decimal number of up to 15 digits. */
function isExact(source: string, value: number): boolean {
  const digitsOf = (text: string) =>
    text
      .toLowerCase()
      .replace(/e.*/, '')
      .replaceAll(/[^\d]/g, '')
      .replaceAll(/^0+|0+$/g, '')
  return (
    /^0[xo]/i.test(source) ||
    digitsOf(source).length <= 15 ||
    (Number.isFinite(value) && digitsOf(source) === digitsOf(String(value)))
  )
}

interface Report {
  readonly problems: readonly {
    readonly ruleId: string
    readonly message: string
    readonly suggest?: readonly string[]
    readonly location: readonly {
      readonly source: { readonly ref: string }
      readonly pointer?: string
      readonly start?: { readonly line: number }
    }[]
  }[]
}

/**
 * Lints documents in one process.
 *
 * @param files paths of OpenAPI files or overlays; by default the files of redocly.yaml, each with its own rules
 * @param skip rules to leave out
 * @returns the findings of each document, in the same order
 * @throws Error if Redocly does not lint, such as for invalid YAML
 */
export async function lint(files: readonly string[] = [], skip: readonly string[] = []): Promise<Finding[][]> {
  const skipped = skip.flatMap((rule) => ['--skip-rule', rule])
  const options = ['--config', 'redocly.yaml', '--format', 'json', '--max-problems', '100000', ...skipped]
  const { stdout, stderr } = await redocly(['lint', ...files, ...options], specsFolder)
  if (!stdout.startsWith('{')) throw new Error(`Redocly did not lint:\n${stderr || stdout}`)
  // The output is one JSON object per document, concatenated.
  const reports = stdout.split(/(?<=^\})(?=\{)/m).map((text): Report => JSON.parse(text))
  return reports.map(({ problems }) =>
    problems.map(({ ruleId, message, suggest = [], location: [place] }) => ({
      file: relative('.', place?.source.ref ?? ''),
      line: place?.start?.line ?? 1,
      rule: ruleId,
      ...(place?.pointer !== undefined && { pointer: place.pointer }),
      message: `${sentences[ruleId] ?? message}${suggest[0] === undefined ? '' : ` Did you mean \`${suggest[0]}\`?`}`,
    })),
  )
}
