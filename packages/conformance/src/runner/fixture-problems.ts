import { access } from 'node:fs/promises'
import { toRecord } from '@cdn/kit/record'
import type { Fixtures } from '../core/check.ts'
import { urlBelow } from '../core/requested-operation.ts'
import type { PreflightResponse } from './exchange.ts'
import type { Permission } from './plan.ts'
import { headerOf, orThrow, resourcePath, type Setup } from './preflight.ts'

type Zone = Extract<keyof Fixtures, `${string}ZoneId` | 'zoneId'>
type Library = Extract<keyof Fixtures, `${string}LibraryId` | 'libraryId'>

/**
 * For each pull zone fixture, the field of the record that can contradict the fixture (supplement: get-pull-zone). A
 * missing field proves nothing.
 */
const zones: Readonly<Record<Zone, { readonly field?: string; readonly not?: boolean; readonly problem?: string }>> = {
  zoneId: {},
  absentZoneId: {},
  loggedZoneId: { field: 'EnableLogging', not: false, problem: 'does not log' },
  otherLoggedZoneId: { field: 'EnableLogging', not: false, problem: 'does not log' },
  unloggedZoneId: { field: 'EnableLogging', not: true, problem: 'logs' },
  suspendedZoneId: { field: 'Suspended', not: false, problem: 'is not suspended' },
  disabledZoneId: { field: 'Enabled', not: true, problem: 'is not disabled' },
}
const zoneNames = Object.keys(zones) as Zone[] // the keys of the table are exact
const libraries: readonly Library[] = ['libraryId', 'distantLibraryId', 'absentLibraryId']

/**
 * Verifies the fixtures of a live run, with one read per fixture: resources exist in the claimed state, and absent ones
 * do not exist. An answer that shows neither is not a problem.
 *
 * @param allow the permitted effects; a watermark must exist only if the run may delete it
 * @throws SetupError with one sentence per problem
 */
export async function checkFixtures(setup: Setup, allow: readonly Permission[]): Promise<void> {
  const { fixtures } = setup
  const problems: string[] = []
  const { watermarkFile, distantLibraryId } = fixtures
  if (watermarkFile !== undefined && !(await isReadable(watermarkFile)))
    problems.push(`The watermarkFile ${watermarkFile} cannot be read.`)
  if (distantLibraryId !== undefined && BigInt(distantLibraryId) < 2n ** 32n)
    problems.push(
      `The fixture distantLibraryId ${distantLibraryId} fits into 32 bits: it must be ${2n ** 32n} or more.`,
    )
  const ofZones = zoneNames.map(async (name) =>
    zoneProblem(fixtures, name, await readOne(setup, 'get-pull-zone', name)),
  )
  const ofLibraries = libraries.map(async (name) =>
    libraryProblem(fixtures, name, await readOne(setup, 'get-video-library', name), allow),
  )
  for (const problem of await Promise.all([...ofZones, ...ofLibraries]))
    if (problem !== undefined) problems.push(problem)
  orThrow(problems)
}

/** Reads the resource of a fixture. If the fixture or the access key is missing, reads nothing. */
async function readOne({ urls, fixtures, prober }: Setup, operation: string, name: Zone | Library) {
  const id = fixtures[name]
  const { accessKey } = fixtures.credentials
  if (id === undefined || accessKey === undefined) return undefined
  return prober.get(urlBelow(urls.management, resourcePath(operation, id)), { [headerOf('key')]: accessKey })
}

function zoneProblem(fixtures: Fixtures, name: Zone, answer: PreflightResponse | undefined): string | undefined {
  const existence = existenceProblem(fixtures, name, 'pull zone', answer)
  if (existence !== undefined || answer?.status !== 200) return existence
  const { field, not, problem } = zones[name]
  if (field === undefined || toRecord(answer.json)[field] !== not) return undefined
  return `The fixture ${name} ${fixtures[name]} ${problem} (${field}: ${not}).`
}

function libraryProblem(
  fixtures: Fixtures,
  name: Library,
  answer: PreflightResponse | undefined,
  allow: readonly Permission[],
): string | undefined {
  const existence = existenceProblem(fixtures, name, 'video library', answer)
  if (existence !== undefined || answer?.status !== 200) return existence
  const { HasWatermark } = toRecord(answer.json)
  if (HasWatermark !== false || !allow.includes('destructive')) return undefined
  return `The video library ${fixtures[name]} (${name}) has no watermark: upload one, since the run deletes and restores it.`
}

function existenceProblem(
  fixtures: Fixtures,
  name: Zone | Library,
  what: string,
  answer: PreflightResponse | undefined,
) {
  const isAbsent = name.startsWith('absent')
  if (answer?.status === 404 && !isAbsent)
    return `The fixture ${name} ${fixtures[name]} does not exist: no such ${what}.`
  if (answer?.status === 200 && isAbsent)
    return `The fixture ${name} ${fixtures[name]} exists: it must be an unused id of a ${what}.`
  return undefined
}

async function isReadable(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
