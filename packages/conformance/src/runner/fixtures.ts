/** Verifies the fixtures of a live run. */
import { access } from 'node:fs/promises'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import type { Fixtures } from '../core/check.ts'
import type { Permission } from './plan.ts'
import { type Prober, resourcePath } from './prober.ts'

/** A field of a record that contradicts a fixture with its value (supplement). A missing field proves nothing. */
type Contradiction = readonly [field: string, value: boolean, problem: string]

type Resource = { readonly operation: string; readonly what: string; readonly contradiction?: Contradiction }

const zone = { operation: 'get-pull-zone', what: 'pull zone' }
const library = { operation: 'get-video-library', what: 'video library' }
const logged: Resource = { ...zone, contradiction: ['EnableLogging', false, 'does not log'] }

/** The fixtures that are ids, each with a read of its resource. */
const resources = {
  zoneId: zone,
  loggedZoneId: logged,
  otherLoggedZoneId: logged,
  unloggedZoneId: { ...zone, contradiction: ['EnableLogging', true, 'logs'] },
  suspendedZoneId: { ...zone, contradiction: ['Suspended', false, 'is not suspended'] },
  disabledZoneId: { ...zone, contradiction: ['Enabled', true, 'is not disabled'] },
  absentZoneId: zone,
  libraryId: library,
  distantLibraryId: library,
  absentLibraryId: library,
} satisfies { readonly [Name in Extract<keyof Fixtures, `${string}Id`>]: Resource }
type Name = keyof typeof resources
const names = Object.keys(resources) as Name[] // the keys of the table are exact

/** Finds equal ids of fixtures that must differ, because a check compares two resources or needs an absent one. */
export function equalIds(fixtures: Fixtures): string[] {
  const given = names.filter((name) => fixtures[name] !== undefined)
  const same = Map.groupBy(given, (name) => `${resources[name].what} ${BigInt(defined(fixtures[name]))}`)
  return [...same].flatMap(([key, equal]) =>
    equal.length > 1
      ? [`The fixtures ${equal.join(' and ')} are both ${key.split(' ').at(-1)}: they must differ.`]
      : [],
  )
}

/**
 * Verifies the fixtures of a live run, with one read per fixture: resources exist in the claimed state, and absent ones
 * do not exist. A response that shows neither is not a problem.
 *
 * @param allow the permitted effects; a watermark must exist only if the run may delete it
 * @returns one sentence per problem
 */
export async function checkFixtures(prober: Prober, allow: readonly Permission[]): Promise<string[]> {
  const { watermarkFile, distantLibraryId } = prober.fixtures
  const problems: string[] = []
  if (watermarkFile !== undefined)
    await access(watermarkFile).catch(() => problems.push(`The watermarkFile ${watermarkFile} cannot be read.`))
  if (distantLibraryId !== undefined && BigInt(distantLibraryId) < 2n ** 32n)
    problems.push(
      `The fixture distantLibraryId ${distantLibraryId} fits into 32 bits: it must be ${2n ** 32n} or more.`,
    )
  return [...problems, ...(await Promise.all(names.map((name) => problemsOf(prober, name, allow)))).flat()]
}

/** Reads the resource of a fixture. If the fixture or the access key is missing, reads nothing. */
async function problemsOf(prober: Prober, name: Name, allow: readonly Permission[]): Promise<string[]> {
  const { [name]: id, credentials } = prober.fixtures
  if (id === undefined || credentials.accessKey === undefined) return []
  const { operation, what, contradiction }: Resource = resources[name]
  const { status, json } = await prober.get('management', resourcePath(operation, id), 'accessKey')
  const isAbsent = name.startsWith('absent')
  if (status === 404 && !isAbsent) return [`The fixture ${name} ${id} does not exist: no such ${what}.`]
  if (status !== 200) return []
  if (isAbsent) return [`The fixture ${name} ${id} exists: it must be an unused id of a ${what}.`]
  const record = toRecord(json)
  if (what === library.what && record['HasWatermark'] === false && allow.includes('destructive'))
    return [`The video library ${id} (${name}) has no watermark: upload one, since the run deletes and restores it.`]
  if (!contradiction) return []
  const [field, value, problem] = contradiction
  return record[field] === value ? [`The fixture ${name} ${id} ${problem} (${field}: ${value}).`] : []
}
