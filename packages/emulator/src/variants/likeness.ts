import { contracts, type InterfaceName } from '@cdn/api/contract'
import { readInputFile } from '@cdn/kit/input-file'
import { parseJson } from '@cdn/kit/json'
import { isRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import { type VariantPoint, variantTable } from './table.ts'
import type { Variants } from './variants.ts'

/** What a conformance report says about the points that the specification leaves open. */
export interface Likeness {
  /** The variants whose value the report shows. */
  readonly variants: Partial<Variants>
  /** Start of the run, ISO 8601. */
  readonly startedAt: string
  /** Seed of the random cases of the run; undefined if the report has none. */
  readonly seed: number | undefined
  /** The observations by id, as the report has them: untrusted JSON values. */
  readonly observations: ReadonlyMap<string, unknown>
  /** The variants that the report shows, each with its value and, as a text, the observation. */
  readonly followed: readonly { readonly name: string; readonly value: string | number; readonly seen: string }[]
  /** The variants that the report does not show, or shows with a value that they do not have, each with the reason. */
  readonly open: readonly { readonly name: string; readonly reason: string }[]
  /** The ids of the observations that no variant follows. */
  readonly others: readonly string[]
}

/** Bounds of a report, so that a hostile report exhausts neither time nor stack. */
const maxObservations = 1000
const maxDepth = 50
/** Maximum number of characters of an observation in a line. */
const maxShown = 60
const points: readonly [string, VariantPoint][] = Object.entries(variantTable)

/**
 * Reads the variants that the observations of a conformance report show. The report is untrusted: only its time and values of the table
 * of variants are taken from it, and a shown observation is escaped.
 *
 * @param report content of `report.json`
 * @throws RangeError in one sentence if it is not a report, has no result, or is about another version of the contract
 */
export function likenessOf(report: unknown): Likeness {
  const { observations, startedAt, seed } = checkedReport(report)
  const followed: Likeness['followed'][number][] = []
  const open: Likeness['open'][number][] = []
  for (const [name, point] of points) {
    const { values, shown } = point
    if (isHidden(shown)) {
      open.push({ name, reason: `not observable, because ${shown.never}` })
      continue
    }
    const seen = placesOf(shown).map((place) => [place, valueAt(observations, place)] as const)
    const absent = observationsOf(point).filter((id) => !observations.has(id))
    const value = values.find((each) =>
      typeof shown === 'string'
        ? seen[0]?.[1] === each
        : seen.every(([place, it]) => (shown[each]?.[place] ?? []).some((one) => isEqual(one, it))),
    )
    const text = seen.map(([place, it]) => `${place} ${show(it)}`).join(', ')
    if (value !== undefined) followed.push({ name, value, seen: text })
    else if (absent.length > 0) open.push({ name, reason: `the report has no ${absent.join(', ')}` })
    else open.push({ name, reason: `none of its values shows as ${text}` })
  }
  const variants = Object.fromEntries(followed.map(({ name, value }) => [name, value]))
  const used = new Set(points.flatMap(([, point]) => observationsOf(point)))
  const others = [...observations.keys()].filter((id) => !used.has(id)).map((id) => terminalText(id).slice(0, maxShown))
  return { variants, startedAt, seed, observations, followed, open, others }
}

/**
 * Reads a report, or only its observations, and finds the variants that it shows.
 *
 * @param file path of `report.json` or `observations.json`
 * @throws Error in one sentence if the file cannot be read, is not JSON, or cannot be followed
 */
export async function readLikeness(file: string): Promise<Likeness> {
  const name = terminalText(file)
  const text = await readInputFile(file).then(String, (cause: NodeJS.ErrnoException) => {
    throw new Error(`Cannot read ${name}: ${cause.code ?? cause.message}`, { cause })
  })
  let report: unknown
  try {
    report = parseJson(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new Error(`Invalid JSON in ${name}: expected report.json or observations.json of a conformance run`, {
      cause,
    })
  }
  try {
    return likenessOf(report)
  } catch (cause) {
    throw new Error(`${name}: ${(cause as Error).message}`, { cause }) // `likenessOf` throws only RangeErrors
  }
}

function checkedReport(report: unknown) {
  const no = (what: string) => new RangeError(`The report cannot be followed: ${what}`)
  if (!isRecord(report) || !Array.isArray(report['observations']) || !isRecord(report['contract']))
    throw no('it is neither report.json nor observations.json of a conformance run')
  for (const name of Object.keys(contracts) as InterfaceName[]) {
    const { version } = contracts[name].openapi.full.info
    const given = report['contract'][name]
    if (given !== version)
      throw no(`its contract of the ${name} interface has version ${show(given)}, and this emulator ${version}`)
  }
  const startedAt = report['startedAt']
  if (typeof startedAt !== 'string' || Number.isNaN(Date.parse(startedAt))) throw no('it has no time in startedAt')
  const observations = new Map<string, unknown>()
  const list: unknown[] = report['observations']
  if (list.length > maxObservations) throw no(`it has more than ${maxObservations} observations`)
  for (const each of list)
    if (isRecord(each) && typeof each['id'] === 'string' && isFlat(each['value'], maxDepth))
      observations.set(each['id'], each['value'])
  if (observations.size === 0) throw no('its run has no result')
  const seed = Number.isSafeInteger(report['seed']) ? Number(report['seed']) : undefined
  return { observations, startedAt: new Date(startedAt).toISOString(), seed }
}

function isHidden(shown: VariantPoint['shown']): shown is { readonly never: string } {
  return typeof shown === 'object' && typeof shown['never'] === 'string'
}

function placesOf(shown: Exclude<VariantPoint['shown'], { readonly never: string }>): string[] {
  return typeof shown === 'string' ? [shown] : [...new Set(Object.values(shown).flatMap(Object.keys))]
}

/** Returns the ids of the observations that show a variant; none if nothing can show it. */
export function observationsOf({ shown }: VariantPoint): string[] {
  return isHidden(shown) ? [] : [...new Set(placesOf(shown).map((place) => place.split('/', 1)[0] ?? ''))]
}

function valueAt(observations: ReadonlyMap<string, unknown>, place: string): unknown {
  const [id = '', ...members] = place.split('/')
  return members.reduce<unknown>(
    (value, member) => (isRecord(value) && Object.hasOwn(value, member) ? value[member] : undefined),
    observations.get(id),
  )
}

/** Whether lists and objects are nested at most `levels` deep. */
function isFlat(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isFlat(each, levels - 1))
}

/** Whether two short values are equal: texts, numbers, and lists of them. */
const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

function show(value: unknown): string {
  const text = terminalText(JSON.stringify(value) ?? 'nothing')
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}
