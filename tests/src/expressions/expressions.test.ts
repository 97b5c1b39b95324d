import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import { hideSecrets } from '@cdn/kit/secrets'
import { cleanLines, terminalText } from '@cdn/kit/text'
import { expect, test } from 'vitest'
import { built, measured, own } from './exceptions.ts'
import { findExpressions, literalsOf, toRegExp } from './find.ts'
import { findGrowth, pumpsOf } from './growth.ts'
import { isProven } from './prove.ts'

const expressions = findExpressions()
const literals = literalsOf(expressions)
const proven = new Set<string>(JSON.parse(readFileSync(join(import.meta.dirname, 'gen/proven.json'), 'utf8')))

test('each expression of the sources takes linear time on any text, or is an exception with a reason', async () => {
  const excepted = new Set([...Object.keys(measured), ...Object.keys(own), ...Object.keys(built)])
  const open = expressions.filter((expression) => !proven.has(expression) && !excepted.has(expression))
  const unproven: string[] = []
  for (const expression of open)
    if (!expression.startsWith('/') || !(await isProven(expression, 20_000))) unproven.push(expression)
  expect(unproven, 'may take quadratic time on a text of others: rewrite it, or see exceptions.ts').toEqual([])
  expect(
    [...excepted].filter((expression) => !expressions.includes(expression)),
    'no longer in the sources',
  ).toEqual([])
})

const examples = Object.values(built).filter((example) => typeof example !== 'string')
const hostile = [...literals.filter((literal) => !(literal in own)).map(toRegExp), ...examples]

test('no expression takes super-linear time on repeated texts', () => {
  const slow = hostile.flatMap((expression) => {
    const pump = findGrowth(
      (text) => text.replace(expression, ''),
      [...(measured[String(expression)] ?? []), ...pumpsOf(expression)],
    )
    return pump === undefined ? [] : [`${expression} on ${JSON.stringify(pump)}`]
  })
  expect(slow).toEqual([])
})

/** Functions for texts of others, whose time depends on more than one expression. */
const functions: Readonly<Record<string, (text: string) => unknown>> = {
  parseJson: (text) => attempt(() => parseJson(`[1234567890123456,"${text}`)),
  'parseJson of valid JSON': (text) =>
    parseJson(JSON.stringify({ text, [text]: 1, big: 0 }).replace('0}', '12345678901234567890}')),
  stringifyJson: (text) => stringifyJson({ text: `\ud800${text}`, [`\ud800${text}`]: 1n }),
  hideSecrets: hideSecrets(['C/ANARY+key==', 'header.claims.signature'], '***'),
  terminalText,
  cleanLines,
}

test.each(Object.entries(functions))('%s takes linear time', (_name, run) => {
  const pumps = [
    '\\"',
    '\\',
    '"',
    '\\\\"',
    '1234567890123456',
    '#',
    '$',
    ' ',
    '"a":',
    '\ud800',
    '%25',
    'C/',
    'C',
    '\u001b',
    '\u{e0001}',
  ]
  expect(findGrowth(run, pumps)).toBeUndefined()
})

function attempt(run: () => unknown): unknown {
  try {
    return run()
  } catch {
    return undefined
  }
}

test('the measurement finds super-linear time', () => {
  const json = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/g
  expect(findGrowth((text) => text.replace(json, ''), ['a', '\\"'])).toBe('\\"')
  expect(findGrowth((text) => /a+$/.test(text), ['b', 'a'])).toBe('a')
})
