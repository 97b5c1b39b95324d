import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import type { CheckContext } from '../../core/check.ts'
import { Skip } from '../../core/failure.ts'
import { expectSameRows, type Row, readWholeRange, type Sample, sample } from '../../core/logs.ts'
import { onClosedRanges } from './closed-ranges.ts'
import { type ContractChecks, type Draft, toSlug } from './contract-checks.ts'

/** Checks of the filters of version 2. Each check compares the filtered rows with all rows of the same range. */
export const v2Filters: ContractChecks = (operation) =>
  operation.name === 'query-logs'
    ? onClosedRanges(operation, [...drafts, ...cacheStatuses().map(ofCacheStatus), ...fieldFilters.map(ofField)])
    : []

/** The seven values of §2, read from the contract. */
export function cacheStatuses(): readonly string[] {
  return defined(contracts.logging.openapi.document.components.schemas?.['CacheStatus']?.enum).map(String)
}

const drafts: readonly Draft[] = [
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
      const part = tellingPart(range.rows, (row) => [String(row['path'] ?? '')])
      await expectPicked(context, range, { urlContains: part }, (row) => contains(urlOf(row), part))
    },
  },
  {
    slug: 'url-contains-filter',
    text: 'urlContains picks entries by host and path, in any case.',
    run: async (context) => {
      const range = await sample(context)
      const part = tellingPart(range.rows, (row) => [
        String(row['host'] ?? ''),
        String(row['path'] ?? ''),
      ]).toUpperCase()
      await expectPicked(context, range, { urlContains: part }, (row) => contains(urlOf(row), part))
    },
  },
  {
    slug: 'filters-combine',
    text: 'Each filter narrows the result, in whatever order they stand.',
    run: async (context) => {
      const range = await sample(context)
      const names = ['cacheStatus', 'edgeLocation'] as const
      const matching = (row: Row, chosen: readonly (typeof names)[number][]) =>
        range.rows.filter((other) => chosen.every((name) => other[name] === row[name])).length
      // Each of the two filters must exclude an entry that the other one selects.
      const some = range.rows.find((row) => names.every((name) => matching(row, names) < matching(row, [name])))
      if (!some) throw new Skip('no entry for which each filter also selects other entries')
      const query = names.map((name) => [name, String(some[name])] as const)
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
      const codes = twoRarest(range.rows.map((row) => String(row['statusCode'])))
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
      const values = twoRarest(range.rows.map((row) => String(row['cacheStatus'])))
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
      const tokens = twoRarest(
        rows.map((row) => String(row['edgeLocation'] ?? '')).filter((edge) => /^\w+$/.test(edge)),
      )
      // Whether search ignores case is unspecified.
      const asTyped = rows.filter((row) => tokens.some((token) => searched(row).some((text) => text.includes(token))))
      const inAnyCase = rows.filter((row) =>
        tokens.some((token) => searched(row).some((text) => contains(text, token))),
      )
      skipUnlessSome(inAnyCase, rows)
      const seen = await readWholeRange(context, from, to, { search: tokens.join(' ') })
      expectSameRows(seen, seen.length > asTyped.length ? inAnyCase : asTyped, `those with ${tokens.join(' or ')}`)
    },
  },
]

/** The filter accepts each of the seven values. */
function ofCacheStatus(value: string): Draft {
  return {
    slug: 'cache-status-filter',
    aspect: value === '-' ? 'none' : toSlug(value),
    text: 'cacheStatus picks entries by cache status.',
    run: async (context) => {
      const range = await sample(context)
      if (!range.rows.some((row) => row['cacheStatus'] === value))
        throw new Skip(`no entry has the cache status ${value}`)
      await expectPicked(context, range, { cacheStatus: value }, (row) => row['cacheStatus'] === value)
    },
  }
}

interface FieldFilter {
  readonly parameter: string
  readonly field: string
  readonly how: 'exactly' | 'in part'
}

/** Filters on one field. An entry without the field matches none of them. */
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
      // Only plain ASCII, because the comparison of other text is unspecified.
      const values = range.rows.map((row) => row[field]).filter((value) => typeof value === 'string')
      const plain = rarest(values.filter((value) => /^[\w./:+ ()?=-]{2,}$/.test(value)))
      const filterValue = how === 'exactly' ? plain : plain.slice(0, 12).toUpperCase()
      await expectPicked(context, range, { [parameter]: filterValue }, (row) =>
        how === 'exactly' ? row[field] === filterValue : contains(String(row[field] ?? ''), filterValue),
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
  const expected = rows.filter(isPicked)
  skipUnlessSome(expected, rows)
  const what = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  expectSameRows(await readWholeRange(context, from, to, query), expected, `those with ${what.join('&')}`)
}

/** Skips a check that a server without the filter would pass, too. */
function skipUnlessSome(picked: readonly Row[], all: readonly Row[]): void {
  if (picked.length === 0 || picked.length === all.length)
    throw new Skip('the filter would select none or all of the entries, so it cannot be observed')
}

/** Returns the rarest value of at least two. A filter that does nothing would also select the other values. */
function rarest(values: readonly string[]): string {
  const [value] = byRarity(values, 2)
  return value
}

/** Returns the two rarest values of at least three. */
function twoRarest(values: readonly string[]): readonly [string, string] {
  const [first, second = first] = byRarity(values, 3)
  return [first, second]
}

/** Returns the distinct values, the rarest first. Skips the check if there are fewer than `min`. */
function byRarity(values: readonly string[], min: number): readonly [string, ...string[]] {
  const counts = [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => a.length - b.length)
  const [first, ...rest] = counts.map(([value]) => value)
  if (first === undefined || counts.length < min) throw new Skip('too few different values to observe a filter')
  return [first, ...rest]
}

/**
 * Returns a part of a URL that occurs only in some entries: a whole text, or its start or end. Only plain ASCII, because
 * the comparison of other text is unspecified.
 */
function tellingPart(rows: readonly Row[], textsOf: (row: Row) => readonly string[]): string {
  const candidates = rows.flatMap(textsOf).flatMap((text) => [text, text.slice(-12), text.slice(0, 12)])
  const parts = [...new Set(candidates)].filter((part) => /^[\w/.-]{2,80}$/.test(part))
  const part = parts.find((candidate) => {
    const holding = rows.filter((row) => contains(urlOf(row), candidate)).length
    return holding > 0 && holding < rows.length
  })
  if (part === undefined) throw new Skip('no part of a URL that occurs in some entries only')
  return part
}

/** The text that `urlContains` searches. */
function urlOf(row: Row): string {
  return `${row['host'] ?? ''}${row['path'] ?? ''}`
}

/** The fields that `search` searches. */
function searched(row: Row): string[] {
  return ['cacheStatus', 'requestId', 'edgeLocation', 'host', 'path', 'userAgent', 'referer', 'contentRange'].map(
    (name) => String(row[name] ?? ''),
  )
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
