import { contracts } from '@cdn/api/contract'
import type { CheckContext } from '../check.ts'
import { Skip } from '../failure.ts'
import { expectSameRows, type Row, readRange, type Sample, sample } from '../logs.ts'
import { type Draft, draft, type Law, toSlug } from './law.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** What the filters of version 2 pick, seen against all entries of the same range. */
export const v2Filters: Law = (operation) =>
  operation.name === 'query-logs'
    ? [...laws, ...cacheStatuses().map(ofCacheStatus), ...fieldFilters.map(ofField)].map((law) =>
        draft(operation, { needs, through: 'supplement', ...law }),
      )
    : []

/** The seven values of §2, read from the contract. */
export function cacheStatuses(): readonly string[] {
  return (contracts.logging.openapi.document.components.schemas?.['CacheStatus']?.['enum'] ?? []) as string[]
}

const laws: readonly Draft[] = [
  {
    slug: 'filtering',
    text: 'Version 2 filters the logs.',
    run: async (context) => {
      const range = await sample(context)
      const value = rarest(range.rows.map((row) => String(row['cacheStatus'])))
      await expectPicked(context, range, { cacheStatus: value }, (row) => row['cacheStatus'] === value)
    },
  },
  {
    slug: 'per-field-search',
    text: 'Version 2 searches in single fields.',
    run: async (context) => {
      const range = await sample(context)
      const path = range.rows
        .map((row) => String(row['path'] ?? ''))
        .find((candidate) => /^[\w/.-]{2,}$/.test(candidate))
      if (!path) throw new Skip('no entry with a plain path to search for')
      const part = path.slice(0, 12)
      await expectPicked(context, range, { urlContains: part }, (row) => contains(urlOf(row), part))
    },
  },
  {
    slug: 'url-contains-filter',
    text: 'urlContains picks entries by host and path, in any case.',
    run: async (context) => {
      const range = await sample(context)
      const part = rarest(range.rows.map((row) => String(row['host'] ?? ''))).toUpperCase()
      await expectPicked(context, range, { urlContains: part }, (row) => contains(urlOf(row), part))
    },
  },
  {
    slug: 'filters-combine',
    text: 'Each filter narrows the result, in whatever order they stand.',
    run: async (context) => {
      const range = await sample(context)
      const some = range.rows[Math.floor(range.rows.length / 2)] ?? {}
      const query = [
        ['cacheStatus', String(some['cacheStatus'])],
        ['edgeLocation', String(some['edgeLocation'])],
      ] as const
      const isPicked = (row: Row) => query.every(([name, value]) => String(row[name]) === value)
      await expectPicked(context, range, Object.fromEntries(query), isPicked)
      await expectPicked(context, range, Object.fromEntries(query.toReversed()), isPicked)
    },
  },
  {
    slug: 'status-filter',
    text: 'status picks entries by status code or class.',
    run: async (context) => {
      const range = await sample(context)
      const code = rarest(range.rows.map((row) => String(row['statusCode'])))
      await expectPicked(context, range, { status: code }, (row) => String(row['statusCode']) === code)
    },
  },
  {
    slug: 'status-filter',
    aspect: 'class',
    text: 'status picks entries by status code or class.',
    run: async (context) => {
      const range = await sample(context)
      const digit = rarest(range.rows.map((row) => String(row['statusCode']).slice(0, 1)))
      await expectPicked(context, range, { status: `${digit}xx` }, (row) => String(row['statusCode']).startsWith(digit))
    },
  },
  {
    slug: 'status-filter',
    aspect: 'list',
    text: 'status picks entries by status code or class.',
    run: async (context) => {
      const range = await sample(context)
      const codes = [...new Set(range.rows.map((row) => String(row['statusCode'])))].slice(0, 2)
      await expectPicked(context, range, { status: codes.join(',') }, (row) =>
        codes.includes(String(row['statusCode'])),
      )
    },
  },
  {
    slug: 'cache-status-filter',
    text: 'cacheStatus picks entries by cache status.',
    run: async (context) => {
      const range = await sample(context)
      const values = [...new Set(range.rows.map((row) => String(row['cacheStatus'])))].slice(0, 2)
      await expectPicked(context, range, { cacheStatus: values.join(',') }, (row) =>
        values.includes(String(row['cacheStatus'])),
      )
    },
  },
  {
    slug: 'search',
    text: 'search picks entries in which any token occurs.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const tokens = [...new Set(rows.map((row) => String(row['edgeLocation'] ?? '')))]
        .filter((edge) => /^\w+$/.test(edge))
        .slice(0, 2)
      if (tokens.length === 0) throw new Skip('no edge location to search for')
      const seen = await readRange(context, from, to, { search: tokens.join(' ') })
      // Whether search looks at the case is not shown.
      const asTyped = rows.filter((row) => tokens.some((token) => searched(row).some((text) => text.includes(token))))
      const inAnyCase = rows.filter((row) =>
        tokens.some((token) => searched(row).some((text) => contains(text, token))),
      )
      expectSameRows(seen, seen.length > asTyped.length ? inAnyCase : asTyped, `those with ${tokens.join(' or ')}`)
    },
  },
]

