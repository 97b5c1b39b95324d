/** Explains an id: its sentence, the checks that decide it, the cases that they send, the mutants that break it, and its last outcome. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { toRecord } from '@cdn/kit/record'
import type { Check, CheckedRequirement } from '../exchange/check.ts'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import { minuteText } from '../exchange/format-text.ts'
import { memoryFile, readMemory } from '../memory/memory.ts'
import { createPlan } from '../run/plan.ts'

/** The folder of the suite's modules. The repository around it has specs and mutants; an installed package does not. */
const sources = fileURLToPath(new URL('..', import.meta.url))
const repository = join(sources, '../../..')
const mutantsFile = join(sources, '../tests/mutants/all-mutants.ts')

/**
 * Explains a requirement, or a check and its requirement.
 *
 * @param id a requirement or a check
 * @param out folder of the reports, whose memory may be missing
 * @throws SuiteConfigurationError if no check and no requirement has this id
 */
export async function explain(id: string, out: string): Promise<string> {
  const { requirements, checks } = createPlan()
  const own = checks.filter((check) => check.id === id || check.requirements.includes(id))
  const requirement = requirements.find((each) => each.id === id || own[0]?.requirements.includes(each.id))
  if (!requirement)
    throw new SuiteConfigurationError(`${id} is neither a check nor a requirement; "conformance list" shows all.`)
  const files = await filesBelow(sources)
  return [
    requirement.id,
    `  sentence   ${requirement.text} (${requirement.source}${requirement.section ? `, ${requirement.section}` : ''})`,
    ...(await placesOfSentence(requirement, own, files)).map((place) => `             ${place}`),
    ...(requirement.unchecked === undefined ? [] : [`  unchecked  ${requirement.unchecked}`]),
    ...own.flatMap((check) => [
      `  decided by ${check.id}`,
      ...detailsOf(check, files).map((line) => `             ${line}`),
    ]),
    ...(await mutantsOf(requirement.id)).map((line, index) => `  ${index === 0 ? 'broken by ' : '          '} ${line}`),
    `  last       ${lastOutcome(requirement.id, out)}`,
    '',
  ].join('\n')
}

function lastOutcome(id: string, out: string): string {
  const { runs } = readMemory(memoryFile(out))
  const causeIn = ({ causes }: (typeof runs)[number]) => causes.find(({ requirements }) => requirements.includes(id))
  const last = runs.findLast((run) => run.holds.includes(id) || causeIn(run))
  if (!last) return 'no run decided it'
  const cause = causeIn(last)
  return `${cause ? `broken by ${cause.id}: ${cause.seen}` : 'holds'} (${minuteText(last.at)}, ${last.target})`
}

interface Source {
  readonly file: string
  readonly lines: readonly string[]
}

async function filesBelow(folder: string, extension = /\.[jt]s$/): Promise<Source[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const read = async (name: string) => {
    const file = join(folder, name)
    return { file, lines: (await readFile(file, 'utf8')).split('\n') }
  }
  return Promise.all(names.filter((name) => extension.test(name) && !/\.test\./.test(name)).map(read))
}

function placesOf(text: string, files: readonly Source[]): string[] {
  return files.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) => (line.includes(text) ? [`${relative(repository, file)}:${index + 1}`] : [])),
  )
}

/** Finds the line of the specs that lists a requirement, or the line of the suite if the contract only implies the requirement. */
async function placesOfSentence({ id }: CheckedRequirement, own: readonly Check[], files: readonly Source[]) {
  const folders = ['management', 'logging'].map((name) => join(repository, 'specs', name))
  const specs = await Promise.all(folders.map((folder) => filesBelow(folder, /\.ya?ml$/)))
  const implied = own.flatMap(({ decides }) => placesOf(`'${decides}':`, files))
  return [...placesOf(`id: ${id}`, specs.flat()), ...implied].slice(0, 1)
}

function detailsOf({ decides, sends = [] }: Check, files: readonly Source[]): string[] {
  const literal = decides === undefined ? [] : placesOf(`'${decides}'`, files)
  const sent = sends.length === 0 ? [] : [`cases: ${sends.join('; ')}`]
  return [...(decides === undefined ? [] : [`${decides}  ${literal.join(', ')}`]), ...sent]
}

/** The mutants that break a requirement. They are part of the repository, not of the package. */
async function mutantsOf(id: string): Promise<string[]> {
  if (!existsSync(mutantsFile)) return ['(the mutants are in the repository)']
  const { serverMutants } = await import(pathToFileURL(mutantsFile).href)
  const all: readonly unknown[] = Array.isArray(serverMutants) ? serverMutants : []
  const files = await filesBelow(dirname(mutantsFile))
  const lines = all.map(toRecord).flatMap(({ id: name, breaks, at }) => {
    if (!Array.isArray(breaks) || !breaks.includes(id)) return []
    const [place = relative(repository, String(at))] = placesOf(`'${name}'`, files)
    return [`${name}  ${place}`]
  })
  return lines.length > 0 ? lines : ['no mutant']
}