/** Each of the seven values can be asked for. */
function ofCacheStatus(value: string): Draft {
  return {
    slug: 'cache-status-filter',
    aspect: value === '-' ? 'none' : toSlug(value),
    text: 'cacheStatus picks entries by cache status.',
    run: async (context) => {
      const range = await sample(context)
      if (!range.rows.some((row) => row['cacheStatus'] === value)) throw new Skip(`no entry has the value ${value}`)
      await expectPicked(context, range, { cacheStatus: value }, (row) => row['cacheStatus'] === value)
    },
  }
}

interface FieldFilter {
  readonly parameter: string
  readonly field: string
  readonly how: 'exactly' | 'in part'
}

/** Filters that look at one field; an entry in which it is missing matches none. */
const fieldFilters: readonly FieldFilter[] = [
  { parameter: 'country', field: 'countryCode', how: 'exactly' },
  { parameter: 'edgeLocation', field: 'edgeLocation', how: 'exactly' },
  { parameter: 'remoteIp', field: 'remoteIp', how: 'exactly' },
  { parameter: 'requestId', field: 'requestId', how: 'exactly' },
  { parameter: 'userAgentContains', field: 'userAgent', how: 'in part' },
  { parameter: 'refererContains', field: 'referer', how: 'in part' },
]

function ofField({ parameter, field, how }: FieldFilter): Draft {
  return {
    slug: `${toSlug(parameter)}-filter`,
    text: `${parameter} picks entries by ${field}, ${how}.`,
    run: async (context) => {
      const range = await sample(context)
      // Plain ASCII: how other text is compared is not shown.
      const values = range.rows.map((row) => row[field]).filter((value) => typeof value === 'string')
      const plain = rarest(values.filter((value) => /^[\w./:+ ()?=-]{2,}$/.test(value)))
      const wanted = how === 'exactly' ? plain : plain.slice(0, 12).toUpperCase()
      await expectPicked(context, range, { [parameter]: wanted }, (row) =>
        how === 'exactly' ? row[field] === wanted : contains(String(row[field] ?? ''), wanted),
      )
    },
  }
}

async function expectPicked(
  context: CheckContext,
  { from, to, rows }: Sample,
  query: Readonly<Record<string, string>>,
  isPicked: (row: Row) => boolean,
): Promise<void> {
  const what = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  expectSameRows(await readRange(context, from, to, query), rows.filter(isPicked), `those with ${what.join('&')}`)
}

/** The value that occurs least often, so that a filter that does nothing shows. */
function rarest(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [value] = [...counts].sort(([, a], [, b]) => a - b)[0] ?? []
  if (value === undefined || counts.size < 2) throw new Skip('too few different values, so a filter would not show')
  return value
}

/** What `urlContains` looks into. */
function urlOf(row: Row): string {
  return `${row['host'] ?? ''}${row['path'] ?? ''}`
}

/** The fields that `search` looks into. */
function searched(row: Row): string[] {
  return ['cacheStatus', 'requestId', 'edgeLocation', 'host', 'path', 'userAgent', 'referer', 'contentRange'].map(
    (name) => String(row[name] ?? ''),
  )
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
